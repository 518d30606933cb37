import ScenarioModel
import TLSDecryption

@testable import CaptureImport
@testable import Conversations

/// Packets and captures made by hand, as simply as can be: no checksums, for nobody looks at them.
struct WireMaker {
  enum Link: Int, CaseIterable { case null = 0, ethernet = 1, raw = 101, sll = 113, sll2 = 276 }

  var isIPv6 = false
  var link = Link.raw
  /// Tags of virtual networks in front of the type.
  var tags = 0
  var scale: UInt8?

  static func word(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 255), UInt8(number & 255)] }
  static func longWord(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// A segment of TCP between port 50000 (the client) and port 80.
  func segment(
    fromClient: Bool, _ sequence: UInt32, _ text: String = "", flags: UInt8 = 16, acknowledged: UInt32 = 0,
    window: Int = 1_000, urgent: Int = 0
  ) -> [UInt8] {
    let ports = fromClient ? [50_000, 80] : [80, 50_000]
    var bytes = ports.flatMap(Self.word) + Self.longWord(sequence) + Self.longWord(acknowledged)
    bytes += [0x50, flags] + Self.word(window) + [0, 0] + Self.word(urgent)
    return bytes + Array(text.utf8)
  }

  func address(_ isClient: Bool) -> [UInt8] {
    isIPv6 ? [0x20, 1] + [UInt8](repeating: 0, count: 13) + [isClient ? 1 : 2] : [10, 0, 0, isClient ? 1 : 2]
  }

  /// A packet of IP around it, with these extension headers of IPv6.
  func packet(fromClient: Bool, _ content: [UInt8], extensions: [(UInt8, [UInt8])] = []) -> [UInt8] {
    let ends = address(fromClient) + address(!fromClient)
    guard isIPv6 else {
      return [0x45, 0] + Self.word(20 + content.count) + [0, 7, 0, 0, 64, 6, 0, 0] + ends + content
    }
    var next: UInt8 = 6
    var body = content
    for (number, bytes) in extensions.reversed() {
      body = [next] + bytes + body
      next = number
    }
    return [0x60, 0, 0, 0] + Self.word(body.count) + [next, 64] + ends + body
  }

  /// A fragment of IPv4.
  func fragment(fromClient: Bool, _ content: ArraySlice<UInt8>, offset: Int, more: Bool) -> [UInt8] {
    let place = Self.word(offset / 8 | (more ? 0x2000 : 0))
    return [0x45, 0] + Self.word(20 + content.count) + [0, 7] + place + [64, 6, 0, 0] + address(fromClient)
      + address(!fromClient) + content
  }

  /// What stands on the link.
  func framed(_ packet: [UInt8]) -> [UInt8] {
    let type: [UInt8] = isIPv6 ? [0x86, 0xDD] : [8, 0]
    let tagged = (0..<tags).flatMap { _ in [0x81, 0, 0, 5] as [UInt8] } + type
    switch link {
    case .null: return [2, 0, 0, 0] + packet
    case .ethernet: return [UInt8](repeating: 2, count: 12) + tagged + packet
    case .raw: return packet
    case .sll: return [UInt8](repeating: 0, count: 14) + tagged + packet
    case .sll2: return type + [UInt8](repeating: 0, count: 18) + packet
    }
  }

  /// A capture in pcap, of either order; a millisecond lies between two packets, and no more than `snap` bytes of each
  /// are kept.
  func pcap(_ packets: [[UInt8]], isBigEndian: Bool = false, snap: Int = .max) -> [UInt8] {
    func number(_ number: UInt32) -> [UInt8] {
      isBigEndian ? Self.longWord(number) : Self.longWord(number).reversed()
    }
    var bytes = number(0xA1B2_C3D4) + number(isBigEndian ? 0x0002_0004 : 0x0004_0002) + number(0) + number(0)
    bytes += number(65_535) + number(UInt32(link.rawValue))
    for (index, packet) in packets.enumerated() {
      let frame = framed(packet)
      let kept = frame.prefix(snap)
      bytes += number(UInt32(1_000 + index / 1_000)) + number(UInt32(index % 1_000) * 1_000)
      bytes += number(UInt32(kept.count)) + number(UInt32(frame.count))
      bytes += kept
    }
    return bytes
  }

  /// The same in pcapng, with times in nanoseconds, one block of an unknown kind, and a key log.
  func pcapng(_ packets: [[UInt8]], isBigEndian: Bool = false, keyLog: String? = nil) -> [UInt8] {
    func number(_ number: UInt32) -> [UInt8] {
      isBigEndian ? Self.longWord(number) : Self.longWord(number).reversed()
    }
    func half(_ number: Int) -> [UInt8] { isBigEndian ? Self.word(number) : Self.word(number).reversed() }
    func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
      let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
      let length = number(UInt32(padded.count + 12))
      return number(type) + length + padded + length
    }
    var bytes = block(0x0A0D_0D0A, number(0x1A2B_3C4D) + half(1) + half(0) + number(.max) + number(.max))
    bytes += block(1, half(link.rawValue) + half(0) + number(0) + half(9) + half(1) + [9, 0, 0, 0] + half(0) + half(0))
    bytes += block(0xBAD, [1, 2, 3, 4])
    if let keyLog { bytes += block(10, number(0x544C_534B) + number(UInt32(keyLog.utf8.count)) + Array(keyLog.utf8)) }
    for (index, packet) in packets.enumerated() {
      let frame = framed(packet)
      bytes += block(
        6,
        number(0) + number(0) + number(UInt32(index) * 1_000_000) + number(UInt32(frame.count))
          + number(UInt32(frame.count)) + frame)
    }
    return bytes
  }

  /// A whole conversation: `hello` and `world`, and both end.
  var sample: [[UInt8]] {
    [
      packet(fromClient: true, segment(fromClient: true, 99, flags: 2)),
      packet(fromClient: false, segment(fromClient: false, 999, flags: 18, acknowledged: 100)),
      packet(fromClient: true, segment(fromClient: true, 100, acknowledged: 1_000)),
      packet(fromClient: true, segment(fromClient: true, 100, "hello", acknowledged: 1_000)),
      packet(fromClient: false, segment(fromClient: false, 1_000, "world", acknowledged: 105)),
      packet(fromClient: false, segment(fromClient: false, 1_005, flags: 17, acknowledged: 105)),
      packet(fromClient: true, segment(fromClient: true, 105, flags: 17, acknowledged: 1_006)),
    ]
  }

  static let told = ["client \"hello\"", "server \"world\"", "server fin", "client fin"]
}

