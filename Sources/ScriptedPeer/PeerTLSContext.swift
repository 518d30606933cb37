import COpenSSL
import ScenarioModel
import TestCertificates

/// OpenSSL's context with identity, trust and preferences, shared by a lane's handshakes of one kind. Tickets of one
/// connection are valid for the next one of the same context.
///
/// Everything a peer may do wrong is allowed: weak keys, weak ciphers, old versions.
final class PeerTLSContext: @unchecked Sendable {
  // Unchecked: not changed after it was made, except by OpenSSL, which guards a context with locks.
  /// Why the settings cannot be: unknown names, or a certificate that could not be made.
  struct Refusal: Error {
    var reason: String
  }

  let raw: OpaquePointer
  let role: TLSRole
  /// The certificates to show instead of OpenSSL's, which does not want to send them as they are (a key that does not
  /// belong, a structure that cannot be read); each in DER.
  private(set) var replacedChain: [[UInt8]]?
  /// Protocols for ALPN, the preferred one first.
  let protocols: [String]
  private let certificates: PeerCertificates

  /// SSL_OP_NO_RENEGOTIATION and SSL_OP_NO_TICKET, whose macros Swift does not see.
  private static let noRenegotiation = UInt64(1) << 30
  private static let noTicket = UInt64(1) << 14
  /// How many tickets a server sends unless it is told: as many as OpenSSL's servers do. They are input that comes
  /// when nobody reads.
  private static let usualTickets = 2

  /// `forges`: only suites whose records can be made by hand, unless the settings name suites.
  init(
    _ settings: PeerTLS, role: TLSRole, forges: Bool, certificates: PeerCertificates = .pinned
  ) throws(Refusal) {
    ERR_clear_error()
    guard let context = SSL_CTX_new(role == .server ? TLS_server_method() : TLS_client_method()) else {
      throw Refusal(reason: "OpenSSL makes no context: \(Self.error)")
    }
    raw = context
    self.role = role
    protocols = settings.alpn
    self.certificates = certificates
    SSL_CTX_set_security_level(context, 0)
    lab_peer_set_modes(context)
    SSL_CTX_set_options(context, Self.noRenegotiation)
    SSL_CTX_set_session_id_context(context, [1], 1)
    let tickets = settings.tickets ?? Self.usualTickets
    SSL_CTX_set_num_tickets(context, tickets)
    // Sessions would be kept, and expired by the clock, although no client resumes them.
    if settings.tickets == nil { lab_peer_keep_no_sessions(context) }
    if role == .server, tickets == 0 { SSL_CTX_set_options(context, Self.noTicket) }
    try setVersions(settings)
    let name = settings.certificate ?? (role == .server ? .leaf : nil)
    if let name { try setIdentity(name) }
    try setCiphers(settings, forges: forges || replacedChain != nil)
    try setTrust(settings)
    setProtocols()
  }

  deinit { SSL_CTX_free(raw) }

  /// Whether what it shows is signed with RSA.
  var hasRSAKey: Bool { SSL_CTX_get0_privatekey(raw).map { EVP_PKEY_get_base_id($0) == EVP_PKEY_RSA } ?? false }

  /// OpenSSL's last complaint, which is the one about TLS: those in front of it are the parts' own.
  static var error: String {
    let code = ERR_peek_last_error()
    guard code != 0 else { return "no reason given" }
    return ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
  }

  private func setVersions(_ settings: PeerTLS) throws(Refusal) {
    let least = settings.minimumVersion ?? .tls10
    let most = settings.maximumVersion ?? .tls13
    guard lab_peer_set_versions(raw, least.number, most.number) == 1 else {
      throw Refusal(reason: "OpenSSL does not speak \(least.rawValue) to \(most.rawValue)")
    }
    guard !settings.groups.isEmpty else { return }
    guard lab_peer_set_groups(raw, settings.groups.joined(separator: ":")) == 1 else {
      throw Refusal(reason: "OpenSSL does not know the groups \(settings.groups.joined(separator: ", "))")
    }
  }

  private func setCiphers(_ settings: PeerTLS, forges: Bool) throws(Refusal) {
    var modern = settings.ciphers.filter { $0.hasPrefix("TLS_") }
    var classic = settings.ciphers.filter { !$0.hasPrefix("TLS_") }
    if settings.ciphers.isEmpty, forges, (settings.maximumVersion ?? .tls13).rawValue >= TLSVersion.tls12.rawValue {
      modern = ["TLS_AES_128_GCM_SHA256"]
      classic = ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"]
    }
    if !modern.isEmpty, SSL_CTX_set_ciphersuites(raw, modern.joined(separator: ":")) != 1 {
      throw Refusal(reason: "OpenSSL does not know the suites \(modern.joined(separator: ", "))")
    }
    let list = classic.isEmpty ? "DEFAULT" : classic.joined(separator: ":")
    if SSL_CTX_set_cipher_list(raw, list + ":@SECLEVEL=0") != 1 {
      throw Refusal(reason: "OpenSSL does not know the suites \(classic.joined(separator: ", "))")
    }
  }

