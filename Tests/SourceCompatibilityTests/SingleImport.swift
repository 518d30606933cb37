import CocoaAsyncSocket

// Programs whose only import is the socket: the header of the original imports Foundation, Dispatch, Security and the
// system's sockets.

/// A server that greets its clients over TLS, and gives them until the day's end.
final class SingleImportServer: NSObject, GCDAsyncSocketDelegate {
  private let queue = DispatchQueue(label: "server")
  private var listener: GCDAsyncSocket?
  private var clients: [GCDAsyncSocket] = []
  private let patience: TimeInterval = 24 * 60 * 60
  private(set) var lastCode: GCDAsyncSocketError?

  func start(on port: UInt16) throws {
    let listener = GCDAsyncSocket(delegate: self, delegateQueue: queue)
    try listener.accept(onPort: port)
    self.listener = listener
  }

  /// The settings of a TLS server, with the identity of a PKCS#12.
  func settings(_ container: Data, passphrase: String) -> [String: NSObject]? {
    var items: CFArray?
    let options = [kSecImportExportPassphrase as String: passphrase]
    guard SecPKCS12Import(container as CFData, options as CFDictionary, &items) == errSecSuccess,
      let entries = items as? [[String: Any]], let identity = entries.first?[kSecImportItemIdentity as String]
    else { return nil }
    return [
      kCFStreamSSLIsServer as String: kCFBooleanTrue,
      kCFStreamSSLCertificates as String: [identity] as NSArray,
      GCDAsyncSocketSSLProtocolVersionMax: NSNumber(value: SSLProtocol.tlsProtocolMaxSupported.rawValue),
      GCDAsyncSocketSSLCipherSuites: [NSNumber(value: TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384)] as NSArray,
    ]
  }

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    clients.append(newSocket)
    newSocket.perform {
      var yes: Int32 = 1
      setsockopt(newSocket.socketFD(), SOL_SOCKET, SO_KEEPALIVE, &yes, socklen_t(MemoryLayout<Int32>.size))
    }
    newSocket.write("hello\r\n".data(using: .utf8), withTimeout: patience, tag: 0)
  }

  func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping (Bool) -> Void
  ) {
    var error: CFError?
    completionHandler(SecTrustEvaluateWithError(trust, &error))
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) {
    clients.removeAll { $0 === sock }
    // As of the versions of the original in which the code was an enumeration.
    guard let error = err as NSError?, error.domain == GCDAsyncSocketErrorDomain,
      let code = GCDAsyncSocketError(rawValue: error.code)
    else { return }
    lastCode = code
    switch code {
    case .closedError, .readTimeoutError: break
    default: listener?.disconnect()
    }
  }
}

/// What a program wants of a socket, so that a test can stand in for it.
protocol SingleImportStream: AnyObject {
  var isConnected: Bool { get }
  func perform(_ block: @escaping () -> Void)
  func disconnect()
}

extension GCDAsyncSocket: SingleImportStream {}

/// The streams that a socket has on Apple's systems, and the host of an address.
func singleImportParts(of socket: GCDAsyncSocket) -> (InputStream?, OutputStream?, String?) {
  let input: InputStream? = socket.readStream()?.takeUnretainedValue()
  let output: OutputStream? = socket.writeStream()?.takeUnretainedValue()
  var host: NSString?
  var port: UInt16 = 0
  if let address = socket.connectedAddress { GCDAsyncSocket.getHost(&host, port: &port, fromAddress: address) }
  return (input, output, host as String?)
}
