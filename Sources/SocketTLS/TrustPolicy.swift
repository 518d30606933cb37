import COpenSSL
import SocketPOSIX

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
  /// The certificates the system trusts, read once per process: by the first evaluation for which that works. A system
  /// without any gives an empty store; one that can't be read now, because a descriptor or memory is missing, gives one
  /// without a handle, and the next evaluation tries again.
  static var system: TrustStore {
    loaded.withLock { loaded in
      if let loaded { return loaded }
      let store = TrustStore { lab_tls_load_system_roots($0) == 1 }
      if store.handle != nil { loaded = store }
      return store
    }
  }

  private static let loaded = LockedValue<TrustStore?>(nil)

  /// For walks to anchors of their own.
  static let empty = TrustStore { _ in true }

  /// nil: it could not be made or loaded.
  let handle: OpaquePointer?

  private init(load: (OpaquePointer) -> Bool) {
    OpenSSLLibrary.begin()
    defer { ERR_clear_error() }
    guard let store = X509_STORE_new() else {
      handle = nil
      return
    }
    guard load(store) else {
      X509_STORE_free(store)
      handle = nil
      return
    }
    handle = store
    X509_STORE_set_check_revocation(store, ChainWalk.revocationHook)
  }

  deinit { X509_STORE_free(handle) }
}
