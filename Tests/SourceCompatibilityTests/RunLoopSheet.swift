import CocoaAsyncSocket
import Foundation

// Every call and every delegate method of the run-loop class, as Swift imports the original's header, and in the form
// that has what is never nil as such. Calls on a socket that is not connected do nothing, so the sheets can be run.

/// The calls, with implicitly unwrapped objects.
enum MarkedSheet {
  static func make(_ delegate: AsyncSocketDelegate!) -> [AsyncSocket?] {
    let plain: AsyncSocket! = AsyncSocket()
    let withDelegate: AsyncSocket! = AsyncSocket(delegate: delegate)
    let withData: AsyncSocket! = AsyncSocket(delegate: delegate, userData: 42)
    return [plain, withDelegate, withData]
  }

  /// The unaudited initialisers are implicitly unwrapped, so what needs the object at once says so.
  static func makeUnwrapped(_ delegate: AsyncSocketDelegate!) -> [Int] {
    final class Portal: AsyncSocket, @unchecked Sendable {}
    let portal = Portal(delegate: nil, userData: 7)!
    let socket = AsyncSocket(delegate: delegate)!
    return [portal.userData(), AsyncSocket(delegate: delegate, userData: 42)!.userData(), socket.userData()]
      + [AsyncSocket(delegate: delegate)?.userData()].compactMap { $0 }
  }

  static func configure(_ socket: AsyncSocket!) -> String {
    socket.setUserData(socket.userData() + 1)
    socket.setDelegate(nil)
    socket.setDelegate(socket.delegate())
    socket.enablePreBuffering()
    socket.enablePrebuffering()
    _ = socket.canSafelySetDelegate() && socket.move(to: RunLoop.current) && socket.moveToRunLoop(nil)
    socket.setRunLoopModes([RunLoop.Mode.default.rawValue])
    socket.addRunLoopMode("private")
    socket.removeRunLoopMode("private")
    return "\(socket.runLoopModes() as! [String]) \(socket.description)"
  }

  static func start(_ socket: AsyncSocket!, host: String!, address: Data!) -> Int {
    var refused = 0
    func attempt(_ start: () throws -> Void) { do { try start() } catch { refused += 1 } }
    attempt { try socket.accept(onPort: 0) }
    attempt { try socket.accept(onAddress: host, port: 0) }
    attempt { try socket.accept(onInterface: host, port: 0) }
    attempt { try socket.connect(toHost: host, onPort: 80) }
    attempt { try socket.connect(toHost: host, onPort: 80, withTimeout: 1) }
    attempt { try socket.connect(toAddress: address) }
    attempt { try socket.connect(toAddress: address, withTimeout: 1) }
    attempt { try socket.connect(toAddress: address, viaInterfaceAddress: address, withTimeout: 1) }
    return refused
  }

  static func queue(_ socket: AsyncSocket!, data: Data!, buffer: NSMutableData!) {
    socket.readData(withTimeout: -1, tag: 1)
    socket.readData(withTimeout: -1, buffer: buffer, bufferOffset: 0, tag: 1)
    socket.readData(withTimeout: -1, buffer: buffer, bufferOffset: 0, maxLength: 8, tag: 1)
    socket.readData(toLength: 4, withTimeout: -1, tag: 1)
    socket.readData(toLength: 4, withTimeout: -1, buffer: buffer, bufferOffset: 0, tag: 1)
    socket.readData(to: AsyncSocket.crlfData(), withTimeout: -1, tag: 1)
    socket.readData(to: AsyncSocket.crData(), withTimeout: -1, buffer: buffer, bufferOffset: 0, tag: 1)
    socket.readData(to: AsyncSocket.lfData(), withTimeout: -1, maxLength: 8, tag: 1)
    socket.readData(
      to: AsyncSocket.zeroData(), withTimeout: -1, buffer: buffer, bufferOffset: 0, maxLength: 8, tag: 1)
    socket.write(data, withTimeout: -1, tag: 1)
    socket.startTLS([kCFStreamSSLPeerName as String: "example.org", kCFStreamSSLIsServer as String: false])
    socket.startTLS(nil)
    socket.disconnectAfterReading()
    socket.disconnectAfterWriting()
    socket.disconnectAfterReadingAndWriting()
    socket.disconnect()
  }

