import ScenarioModel

/// A name server as a function: a query in a packet of UDP, and the packets that answer it.
struct NameServer {
  /// One answer, and how long it takes.
  struct Reply: Hashable {
    var after: Duration
    var bytes: [UInt8]
  }

  /// The question of a query (RFC 1035).
  struct Question: Hashable {
    /// Bytes of a name with the lengths of its labels and the zero at its end. An answer to a longer one, which repeats
    /// it, might not fit into a packet.
    private static let longestName = 255

    /// In lower case, without the dot at the end.
    var name: String
    /// 1 asks for IPv4, 28 for IPv6.
    var type: UInt16
    /// As it stands in the query, to be repeated.
    var bytes: [UInt8]

    /// nil: the message has no whole question.
    init?(_ message: [UInt8]) {
      guard message.count >= 12, message.word(4) == 1, message[2] & 0x80 == 0 else { return nil }
      var labels: [String] = []
      var place = 12
      while place < message.count, message[place] > 0 {
        let count = Int(message[place])
        guard count < 64, place + 1 + count < message.count, place - 12 + 1 + count < Self.longestName else {
          return nil
        }
        labels.append(String(decoding: message[(place + 1)...(place + count)], as: UTF8.self))
        place += 1 + count
      }
      guard place + 5 <= message.count else { return nil }
      name = labels.joined(separator: ".").lowercased()
      type = message.word(place + 1)
      bytes = Array(message[12..<(place + 5)])
    }
  }

  static let port: UInt16 = 53
  private static let types: [(AddressFamily, UInt16)] = [(.ipv4, 1), (.ipv6, 28)]
  private static let header = 8

  /// What it knows; names that are not among them do not exist.
  let answers: [NameAnswer]

  /// Whether the packet is for a name server.
  static func serves(_ packet: IPPacket) -> Bool {
    packet.transport == IPPacket.Transport.udp && !packet.isLaterFragment && packet.content.count >= header
      && Array(packet.content.prefix(4)).word(2) == port
  }

  /// Whole packets, in the order in which they leave; none for what is no query, or is not answered.
  func replies(to packet: IPPacket) -> [Reply] {
    let content = Array(packet.content)
    let query = Array(content.dropFirst(Self.header))
    guard Self.serves(packet), let question = Question(query) else { return [] }
    let answer = answers.first { $0.name.lowercased() == question.name }
    let message = message(answer, to: query, question)
    return message.map { bytes in
      var datagram: [UInt8] = [content[2], content[3], content[0], content[1]]
      datagram += UInt16(truncatingIfNeeded: Self.header + bytes.count).bigEndianBytes
      datagram += [0, 0]
      datagram += bytes
      return Reply(
        after: answer?.delay ?? .zero,
        bytes: IPPacket.make(
          isIPv6: packet.isIPv6, from: packet.target, to: packet.source, transport: IPPacket.Transport.udp,
          content: datagram, checksumOffset: 6))
    }
  }

  private func message(_ answer: NameAnswer?, to query: [UInt8], _ question: Question) -> [[UInt8]] {
    let id = Array(query[0..<2])
    guard let answer else { return [Self.message(id, code: 3, question.bytes, [])] }
    let addresses = answer.addresses.filter { address in
      Self.types.contains { $0.1 == question.type && (address.contains(":") ? $0.0 == .ipv6 : $0.0 == .ipv4) }
    }
    let right = Self.message(id, code: 0, question.bytes, addresses.compactMap(Self.record))
    switch answer.fault {
    case nil: return [right]
    case .nxdomain: return [Self.message(id, code: 3, question.bytes, [])]
    case .servfail: return [Self.message(id, code: 2, question.bytes, [])]
    case .refused: return [Self.message(id, code: 5, question.bytes, [])]
    case .silent: return []
    case .garbage: return [id + [UInt8](repeating: 0xFF, count: 20)]
    case .forged:
      // Somebody else's, who guesses and is first; then the right one.
      let lie = Self.record(question.type == 1 ? "10.77.1.66" : "fd77:1::66")
      return [Self.message(id.map { ~$0 }, code: 0, question.bytes, [lie].compactMap(\.self)), right]
    }
  }

  private static func message(_ id: [UInt8], code: UInt8, _ question: [UInt8], _ records: [[UInt8]]) -> [UInt8] {
    var message = id
    message += [0x81, 0x80 | code, 0, 1]
    message += UInt16(truncatingIfNeeded: records.count).bigEndianBytes
    message += [0, 0, 0, 0]
    message += question
    for record in records { message += record }
    return message
  }

  /// An address of the name that the question begins with, not to be kept.
  private static func record(_ address: String) -> [UInt8]? {
    guard let bytes = AddressText.bytes(address) else { return nil }
    let type: UInt8 = bytes.count == 4 ? 1 : 28
    let head: [UInt8] = [0xC0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, UInt8(bytes.count)]
    return head + bytes
  }
}

/// Numeric addresses without the system's help.
enum AddressText {
  /// 4 or 16 bytes; nil: it is no numeric address, or one of IPv6 that ends like one of IPv4.
  static func bytes(_ text: String) -> [UInt8]? {
    guard text.contains(":") else {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
      return parts.count == 4 && !parts.contains(nil) ? parts.compactMap(\.self) : nil
    }
    let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false).map { half in
      half.isEmpty ? [] : half.split(separator: ":", omittingEmptySubsequences: false).map { UInt16($0, radix: 16) }
    }
    guard let head = halves.first, !halves.joined().contains(nil) else { return nil }
    let tail = halves.count > 1 ? halves[1] : []
    let missing = 8 - head.count - tail.count
    guard halves.count > 1 ? missing > 0 : missing == 0 else { return nil }
    var groups: [UInt16] = head.compactMap(\.self)
    groups += [UInt16](repeating: 0, count: missing)
    groups += tail.compactMap(\.self)
    return groups.flatMap(\.bigEndianBytes)
  }
}
