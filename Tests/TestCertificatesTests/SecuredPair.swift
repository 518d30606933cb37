import COpenSSL
import TestCertificates

/// A TLS 1.3 client and server of OpenSSL's, joined in memory. Everything is made inside the caller's randomness.
final class SecuredPair {
  private let contexts: [OpaquePointer?]
  private let client: OpaquePointer?
  private let server: OpaquePointer?

  init() {
    let serving = SSL_CTX_new(TLS_server_method())
    let asking = SSL_CTX_new(TLS_client_method())
    contexts = [serving, asking]
    if let identity = try? TestPKI.shared.identity(.leaf) {
      let source = BIO_new_mem_buf(identity.chain, Int32(identity.chain.count))
      let certificate = PEM_read_bio_X509(source, nil, nil, nil)
      SSL_CTX_use_certificate(serving, certificate)
      X509_free(certificate)
      BIO_free(source)
      let keySource = BIO_new_mem_buf(identity.key, Int32(identity.key.count))
      let key = PEM_read_bio_PrivateKey(keySource, nil, nil, nil)
      SSL_CTX_use_PrivateKey(serving, key)
      EVP_PKEY_free(key)
      BIO_free(keySource)
    }
    client = SSL_new(asking)
    server = SSL_new(serving)
    for (session, isServer) in [(client, false), (server, true)] {
      SSL_set_bio(session, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
      if isServer { SSL_set_accept_state(session) } else { SSL_set_connect_state(session) }
    }
  }

  deinit {
    SSL_free(client)
    SSL_free(server)
    for context in contexts { SSL_CTX_free(context) }
  }

  static func clientHello() -> [UInt8] {
    let pair = SecuredPair()
    SSL_do_handshake(pair.client)
    ERR_clear_error()
    return pair.take(from: pair.client)
  }

  /// Everything both say until the handshake is over; empty if it never is. `tickets` by the server at its end.
  func transcript(tickets: Int) -> [UInt8] {
    SSL_set_num_tickets(server, tickets)
    var bytes: [UInt8] = []
    for _ in 0..<8 {
      for (here, there) in [(client, server), (server, client)] {
        SSL_do_handshake(here)
        let said = take(from: here)
        bytes += said
        if !said.isEmpty { BIO_write(SSL_get_rbio(there), said, Int32(said.count)) }
      }
    }
    ERR_clear_error()
    return SSL_is_init_finished(client) == 1 && SSL_is_init_finished(server) == 1 ? bytes : []
  }

  private func take(from session: OpaquePointer?) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = BIO_read(SSL_get_wbio(session), &buffer, Int32(buffer.count))
    return Array(buffer.prefix(max(Int(count), 0)))
  }
}
