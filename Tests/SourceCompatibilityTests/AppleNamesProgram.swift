import CocoaAsyncSocket

// What programs use of Apple's systems beside the socket.

/// Logs its sockets, compares their queues and counts its time in units of the system's headers.
final class AppleNamesProgram: NSObject, GCDAsyncSocketDelegate {
  let queue = DispatchQueue(label: "program")
  private(set) var lines: [String] = []

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    NSLog("%@ has accepted %@", sock, newSocket)
    lines.append(String(format: "%@ %d %@", sock, 7, newSocket))
    lines.append(NSString(format: "%@", newSocket) as String)
  }

  func onSocketDidDisconnect(_ sock: AsyncSocket) { lines.append(String(format: "%@", sock)) }

  /// The answers of every comparison that a program may write.
  func comparisons(_ socket: GCDAsyncSocket) -> [Bool] {
    let optional: DispatchQueue? = queue
    let unwrapped: DispatchQueue! = nil
    var answers = [socket.delegateQueue == queue, queue == socket.delegateQueue, socket.delegateQueue == optional]
    answers += [socket.delegateQueue != queue, queue != socket.delegateQueue, optional != socket.delegateQueue]
    answers += [socket.delegateQueue == nil, nil == socket.delegateQueue, socket.delegateQueue != nil]
    answers += [unwrapped == nil, unwrapped != queue, queue == queue, queue != .main, optional == .main]
    if let mine = socket.delegateQueue, mine != DispatchQueue.main { answers.append(true) }
    return answers
  }

  func deadline(after seconds: CFTimeInterval, _ tries: NSUInteger, _ sign: NSInteger) -> UInt64 {
    let nanoseconds = UInt64(seconds) * NSEC_PER_SEC * UInt64(tries) * UInt64(sign)
    return nanoseconds / NSEC_PER_MSEC / NSEC_PER_USEC + USEC_PER_SEC / MSEC_PER_SEC
  }

  /// TLS 1.2 and nothing else, by the numbers of Network.framework.
  func settings() -> [String: NSObject] {
    [
      GCDAsyncSocketSSLProtocolVersionMin: NSNumber(value: tls_protocol_version_t.TLSv12.rawValue),
      GCDAsyncSocketSSLProtocolVersionMax: NSNumber(value: tls_protocol_version_t.TLSv12.rawValue),
    ]
  }

  /// A certificate from data that was handed over to Core Foundation, and what sort of object it is.
  func certificate(_ der: Data) -> SecCertificate? {
    let bytes = CFBridgingRetain(der)
    let certificate = SecCertificateCreateWithData(nil, bytes as! CFData)
    guard CFGetTypeID(certificate) == SecCertificateGetTypeID(), CFGetTypeID(bytes) != SecIdentityGetTypeID() else {
      return nil
    }
    return certificate
  }

  func report(_ trust: SecTrust) -> [String: String] {
    let properties = SecTrustCopyProperties(trust) as? [[String: String]]
    return properties?.first ?? [:]
  }
}
