import COpenSSL

/// What was negotiated; nil before the handshake is complete, unless said otherwise.
extension TLSSession {
  /// Whether the handshake is complete and the session has not failed since.
  package var isEstablished: Bool {
    if case .established = state { return true }
    return false
  }

  /// The negotiated version of the protocol.
  package var version: ProtocolVersion? { isEstablished ? ProtocolVersion(rawValue: SSL_version(ssl)) : nil }

  /// The cipher suite by its IANA name.
  package var cipherSuite: String? {
    guard isEstablished, let cipher = SSL_get_current_cipher(ssl) else { return nil }
    return SSL_CIPHER_standard_name(cipher).map { String(cString: $0) }
  }

  /// The application protocol that was agreed on (ALPN); nil also when there is none.
  package var applicationProtocol: String? {
    guard isEstablished else { return nil }
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &count)
    guard let name, count > 0 else { return nil }
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
  }

  /// The name the client asked for (SNI); nil also when it asked for none.
  package var serverName: String? {
    guard isEstablished else { return nil }
    return SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
  }

  /// The certificates that the peer sent, its own first; empty when it sent none.
  package var peerCertificates: [TLSCertificate] {
    guard isEstablished else { return [] }
    var certificates = TLSSession.certificates(SSL_get_peer_cert_chain(ssl))
    // A server's view leaves the client's own certificate out.
    if settings.role == .server, let own = TLSCertificate(sharing: SSL_get0_peer_certificate(ssl)) {
      certificates.insert(own, at: 0)
    }
    return certificates
  }
}
