import COpenSSL
import SocketCore

/// What sessions with equal settings share: versions, ciphers, protocols to choose from, our identity. What is checked
/// of the peer belongs to each session.
///
/// Unchecked: not changed after it was made, except by OpenSSL, which guards a context with locks.
final class TLSContext: @unchecked Sendable {
  /// What a context depends on.
  struct Key: Hashable, Sendable {
    var role: TLSRole
    var identity: TLSIdentity?
    var minimumVersion: TLSVersion?
    var maximumVersion: TLSVersion?
    var cipherSuites: [String]
    var applicationProtocols: [String]
    var clientCertificates: ClientCertificates

    init(_ settings: TLSSettings) {
      role = settings.role
      identity = settings.identity
      minimumVersion = settings.minimumVersion
      maximumVersion = settings.maximumVersion
      cipherSuites = settings.cipherSuites
      applicationProtocols = settings.applicationProtocols
      clientCertificates = settings.clientCertificates
    }
  }

  /// The most bytes of certificates a peer may send; more ends the handshake. Four times the longest chain we promise
  /// to handle.
  static let certificateLimit = 1 << 18

  let context: OpaquePointer
  /// The protocols in the form of the wire: each after a byte with its length. For the callback, which must hand out
  /// pointers into it.
  private let protocols: UnsafeMutableBufferPointer<UInt8>

  init(_ key: Key) throws(SocketFailure) {
    let wire = try TLSContext.wireForm(key.applicationProtocols)
    ERR_clear_error()
    guard let context = SSL_CTX_new(key.role == .client ? TLS_client_method() : TLS_server_method()) else {
      throw OpenSSLErrors.failure("TLS can't be set up")
    }
    self.context = context
    protocols = .allocate(capacity: max(1, wire.count))
    _ = protocols.update(fromContentsOf: wire)
    let count = wire.count

    let asksClients = key.role == .server && key.clientCertificates != .notRequested
    // A resumed session would bring its old client along unchecked.
    lab_tls_set_options(context, asksClients ? 1 : 0)
    if asksClients { SSL_CTX_set_num_tickets(context, 0) }
    lab_tls_set_modes(context, TLSContext.certificateLimit)
    try setAlgorithms(key)
    if let identity = key.identity { try setIdentity(identity) }
    setVerification(key)
    guard count > 0 else { return }
    switch key.role {
    case .client:
      guard SSL_CTX_set_alpn_protos(context, protocols.baseAddress, UInt32(count)) == 0 else {
        throw OpenSSLErrors.failure("The application protocols can't be set")
      }
    case .server: setProtocolChoice(count)
    }
  }

  deinit {
    SSL_CTX_free(context)
    protocols.deallocate()
  }

  private func setAlgorithms(_ key: Key) throws(SocketFailure) {
    let choice: CipherChoice? = key.cipherSuites.isEmpty ? nil : try CipherChoice(key.cipherSuites, scratch: context)
    var highest = key.maximumVersion ?? .tls13
    var lowest = key.minimumVersion ?? min(.tls12, highest)
    if let choice, choice.tls13.isEmpty { highest = min(highest, .tls12) }
    if let choice, choice.older.isEmpty { lowest = max(lowest, .tls13) }
    guard lowest <= highest else {
      throw .other(
        "The versions and cipher suites of the settings leave nothing: at least \(lowest), at most \(highest).")
    }
    // What TLS 1.0 and 1.1 sign with is below every level but 0. Certificates are held to level 2 all the same.
    let level: Int32 = lowest < .tls12 ? 0 : 2
    SSL_CTX_set_security_level(context, level)
    let older = choice.map { $0.older.isEmpty ? "DEFAULT" : $0.older.joined(separator: ":") } ?? "DEFAULT"
    guard lab_tls_set_versions(context, lowest.rawValue, highest.rawValue) == 1,
      SSL_CTX_set_cipher_list(context, "\(older):!aNULL:!eNULL:!PSK:!SRP:@SECLEVEL=\(level)") == 1,
      choice.map({ $0.tls13.isEmpty || SSL_CTX_set_ciphersuites(context, $0.tls13.joined(separator: ":")) == 1 })
        ?? true
    else { throw OpenSSLErrors.failure("The versions and cipher suites can't be set") }
  }

  private func setIdentity(_ identity: TLSIdentity) throws(SocketFailure) {
    ERR_clear_error()
    guard let own = identity.chain.first, let key = identity.key.copy(),
      SSL_CTX_use_certificate(context, own.handle.x509) == 1,
      SSL_CTX_use_PrivateKey(context, key.pkey) == 1,
      identity.chain.dropFirst().allSatisfy({ lab_tls_add_chain(context, $0.handle.x509) == 1 })
    else { throw OpenSSLErrors.failure("The identity can't be used") }
  }

  private func setVerification(_ key: Key) {
    let mode =
      switch (key.role, key.clientCertificates) {
      case (.client, _), (.server, .optional): SSL_VERIFY_PEER
      case (.server, .required): SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
      case (.server, .notRequested): SSL_VERIFY_NONE
      }
    SSL_CTX_set_verify(context, mode, nil)
    SSL_CTX_set_cert_verify_callback(context, { chain, _ in TLSSession.judgePeer(chain) }, nil)
  }

  /// The first of ours that the client offers, too; none is fatal, as RFC 7301 has it.
  private func setProtocolChoice(_ count: Int) {
    // The context outlives the sessions that call back: each holds it.
    SSL_CTX_set_alpn_select_cb(
      context,
      { _, chosen, chosenLength, offered, offeredLength, data in
        guard let data, let chosen, let chosenLength else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        let own = Unmanaged<TLSContext>.fromOpaque(data).takeUnretainedValue().protocols
        var start: UnsafeMutablePointer<UInt8>?
        let result = SSL_select_next_proto(
          &start, chosenLength, own.baseAddress, UInt32(own.count), offered, offeredLength)
        guard result == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        chosen.pointee = UnsafePointer(start)
        return SSL_TLSEXT_ERR_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private static func wireForm(_ protocols: [String]) throws(SocketFailure) -> [UInt8] {
    var wire: [UInt8] = []
    for name in protocols {
      guard (1...255).contains(name.utf8.count) else {
        throw .other("The application protocol \(name.debugDescription) must have 1 to 255 bytes.")
      }
      wire.append(UInt8(name.utf8.count))
      wire += name.utf8
    }
    guard wire.count < 1 << 14 else { throw .other("The application protocols are too many.") }
    return wire
  }
}
