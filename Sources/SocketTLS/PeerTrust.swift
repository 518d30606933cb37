import COpenSSL
import SocketCore

/// What the delegate gets when it is asked to judge a peer (TLS-20): the certificates the peer sent.
package final class PeerTrust: Sendable {
  /// The peer's own certificate first, then what it sent along. The handshake goes on with these and no others, so
  /// nobody reads their bytes a second time: what the delegate judges is what the peer proves to have the key of.
  package let certificates: [TLSCertificate]
  /// The name the settings expect, if they name one.
  package let peerName: String?
  /// What the settings hold a chain against: what whoever evaluates it does not say otherwise.
  private let policy: TrustPolicy

  /// A chain that no settings say anything of but the peer's name.
  package convenience init(_ certificates: [TLSCertificate], peerName: String?) {
    self.init(certificates, peerName: peerName, policy: TrustPolicy())
  }

  init(_ certificates: [TLSCertificate], peerName: String?, policy: TrustPolicy) {
    self.certificates = certificates
    self.peerName = peerName
    self.policy = policy
  }

  /// The certificates in DER.
  package var chain: [[UInt8]] { certificates.map(\.der) }

  /// Judges the chain as a client without manual trust would: of the anchors given and, unless `anchorsOnly`, of the
  /// system's; for the host if one is given; at the time in Unix seconds; as a server would if the chain is a client's;
  /// for any purpose if it is nobody's. Without anchors, a time or revocation lists, those of the settings count, or
  /// else the system's anchors, now, and no list.
  package func evaluate(
    anchors: [TLSCertificate]? = nil, anchorsOnly: Bool? = nil, host: String? = nil, time: Int64? = nil,
    revocationLists: [TLSRevocationList]? = nil, verification: TLSVerification = TLSVerification(),
    peerRole: HandshakeRole? = .server
  ) -> TrustVerdict {
    do {
      var policy = policy
      policy.anchorsOnly = anchorsOnly ?? (anchors == nil && policy.anchorsOnly)
      if let anchors { policy.anchors = anchors }
      if let time { policy.time = time }
      if let revocationLists { policy.revocationLists = revocationLists }
      policy.verification = verification
      policy.name = if let host { try PeerName(host) } else { nil }
      policy.peerRole = peerRole ?? .server
      policy.allowsAnyPurpose = peerRole == nil
      guard let leaf = certificates.first, let stack = CertificateStack(certificates) else {
        return .refused(TLSCode.badCertificate.failure("The peer showed no certificate."))
      }
      switch ChainEvaluation.verdict(leaf: leaf.handle.x509, untrusted: stack.stack, policy: policy) {
      case .trusted(let path): return .trusted(path: TLSSession.certificates(path?.stack))
      case .refused(let refusal): return .refused(refusal.failure)
      }
    } catch {
      return .refused(error)
    }
  }

  /// The peer's own certificate and, as far as they are among those shown, its issuers in turn: each has signed the one
  /// before. A peer may show anything beside them.
  package var signedPath: [TLSCertificate] {
    var path = Array(certificates.prefix(1))
    guard certificates.allSatisfy({ DistributionPoints.problem(of: $0.handle.x509) == nil }) else { return path }
    var attempts = 0
    while let last = path.last, path.count <= ChainEvaluation.maximumIntermediates + 1 {
      let next = certificates.dropFirst().first { candidate in
        guard attempts < PeerTrust.maximumAttempts, !path.contains(candidate), candidate.mayHaveIssued(last) else {
          return false
        }
        attempts += 1
        return candidate.hasSigned(last)
      }
      guard let next else { break }
      path.append(next)
    }
    return path
  }

  /// How many signatures are checked for a path: all issuers may have the same name.
  private static let maximumAttempts = 32
}

extension TLSCertificate {
  /// By name and extensions. The first function does not ask whether it is an authority at all.
  fileprivate func mayHaveIssued(_ other: TLSCertificate) -> Bool {
    X509_check_issued(handle.x509, other.handle.x509) == X509_V_OK && X509_check_ca(handle.x509) != 0
      && PeerKey.problem(of: handle.x509) == nil
  }

  fileprivate func hasSigned(_ other: TLSCertificate) -> Bool {
    ERR_clear_error()
    defer { ERR_clear_error() }
    guard let key = X509_get0_pubkey(handle.x509) else { return false }
    return X509_verify(other.handle.x509, key) == 1
  }
}

/// Whether a chain of certificates is to be trusted.
package enum TrustVerdict: Hashable, Sendable {
  /// The path is the one that was affirmed, the peer's own certificate first, up to the root or anchor; empty where
  /// none was looked for.
  case trusted(path: [TLSCertificate])
  /// Why not: with the code a session would end with, or `other` for a host that is no name.
  case refused(SocketFailure)

  /// Whether there was nothing to object to.
  package var isTrusted: Bool { if case .trusted = self { true } else { false } }

  /// Why the chain is refused, in words; nil: it is trusted.
  package var reason: String? {
    switch self {
    case .trusted: nil
    case .refused(.tls(_, let message)), .refused(.other(let message)): message
    case .refused(let failure): "\(failure)"
    }
  }
}