  static func progress(_ socket: AsyncSocket!) -> Bool {
    var tag = 0
    var done: UInt = 0
    var total: UInt = 0
    let read = socket.progress(ofReadReturningTag: &tag, bytesDone: &done, total: &total)
    let written = socket.progress(ofWriteReturningTag: nil, bytesDone: nil, total: nil)
    return read.isNaN && written.isNaN
  }

  static func look(_ socket: AsyncSocket!) -> [Any] {
    var seen: [Any] = [socket.isConnected(), socket.isDisconnected(), socket.isIPv4(), socket.isIPv6()]
    if let host = socket.connectedHost() { seen.append(host) }
    if socket.localHost() != nil { seen.append(socket.localHost()!) }
    if let address = socket.connectedAddress() ?? socket.localAddress() { seen.append(address) }
    if let rest: Data = socket.unreadData() { seen.append(rest) }
    if let stream = socket.getCFReadStream()?.takeUnretainedValue() { seen.append(stream) }
    if let stream = socket.getCFWriteStream()?.takeUnretainedValue() { seen.append(stream) }
    if socket.getCFSocket() != nil { seen.append(socket.getCFSocket().takeUnretainedValue()) }
    return seen + [socket.connectedPort(), socket.localPort()]
  }

  /// What compiles only because the header does not say that it may be nil.
  static func trust(_ socket: AsyncSocket!) -> String {
    let host: String = socket.connectedHost()
    let rest: Data = socket.unreadData()
    return host + socket.localHost().uppercased() + String(data: rest, encoding: .utf8)!
      + "\(socket.connectedAddress().count) \(socket.localAddress().count) \(AsyncSocket.crlfData().count)"
  }

  static func describe(_ error: Error!) -> String {
    guard let error = error as NSError?, error.domain == AsyncSocketErrorDomain else { return "none of ours" }
    switch AsyncSocketError(rawValue: .init(error.code)) {
    case AsyncSocketCFSocketError: return "socket"
    case AsyncSocketNoError: return "none"
    case AsyncSocketCanceledError: return "canceled"
    case AsyncSocketConnectTimeoutError, AsyncSocketReadTimeoutError, AsyncSocketWriteTimeoutError: return "timeout"
    case AsyncSocketReadMaxedOutError: return "too long"
    default: return AsyncSocketException
    }
  }

  /// The same with the names that Swift makes of them.
  static func name(_ error: NSError) -> String {
    if error.code == AsyncSocketError.cfSocketError.rawValue { return "socket" }
    guard let code = AsyncSocketError(rawValue: error.code) else { return "unknown" }
    switch code {
    case .cfSocketError, .noError: return "none"
    case .canceledError: return "canceled"
    case .connectTimeoutError, .readTimeoutError, .writeTimeoutError: return "timeout"
    case .readMaxedOutError: return "too long"
    @unknown default: return AsyncSocketException
    }
  }
}

/// The delegate's methods, with implicitly unwrapped objects.
class MarkedDelegate: NSObject, AsyncSocketDelegate {
  var heard = [String]()

