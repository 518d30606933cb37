import COpenSSL

/// The lists in a ClientHello, before OpenSSL reads them: it comes from anybody, and some of them cost far more than
/// they are long.
enum HelloBounds {
  /// For a client's wish for an OCSP staple (status_request), with the responders it knows: five bytes are usual.
  static let statusRequestLimit = 1 << 10
  /// Of key exchanges that a client knows (supported_groups). There are about 50 in the register.
  static let maximumGroups = 256
  /// Of those that it has begun (key_share). Clients begin one to four.
  static let maximumShares = 32

  /// Makes the sessions of a server's context look at a ClientHello first.
  static func watch(_ context: OpaquePointer) {
    SSL_CTX_set_client_hello_cb(
      context,
      { ssl, alert, _ in
        guard let ssl, let session = TLSSession.of(ssl) else { return SSL_CLIENT_HELLO_ERROR }
        guard let problem = HelloBounds.problem(ofHelloTo: ssl) else { return SSL_CLIENT_HELLO_SUCCESS }
        session.refuseList(problem)
        alert?.pointee = lab_tls_decode_error()
        return SSL_CLIENT_HELLO_ERROR
      }, nil)
  }

  /// What is wrong with the ClientHello whose extensions the session has found and not read; nil: nothing.
  private static func problem(ofHelloTo ssl: OpaquePointer) -> String? {
    if let request = bytes(ofExtension: TLSEXT_TYPE_status_request, ssl)?.count, request > statusRequestLimit {
      return "its wish for an OCSP answer has more than \(statusRequestLimit) bytes"
    }
    // OpenSSL looks for each share's group in the whole list of groups: in 64 KiB, for a tenth of a second.
    if let groups = bytes(ofExtension: TLSEXT_TYPE_supported_groups, ssl)?.count, groups > 2 + 2 * maximumGroups {
      return "it lists more than \(maximumGroups) groups"
    }
    if let shares = bytes(ofExtension: TLSEXT_TYPE_key_share, ssl), count(ofShares: shares) > maximumShares {
      return "it begins more than \(maximumShares) key exchanges"
    }
    return bytes(ofExtension: TLSEXT_TYPE_certificate_authorities, ssl).flatMap {
      AuthorityNames.problem($0, AuthorityNames.ofClients)
    }
  }

  private static func bytes(ofExtension kind: Int32, _ ssl: OpaquePointer) -> UnsafeRawBufferPointer? {
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    guard SSL_client_hello_get0_ext(ssl, UInt32(kind), &bytes, &count) == 1 else { return nil }
    return UnsafeRawBufferPointer(start: bytes, count: count)
  }

  /// Of a list with its length in front.
  private static func count(ofShares list: UnsafeRawBufferPointer) -> Int {
    var shares = WireVectors(UnsafeRawBufferPointer(rebasing: list.dropFirst(2)))
    var count = 0
    while shares.number(size: 2) != nil, shares.next(lengthOf: 2) != nil { count += 1 }
    return count
  }
}
