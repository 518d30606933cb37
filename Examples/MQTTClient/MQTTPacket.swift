import Foundation

/// A control packet of MQTT 3.1.1, as far as a client sends or gets it.
enum MQTTPacket: Equatable, Sendable {
  case connack(code: UInt8)
  case publish(MQTTMessage, id: UInt16, isDuplicate: Bool)
  case puback(UInt16)
  case pubrec(UInt16)
  case pubrel(UInt16)
  case pubcomp(UInt16)
  case suback(UInt16, codes: [UInt8])
  case pingresp

  /// Reads a packet; nil if it is none that a broker may send.
  init?(header: UInt8, body: Data) {
    var rest = [UInt8](body)[...]
    switch (header >> 4, header & 0x0F) {
    case (2, 0):
      guard rest.count == 2, let code = rest.last else { return nil }
      self = .connack(code: code)
    case (3, let flags):
      guard let qos = MQTTMessage.QoS(rawValue: (flags >> 1) & 3), let topic = Self.takeText(&rest),
        let id = qos == .atMostOnce ? 0 : Self.takeNumber(&rest)
      else { return nil }
      let message = MQTTMessage(topic: topic, payload: Data(rest), qos: qos, isRetained: flags & 1 != 0)
      self = .publish(message, id: id, isDuplicate: flags & 8 != 0)
    case (let type, let flags) where (4...7).contains(type) && flags == (type == 6 ? 2 : 0):
      guard let id = Self.takeNumber(&rest), rest.isEmpty else { return nil }
      self = [.puback(id), .pubrec(id), .pubrel(id), .pubcomp(id)][Int(type) - 4]
    case (9, 0):
      guard let id = Self.takeNumber(&rest) else { return nil }
      self = .suback(id, codes: Array(rest))
    case (13, 0):
      guard rest.isEmpty else { return nil }
      self = .pingresp
    default: return nil
    }
  }

  private static func takeNumber(_ bytes: inout ArraySlice<UInt8>) -> UInt16? {
    guard bytes.count >= 2 else { return nil }
    let number = bytes.prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
    bytes = bytes.dropFirst(2)
    return number
  }

  private static func takeText(_ bytes: inout ArraySlice<UInt8>) -> String? {
    guard let count = takeNumber(&bytes), bytes.count >= Int(count) else { return nil }
    let text = String(bytes: bytes.prefix(Int(count)), encoding: .utf8)
    bytes = bytes.dropFirst(Int(count))
    return text
  }
}

/// What is published.
struct MQTTMessage: Equatable, Sendable {
  enum QoS: UInt8, Sendable {
    case atMostOnce, atLeastOnce, exactlyOnce
  }

  var topic: String
  var payload: Data
  var qos = QoS.atMostOnce
  var isRetained = false
}

/// The bytes of a packet that a client sends.
struct MQTTFrame {
  private var body = Data()
  private let header: UInt8

  private init(_ header: UInt8) { self.header = header }

  /// The header, the length in seven-bit groups, and the body.
  var bytes: Data {
    var bytes = Data([header])
    var rest = body.count
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes + body
  }

  private mutating func add(_ number: UInt16) { body.append(contentsOf: [UInt8(number >> 8), UInt8(number & 0xFF)]) }

  private mutating func add(_ bytes: Data) {
    add(UInt16(bytes.count))
    body.append(bytes)
  }

  private mutating func add(_ text: String) { add(Data(text.utf8)) }

  static func connect(id: String, keepAlive: UInt16, will: MQTTMessage?) -> Data {
    var frame = MQTTFrame(0x10)
    frame.add("MQTT")
    // Level 4 is 3.1.1; the session is always a clean one.
    var flags: UInt8 = 0x02
    if let will { flags |= 0x04 | will.qos.rawValue << 3 | (will.isRetained ? 0x20 : 0) }
    frame.body.append(contentsOf: [4, flags])
    frame.add(keepAlive)
    frame.add(id)
    if let will {
      frame.add(will.topic)
      frame.add(will.payload)
    }
    return frame.bytes
  }

  static func publish(_ message: MQTTMessage, id: UInt16, isDuplicate: Bool = false) -> Data {
    var frame = MQTTFrame(
      0x30 | (isDuplicate ? 8 : 0) | message.qos.rawValue << 1 | (message.isRetained ? 1 : 0))
    frame.add(message.topic)
    if message.qos != .atMostOnce { frame.add(id) }
    frame.body.append(message.payload)
    return frame.bytes
  }

  static func subscribe(_ topic: String, qos: MQTTMessage.QoS, id: UInt16) -> Data {
    var frame = MQTTFrame(0x82)
    frame.add(id)
    frame.add(topic)
    frame.body.append(qos.rawValue)
    return frame.bytes
  }

  static func puback(_ id: UInt16) -> Data { acknowledgement(0x40, id) }
  static func pubrec(_ id: UInt16) -> Data { acknowledgement(0x50, id) }
  static func pubrel(_ id: UInt16) -> Data { acknowledgement(0x62, id) }
  static func pubcomp(_ id: UInt16) -> Data { acknowledgement(0x70, id) }
  static let pingreq = MQTTFrame(0xC0).bytes
  static let disconnect = MQTTFrame(0xE0).bytes

  private static func acknowledgement(_ header: UInt8, _ id: UInt16) -> Data {
    var frame = MQTTFrame(header)
    frame.add(id)
    return frame.bytes
  }
}