  private func setIdentity(_ name: CertificateName) throws(Refusal) {
    let identity = try certificates.identity(name)
    if use(identity) { return }
    // Something OpenSSL refuses to send: a sound identity shakes hands, and the certificates are put in by hand.
    replacedChain = identity.chainDER
    ERR_clear_error()
    lab_peer_clear_chain(raw)
    // A key that does not belong must not, in the end, belong.
    let stand = name == .mismatchedKey ? CertificateName.wrongHost : .leaf
    guard use(try certificates.identity(stand)) else {
      throw Refusal(reason: "OpenSSL refuses the leaf: \(Self.error)")
    }
  }

  /// False where OpenSSL can't, or would not send a certificate as it is.
  private func use(_ identity: TestIdentity) -> Bool {
    identity.chainDER.allSatisfy(Self.isWrittenAsRead) && (try? identity.show(in: raw)) != nil
  }

  /// Whether the bytes are one certificate exactly as OpenSSL would write it.
  private static func isWrittenAsRead(_ der: [UInt8]) -> Bool {
    guard let certificate = TestIdentity.certificate(der) else { return false }
    defer { X509_free(certificate) }
    return Self.der(of: certificate) == der
  }

  static func der(of certificate: OpaquePointer) -> [UInt8] {
    var buffer: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509(certificate, &buffer)
    guard count > 0, let buffer else { return [] }
    defer { CRYPTO_free(buffer, "PeerTLSContext", 0) }
    return Array(UnsafeBufferPointer(start: buffer, count: Int(count)))
  }

  private static func memory<Result>(_ bytes: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
    guard let memory = BIO_new_mem_buf(bytes, Int32(clamping: bytes.count)) else { return nil }
    defer { BIO_free(memory) }
    return body(memory)
  }
}

extension PeerTLSContext {
  private func setTrust(_ settings: PeerTLS) throws(Refusal) {
    var mode = SSL_VERIFY_NONE
    if role == .server {
      switch settings.clientCertificate {
      case .ignore: return
      case .request: mode = SSL_VERIFY_PEER
      case .require: mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
      }
    } else if settings.anchors != nil {
      mode = SSL_VERIFY_PEER
    }
    SSL_CTX_set_verify(raw, mode, nil)
    guard let anchors = settings.anchors else {
      // Whatever is shown is taken; what was shown is for the scenario to judge.
      return SSL_CTX_set_cert_verify_callback(raw, { _, _ in 1 }, nil)
    }
    if let parameters = SSL_CTX_get0_param(raw) { X509_VERIFY_PARAM_set_time(parameters, Int(certificates.pki.now)) }
    try addAnchors(anchors)
  }

  private func addAnchors(_ anchors: TLSCommand.Anchors) throws(Refusal) {
    var pem: [UInt8] = []
    do throws(CertificateFailure) {
      switch anchors {
      case .host: SSL_CTX_set_default_verify_paths(raw)
      case .testRoot: pem = try certificates.pki.rootPEM
      case .certificate(let name): pem = try certificates.pki.anchor(for: name)
      }
    } catch {
      throw Refusal(reason: "no anchor: \(error.description)")
    }
    guard !pem.isEmpty, let store = SSL_CTX_get_cert_store(raw) else { return }
    _ = Self.memory(pem) { memory -> Void? in
      while let certificate = PEM_read_bio_X509(memory, nil, nil, nil) {
        X509_STORE_add_cert(store, certificate)
        X509_free(certificate)
      }
      ERR_clear_error()
      return ()
    }
  }

  private func setProtocols() {
    guard !protocols.isEmpty else { return }
    if role == .client {
      let list = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
      SSL_CTX_set_alpn_protos(raw, list, UInt32(clamping: list.count))
    } else {
      SSL_CTX_set_alpn_select_cb(
        raw,
        { _, chosen, count, offered, length, argument in
          guard let chosen, let count, let offered, let argument else { return SSL_TLSEXT_ERR_NOACK }
          let context = Unmanaged<PeerTLSContext>.fromOpaque(argument).takeUnretainedValue()
          guard let range = context.choice(UnsafeBufferPointer(start: offered, count: Int(length))) else {
            return SSL_TLSEXT_ERR_ALERT_FATAL
          }
          chosen.pointee = offered + range.lowerBound
          count.pointee = UInt8(truncatingIfNeeded: range.count)
          return SSL_TLSEXT_ERR_OK
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  /// Where the client's list has the first of our protocols that it has at all.
  private func choice(_ offered: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    for name in protocols {
      var start = 0
      while start < offered.count {
        let end = start + 1 + Int(offered[start])
        guard end <= offered.count else { break }
        if offered[(start + 1)..<end].elementsEqual(name.utf8) { return (start + 1)..<end }
        start = end
      }
    }
    return nil
  }
}

extension TLSVersion {
  /// As the wire has it: 0x0303 for TLS 1.2.
  package var number: Int32 {
    switch self {
    case .tls10: 0x0301
    case .tls11: 0x0302
    case .tls12: 0x0303
    case .tls13: 0x0304
    }
  }

  init?(number: Int32) {
    guard let version = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = version
  }
}
