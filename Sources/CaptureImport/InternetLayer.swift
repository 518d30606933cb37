/// The address of one end of a connection.
struct Endpoint: Hashable {
  var high: UInt64
  var low: UInt64
  var port: UInt16
  var isIPv6: Bool

  init(_ address: ArraySlice<UInt8>, port: UInt16) {
    isIPv6 = address.count == 16
    var words: (UInt64, UInt64) = (0, 0)
    for byte in address {
      words.0 = words.0 << 8 | words.1 >> 56
      words.1 = words.1 << 8 | UInt64(byte)
    }
    (high, low, self.port) = (words.0, words.1, port)
  }

  /// `127.0.0.1:80`, `[::1]:80`.
  var text: String { isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)" }

  private var address: String {
    guard isIPv6 else {
      return [24, 16, 8, 0].map { (shift: UInt64) in String((low >> shift) & 255) }.joined(separator: ".")
    }
    let groups = [high, low].flatMap { word in [48, 32, 16, 0].map { (shift: UInt64) in (word >> shift) & 0xFFFF } }
    // The longest row of zeros is left out, the first of several, and never a single one (RFC 5952).
    var best = 0..<0
    var start = 0
    while start < 8 {
      var end = start
      while end < 8, groups[end] == 0 { end += 1 }
      if end - start > max(best.count, 1) { best = start..<end }
      start = max(end, start + 1)
    }
    func text(_ range: Range<Int>) -> String { range.map { String(groups[$0], radix: 16) }.joined(separator: ":") }
    return best.isEmpty ? text(0..<8) : text(0..<best.lowerBound) + "::" + text(best.upperBound..<8)
  }
}

/// What a packet of IP carries of TCP, whole or as a fragment.
///
/// Law: no field is read beyond the captured bytes of the packet; impossible lengths are replaced by the captured one.
struct InternetPacket {
  struct Fragment {
    /// What all fragments of one packet have in common.
    var key: [UInt8]
    /// In bytes.
    var offset: Int
    var isLast: Bool
  }

  static let tcp: UInt8 = 6
  /// IP inside of IP, by the version of what is inside.
  private static let tunnels: Set<UInt8> = [4, 41]
  private static let maxTunnels = 4

  var source: ArraySlice<UInt8>
  var target: ArraySlice<UInt8>
  var transport: UInt8
  /// Behind all headers of IP: as much as was captured.
  var content: ArraySlice<UInt8>
  /// How much of it was on the wire.
  var length: Int
  /// nil: it is whole.
  var fragment: Fragment?

  /// nil: the headers are not all there, or no headers.
  init?(_ bytes: ArraySlice<UInt8>, lengthOnWire: Int) {
    switch bytes.first.map({ $0 >> 4 }) {
    case 4: self.init(version4: bytes, lengthOnWire: lengthOnWire)
    case 6: self.init(version6: bytes, lengthOnWire: lengthOnWire)
    default: return nil
    }
  }

  /// Of packets that carry packets, the one inside.
  init?(innermostOf bytes: ArraySlice<UInt8>, lengthOnWire: Int) {
    self.init(bytes, lengthOnWire: lengthOnWire)
    for _ in 0..<Self.maxTunnels {
      guard Self.tunnels.contains(transport), fragment == nil else { return }
      self.init(content, lengthOnWire: length)
    }
  }

  private init?(version4 bytes: ArraySlice<UInt8>, lengthOnWire: Int) {
    guard bytes.count >= 20 else { return nil }
    let header = Int(bytes[at: 0] & 15) * 4
    guard header >= 20, bytes.count >= header else { return nil }
    // 0 where the host's interface cut the segment itself, after the capture had seen it.
    let total = Int(bytes.word(2)) == 0 ? lengthOnWire : Int(bytes.word(2))
    guard total >= header else { return nil }
    source = bytes.behind(12).prefix(4)
    target = bytes.behind(16).prefix(4)
    transport = bytes[at: 9]
    content = bytes.prefix(total).behind(header)
    length = total - header
    let word = bytes.word(6)
    guard word & 0x3FFF != 0 else { return }
    fragment = Fragment(
      key: Array(bytes.behind(12).prefix(8)) + [transport] + bytes.behind(4).prefix(2),
      offset: Int(word & 0x1FFF) * 8, isLast: word & 0x2000 == 0)
  }

