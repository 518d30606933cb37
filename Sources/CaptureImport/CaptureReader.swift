import ScenarioModel

/// Reads a capture as it comes, in the formats pcap and pcapng, of either byte order.
///
/// Laws
/// - Total: any bytes are packets, or a fault that says where and what.
/// - Bounded: it keeps no more than one record. Chunks may be cut anywhere; whole = byte by byte.
/// - A fault ends the reading; every packet before it was given out.
package struct CaptureReader {
  private enum Format {
    case unknown
    case pcap(isBigEndian: Bool, nanoseconds: Bool, link: Int)
    case pcapng
  }

  /// What a section of pcapng knows of one interface.
  struct Interface {
    var link: Int
    var snapLength: Int
    /// Units of time in a second.
    var resolution: UInt64
    /// Seconds.
    var offset: Int64
    /// Its options can't be read on, or have lengths that they never have.
    var isDamaged = false
  }

  /// A record has no more; tools that write captures stop far below.
  package static let maxRecord = 16 << 20

  private var format = Format.unknown
  private var rest: [UInt8] = []
  /// Of the first byte in `rest`, in the file.
  private var offset = 0
  private var isOver = false
  var isBigEndian = false
  var interfaces: [Interface] = []

  /// Where the next record begins: everything before it has been read.
  package var position: Int { offset }

  package init() {}

  /// Takes the next bytes of the file and gives out what is complete by then.
  package mutating func take(
    _ chunk: ArraySlice<UInt8>, _ give: (CapturedItem) -> Void
  ) throws(CaptureFault) {
    guard !isOver else { return }
    // Of a slice that has the whole array nothing is copied but what is left over.
    let bytes = rest.isEmpty ? chunk : (rest + chunk)[...]
    var place = bytes
    rest = []
    do throws(CaptureFault) {
      while let used = try next(place, give) {
        place = place.behind(used)
        offset += used
      }
    } catch {
      isOver = true
      throw error
    }
    rest = Array(place)
  }

  /// To be called at the end of the file.
  package mutating func end() throws(CaptureFault) {
    guard !isOver else { return }
    isOver = true
    if case .unknown = format {
      let message =
        rest.isEmpty
        ? "The file is empty."
        : rest.count < 4 ? Self.noCapture : "The capture is cut off: it has \(rest.count) bytes of its header of 24."
      throw CaptureFault(offset: 0, message: message, isNoCapture: true)
    }
    guard rest.isEmpty else {
      throw CaptureFault(
        offset: offset,
        message: "The capture is cut off: its last record begins at byte \(offset) and has \(rest.count) of its bytes.")
    }
  }

  /// The number of bytes that the next record has; nil: it is not complete yet.
  private mutating func next(
    _ bytes: ArraySlice<UInt8>, _ give: (CapturedItem) -> Void
  ) throws(CaptureFault) -> Int? {
    switch format {
    case .unknown: return try begin(bytes)
    case .pcap(let isBigEndian, let nanoseconds, let link):
      return try record(bytes, isBigEndian: isBigEndian, nanoseconds: nanoseconds, link: link, give)
    case .pcapng: return try block(bytes, at: offset, give)
    }
  }

  static let noCapture =
    "This is no capture: it begins neither like pcap nor like pcapng. Write one with tcpdump -w, dumpcap or Wireshark."

  private mutating func begin(_ bytes: ArraySlice<UInt8>) throws(CaptureFault) -> Int? {
    if let tool = Self.compression(bytes) {
      throw CaptureFault(
        offset: 0, message: "The file is compressed. Unpack it first: \(tool).", isNoCapture: true)
    }
    guard bytes.count >= 4 else { return nil }
    let magic = bytes.longWord(0)
    if magic == 0x0A0D_0D0A {
      format = .pcapng
      return 0
    }
    let isBigEndian: Bool
    let nanoseconds: Bool
    switch magic {
    case 0xA1B2_C3D4: (isBigEndian, nanoseconds) = (true, false)
    case 0xA1B2_3C4D: (isBigEndian, nanoseconds) = (true, true)
    case 0xD4C3_B2A1: (isBigEndian, nanoseconds) = (false, false)
    case 0x4D3C_B2A1: (isBigEndian, nanoseconds) = (false, true)
    default: throw CaptureFault(offset: 0, message: Self.noCapture, isNoCapture: true)
    }
    guard bytes.count >= 24 else { return nil }
    // The upper bits say whether packets have a check sequence behind them, which IP's lengths cut off anyway.
    let link = Int(bytes.longWord(20, isBigEndian: isBigEndian) & 0x0FFF_FFFF)
    format = .pcap(isBigEndian: isBigEndian, nanoseconds: nanoseconds, link: link)
    return 24
  }

  /// How to unpack a file that begins so; nil: it is not compressed, as far as one can see.
  private static func compression(_ bytes: ArraySlice<UInt8>) -> String? {
    let kinds: [([UInt8], String)] = [
      ([0x1F, 0x8B], "gunzip"), ([0x28, 0xB5, 0x2F, 0xFD], "unzstd"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "unxz"),
      (Array("BZh".utf8), "bunzip2"), ([0x04, 0x22, 0x4D, 0x18], "unlz4"), ([0x50, 0x4B, 0x03, 0x04], "unzip"),
    ]
    return kinds.first { bytes.starts(with: $0.0) }?.1
  }

  private func record(
    _ bytes: ArraySlice<UInt8>, isBigEndian: Bool, nanoseconds: Bool, link: Int, _ give: (CapturedItem) -> Void
  ) throws(CaptureFault) -> Int? {
    guard bytes.count >= 16 else { return nil }
    let captured = Int(bytes.longWord(8, isBigEndian: isBigEndian))
    guard captured <= Self.maxRecord else {
      throw CaptureFault(
        offset: offset,
        message: "The record at byte \(offset) claims \(captured) bytes, which no packet has: the file is damaged here."
      )
    }
    let onWire = Int(bytes.longWord(12, isBigEndian: isBigEndian))
    // Unwritten space reads as zeros, gibibytes of them where a tool had reserved space and died.
    guard captured > 0 || onWire > 0 else {
      throw CaptureFault(
        offset: offset, message: "The record at byte \(offset) is of no packet at all: the file is damaged here.")
    }
    guard bytes.count >= 16 + captured else { return nil }
    let seconds = UInt64(bytes.longWord(0, isBigEndian: isBigEndian))
    let fraction = UInt64(bytes.longWord(4, isBigEndian: isBigEndian))
    let length = max(captured, onWire)
    // Minutes of it may be said. Of a record whose seconds alone can be believed, they count.
    let isSound = fraction < (nanoseconds ? 1_000_000_000 : 1_000_000)
    let part = isSound ? fraction * (nanoseconds ? 1 : 1_000) : 0
    let packet = CapturedPacket(
      link: link, nanoseconds: seconds * 1_000_000_000 + part, length: length,
      bytes: bytes.behind(16).prefix(captured), doubt: isSound ? nil : .fraction)
    give(.packet(packet))
    return 16 + captured
  }
}