  func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: Error!) { heard.append("willDisconnect") }
  func onSocketDidDisconnect(_ sock: AsyncSocket!) { heard.append("didDisconnect") }
  func onSocket(_ sock: AsyncSocket!, didAcceptNewSocket newSocket: AsyncSocket!) { heard.append("didAccept") }

  func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop! {
    heard.append("wantsRunLoop")
    return RunLoop.main
  }

  func onSocketWillConnect(_ sock: AsyncSocket!) -> Bool {
    heard.append("willConnect")
    return false
  }

  func onSocket(_ sock: AsyncSocket!, didConnectToHost host: String!, port: UInt16) { heard.append("didConnect") }
  func onSocket(_ sock: AsyncSocket!, didRead data: Data!, withTag tag: Int) { heard.append("didRead") }

  func onSocket(_ sock: AsyncSocket!, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    heard.append("didReadPartial")
  }

  func onSocket(_ sock: AsyncSocket!, didWriteDataWithTag tag: Int) { heard.append("didWrite") }

  func onSocket(_ sock: AsyncSocket!, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    heard.append("didWritePartial")
  }

  func onSocket(
    _ sock: AsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    heard.append("shouldTimeoutRead")
    return 3
  }

  func onSocket(
    _ sock: AsyncSocket!, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    heard.append("shouldTimeoutWrite")
    return 4
  }

  func onSocketDidSecure(_ sock: AsyncSocket!) { heard.append("didSecure") }
}

/// The calls, without marks.
enum PlainSheet {
  static func make(_ delegate: AsyncSocketDelegate?) -> [AsyncSocket] {
    let socket = AsyncSocket(delegate: delegate)
    socket.setUserData(1)
    return [AsyncSocket(), socket, AsyncSocket(delegate: delegate, userData: 42)]
  }

  static func configure(_ socket: AsyncSocket) -> [String] {
    socket.setDelegate(nil)
    let delegate: AsyncSocketDelegate? = socket.delegate()
    socket.setDelegate(delegate)
    socket.setRunLoopModes([RunLoop.Mode.default])
    socket.addRunLoopMode(RunLoop.Mode.common.rawValue)
    socket.removeRunLoopMode(RunLoop.Mode.common.rawValue)
    return socket.runLoopModes()?.compactMap { $0 as? String } ?? []
  }

  static func queue(_ socket: AsyncSocket, data: Data, buffer: NSMutableData) {
    MarkedSheet.queue(socket, data: data, buffer: buffer)
    socket.write(Data(), withTimeout: 5, tag: 0)
    socket.startTLS([GCDAsyncSocketSSLPeerName: "example.org"])
    socket.progress(ofReadReturningTag: nil, bytesDone: nil, total: nil)
    socket.progress(ofWriteReturningTag: nil, bytesDone: nil, total: nil)
  }

  static func look(_ socket: AsyncSocket) -> [String?] {
    let host: String? = socket.connectedHost()
    let local = socket.localHost() ?? "nowhere"
    let rest = socket.unreadData().map { String(decoding: $0, as: UTF8.self) }
    return [host, local, rest, (socket.connectedAddress() as Data?)?.description, socket.localAddress()?.description]
  }
}

/// The delegate's methods, without marks.
class PlainDelegate: AsyncSocketDelegate {
  var heard = [String]()

  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: Error?) { heard.append("willDisconnect") }
  func onSocketDidDisconnect(_ sock: AsyncSocket) { heard.append("didDisconnect") }
  func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket) { heard.append("didAccept") }

  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop? {
    heard.append("wantsRunLoop")
    return .main
  }

  func onSocketWillConnect(_ sock: AsyncSocket) -> Bool {
    heard.append("willConnect")
    return false
  }

  func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16) { heard.append("didConnect") }
  func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) { heard.append("didRead") }

  func onSocket(_ sock: AsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    heard.append("didReadPartial")
  }

  func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int) { heard.append("didWrite") }

  func onSocket(_ sock: AsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    heard.append("didWritePartial")
  }

  func onSocket(
    _ sock: AsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    heard.append("shouldTimeoutRead")
    return 3
  }

  func onSocket(
    _ sock: AsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    heard.append("shouldTimeoutWrite")
    return 4
  }

  func onSocketDidSecure(_ sock: AsyncSocket) { heard.append("didSecure") }
}
