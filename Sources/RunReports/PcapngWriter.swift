import ReportMarkup

/// The blocks of a pcapng file, one after the other, in little-endian order.
///
/// One section with one interface; packets are raw IP (LINKTYPE_RAW) and times are nanoseconds since 1970.
struct PcapngWriter {
  private(set) var bytes: [UInt8] = []

  /// The longest comment, in bytes; an option could hold 65,535.
  private static let maxComment = 2_000
  private static let rawIP: UInt16 = 101

  private enum Block {
    static let section: UInt32 = 0x0A0D_0D0A
    static let interface: UInt32 = 1
    static let packet: UInt32 = 6
    static let secrets: UInt32 = 10
  }

  private enum Option {
    static let end: UInt16 = 0
    static let comment: UInt16 = 1
    // Of a section.
    static let system: UInt16 = 3
    static let application: UInt16 = 4
    // Of an interface.
    static let name: UInt16 = 2
    static let description: UInt16 = 3
    static let resolution: UInt16 = 9
    // Of a packet.
    static let flags: UInt16 = 2
  }

  /// Section header; comes first.
  mutating func section(comment: String, system: String, application: String) {
    append(Block.section) { body in
      body.append(littleEndian: UInt32(0x1A2B_3C4D))
      body.append(littleEndian: UInt16(1))
      body.append(littleEndian: UInt16(0))
      // The length of the section is not said.
      body.append(littleEndian: UInt64.max)
      Self.option(Option.comment, text: comment, to: &body)
      Self.option(Option.system, text: system, to: &body)
      Self.option(Option.application, text: application, to: &body)
      Self.endOptions(&body)
    }
  }

  /// The interface all packets belong to; comes before them.
  mutating func interface(name: String, description: String) {
    append(Block.interface) { body in
      body.append(littleEndian: Self.rawIP)
      body.append(littleEndian: UInt16(0))
      // No limit to a packet's length.
      body.append(littleEndian: UInt32(0))
      Self.option(Option.name, text: name, to: &body)
      Self.option(Option.description, text: description, to: &body)
      Self.option(Option.resolution, [9], to: &body)
      Self.endOptions(&body)
    }
  }

  /// A TLS key log; comes before the packets it decrypts.
  mutating func secrets(_ lines: [String]) {
    let log = Array(lines.map { $0 + "\n" }.joined().utf8)
    append(Block.secrets) { body in
      body.append(littleEndian: UInt32(0x544C_534B))
      body.append(littleEndian: UInt32(truncatingIfNeeded: log.count))
      body.append(contentsOf: log)
      body.pad()
    }
  }

  /// A packet: what was captured of it, how long it was, and whether the subject received or sent it.
  mutating func packet(
    _ captured: some Collection<UInt8>, length: Int, nanoseconds: UInt64, isInbound: Bool, comment: String?
  ) {
    append(Block.packet) { body in
      body.append(littleEndian: UInt32(0))
      body.append(littleEndian: UInt32(truncatingIfNeeded: nanoseconds >> 32))
      body.append(littleEndian: UInt32(truncatingIfNeeded: nanoseconds))
      body.append(littleEndian: UInt32(truncatingIfNeeded: captured.count))
      body.append(littleEndian: UInt32(truncatingIfNeeded: length))
      body.append(contentsOf: captured)
      body.pad()
      if let comment { Self.option(Option.comment, text: comment, to: &body) }
      Self.option(Option.flags, [isInbound ? 1 : 2, 0, 0, 0], to: &body)
      Self.endOptions(&body)
    }
  }

  /// A block is its type, its length, its body and its length again.
  private mutating func append(_ type: UInt32, _ fill: (inout [UInt8]) -> Void) {
    var body: [UInt8] = []
    fill(&body)
    let length = UInt32(truncatingIfNeeded: body.count + 12)
    bytes.append(littleEndian: type)
    bytes.append(littleEndian: length)
    bytes.append(contentsOf: body)
    bytes.append(littleEndian: length)
  }

  private static func option(_ code: UInt16, text: String, to body: inout [UInt8]) {
    option(code, Array(VisibleText.clipped(text, to: maxComment / 4).utf8.prefix(maxComment)), to: &body)
  }

  private static func option(_ code: UInt16, _ value: [UInt8], to body: inout [UInt8]) {
    body.append(littleEndian: code)
    body.append(littleEndian: UInt16(truncatingIfNeeded: value.count))
    body.append(contentsOf: value)
    body.pad()
  }

  private static func endOptions(_ body: inout [UInt8]) {
    body.append(littleEndian: Option.end)
    body.append(littleEndian: UInt16(0))
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian number: some FixedWidthInteger & UnsignedInteger) {
    for shift in stride(from: 0, to: number.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  /// Fills up to a multiple of four.
  fileprivate mutating func pad() { while count % 4 != 0 { append(0) } }
}
