import COpenSSL
import ScenarioModel
import TestCertificates

/// Opens the TLS of recorded connections. To the client the recorder is the server, with a certificate of an authority
/// of its own for the name that the client asks for; to the server it is the client.
///
/// Laws
/// - Clients that don't trust `authority` refuse the handshake; only the user can make them trust it.
/// - The server's certificate is not judged: whatever it shows goes on record.
/// - Memory is bounded, however many names clients ask for.
package final class TLSInterceptor {
  /// What clients must trust: a root certificate, in PEM.
  package let authority: [UInt8]
  /// The recorder's side of sessions with the server.
  let toServer: OpaquePointer
  private let pki: TestPKI
  private let addresses: [[UInt8]]
  private var toClients: [String?: OpaquePointer] = [:]

  private static let maxNames = 64

  /// `now` in Unix seconds: certificates are valid around it. `seed` draws all keys: with it one can stand in for any
  /// server. `addresses`: those by which clients may reach the recorder without a name.
  package init(now: Int64, seed: UInt64, addresses: [[UInt8]]) throws(CertificateFailure) {
    pki = TestPKI(now: now, seed: seed)
    self.addresses = addresses
    authority = try pki.rootPEM
    toServer = try Self.context(TLS_client_method())
    SSL_CTX_set_verify(toServer, SSL_VERIFY_NONE, nil)
    SSL_CTX_set_keylog_callback(toServer) { ssl, line in
      guard let ssl, let line else { return }
      InterceptedSession.of(ssl)?.take(secret: String(cString: line))
    }
  }

  deinit {
    SSL_CTX_free(toServer)
    for context in toClients.values { SSL_CTX_free(context) }
  }

  /// The recorder's side of sessions with clients that ask for this name; nil: for none.
  func toClients(askingFor name: String?) throws(CertificateFailure) -> OpaquePointer {
    if let known = toClients[name] { return known }
    let identity = try pki.identity(ofServer: name, addresses: name == nil ? addresses : [])
    let context = try Self.context(TLS_server_method())
    do throws(CertificateFailure) { try identity.show(in: context) } catch {
      SSL_CTX_free(context)
      throw error
    }
    SSL_CTX_set_client_hello_cb(
      context,
      { ssl, alert, _ in
        guard let ssl, let session = InterceptedSession.of(ssl) else { return SSL_CLIENT_HELLO_ERROR }
        let answer = session.answerToHello()
        if case .refused(let description) = answer { alert?.pointee = Int32(description) }
        return switch answer {
        case .wait: SSL_CLIENT_HELLO_RETRY
        case .goOn: SSL_CLIENT_HELLO_SUCCESS
        case .refused: SSL_CLIENT_HELLO_ERROR
        }
      }, nil)
    SSL_CTX_set_alpn_select_cb(
      context,
      { ssl, chosen, count, _, _, _ in
        // What the server chose stays where it is as long as its session lives.
        guard let ssl, let session = InterceptedSession.of(ssl), let choice = session.chosenProtocol else {
          return SSL_TLSEXT_ERR_NOACK
        }
        chosen?.pointee = choice.baseAddress
        count?.pointee = UInt8(truncatingIfNeeded: choice.count)
        return SSL_TLSEXT_ERR_OK
      }, nil)
    // Sessions under way keep the contexts that they were made of.
    if toClients.count >= Self.maxNames {
      for context in toClients.values { SSL_CTX_free(context) }
      toClients = [:]
    }
    toClients[name] = context
    return context
  }

  /// Old versions and weak suites are taken: two programs speak, and the recorder is neither.
  private static func context(_ method: OpaquePointer?) throws(CertificateFailure) -> OpaquePointer {
    ERR_clear_error()
    guard let context = SSL_CTX_new(method) else { throw .openSSL("SSL_CTX_new") }
    SSL_CTX_set_security_level(context, 0)
    lab_record_set_modes(context)
    return context
  }

  /// How many bytes tell.
  static let helloHead = 6

  /// Whether what a client sends begins to speak TLS: a record with a ClientHello. nil: too little to tell.
  static func isHello(_ bytes: some Collection<UInt8>) -> Bool? {
    let head = Array(bytes.prefix(helloHead))
    guard head.first.map({ $0 == TLSRecordType.handshake.rawValue }) ?? true else { return false }
    if head.count > 1, head[1] != 3 { return false }
    if head.count > 2, head[2] > 4 { return false }
    guard head.count == helloHead else { return nil }
    return head[5] == 1
  }
}