  private init?(version6 bytes: ArraySlice<UInt8>, lengthOnWire: Int) {
    guard bytes.count >= 40 else { return nil }
    let total = Int(bytes.word(4)) == 0 ? lengthOnWire : 40 + Int(bytes.word(4))
    source = bytes.behind(8).prefix(16)
    target = bytes.behind(24).prefix(16)
    var headers = ExtensionHeaders(
      number: bytes[at: 6], rest: bytes.prefix(max(total, 40)).behind(40), left: max(total - 40, 0))
    // What is behind a fragment's header is the packet's own only when all of its fragments are together.
    reading: while fragment == nil {
      switch headers.next() {
      case .content: break reading
      case .broken: return nil
      case .header(let number, let header):
        let word = header.word(2)
        // A packet in one fragment is whole.
        guard number == ExtensionHeaders.fragment, word & 0xFFF9 != 0 else { continue }
        fragment = Fragment(
          key: Array(bytes.behind(8).prefix(32)) + header.behind(4).prefix(4), offset: Int(word & 0xFFF8),
          isLast: word & 1 == 0)
      }
    }
    (transport, content, length) = (headers.number, headers.rest, headers.left)
  }

  /// Whether it carries TCP, or is a fragment of what may carry it behind more headers.
  var mayCarryTCP: Bool {
    transport == Self.tcp || fragment != nil && source.count == 16 && ExtensionHeaders.include(transport)
  }

  /// What a packet carries that was put together of fragments such as this one, behind the headers that came in them.
  /// nil: the headers are not all there.
  func carried(by whole: [UInt8]) -> (transport: UInt8, content: ArraySlice<UInt8>)? {
    guard source.count == 16 else { return (transport, whole[...]) }
    var headers = ExtensionHeaders(number: transport, rest: whole[...], left: whole.count)
    while true {
      switch headers.next() {
      case .content: return (headers.number, headers.rest)
      case .broken: return nil
      // A fragment of a fragment is none that anybody sends.
      case .header(let number, _): if number == ExtensionHeaders.fragment { return nil }
      }
    }
  }
}

/// A segment of TCP.
struct CapturedSegment {
  struct Flags: OptionSet {
    let rawValue: UInt8
    static let fin = Flags(rawValue: 1)
    static let syn = Flags(rawValue: 2)
    static let rst = Flags(rawValue: 4)
    static let ack = Flags(rawValue: 16)
    static let urgent = Flags(rawValue: 32)
  }

  var source: Endpoint
  var target: Endpoint
  var sequence: UInt32
  var acknowledged: UInt32
  var flags: Flags
  var window: Int
  var urgentPointer: UInt16
  /// As much of the data as was captured.
  var bytes: ArraySlice<UInt8>
  /// Of the data, on the wire.
  var length: Int

  /// nil: the header is not all there.
  init?(_ content: ArraySlice<UInt8>, length: Int, from source: ArraySlice<UInt8>, to target: ArraySlice<UInt8>) {
    guard content.count >= 20 else { return nil }
    let header = Int(content[at: 12] >> 4) * 4
    guard header >= 20, header <= length else { return nil }
    self.source = Endpoint(source, port: content.word(0))
    self.target = Endpoint(target, port: content.word(2))
    sequence = content.longWord(4)
    acknowledged = content.longWord(8)
    flags = Flags(rawValue: content[at: 13])
    window = Int(content.word(14))
    urgentPointer = content.word(18)
    bytes = content.behind(header)
    self.length = length - header
  }
}
