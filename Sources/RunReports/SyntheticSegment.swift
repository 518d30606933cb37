import PacketRelay
import ScenarioModel

/// A TCP segment in its IP packet, made up around bytes whose own packets were not captured.
struct SyntheticSegment {
  struct Flags: OptionSet {
    let rawValue: UInt8

    static let fin = Flags(rawValue: 1)
    static let syn = Flags(rawValue: 2)
    static let rst = Flags(rawValue: 4)
    static let push = Flags(rawValue: 8)
    static let ack = Flags(rawValue: 16)
    static let urgent = Flags(rawValue: 32)
  }

  var sourcePort: UInt16
  var targetPort: UInt16
  var sequence: UInt32
  var acknowledged: UInt32
  var flags: Flags
  var payload: ArraySlice<UInt8> = []

  /// The most payload bytes of a segment: as on a loopback interface, a segment may be large.
  static let maxPayload = 32_768

  private static let transport: UInt8 = 6
  private static let hops: UInt8 = 64
  /// Its largest value, times 2 to the power of the scale in the SYN: no sender ever waits for it.
  private static let window: UInt16 = 65_535
  private static let windowScale: UInt8 = 14

  /// The packet, all checksums right. A family without packets of its own gets those of IPv4.
  func packet(_ family: AddressFamily) -> [UInt8] {
    let address = Self.loopback(family)
    var segment = header
    segment.append(contentsOf: payload)
    var sum = InternetChecksum()
    sum.add(address)
    sum.add(address)
    sum.add([0, Self.transport])
    sum.add(Self.bigEndian(UInt32(truncatingIfNeeded: segment.count)))
    sum.add(segment)
    segment.replaceSubrange(16..<18, with: Self.bigEndian(sum.value))
    return Self.envelope(family, address: address, count: segment.count) + segment
  }

  /// Bytes of both headers.
  func headerCount(_ family: AddressFamily) -> Int { (family == .ipv6 ? 40 : 20) + header.count }

  /// The checksum is zero.
  private var header: [UInt8] {
    let options = flags.contains(.syn) ? Self.options : []
    var bytes = Self.bigEndian(sourcePort) + Self.bigEndian(targetPort)
    bytes += Self.bigEndian(sequence) + Self.bigEndian(acknowledged)
    bytes += [UInt8(truncatingIfNeeded: (20 + options.count) / 4) << 4, flags.rawValue]
    bytes += Self.bigEndian(Self.window) + [0, 0]
    bytes += Self.bigEndian(flags.contains(.urgent) ? UInt16(truncatingIfNeeded: payload.count) : 0)
    return bytes + options
  }

  /// Of a SYN: the largest segment and the window's scale, padded.
  private static var options: [UInt8] {
    [2, 4] + bigEndian(UInt16(maxPayload)) + [1, 3, 3, windowScale]
  }

  private static func envelope(_ family: AddressFamily, address: [UInt8], count: Int) -> [UInt8] {
    guard family != .ipv6 else {
      return [0x60, 0, 0, 0] + bigEndian(UInt16(truncatingIfNeeded: count)) + [transport, hops] + address + address
    }
    var bytes: [UInt8] = [0x45, 0] + bigEndian(UInt16(truncatingIfNeeded: 20 + count))
    // No identification, not to be fragmented.
    bytes += [0, 0, 0x40, 0, hops, transport, 0, 0] + address + address
    var sum = InternetChecksum()
    sum.add(bytes)
    bytes.replaceSubrange(10..<12, with: bigEndian(sum.value))
    return bytes
  }

  private static func loopback(_ family: AddressFamily) -> [UInt8] {
    family == .ipv6 ? [UInt8](repeating: 0, count: 15) + [1] : [127, 0, 0, 1]
  }

  private static func bigEndian(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
