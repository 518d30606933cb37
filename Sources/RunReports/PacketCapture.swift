import ScenarioModel

/// A case as a pcapng file for packet analysers, with the secrets of its TLS sessions inside, so that they show what
/// was said.
///
/// Laws
/// - Pure: the same case gives the same bytes.
/// - Of a case with a network of its own they are the packets that came to its relay, each with a comment on its fate.
/// - Elsewhere the packets are made up around what the peers sent and received; a comment says so. Their bytes and
///   instants are the trace's.
/// - Large captures lose payloads, never packets' headers; their true lengths stay.
package enum PacketCapture {
  /// The size of a file up to which payloads are kept; nothing is written beyond twice this size.
  package static let maxBytes = 4 << 20

  /// The file, or nil when nothing went over the wire. `start` is the instant at which the case began, in nanoseconds
  /// since 1970; `version` is the lab's, `system` the host's.
  package static func make(
    _ result: CaseResult, start: UInt64, version: String, system: String, maxBytes: Int = maxBytes
  ) -> [UInt8]? {
    if let capture = makeOfReal(result, start: start, version: version, system: system, maxBytes: maxBytes) {
      return capture
    }
    let packets = WireTranscript(result.trace).packets
    guard !packets.isEmpty else { return nil }
    var file = PcapngWriter()
    file.section(comment: comment(on: result), system: system, application: "SocketLab \(version)")
    file.interface(name: result.world.rawValue, description: "between the peers of the lab and the subject")
    if !result.trace.keyLog.isEmpty { file.secrets(result.trace.keyLog) }
    for packet in packets {
      guard file.bytes.count / 2 < maxBytes else { break }
      let bytes = packet.segment.packet(result.variant.family)
      let isKept = file.bytes.count + bytes.count <= maxBytes
      file.packet(
        isKept ? bytes[...] : bytes.prefix(packet.segment.headerCount(result.variant.family)), length: bytes.count,
        nanoseconds: instant(packet.at, after: start), isInbound: packet.isFromPeer, comment: packet.comment)
    }
    return file.bytes
  }

  /// The packets of the case's own network; nil: it has none, or nothing went over it.
  private static func makeOfReal(
    _ result: CaseResult, start: UInt64, version: String, system: String, maxBytes: Int
  ) -> [UInt8]? {
    let sights = result.trace.events.compactMap { event -> (at: Duration, sight: PacketSight)? in
      if case .packet(let sight) = event.kind { (event.at, sight) } else { nil }
    }
    guard !sights.isEmpty else { return nil }
    var file = PcapngWriter()
    let comment = "\(result.name), seed \(result.seed): \(result.verdict.label). Packets as they came to the relay."
    file.section(comment: comment, system: system, application: "SocketLab \(version)")
    file.interface(name: "relay", description: "between the peers of the lab and the subject")
    if !result.trace.keyLog.isEmpty { file.secrets(result.trace.keyLog) }
    for (at, sight) in sights {
      guard file.bytes.count < 2 * maxBytes else { break }
      let kept = file.bytes.count + sight.bytes.count <= maxBytes ? sight.bytes[...] : sight.bytes.prefix(maxHead)
      file.packet(
        kept, length: sight.count, nanoseconds: instant(at, after: start), isInbound: sight.to == .subject,
        comment: ([sight.link] + (sight.isTouched ? [sight.fate] : [])).joined(separator: ": "))
    }
    return file.bytes
  }

  /// Of a packet whose payload finds no room.
  private static let maxHead = 96

  /// `captures/read-line-ipv4-bytes-loopback-1.pcapng`: where the case's capture lies, relative to the reports. Two
  /// cases can have the same name.
  package static func path(of result: CaseResult) -> String {
    let name = "\(result.scenario)-\(result.variant.name)-\(result.world.rawValue)-\(result.seed)"
    let plain = name.utf8.prefix(maxName).map { byte -> Character in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"):
        Character(UnicodeScalar(byte))
      default: "-"
      }
    }
    return "\(folder)/\(String(plain)).pcapng"
  }

  /// Where captures lie, relative to the reports.
  package static let folder = "captures"
  private static let maxName = 200

  private static func comment(on result: CaseResult) -> String {
    var text = "\(result.name), seed \(result.seed): \(result.verdict.label). "
    text += "IP and TCP headers are made up around the bytes that the peers of the lab sent and received."
    if result.variant.family == .unix { text += " The connection was a Unix domain socket, which has no packets." }
    return text
  }

  private static func instant(_ at: Duration, after start: UInt64) -> UInt64 {
    let parts = at.components
    guard parts.seconds >= 0, parts.attoseconds >= 0 else { return start }
    let (whole, isLong) = UInt64(parts.seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (offset, isLonger) = whole.addingReportingOverflow(UInt64(parts.attoseconds / 1_000_000_000))
    let (sum, isLongest) = start.addingReportingOverflow(offset)
    return isLong || isLonger || isLongest ? .max : sum
  }
}
