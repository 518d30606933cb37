import Foundation
import SocketCore
import SocketTLS

/// How a connection is secured; the typed form of the dictionary that `startTLS(_:)` takes.
///
/// The defaults are those of nil and empty settings (TLS-11): client, TLS 1.2 or newer, the chain and the dates are
/// checked against what the system trusts, the name is not checked. Nothing is checked when a value is set: settings
/// that make no sense close the socket with `otherError` when the upgrade's turn comes.
public struct TLSSettings: Sendable {
  /// Whether to take the server's side of the handshake. It needs an identity: without one the handshake fails, when a
  /// client has begun it (TLS-17).
  public var isServer = false
  /// The name or numeric address the server's certificate must be for; a name is also sent to the server (TLS-12). A
  /// text that is neither closes the socket with `otherError`, unless the delegate judges the peer or nothing is
  /// checked; then it is not sent. Without effect where `isServer` is set, as with the original: a server's clients are
  /// not held against a name, only against `trustAnchors`. It finds in `peerCertificates` who has come.
  public var peerName: String?
  /// The own certificate and key.
  public var identity: SecIdentity?
  /// Certificates to send along with the identity's.
  public var additionalCertificates: [SecCertificate] = []
  /// What a server asks of its clients (TLS-43).
  public var clientCertificates = ClientCertificates.none

  /// The delegate decides about the peer in didReceiveTrust; nothing is checked for it (TLS-20). Clients only.
  public var evaluatesTrustManually = false
  /// false: nothing is checked, not even the name.
  public var validatesCertificateChain = true
  /// Whether certificates other than the root may have expired.
  public var allowsExpiredCertificates = false
  /// Whether the root may have expired.
  public var allowsExpiredRoots = false
  /// Whether the chain may end anywhere.
  public var allowsAnyRoot = false
  /// Certificates to trust: of a client besides those of the system; of a server, which asks who may come in and not
  /// who is who, instead of those. A server that was given an empty array trusts nobody.
  public var trustAnchors: [SecCertificate] = [] { didSet { hasOwnAnchors = true } }
  /// Whether anchors were named, be it none.
  private var hasOwnAnchors = false
  /// Whether only `trustAnchors` count, also of a client, and when there are none.
  public var trustsAnchorsOnly = false
  /// Revocation lists: in PEM, any number in one piece of data, or one in DER. Read once, by the call of `startTLS`,
  /// and kept for some minutes after their last use. Without any, revocation is not checked. Each must be a whole list
  /// of its issuer's own certificates: deltas, indirect lists and lists for some reasons only close the socket with
  /// `otherError`.
  public var revocationLists: [Data] = []
  /// As of when the peer's certificates must be valid; nil: now.
  public var verifyDate: Date?

  /// One of CFStream's levels, by the value of its constant.
  public var level: String?
  /// nil or unknown: TLS 1.2, or `maximumVersion` if that is older. An older version admits what it needs (suites in
  /// CBC mode, SHA-1, DH of 1024 bits) where that version is negotiated; TLS 1.2 stays as strict as without it.
  public var minimumVersion: SSLProtocol?
  /// nil or unknown: the newest there is.
  public var maximumVersion: SSLProtocol?
  /// OpenSSL or IANA names, or numbers such as 0x1301, most wanted first, for all versions that have them. Versions for
  /// which none is named are not used. Empty: all suites of TLS 1.3, and those of TLS 1.2 with keys for one connection
  /// (ECDHE, DHE) and AES-GCM or ChaCha20; others, such as those in CBC mode or with RSA key exchange, must be named.
  public var cipherSuites: [String] = []
  /// The protocols to offer, or to choose from, most wanted first (ALPN).
  public var applicationProtocols: [String] = []
  /// Accepted without effect (TLS-40).
  public var usesFalseStart = false
  /// Accepted without effect (TLS-40).
  public var sendsOneByteRecords = false
  /// Accepted without effect (TLS-40): a client never resumes a session, so every connection checks its peer. A server
  /// lets its clients resume theirs (by tickets, each of which is good for two hours at most, under keys that change
  /// every hour), unless it asks for their certificates.
  public var peerID: Data?

