import COpenSSL
import ScenarioModel
import TestCertificates
import Testing

/// The other end of a scripted peer's connection: OpenSSL as any program uses it, on memory.
final class Counterpart {
  struct Options {
    var role = TLSRole.client
    var version: TLSVersion?
    var verifies = true
    var certificate: CertificateName?
    var serverName: String?
    var alpn: [UInt8] = []
    var groups: String?
    var ciphers: String?
  }

  private let context: OpaquePointer
  private let ssl: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer
  private(set) var isEstablished = false
  private(set) var isClosed = false
  private(set) var failure: String?
  private(set) var plain: [UInt8] = []
  /// Alerts and handshake messages as they came, `alert …` and numbers.
  private(set) var seen: [String] = []

  init(_ options: Options) throws {
    ERR_clear_error()
    context = try #require(SSL_CTX_new(options.role == .client ? TLS_client_method() : TLS_server_method()))
    SSL_CTX_set_security_level(context, 0)
    if let version = options.version {
      let number: Int32 = version == .tls13 ? 0x0304 : 0x0303
      _ = lab_peer_set_versions(context, number, number)
    }
    if let ciphers = options.ciphers { SSL_CTX_set_cipher_list(context, ciphers) }
    if let groups = options.groups { _ = lab_peer_set_groups(context, groups) }
    if !options.alpn.isEmpty { SSL_CTX_set_alpn_protos(context, options.alpn, UInt32(options.alpn.count)) }
    if let name = options.certificate ?? (options.role == .server ? .leaf : nil) {
      try TestPKI.shared.identity(name).show(in: context)
    }
    if options.role == .client, options.verifies { try Self.trustTestRoot(context) }
    ssl = try #require(SSL_new(context))
    (input, output) = (try #require(BIO_new(BIO_s_mem())), try #require(BIO_new(BIO_s_mem())))
    SSL_set_bio(ssl, input, output)
    lab_peer_open_input(input)
    if let name = options.serverName { _ = lab_peer_set_server_name(ssl, name) }
    if options.role == .client { SSL_set_connect_state(ssl) } else { SSL_set_accept_state(ssl) }
    lab_peer_set_argument(ssl, Unmanaged.passUnretained(self).toOpaque())
    SSL_set_msg_callback(ssl) { isSent, _, kind, bytes, count, _, argument in
      guard isSent == 0, let argument, let bytes, kind < 256, count > 0 else { return }
      let content = UnsafeRawBufferPointer(start: bytes, count: count)
      let me = Unmanaged<Counterpart>.fromOpaque(argument).takeUnretainedValue()
      me.seen.append(kind == 21 ? "alert \(content.last ?? 0)" : "\(kind == 20 ? 20 : Int32(content[0]))")
    }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  private static func trustTestRoot(_ context: OpaquePointer) throws {
    let pem = try TestPKI.shared.rootPEM
    let memory = BIO_new_mem_buf(pem, Int32(pem.count))
    let root = PEM_read_bio_X509(memory, nil, nil, nil)
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root)
    X509_free(root)
    BIO_free(memory)
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(context), Int(TestPKI.pinnedNow))
  }

  func receive(_ bytes: [UInt8]) {
    if !bytes.isEmpty { BIO_write(input, bytes, Int32(bytes.count)) }
    work()
  }

  func work() {
    guard failure == nil else { return }
    ERR_clear_error()
    if !isEstablished {
      let result = SSL_do_handshake(ssl)
      if result == 1 { isEstablished = true } else { return note(result) }
    }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !isClosed {
      let count = SSL_read(ssl, &buffer, 4096)
      guard count > 0 else {
        if SSL_get_error(ssl, count) == SSL_ERROR_ZERO_RETURN { isClosed = true } else { note(count) }
        return
      }
      plain += buffer[..<Int(count)]
    }
  }

  private func note(_ result: Int32) {
    guard SSL_get_error(ssl, result) != SSL_ERROR_WANT_READ else { return }
    failure = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) } ?? "failed"
  }

  func send(_ bytes: [UInt8]) { SSL_write(ssl, bytes, Int32(bytes.count)) }

  func close() { SSL_shutdown(ssl) }

  func updateKeys() {
    SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
    SSL_do_handshake(ssl)
  }

  func take() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: lab_peer_pending(output))
    guard !bytes.isEmpty else { return [] }
    BIO_read(output, &bytes, Int32(bytes.count))
    return bytes
  }
}
