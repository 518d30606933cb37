import COpenSSL
import SocketCore

/// What sessions with equal settings share: versions, ciphers, protocols to choose from, our identity. What is checked
/// of the peer belongs to each session.
///
/// Unchecked: not changed after it was made, except by OpenSSL, which guards a context with locks.
final class TLSContext: @unchecked Sendable {
  /// What a context depends on, without the secret: a certificate names its key.
  struct Parameters: Hashable, Sendable {
    var role: HandshakeRole
    var chain: [TLSCertificate]
    var minimumVersion: ProtocolVersion?
    var maximumVersion: ProtocolVersion?
    var cipherSuites: [String]
    var applicationProtocols: [String]
    var clientCertificates: ClientCertificates
  }

  /// What a context is made from.
  struct Key: Sendable {
    var parameters: Parameters
    var identity: TLSIdentity?

    init(_ settings: TLSConfiguration) {
      identity = settings.identity
      parameters = Parameters(
        role: settings.role, chain: settings.identity?.chain ?? [], minimumVersion: settings.minimumVersion,
        maximumVersion: settings.maximumVersion, cipherSuites: settings.cipherSuites,
        applicationProtocols: settings.applicationProtocols, clientCertificates: settings.clientCertificates)
    }
  }

  /// The most bytes of certificates a peer may send; more ends the handshake. Four times the longest chain we promise
  /// to handle.
  static let certificateLimit = 1 << 18

  let context: OpaquePointer
  let tickets: TicketKeys
  /// The protocols in the form of the wire: each after a byte with its length. For the callback, which must hand out
  /// pointers into it.
  private let protocols: UnsafeMutableBufferPointer<UInt8>

  init(_ making: Key, tickets: TicketKeys = TicketKeys()) throws(SocketFailure) {
    let key = making.parameters
    let wire = try TLSContext.wireForm(key.applicationProtocols)
    OpenSSLLibrary.begin()
    guard let context = SSL_CTX_new(key.role == .client ? TLS_client_method() : TLS_server_method()) else {
      throw OpenSSLErrors.failure("TLS can't be set up")
    }
    self.context = context
    self.tickets = tickets
    protocols = .allocate(capacity: max(1, wire.count))
    _ = protocols.update(fromContentsOf: wire)
    let count = wire.count

    let asksClients = key.role == .server && key.clientCertificates != .notRequested
    // A resumed session would bring its old client along unchecked.
    lab_tls_set_options(context, asksClients ? 1 : 0)
    if asksClients { SSL_CTX_set_num_tickets(context, 0) }
    lab_tls_set_modes(context, TLSContext.certificateLimit)
    try setAlgorithms(key)
    if let identity = making.identity { try setIdentity(identity) }
    setVerification(key)
    CertificateMessage.watch(context)
    if key.role == .server { HelloBounds.watch(context) }
    if key.role == .server, !asksClients { try setTickets() }
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

  private func setAlgorithms(_ key: Parameters) throws(SocketFailure) {
    let choice: CipherChoice? = key.cipherSuites.isEmpty ? nil : try CipherChoice(key.cipherSuites, scratch: context)
    var highest = key.maximumVersion ?? .tls13
    var lowest = key.minimumVersion ?? min(.tls12, highest)
    if let choice, choice.tls13.isEmpty { highest = min(highest, .tls12) }
    if let choice, choice.older.isEmpty { lowest = max(lowest, .tls13) }
    guard lowest <= highest else {
      throw .other(
        "The versions and cipher suites of the settings leave nothing: at least \(lowest), at most \(highest).")
    }
    let isNamed = choice?.older.isEmpty == false
    let older = choice.flatMap { $0.older.isEmpty ? nil : $0.older } ?? CipherChoice.defaults(from: lowest)
    TLSStrength.apply(to: context, allowsBlocks: isNamed)
    guard lab_tls_set_versions(context, lowest.rawValue, highest.rawValue) == 1,
      SSL_CTX_set_cipher_list(context, (older + CipherChoice.neverUsed).joined(separator: ":")) == 1,
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

  private func setVerification(_ key: Parameters) {
    let mode =
      switch (key.role, key.clientCertificates) {
      case (.client, _), (.server, .optional): SSL_VERIFY_PEER
      case (.server, .required): SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
      case (.server, .notRequested): SSL_VERIFY_NONE
      }
    SSL_CTX_set_verify(context, mode, nil)
    SSL_CTX_set_cert_verify_callback(context, { chain, _ in TLSSession.judgePeer(chain) }, nil)
  }

  private func setTickets() throws(SocketFailure) {
    SSL_CTX_set_timeout(context, TicketKeys.lifetime)
    // The first key is drawn now, with all other randomness of a context. The pointer stays valid: each session holds
    // its context.
    let isSet =
      tickets.prepare() && SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
      && SSL_CTX_set_tlsext_ticket_key_evp_cb(context) { ssl, name, vector, cipher, authentication, isSealing in
        guard let ssl, let name, let vector, let cipher, let authentication,
          let data = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0)
        else { return -1 }
        let tickets = Unmanaged<TLSContext>.fromOpaque(data).takeUnretainedValue().tickets
        guard isSealing == 0 else { return tickets.seal(name, vector, cipher, authentication) }
        let isTLS13OrLater = SSL_version(ssl) >= ProtocolVersion.tls13.rawValue
        return tickets.open(name, vector, cipher, authentication, isTLS13OrLater: isTLS13OrLater)
      } == 1
    guard isSet else { throw OpenSSLErrors.failure("Session tickets can't be set up") }
  }

  /// The first of ours that the client offers, too; none is fatal, as RFC 7301 has it.
  private func setProtocolChoice(_ count: Int) {
    // The pointer stays valid: each session holds its context.
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