  /// Whether a server asks for its clients' certificates.
  public enum ClientCertificates: String, CaseIterable, Sendable {
    /// They are not asked for.
    case none
    /// A client may show none; one that can't be trusted is refused.
    case optional
    /// A client without one is refused.
    case required
  }

  /// The defaults.
  public init() {}
}

extension TLSSettings {
  /// The settings in the terms of the engine; `other` for what it does not know.
  package func engineSettings() throws(SocketFailure) -> TLSConfiguration {
    var settings = TLSConfiguration()
    settings.role = isServer ? .server : .client
    settings.peerName = peerName
    settings.identity = try identity?.core.adding(additionalCertificates.map(\.core))
    settings.clientCertificates =
      switch clientCertificates {
      case .none: .notRequested
      case .optional: .optional
      case .required: .required
      }
    settings.manualTrust = evaluatesTrustManually
    settings.verification.checksChain = validatesCertificateChain
    settings.verification.allowsExpiredCertificates = allowsExpiredCertificates
    settings.verification.allowsExpiredRoots = allowsExpiredRoots
    settings.verification.allowsAnyRoot = allowsAnyRoot
    settings.anchors = trustAnchors.map(\.core)
    // A server that names its own authority must not let in whoever has any authority's certificate.
    settings.anchorsOnly = trustsAnchorsOnly || isServer && hasOwnAnchors
    settings.revocationLists = try SharedTLS.revocationLists(revocationLists)
    settings.verificationTime = try verifyDate.map { date throws(SocketFailure) in
      guard let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) else {
        throw .other("The TLS setting \(GCDAsyncSocketSSLVerifyDate) is no date in reach.")
      }
      return seconds
    }
    if let level { try settings.apply(try TLSLevel(named: level)) }
    if let version = try minimumVersion?.engineVersion() { settings.minimumVersion = version }
    settings.maximumVersion = try maximumVersion?.engineVersion()
    settings.cipherSuites = cipherSuites
    settings.applicationProtocols = applicationProtocols
    return settings
  }

  /// What makes the session when the upgrade's turn comes; errors in the settings come out then, too (TLS-18).
  ///
  /// Connections with equal settings share what OpenSSL works out from them as `sharing` says.
  package static func sessionMaker(
    _ dictionary: [String: NSObject]?, sharing: ContextSharing = .amongAll
  ) -> StreamMachine.SessionMaker {
    switch reading(dictionary) {
    case .success(let settings): return settings.sessionMaker(sharing: sharing)
    case .failure(let failure): return { .failure(failure) }
    }
  }

  /// The same for settings that are read already. Here, on the thread of whoever starts TLS, they are put into the
  /// terms of the engine: long revocation lists take longer than a handshake, and the thread that makes the session has
  /// other sockets to serve.
  package func sessionMaker(sharing: ContextSharing = .amongAll) -> StreamMachine.SessionMaker {
    let settings: Result<TLSConfiguration, SocketFailure>
    do { settings = .success(try engineSettings()) } catch { settings = .failure(error) }
    return { settings.flatMap { TLSSettings.session($0, contexts: sharing.contexts) } }
  }

  private static func session(
    _ settings: TLSConfiguration, contexts: TLSContextCache?
  ) -> Result<any SecureSession, SocketFailure> {
    do { return .success(try TLSSession(settings, contexts: contexts)) } catch { return .failure(error) }
  }
}

extension SSLProtocol {
  /// nil: whatever is best.
  fileprivate func engineVersion() throws(SocketFailure) -> ProtocolVersion? {
    switch self {
    case .sslProtocolUnknown, .tlsProtocolMaxSupported: nil
    case .sslProtocol3: throw .other("SSL 3 is broken and not available; the lowest version is TLS 1.0.")
    case .tlsProtocol1: .tls10
    case .tlsProtocol11: .tls11
    case .tlsProtocol12: .tls12
    case .tlsProtocol13: .tls13
    }
  }
}
