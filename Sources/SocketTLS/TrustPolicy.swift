import COpenSSL

/// What a chain is held against.
struct TrustPolicy: Sendable {
  var anchors: [TLSCertificate] = []
  var anchorsOnly = false
  var revocationLists: [TLSRevocationList] = []
  var verification = TLSVerification()
  var name: PeerName?
  /// When certificates must be valid, in Unix seconds; nil: now.
  var time: Int64?
  /// The role of the peer that shows the chain: its certificate must be made for that.
  var peerRole = HandshakeRole.server
  /// Whatever the peer's certificate is made for will do.
  var allowsAnyPurpose = false
}

/// Where OpenSSL looks for roots, and what it calls when it has found a path to one.
///
/// Unchecked: a store guards itself with a lock, and is not changed after it was loaded.
final class TrustStore: @unchecked Sendable {
  /// The certificates the system trusts, read once per process. A system without any gives an empty store.
  static let system = TrustStore { X509_STORE_set_default_paths($0) }
  /// For walks to anchors of their own.
  static let empty = TrustStore { _ in }

  /// nil: no memory.
  let handle: OpaquePointer?

  private init(load: (OpaquePointer) -> Void) {
    OpenSSLLibrary.begin()
    handle = X509_STORE_new()
    if let handle {
      load(handle)
      X509_STORE_set_check_revocation(handle, ChainWalk.revocationHook)
    }
    ERR_clear_error()
  }

  deinit { X509_STORE_free(handle) }
}
