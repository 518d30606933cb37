/// A pcapng file as read back: blocks, and the TCP packets in them.
struct CaptureFile {
  struct Block {
    var type: UInt32
    var body: [UInt8]
  }

  struct Packet {
    var nanoseconds: UInt64
    /// What was captured, from the IP header on.
    var bytes: [UInt8]
    var length: Int
    var comment: String?
    /// Whether it came to the subject.
    var isInbound: Bool

    var isIPv6: Bool { (bytes.first ?? 0) >> 4 == 6 }
    var tcp: [UInt8] { Array(bytes.dropFirst(isIPv6 ? 40 : 20)) }
    var ports: [UInt16] { [big16(tcp, 0), big16(tcp, 2)] }
    var sequence: UInt32 { UInt32(big16(tcp, 4)) << 16 | UInt32(big16(tcp, 6)) }
    var acknowledged: UInt32 { UInt32(big16(tcp, 8)) << 16 | UInt32(big16(tcp, 10)) }
    var payload: [UInt8] { Array(tcp.dropFirst(Int(tcp[12] >> 4) * 4)) }
    /// `SA` for SYN and ACK; one letter for each flag that is set.
    var flags: String {
      let bits = tcp[13]
      return String("FSRPAU".enumerated().filter { bits & 1 << UInt8($0.offset) != 0 }.map(\.element))
    }

    /// Of the IP header (where there is one) and of the segment; both are 0 when they are right.
    var checksums: [UInt16] {
      let addresses = isIPv6 ? Array(bytes[8..<40]) : Array(bytes[12..<20])
      let pseudo = addresses + [0, 6, UInt8(tcp.count >> 8), UInt8(tcp.count & 255)]
      return [isIPv6 ? 0 : sum(Array(bytes[..<20])), sum(pseudo + tcp)]
    }
  }

  var blocks: [Block] = []

  /// nil when lengths contradict each other.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard rest.count >= 12 else { return nil }
      let length = Int(little32(Array(rest.prefix(8)), 4))
      guard length % 4 == 0, length >= 12, length <= rest.count else { return nil }
      let block = Array(rest.prefix(length))
      guard little32(block, length - 4) == UInt32(length) else { return nil }
      blocks.append(Block(type: little32(block, 0), body: Array(block[8..<(length - 4)])))
      rest = rest.dropFirst(length)
    }
  }

  var packets: [Packet] {
    blocks.filter { $0.type == 6 }.map { block in
      let captured = Int(little32(block.body, 12))
      let options = Self.options(Array(block.body.dropFirst(20 + (captured + 3) / 4 * 4)))
      return Packet(
        nanoseconds: UInt64(little32(block.body, 4)) << 32 | UInt64(little32(block.body, 8)),
        bytes: Array(block.body[20..<(20 + captured)]), length: Int(little32(block.body, 16)),
        comment: options[1].map { String(decoding: $0, as: UTF8.self) }, isInbound: options[2]?.first == 1)
    }
  }

  /// Of the section.
  var comment: String {
    let options = blocks.first.map { Self.options(Array($0.body.dropFirst(16))) } ?? [:]
    return options[1].map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The key log; nil without a block of secrets.
  var secrets: String? {
    blocks.first { $0.type == 10 }.map { block in
      String(decoding: block.body[8..<(8 + Int(little32(block.body, 4)))], as: UTF8.self)
    }
  }

  private static func options(_ bytes: [UInt8]) -> [Int: [UInt8]] {
    var options: [Int: [UInt8]] = [:]
    var rest = bytes
    while rest.count >= 4 {
      let (code, count) = (Int(rest[0]) | Int(rest[1]) << 8, Int(rest[2]) | Int(rest[3]) << 8)
      guard code != 0, rest.count >= 4 + count else { break }
      options[code] = Array(rest[4..<(4 + count)])
      rest.removeFirst(4 + (count + 3) / 4 * 4)
    }
    return options
  }
}

private func big16(_ bytes: [UInt8], _ place: Int) -> UInt16 { UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]) }

private func little32(_ bytes: [UInt8], _ place: Int) -> UInt32 {
  (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * $1) }
}

private func sum(_ bytes: [UInt8]) -> UInt16 {
  var total: UInt32 = 0
  for place in stride(from: 0, to: bytes.count, by: 2) {
    total += UInt32(bytes[place]) << 8 | UInt32(place + 1 < bytes.count ? bytes[place + 1] : 0)
    total = (total & 0xFFFF) + total >> 16
  }
  return ~UInt16(total)
}
