import SocketCore

/// What the delegate gets when it is asked to judge a peer (TLS-20): the certificates the peer sent.
package final class PeerTrust: Sendable {
  /// The peer's own certificate first, then what it sent along. The handshake goes on with these and no others, so
  /// nobody reads their bytes a second time: what the delegate judges is what the peer proves to have the key of.
  package let certificates: [TLSCertificate]
  /// The name the settings expect, if they name one.
  package let peerName: String?

  package init(_ certificates: [TLSCertificate], peerName: String?) {
    self.certificates = certificates
    self.peerName = peerName
  }

  /// The certificates in DER.
  package var chain: [[UInt8]] { certificates.map(\.der) }

  /// Judges the chain as a client without manual trust would: of the anchors given and, unless `anchorsOnly`, of the
  /// system's; for the host if one is given; at the time in Unix seconds, nil meaning now; as a server would if the
  /// chain is a client's.
  package func evaluate(
    anchors: [TLSCertificate] = [], anchorsOnly: Bool = false, host: String? = nil, time: Int64? = nil,
    revocationLists: [TLSRevocationList] = [], verification: TLSVerification = TLSVerification(),
    peerRole: HandshakeRole = .server
  ) -> TrustVerdict {
    do {
      var policy = TrustPolicy()
      policy.anchors = anchors
      policy.anchorsOnly = anchorsOnly
      policy.revocationLists = revocationLists
      policy.verification = verification
      policy.name = if let host { try PeerName(host) } else { nil }
      policy.time = time
      policy.peerRole = peerRole
      guard let leaf = certificates.first, let stack = CertificateStack(certificates) else {
        return .refused(TLSCode.badCertificate.failure("The peer showed no certificate."))
      }
      let verdict = ChainEvaluation.verdict(leaf: leaf.handle.x509, untrusted: stack.stack, policy: policy)
      return verdict.failure.map(TrustVerdict.refused) ?? .trusted
    } catch {
      return .refused(error)
    }
  }
}

/// Whether a chain of certificates is to be trusted.
package enum TrustVerdict: Hashable, Sendable {
  case trusted
  /// Why not: with the code a session would end with, or `other` for a host that is no name.
  case refused(SocketFailure)

  /// Whether there was nothing to object to.
  package var isTrusted: Bool { self == .trusted }

  /// Why the chain is refused, in words; nil: it is trusted.
  package var reason: String? {
    switch self {
    case .trusted: nil
    case .refused(.tls(_, let message)), .refused(.other(let message)): message
    case .refused(let failure): "\(failure)"
    }
  }
}
