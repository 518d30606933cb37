/// The blocks of pcapng.
extension CaptureReader {
  private enum Block {
    static let section: UInt32 = 0x0A0D_0D0A
    static let interface: UInt32 = 1
    static let oldPacket: UInt32 = 2
    static let simplePacket: UInt32 = 3
    static let packet: UInt32 = 6
    static let secrets: UInt32 = 10
  }

  private static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
  private static let maxInterfaces = 65_536
  private static let tlsKeyLog: UInt32 = 0x544C_534B

  /// The number of bytes of the block at that place of the file; nil: it is not complete yet.
  mutating func block(
    _ bytes: ArraySlice<UInt8>, at place: Int, _ give: (CapturedItem) -> Void
  ) throws(CaptureFault) -> Int? {
    guard bytes.count >= 12 else { return nil }
    // It reads the same in either order.
    if bytes.longWord(0) == Block.section {
      switch bytes.longWord(8) {
      case Self.byteOrderMagic: isBigEndian = true
      case Self.byteOrderMagic.byteSwapped: isBigEndian = false
      default: throw damage(place, "has no byte order")
      }
      interfaces = []
    }
    let type = bytes.longWord(0, isBigEndian: isBigEndian)
    let length = Int(bytes.longWord(4, isBigEndian: isBigEndian))
    guard length >= 12, length % 4 == 0, length <= Self.maxRecord else {
      throw damage(place, "claims \(length) bytes, which no block has")
    }
    guard bytes.count >= length else { return nil }
    guard Int(bytes.longWord(length - 4, isBigEndian: isBigEndian)) == length else {
      throw damage(place, "has another length at its end than at its beginning")
    }
    let body = bytes.behind(8).prefix(length - 12)
    switch type {
    case Block.interface: try takeInterface(body, at: place)
    case Block.packet: try takePacket(body, at: place, interface: 0, hasShortInterface: false, give)
    case Block.oldPacket: try takePacket(body, at: place, interface: 0, hasShortInterface: true, give)
    case Block.simplePacket: try takeSimplePacket(body, at: place, give)
    case Block.secrets: if let text = keyLog(body) { give(.keyLog(text)) }
    default: break
    }
    return length
  }

  private func damage(_ place: Int, _ what: String) -> CaptureFault {
    CaptureFault(offset: place, message: "The block at byte \(place) \(what): the file is damaged here.")
  }

  private mutating func takeInterface(_ body: ArraySlice<UInt8>, at place: Int) throws(CaptureFault) {
    guard body.count >= 8 else { throw damage(place, "is too short for an interface") }
    guard interfaces.count < Self.maxInterfaces else {
      throw damage(place, "describes an interface behind \(interfaces.count) others, which no machine has")
    }
    var interface = Interface(
      link: Int(body.word(0, isBigEndian: isBigEndian)), snapLength: Int(body.longWord(4, isBigEndian: isBigEndian)),
      resolution: 1_000_000, offset: 0)
    try takeOptions(body.behind(8), &interface, at: place)
    interfaces.append(interface)
  }

  /// Options with a false length are damaged, and leave what packets say of the time in doubt.
  private func takeOptions(
    _ options: ArraySlice<UInt8>, _ interface: inout Interface, at place: Int
  ) throws(CaptureFault) {
    var options = options
    while options.count >= 4 {
      let code = options.word(0, isBigEndian: isBigEndian)
      let length = Int(options.word(2, isBigEndian: isBigEndian))
      let value = options.behind(4).prefix(length)
      guard code != 0 else { break }
      guard value.count == length else {
        interface.isDamaged = true
        break
      }
      if code == 9 && length != 1 || code == 14 && length != 8 { interface.isDamaged = true }
      if code == 9, let exponent = value.first {
        guard let resolution = Self.resolution(exponent) else {
          throw damage(place, "counts time in units that are too small")
        }
        interface.resolution = resolution
      }
      if code == 14, length == 8 {
        let words = (value.longWord(0, isBigEndian: isBigEndian), value.longWord(4, isBigEndian: isBigEndian))
        let (high, low) = isBigEndian ? (words.0, words.1) : (words.1, words.0)
        interface.offset = Int64(bitPattern: UInt64(high) << 32 | UInt64(low))
      }
      options = options.behind(4 + (length + 3) / 4 * 4)
    }
  }

  /// Units in a second; nil: more than a number holds.
  private static func resolution(_ exponent: UInt8) -> UInt64? {
    if exponent & 0x80 != 0 { return exponent & 0x7F < 64 ? 1 << UInt64(exponent & 0x7F) : nil }
    guard exponent < 19 else { return nil }
    return (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  private func takePacket(
    _ body: ArraySlice<UInt8>, at place: Int, interface: Int, hasShortInterface: Bool,
    _ give: (CapturedItem) -> Void
  ) throws(CaptureFault) {
    guard body.count >= 20 else { throw damage(place, "is too short for a packet") }
    let number =
      hasShortInterface
      ? Int(body.word(0, isBigEndian: isBigEndian)) : Int(body.longWord(0, isBigEndian: isBigEndian))
    guard interfaces.indices.contains(number) else {
      throw damage(place, "is of interface \(number), which the section does not have")
    }
    let captured = Int(body.longWord(12, isBigEndian: isBigEndian))
    guard captured <= body.count - 20 else {
      throw damage(place, "claims a packet of \(captured) bytes, and has \(body.count - 20)")
    }
    let high = UInt64(body.longWord(4, isBigEndian: isBigEndian))
    let low = UInt64(body.longWord(8, isBigEndian: isBigEndian))
    let packet = CapturedPacket(
      link: interfaces[number].link, nanoseconds: Self.nanoseconds(high << 32 | low, interfaces[number]),
      length: max(captured, Int(body.longWord(16, isBigEndian: isBigEndian))),
      bytes: body.behind(20).prefix(captured), doubt: interfaces[number].isDamaged ? .options : nil)
    give(.packet(packet))
  }

  private func takeSimplePacket(
    _ body: ArraySlice<UInt8>, at place: Int, _ give: (CapturedItem) -> Void
  ) throws(CaptureFault) {
    guard body.count >= 4, let interface = interfaces.first else {
      throw damage(place, "is a packet without interface")
    }
    let length = Int(body.longWord(0, isBigEndian: isBigEndian))
    var captured = min(length, body.count - 4)
    if interface.snapLength > 0 { captured = min(captured, interface.snapLength) }
    // It has no time: everything seems to come at once.
    let bytes = body.behind(4).prefix(captured)
    give(.packet(CapturedPacket(link: interface.link, nanoseconds: 0, length: length, bytes: bytes)))
  }

  private static func nanoseconds(_ units: UInt64, _ interface: Interface) -> UInt64 {
    let (seconds, fraction) = units.quotientAndRemainder(dividingBy: interface.resolution)
    let product = fraction.multipliedFullWidth(by: 1_000_000_000)
    let part = interface.resolution.dividingFullWidth(product).quotient
    let shifted = seconds &+ UInt64(bitPattern: interface.offset)
    return shifted.multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ part
  }

  private func keyLog(_ body: ArraySlice<UInt8>) -> String? {
    guard body.count >= 8, body.longWord(0, isBigEndian: isBigEndian) == Self.tlsKeyLog else { return nil }
    let length = Int(body.longWord(4, isBigEndian: isBigEndian))
    return String(decoding: body.behind(8).prefix(length), as: UTF8.self)
  }
}
