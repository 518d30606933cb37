import Foundation
import SocketCore
import SocketPOSIX
import SocketTLS

/// The certificates a peer has shown, for the delegate to judge in didReceiveTrust (TLS-20); the name is that of
/// Apple's systems. Immutable but for a mark of the library's own and what the functions of the module Security set;
/// may be passed between threads.
public final class SecTrust: Sendable {
  let core: PeerTrust
  private let unhandled = LockedValue(false)
  /// The terms that the functions of the module Security set; `evaluate` does not use them.
  package let terms = LockedValue(TrustTerms())

  package init(core: PeerTrust) {
    self.core = core
    certificates = core.certificates.map(SecCertificate.init(core:))
  }

  /// The chain in DER as the peer sent it, its own certificate first.
  public var certificateChain: [Data] { core.chain.map { Data($0) } }

  /// The same, parsed; always the same objects. Only the first is the peer's for sure: it may send any others along.
  public let certificates: [SecCertificate]

  /// The name the settings ask for, if any.
  public var peerName: String? { core.peerName }

  /// Judges the chain as the library itself would: up to the anchors and, unless `anchorsOnly`, what the system trusts;
  /// for a name; as of a date. The revocation lists of the settings count.
  /// - Parameters:
  ///   - anchors: certificates that are trusted besides what the system trusts, or instead of it; nil: those of the
  ///     settings.
  ///   - anchorsOnly: true: nothing but the anchors is trusted; nil: as the settings say if the anchors are theirs,
  ///     otherwise false.
  ///   - host: the name that the peer's certificate must be for; nil: `peerName`. If that is nil, too, no name is
  ///     looked for.
  ///   - checksName: false: no name is looked for; the caller compares something else, such as a fingerprint.
  ///   - date: as of when certificates must be valid; nil: as the settings say, or else now.
  /// - Returns: nil if the peer can be trusted, otherwise the error the socket would close with.
  public func evaluate(
    anchors: [SecCertificate]? = nil, anchorsOnly: Bool? = nil, host: String? = nil, checksName: Bool = true,
    date: Date? = nil
  ) -> (any Error)? {
    let host = checksName ? host ?? peerName : nil
    var time: Int64?
    do { time = try date?.secondsSince1970() } catch { return error.error }
    let verdict = core.evaluate(
      anchors: anchors?.map(\.core), anchorsOnly: anchorsOnly, host: host, time: time)
    if case .refused(let failure) = verdict { return failure.error }
    return nil
  }

  /// Whether the delegate's default implementation was called: the delegate has none of its own.
  var isUnhandled: Bool { unhandled.withLock { $0 } }

  func markUnhandled() { unhandled.withLock { $0 = true } }
}
