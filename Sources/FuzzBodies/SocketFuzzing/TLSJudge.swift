import FuzzHarness
import SocketCore

/// What must hold of a run, whatever the wire said.
struct TLSJudge {
  let program: TLSProgram
  let transcript: TLSTranscript
  let wire: [UInt8]
  /// Bytes of the wire that are as they should be, from its front.
  private let intact: Int

  /// No record of any version may be longer: 2^14 bytes and what the oldest ciphers may add.
  static let longestRecord = 1 << 14 + 2048

  init(program: TLSProgram, transcript: TLSTranscript, wire: [UInt8]) {
    self.program = program
    self.transcript = transcript
    self.wire = wire
    let meant = [UInt8](repeating: 0x2B, count: program.clear) + transcript.wire
    intact = zip(meant, wire).prefix { $0 == $1 }.count
  }

  func check(_ outcome: TLSOutcome) -> Violation? {
    if outcome.endings.count > 1 || outcome.late > 0 {
      return Violation("tls/once", "\(outcome.endings.count) ends and \(outcome.late) events behind the first")
    }
    return checkBytes(outcome) ?? checkSealed(outcome) ?? checkEnd(outcome) ?? checkLengths(outcome)
  }

  private func checkBytes(_ outcome: TLSOutcome) -> Violation? {
    guard wire.prefix(program.clear).starts(with: outcome.clear) else {
      return Violation("tls/authentic", "\(outcome.clear.count) bytes in clear are not those of the wire")
    }
    guard transcript.plain.starts(with: outcome.opened) else {
      let same = zip(transcript.plain, outcome.opened).prefix { $0 == $1 }.count
      return Violation(
        "tls/authentic", "of \(outcome.opened.count) bytes read behind startTLS, those from \(same) on were not sealed")
    }
    guard outcome.isSecured || outcome.opened.isEmpty else {
      return Violation("tls/authentic", "\(outcome.opened.count) bytes are read before the handshake is done")
    }
    // A wish may end it before everything is read.
    guard program.wish == .none else { return nil }
    let whole = transcript.records.last { $0.end + program.clear <= intact }?.plainEnd ?? 0
    if outcome.opened.count < whole {
      return Violation("tls/complete", "\(outcome.opened.count) bytes are read of \(whole) that came whole")
    }
    if !outcome.isSecured, intact >= program.clear + transcript.handshakeEnd {
      return Violation("tls/complete", "the handshake came whole and is not done; \(Self.name(outcome.endings))")
    }
    return nil
  }

  private func checkSealed(_ outcome: TLSOutcome) -> Violation? {
    let secret = TLSTarget.secret.prefix(12)
    guard program.writes, let first = secret.first else { return nil }
    if outcome.isToldEarly { return Violation("tls/sent", "a write is reported before its record was sent") }
    var place = outcome.sent.startIndex
    while let found = outcome.sent[place...].firstIndex(of: first) {
      if outcome.sent[found...].starts(with: secret) {
        return Violation("tls/sealed", "what was written behind startTLS left in clear")
      }
      place = found + 1
    }
    return nil
  }

  /// Whether an end is right that says all is well.
  private func checkEnd(_ outcome: TLSOutcome) -> Violation? {
    guard let ending = outcome.endings.first else {
      guard program.ends else { return nil }
      return Violation("tls/end", "the stream has ended and the connection has not")
    }
    let isRegular = ending == .closedByPeer || ending == nil
    guard isRegular else { return nil }
    if ending == nil, program.wish == .none { return Violation("tls/end", "it ends as if by the target's own wish") }
    // Cut off in the clear part, before the upgrade has begun: TLS was not promised yet.
    guard ending != nil, outcome.clear.count == program.clear else { return nil }
    guard outcome.isSecured, outcome.opened.count == transcript.plain.count else {
      return Violation(
        "tls/end", "cut off is taken for closed, \(outcome.opened.count) of \(transcript.plain.count) bytes read")
    }
    return nil
  }

  private func checkLengths(_ outcome: TLSOutcome) -> Violation? {
    // Behind a wish to end nothing more is read.
    guard program.wish == .none, outcome.endings.isEmpty, outcome.clear.count == program.clear else { return nil }
    // A first byte with its high bit set is a greeting of SSL 2, which counts its bytes in another way.
    if program.target == .server, wire.count > program.clear, wire[program.clear] & 0x80 != 0 { return nil }
    guard let header = TLSRecords(wire, from: program.clear).headers.first(where: { $0.length > Self.longestRecord })
    else { return nil }
    return Violation("tls/record-length", "a record of \(header.length) bytes is awaited")
  }

  func compare(_ cut: TLSOutcome, _ whole: TLSOutcome) -> Violation? {
    if cut.clear != whole.clear || cut.opened != whole.opened || cut.isSecured != whole.isSecured {
      return Violation(
        "tls/chunking",
        "in pieces \(cut.clear.count)+\(cut.opened.count) bytes, as a whole \(whole.clear.count)+\(whole.opened.count)")
    }
    let names = [Self.name(cut.endings), Self.name(whole.endings)]
    if names[0] != names[1] { return Violation("tls/chunking", "in pieces \(names[0]), as a whole \(names[1])") }
    return nil
  }

  /// The end without its text, which may tell what came.
  private static func name(_ endings: [SocketFailure?]) -> String {
    guard let ending = endings.first else { return "no end" }
    return switch ending {
    case nil: "own wish"
    case .tls(let code, _): "TLS \(code)"
    case .posix(let code, _): "errno \(code)"
    case .other: "other"
    case .some(let failure): "\(failure)"
    }
  }
}
