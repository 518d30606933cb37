import FuzzHarness
import SocketCore
import SocketTLS
import Synchronization
import TestCertificates

/// Chains of certificates, right and wrong, judged by the library and by `PathJudge`, which shares nothing with it.
///
/// Laws
/// - `chain/sound`: what is trusted has a path that RFC 5280 and the settings allow.
/// - `chain/complete`: what has one path only, with nothing about it that verifiers differ over, is trusted.
/// - `chain/unchecked`: where settings say that nothing is checked, nothing is.
package enum ChainFuzzing {
  package static let body: FuzzBody = { check(ChainProgram($0)) { try verdict(on: $0) } }

  /// Whether the chain is trusted: the library's word, or that of a double that proves a law can fail.
  package typealias Verdict = (ChainCase) throws -> Bool

  package static func check(_ program: ChainProgram, _ verdict: Verdict) -> Violation? {
    let chain = ChainCase(program)
    let isTrusted: Bool
    do { isTrusted = try verdict(chain) } catch { return Violation("chain/setup", "\(error): \(program)") }
    guard chain.checksChain else {
      return isTrusted ? nil : Violation("chain/unchecked", "refused although nothing is checked: \(program)")
    }
    let judgement = PathJudge(chain).judge()
    switch (judgement, isTrusted) {
    case (.refused, true): return Violation("chain/sound", "trusted without a valid path: \(program)")
    case (.sound, false): return Violation("chain/complete", "refused with one valid path: \(program)")
    default: return nil
    }
  }

  /// Keys and certificates are a function of their descriptions, so it does not matter who made them before.
  private static let mint = Mutex(GraphMint())

  /// The library's.
  package static func verdict(on chain: ChainCase) throws -> Bool {
    let (made, lists) = try mint.withLock { mint in
      (try chain.certificates.map { try mint.der($0) }, try chain.lists.map { try mint.der($0) })
    }
    let anchors = try chain.anchors.sorted().map { try TLSCertificate(der: made[$0]) }
    var verification = TLSVerification()
    verification.checksChain = chain.checksChain
    verification.allowsExpiredCertificates = chain.allowsExpiredCertificates
    verification.allowsExpiredRoots = chain.allowsExpiredRoots
    verification.allowsAnyRoot = chain.allowsAnyRoot
    let sent = try chain.sent.map { try TLSCertificate(der: made[$0]) }
    return PeerTrust(sent, peerName: nil).evaluate(
      anchors: anchors, anchorsOnly: true, host: chain.host, time: TestPKI.pinnedNow + chain.time,
      revocationLists: try lists.flatMap { try $0.withUnsafeBytes { try TLSRevocationList.list($0) } },
      verification: verification,
      peerRole: chain.isClients ? .client : .server
    ).isTrusted
  }
}
