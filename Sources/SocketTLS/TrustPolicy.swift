import COpenSSL

/// What a chain is held against.
struct TrustPolicy: Sendable {
  var anchors: [TLSCertificate] = []
  var anchorsOnly = false
  var revocationLists: [TLSRevocationList] = []
  var verification = TLSVerification()
  var name: PeerName?
  /// Unix seconds; nil: now.
  var time: Int64?
  /// Who shows the chain: what its certificate must be made for.
  var peerRole = TLSRole.server
}

/// The certificates the system trusts, read once per process.
///
/// Unchecked: a store guards itself with a lock, and is not changed after it was loaded.
final class SystemTrust: @unchecked Sendable {
  static let shared = SystemTrust()

  /// nil: no memory. A system without trusted certificates gives an empty store.
  let store: OpaquePointer?

  private init() {
    store = X509_STORE_new()
    if let store { X509_STORE_set_default_paths(store) }
    ERR_clear_error()
  }

  deinit { X509_STORE_free(store) }
}
