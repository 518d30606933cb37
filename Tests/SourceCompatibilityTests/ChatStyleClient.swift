import CocoaAsyncSocket
import Foundation

// As a client of a line protocol writes it, with every way to look at an error.

class ChatStyleClient: NSObject, GCDAsyncSocketDelegate {
  static let timeout: TimeInterval = 30
  weak var observer: AnyObject?
  var socket: GCDAsyncSocket?
  private(set) var lines = [String]()
  private(set) var ending = ""

  func connect(host: String, port: Int) -> Bool {
    socket = GCDAsyncSocket(delegate: self, delegateQueue: DispatchQueue.main)
    socket?.isIPv4PreferredOverIPv6 = false
    socket?.userData = "chat"
    do {
      try socket!.connect(toHost: host, onPort: UInt16(port), withTimeout: ChatStyleClient.timeout)
      return true
    } catch GCDAsyncSocketError.badParamError {
      return false
    } catch let error as GCDAsyncSocketError where error.code == .badConfigError {
      ending = error.userInfo[NSLocalizedDescriptionKey] as? String ?? ""
      return false
    } catch {
      ending = ChatStyleClient.describe(error)
      return false
    }
  }

  func send(line: String) {
    let data = "\(line)\r\n".data(using: String.Encoding.utf8, allowLossyConversion: false)
    socket?.write(data!, withTimeout: ChatStyleClient.timeout, tag: 0)
  }

  static func describe(_ error: Error?) -> String {
    guard let error = error as NSError? else { return "closed" }
    switch (error.domain, error.code) {
    case (GCDAsyncSocketErrorDomain, GCDAsyncSocketError.connectTimeoutError.rawValue): return "connect timeout"
    case (GCDAsyncSocketErrorDomain, GCDAsyncSocketError.Code.closedError.rawValue): return "closed by peer"
    case (NSPOSIXErrorDomain, Int(ECONNREFUSED)): return "refused"
    case ("kCFStreamErrorDomainSSL", Int(errSSLPeerCertExpired)): return "certificate expired"
    case ("kCFStreamErrorDomainSSL", let code) where OSStatus(code) == errSSLHostNameMismatch: return "other host"
    default: return error.localizedFailureReason ?? error.localizedDescription
    }
  }

  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    sock.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, tag: 1)
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    defer { sock.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, tag: 1) }
    guard let line = NSString(data: data, encoding: String.Encoding.utf8.rawValue) as String? else { return }
    lines.append(line)
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) {
    if (err as? GCDAsyncSocketError)?.code == GCDAsyncSocketError.readTimeoutError { ending = "timeout" }
    ending = ChatStyleClient.describe(err)
  }
}

// What the imported class has and few programs use.
enum Seldom {
  static func streams(of socket: GCDAsyncSocket) -> [AnyObject] {
    socket.readStream()
    socket.writeStream()
    socket.socketFD()
    let context = socket.sslContext()?.takeUnretainedValue()
    let read = socket.readStream()?.takeUnretainedValue()
    var found = [AnyObject]()
    if let context = context { found.append(context) }
    if let read = read { found.append(read) }
    return found
  }

  static func settings(_ socket: GCDAsyncSocket) {
    var delegate: GCDAsyncSocketDelegate?
    var queue: dispatch_queue_t?
    socket.getDelegate(&delegate, delegateQueue: &queue)
    socket.synchronouslySetDelegate(delegate)
    socket.synchronouslySetDelegateQueue(queue)
    socket.alternateAddressDelay = 0.5
    socket.isIPv6Enabled = socket.isIPv4Enabled
  }

  static let levels: [String] = [
    kCFStreamSocketSecurityLevelNone as String, kCFStreamSocketSecurityLevelSSLv2 as String,
    kCFStreamSocketSecurityLevelSSLv3 as String, kCFStreamSocketSecurityLevelTLSv1 as String,
    kCFStreamSocketSecurityLevelNegotiatedSSL as String,
  ]
}
