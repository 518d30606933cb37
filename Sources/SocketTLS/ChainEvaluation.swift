import COpenSSL
import Glibc
import SocketCore

/// Evaluates a chain against a policy. The decision is ours: OpenSSL walks the chain and reports every fault, and this
/// type decides which of them count.
///
/// Laws
/// - **An evaluation that did not end by itself is never trust.** `trusted` is made in one place, from a walk that
///   OpenSSL took to its end and affirmed there. Whatever ends one early (a limit, no memory, an internal error, our
///   own callback) is a refusal that no setting excuses.
/// - A walk ends at the first fault that the policy does not excuse. What is cheap comes first (the path and its
///   length, what its certificates may do, the name, the keys' sizes), so no signature is computed for a chain that
///   is refused anyway.
/// - What a peer can make us compute is bounded: `maximumIntermediates` certificates between its own and the anchor,
///   with keys of the kinds and sizes of `PeerKey`, and `NameConstraints.maximumComparisons` of a name and a
///   constraint.
///
/// RSA keys below 2048 bits and what is as weak, and signatures over SHA-1 and MD5, are refused (OpenSSL's level 2).
enum ChainEvaluation {
  static let securityLevel: Int32 = 2

  /// Real chains have one to three; other TLS stacks stop between 6 and 16.
  static let maximumIntermediates = 10

  /// `untrusted` is a stack of X509, the leaf may be in it.
  static func verdict(
    leaf: OpaquePointer, untrusted: OpaquePointer?, policy: TrustPolicy, engine: ChainWalk.Engine = .openSSL
  ) -> ChainVerdict {
    guard policy.verification.checksChain else { return .trusted(path: nil) }
    var policy = policy
    // One instant for everything in it.
    if policy.time == nil { policy.time = Int64(Glibc.time(nil)) }
    if let problem = DistributionPoints.problem(of: leaf, with: untrusted) {
      let certificate = TLSCertificate(sharing: leaf)
      let fault = ChainFault(
        X509_V_ERR_INVALID_EXTENSION, at: 0, certificate, policy, kind: .illFormed, reason: "of its chain, \(problem)")
      return .refused(ChainRefusal(worst: fault))
    }
    if let fault = illFormed(leaf, policy) { return .refused(ChainRefusal(worst: fault)) }
    let (outcome, path) = path(leaf, untrusted, policy, engine)
    switch outcome {
    case .complete: return .trusted(path: path)
    case .faulty(let refusal): return .refused(refusal)
    case .incomplete(let error): return .refused(ChainRefusal(worst: .unfinished(error)))
    }
  }

  /// OpenSSL finds no issuer for a certificate whose extensions it can't make sense of, and says only that.
  private static func illFormed(_ leaf: OpaquePointer, _ policy: TrustPolicy) -> ChainFault? {
    guard X509_get_extension_flags(leaf) & UInt32(EXFLAG_INVALID) != 0 else { return nil }
    return ChainFault(X509_V_ERR_INVALID_EXTENSION, at: 0, TLSCertificate(sharing: leaf), policy)
  }

  private static func path(
    _ leaf: OpaquePointer, _ untrusted: OpaquePointer?, _ policy: TrustPolicy, _ engine: ChainWalk.Engine
  ) -> (ChainWalk.Outcome, path: CertificateStack?) {
    func walk(_ store: TrustStore, _ anchors: CertificateStack?) -> (ChainWalk.Outcome, path: CertificateStack?) {
      let walk = ChainWalk(policy, anchors: anchors)
      let outcome = walk.run(leaf: leaf, untrusted: untrusted, store: store, engine: engine)
      return (outcome, walk.path)
    }
    guard !policy.anchors.isEmpty || policy.anchorsOnly else { return walk(.system, nil) }
    // The anchors first, and the system's certificates only if the chain is not good up to there: most often they
    // needn't even be loaded.
    guard let anchors = CertificateStack(policy.anchors) else {
      return (.incomplete(error: X509_V_ERR_OUT_OF_MEM), nil)
    }
    let (outcome, path) = walk(.empty, anchors)
    guard !policy.anchorsOnly, case .faulty(let refusal) = outcome, refusal.mayBeAvoided else {
      return (outcome, path)
    }
    let system = walk(.system, nil)
    if refusal.isAboutThePath { return system }
    // An anchor that is no good any more takes nothing away, but what is wrong below one's own anchor tells more.
    if case .complete = system.0 { return system }
    return (outcome, path)
  }
}

/// What an evaluation came to.
enum ChainVerdict {
  /// The path is the one that was affirmed, up to its root or anchor; nil: none was looked for.
  case trusted(path: CertificateStack?)
  case refused(ChainRefusal)

  /// nil: trusted.
  var failure: SocketFailure? { if case .refused(let refusal) = self { refusal.failure } else { nil } }
}

struct ChainRefusal {
  /// The most telling fault.
  let worst: ChainFault
  /// What else is wrong as far as it is known, the more telling first.
  var others: [ChainFault] = []

  /// Whether the path leads nowhere or is too long: to other roots there may be another one.
  var isAboutThePath: Bool { ([worst] + others).contains(where: \.isAboutThePath) }

  /// Whether another path may be free of it: nothing is wrong with the peer's own certificate, or with what a list or
  /// an extension says of one.
  var mayBeAvoided: Bool {
    isAboutThePath
      || ([worst] + others).allSatisfy { $0.depth > 0 && $0.kind != .revoked && $0.kind != .illFormed }
  }

  /// With the code of the most telling fault.
  var failure: SocketFailure {
    let sentences = ([worst] + others).map(\.sentence)
    let shown = sentences.prefix(3).joined(separator: "; also, ")
    let text = sentences.count > 3 ? "\(shown); and \(sentences.count - 3) more" : shown
    return worst.code.failure("The peer is not trusted: \(text).")
  }
}

/// Certificates as the stack that OpenSSL wants.
final class CertificateStack {
  let stack: OpaquePointer

  /// nil: no memory.
  init?(_ certificates: [TLSCertificate]) {
    guard let stack = lab_tls_stack_new() else { return nil }
    self.stack = stack
    for certificate in certificates where lab_tls_stack_add(stack, certificate.handle.x509) != 1 { return nil }
  }

  init(owning stack: OpaquePointer) { self.stack = stack }

  deinit { lab_tls_stack_free(stack) }
}
