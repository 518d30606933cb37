import COpenSSL
import SocketCore

@testable import SocketTLS

/// A peer made of OpenSSL alone, at its weakest level: it does what a `TLSSession` never would.
final class RawPeer {
  let context: OpaquePointer
  let ssl: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer

  init(
    _ role: HandshakeRole, from lowest: ProtocolVersion = .tls12, to highest: ProtocolVersion = .tls12,
    party: Mint.Party? = nil,
    ciphers: String? = nil, session: OpaquePointer? = nil, _ configure: (OpaquePointer) -> Void = { _ in }
  ) {
    context = SSL_CTX_new(role == .client ? TLS_client_method() : TLS_server_method())!
    SSL_CTX_set_security_level(context, 0)
    _ = lab_peer_set_versions(context, lowest.rawValue, highest.rawValue)
    if let ciphers { precondition(SSL_CTX_set_cipher_list(context, ciphers + ":@SECLEVEL=0") == 1) }
    if let party {
      SSL_CTX_use_certificate(context, party.certificate)
      SSL_CTX_use_PrivateKey(context, party.key)
      for issuer in party.issuers.dropLast() { _ = lab_peer_add_chain(context, issuer.certificate) }
    }
    configure(context)
    ssl = SSL_new(context)!
    input = BIO_new(BIO_s_mem())!
    output = BIO_new(BIO_s_mem())!
    lab_peer_open_input(input)
    SSL_set_bio(ssl, input, output)
    role == .client ? SSL_set_connect_state(ssl) : SSL_set_accept_state(ssl)
    if let session { SSL_set_session(ssl, session) }
  }

  deinit {
    // A connection that was not ended makes its session useless.
    SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  var isEstablished: Bool { SSL_is_init_finished(ssl) == 1 }
  var isResumed: Bool { SSL_session_reused(ssl) == 1 }
  var cipher: String? { SSL_get_current_cipher(ssl).flatMap(SSL_CIPHER_get_name).map { String(cString: $0) } }
  /// What a later connection can resume; the caller's to free.
  var session: OpaquePointer? { SSL_get1_session(ssl) }

  /// Shakes hands with a session until neither side moves; what the session says at last.
  @discardableResult
  func shakeHands(with other: TLSSession) -> HandshakeProgress {
    var progress = other.handshake()
    while true {
      ERR_clear_error()
      if !isEstablished { SSL_do_handshake(ssl) }
      // What comes behind the handshake, such as tickets, is taken by reading.
      var byte: UInt8 = 0
      if isEstablished { SSL_read(ssl, &byte, 1) }
      let sent = take()
      if !sent.isEmpty { other.feed(sent) }
      progress = other.handshake()
      let received = other.takeOutput()
      guard !sent.isEmpty || !received.isEmpty else { return progress }
      if !received.isEmpty { BIO_write(input, received, Int32(received.count)) }
    }
  }

  private func take() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: lab_peer_pending(output))
    let count = BIO_read(output, &bytes, Int32(bytes.count))
    return Array(bytes.prefix(max(0, Int(count))))
  }
}
