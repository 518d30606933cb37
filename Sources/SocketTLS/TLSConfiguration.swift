/// How a connection is secured. The defaults are those of nil and empty settings (TLS-11): client, the chain and the
/// dates are checked against the certificates the system trusts, the name is not checked.
///
/// Nothing is checked when a value is set; `TLSSession` refuses what makes no sense with a `SocketFailure.other`.
package struct TLSConfiguration: Sendable {
  /// Which side of the handshake this is; a server needs an `identity` (TLS-17).
  package var role = HandshakeRole.client
  /// The name or address the peer's certificate must be for, and, unless it is an address, the name that is sent to the
  /// server (SNI). ASCII; international names in their A-label form (TLS-12). Servers ignore it. Where nothing is
  /// compared with it (`manualTrust`, a chain that isn't checked) any text will do; one that is no name is not sent.
  package var peerName: String?
  /// What is checked of the peer's certificates. Without effect where `manualTrust` is set.
  package var verification = TLSVerification()
  /// The delegate judges the peer instead of us; nothing else about the peer is checked (TLS-20). Clients only.
  package var manualTrust = false

  /// Certificates that a chain may end at, roots or not.
  package var anchors: [TLSCertificate] = []
  /// Whether only `anchors` count, and not what the system trusts.
  package var anchorsOnly = false
  /// Revocation is checked as far as these go: a certificate whose issuer has no list here is not revoked.
  package var revocationLists: [TLSRevocationList] = []
  /// When the peer's certificates must be valid, in Unix seconds; nil: now.
  package var verificationTime: Int64?

  /// Our own certificate: a server's, or what a client shows when it is asked.
  package var identity: TLSIdentity?
  /// What a server asks of its clients (TLS-43).
  package var clientCertificates = ClientCertificates.notRequested

  /// nil: TLS 1.2, or the highest version where that is older. Anything below 1.2 also admits the algorithms that those
  /// versions need, where such a version is negotiated (`TLSStrength`).
  package var minimumVersion: ProtocolVersion?
  /// nil: the newest there is.
  package var maximumVersion: ProtocolVersion?
  /// The cipher suites that may be used, most wanted first, by their OpenSSL or IANA names, or by number ("0x1301").
  /// Empty: the defaults (`CipherChoice`). Versions for which none is named are not used. An unknown name is refused.
  package var cipherSuites: [String] = []
  /// The application protocols to offer (client), or to choose from, most wanted first (server).
  package var applicationProtocols: [String] = []

  package init() {}
}

/// What is checked of the peer's certificates (TLS-16), with the meaning CFStream gives to its keys.
package struct TLSVerification: Hashable, Sendable {
  /// false: nothing at all is checked, not even the name.
  package var checksChain = true
  /// Whether certificates other than the root may have expired.
  package var allowsExpiredCertificates = false
  /// Whether the root may have expired.
  package var allowsExpiredRoots = false
  /// Whether the chain may end anywhere: at an unknown root, or before any root. Name and dates still count.
  package var allowsAnyRoot = false

  package init() {}
}

/// Whether a server asks its clients for a certificate.
package enum ClientCertificates: Hashable, Sendable {
  case notRequested
  /// Asked for: a client without a certificate is accepted, one with an untrusted certificate is not.
  case optional
  case required
}
