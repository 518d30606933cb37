import FuzzHarness
import SocketCore
import SocketTLS
import TestCertificates

/// A machine that is secured in the middle of its stream, and a wire that lies.
///
/// Laws
/// - `tls/authentic`: what is read behind startTLS is a prefix of what the peer sealed; nothing else, and nothing that
///   came in clear.
/// - `tls/complete`: what came whole and in order is read.
/// - `tls/end`: an end counts as regular only when all the peer sealed was read; cut off is never closed.
/// - `tls/once`: there is at most one didDisconnect, and nothing after it.
/// - `tls/record-length`: a record that says it is longer than any may be ends the connection at once.
/// - `tls/sealed`: what is written behind startTLS never leaves in clear.
/// - `tls/chunking`: however the wire is cut, the same comes of it.
package enum TLSFuzzing {
  package static let body: FuzzBody = { check(TLSProgram($0)) { try TLSSession($0, contexts: $1) } }

  /// Makes the session under test, or a double that proves an oracle can fail.
  package typealias Maker = @Sendable (TLSConfiguration, TLSContextCache) throws -> any SecureSession

  package static func check(_ program: TLSProgram, _ maker: @escaping Maker) -> Violation? {
    let transcript: TLSTranscript
    switch TLSTranscript.all {
    case .failure(let failure): return Violation("tls/setup", "the transcripts can't be made: \(failure)")
    case .success(let transcripts):
      let index = (program.target == .client ? 0 : 2) + (program.version == .tls13 ? 0 : 1)
      transcript = transcripts[index]
    }
    let wire = program.wire(of: transcript)
    let settings: TLSConfiguration
    do throws(SocketFailure) { settings = try TLSTranscript.shared(program.target, program.version) } catch {
      return Violation("tls/setup", "no settings: \(error)")
    }
    let make: @Sendable () -> Result<any SecureSession, SocketFailure> = {
      do { return .success(try maker(settings, TLSTranscript.contexts)) } catch {
        return .failure(error as? SocketFailure ?? .other("\(error)"))
      }
    }
    let judge = TLSJudge(program: program, transcript: transcript, wire: wire)
    let cut = SeededRandomness.with(seed: TLSTranscript.targetSeed) {
      var target = TLSTarget(program, wire, make)
      return target.run(in: program.pieces)
    }
    if let violation = judge.check(cut) { return violation }
    // A wish of the target's own comes at another moment when the pieces are others.
    guard program.wish == .none, !program.pieces.isEmpty || program.sendRoom > 0 else { return nil }
    let whole = SeededRandomness.with(seed: TLSTranscript.targetSeed) {
      var calm = program
      calm.sendRoom = 0
      var target = TLSTarget(calm, wire, make)
      return target.run(in: [])
    }
    return judge.compare(cut, whole)
  }
}
