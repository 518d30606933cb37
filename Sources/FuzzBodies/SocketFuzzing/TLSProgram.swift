import FuzzHarness
import SocketTLS

/// What is done to a transcript, and what the target does meanwhile.
package struct TLSProgram: Hashable, Sendable {
  package enum Edit: UInt8, CaseIterable, Sendable {
    /// One byte becomes another.
    case corrupt
    case drop
    case double
    case insert
    /// Nothing behind it comes.
    case truncate
    /// The length in a record's header becomes more than a record may have.
    case lengthen
  }

  package struct Change: Hashable, Sendable {
    package var edit: Edit
    /// Of the part of the transcript that the lane is about, modulo its size.
    package var place: Int
    /// What the byte is changed by; how many bytes are dropped, doubled or inserted.
    package var argument: Int
    package var inserted: [UInt8] = []

    package init(_ edit: Edit, at place: Int, _ argument: Int = 1, inserted: [UInt8] = []) {
      self.edit = edit
      self.place = place
      self.argument = argument
      self.inserted = inserted
    }
  }

  /// When the target ends the connection itself, if it does.
  package enum Wish: UInt8, CaseIterable, Sendable { case none, afterWrites, afterReads, now }

  package var target = HandshakeRole.client
  package var version = ProtocolVersion.tls13
  /// Changes are made behind the handshake instead of inside it.
  package var spareHandshake = false
  /// Whether the stream ends behind the transcript.
  package var ends = false
  /// Bytes before the handshake, which the target reads in clear.
  package var clear = 0
  /// Whether the transcript's changes begin in the clear part: bytes that come with it and are meant to be taken for
  /// TLS's.
  package var injects = false
  package var writes = false
  package var wish = Wish.none
  package var wishAfter = 0
  /// Bytes that each round lets the target send; 0: all.
  package var sendRoom = 0
  /// The longest read.
  package var readLimit = 0
  /// The most bytes that one receive hands over, whatever has come; 0: all.
  package var receiveCap = 0
  package var changes: [Change] = []
  /// How the wire is cut; the last one is followed by the rest.
  package var pieces: [Int] = []

  package init() {}

  private static let receiveCaps = [0, 1, 2, 7]
  static let maxChanges = 3
  static let maxPieces = 24

  /// Total, as every decoding.
  package init(_ bytes: UnsafeRawBufferPointer) {
    var input = FuzzInput(bytes)
    let mode = input.byte()
    target = mode & 1 == 0 ? .client : .server
    version = mode & 2 == 0 ? .tls13 : .tls12
    spareHandshake = mode & 4 != 0
    ends = mode & 8 != 0
    writes = mode & 16 != 0
    injects = mode & 32 != 0
    wish = Wish(rawValue: mode >> 6) ?? .none
    clear = input.number(upTo: 64)
    if wish != .none { wishAfter = input.number(upTo: Self.maxPieces) }
    sendRoom = input.number(upTo: 255)
    readLimit = input.number(upTo: 255)
    for _ in 0..<input.number(upTo: Self.maxChanges) {
      var change = Change(
        Edit(rawValue: input.byte() % UInt8(Edit.allCases.count)) ?? .corrupt, at: input.word(),
        max(1, Int(input.byte())))
      if change.edit == .insert { change.inserted = Array(input.payload(change.argument)) }
      changes.append(change)
    }
    for _ in 0..<input.number(upTo: Self.maxPieces) { pieces.append(Self.size(input.byte())) }
    receiveCap = Self.receiveCaps[input.number(upTo: Self.receiveCaps.count - 1)]
  }

  /// Small pieces exactly, large ones in steps.
  private static func size(_ decision: UInt8) -> Int { decision < 128 ? Int(decision) + 1 : (Int(decision) - 124) * 32 }

  private static func decision(_ size: Int) -> UInt8 {
    UInt8(size <= 128 ? max(size, 1) - 1 : min(255, size / 32 + 124))
  }

  /// The bytes that decode to it.
  package var encoded: [UInt8] {
    var output = FuzzOutput()
    var mode = wish.rawValue << 6
    for (bit, isSet) in [target == .server, version == .tls12, spareHandshake, ends, writes, injects].enumerated()
    where isSet {
      mode |= 1 << UInt8(bit)
    }
    output.byte(mode)
    output.number(clear, upTo: 64)
    if wish != .none { output.number(wishAfter, upTo: Self.maxPieces) }
    output.number(sendRoom, upTo: 255)
    output.number(readLimit, upTo: 255)
    let changes = changes.prefix(Self.maxChanges)
    output.number(changes.count, upTo: Self.maxChanges)
    for change in changes {
      output.byte(change.edit.rawValue)
      output.word(change.place)
      output.byte(UInt8(clamping: change.edit == .insert ? change.inserted.count : change.argument))
      if change.edit == .insert { output.payload(change.inserted) }
    }
    output.number(pieces.count, upTo: Self.maxPieces)
    for piece in pieces.prefix(Self.maxPieces) { output.byte(Self.decision(piece)) }
    // Left out where it says nothing: older inputs have no such decision.
    let cap = Self.receiveCaps.firstIndex(of: receiveCap) ?? 0
    if cap > 0 { output.number(cap, upTo: Self.receiveCaps.count - 1) }
    return output.bytes
  }

  /// The wire that the target sees: the clear part and the transcript with its changes.
  func wire(of transcript: TLSTranscript) -> [UInt8] {
    var wire = [UInt8](repeating: 0x2B, count: clear) + transcript.wire
    for change in changes {
      let start = injects ? clear : clear + (spareHandshake ? transcript.handshakeEnd : 0)
      guard wire.count > start else { continue }
      let place = injects ? start : start + change.place % (wire.count - start)
      switch change.edit {
      case .corrupt: wire[place] ^= UInt8(truncatingIfNeeded: max(change.argument, 1))
      case .drop: wire.removeSubrange(place..<min(wire.count, place + change.argument))
      case .double: wire.insert(contentsOf: wire[place..<min(wire.count, place + change.argument)], at: place)
      case .insert: wire.insert(contentsOf: change.inserted, at: place)
      case .truncate: wire.removeSubrange(place...)
      case .lengthen:
        if let header = TLSRecords(wire, from: clear).headers.last(where: { $0.start <= place }) {
          wire[header.start + 3] = 0x48 | UInt8(truncatingIfNeeded: change.argument) & 0x7F
        }
      }
    }
    return wire
  }
}

/// The headers of the records in a stream, as their lengths say.
struct TLSRecords {
  struct Header {
    var start: Int
    var length: Int
  }

  private(set) var headers: [Header] = []

  init(_ wire: [UInt8], from start: Int) {
    var place = start
    while place + 5 <= wire.count {
      let length = Int(wire[place + 3]) << 8 | Int(wire[place + 4])
      headers.append(Header(start: place, length: length))
      place += 5 + length
    }
  }
}