/// What came of a capture.
struct Imported {
  var conversations: [Conversation] = []
  var fault: CaptureFault?
  var counts = CaptureImporter.Counts()
  var secretCount = 0

  /// `size`: of the chunks in which the bytes are handed over.
  init(_ bytes: [UInt8], chunks size: Int = .max, opensTLS: Bool = true) {
    var importer = CaptureImporter(keyLog: opensTLS ? TLSKeyLog() : nil)
    var found: [Conversation] = []
    do throws(CaptureFault) {
      var place = 0
      while place < bytes.count {
        let end = min(place + min(size, bytes.count), bytes.count)
        try importer.take(bytes[place..<end]) { found.append($0) }
        place = end
      }
    } catch { fault = error }
    do throws(CaptureFault) { try importer.end { found.append($0) } } catch { fault = fault ?? error }
    (conversations, counts, secretCount) = (found, importer.counts, importer.secretCount)
  }

  /// The first conversation in words.
  var told: [String] { conversations.first?.told ?? [] }
}

extension Conversation {
  /// Who said what until the other one did, and how it ended: nothing of pieces and instants.
  var told: [String] {
    MoveBuilder.moves(of: events, pacing: Pacing(shortest: .seconds(1_000_000))).map { move in
      let words: String
      switch move.kind {
      case .turn(let pieces): words = Self.text(pieces.flatMap(\.content))
      case .urgent(let byte): words = "urgent \(byte)"
      case .finish: words = "fin"
      case .reset: words = "rst"
      case .window(let isOpen): words = isOpen ? "opens" : "closes"
      case .handshake(let handshake): words = "begins \(handshake.version.rawValue)"
      case .closeNotify: words = "close_notify"
      case .alert(let alert): words = alert.text
      case .keyUpdate: words = "new keys"
      }
      return "\(move.side) \(words)"
    }
  }

  /// `"ab"+3 unseen+"fg"`; of long texts their length and hash.
  private static func text(_ contents: [Move.Content]) -> String {
    var parts: [String] = []
    var known: [UInt8] = []
    func close() {
      if known.count > 200 { parts.append("\(known.count) bytes \(ContentHash(of: known).text)") }
      if 1...200 ~= known.count { parts.append("\"\(String(decoding: known, as: UTF8.self))\"") }
      known = []
    }
    for content in contents {
      switch content {
      case .bytes(let bytes): known += bytes
      case .missing(let count, let lack):
        close()
        parts.append("\(count) \(lack)")
      }
    }
    close()
    return parts.joined(separator: "+")
  }
}
