import CocoaAsyncSocket
import Foundation

/// One client: its socket's delegate, on a queue of its own. Reads a head, then the body, has the site answer on
/// another queue, and writes the answer's head and body; then the next request, which may have come already.
final class HTTPConnection: NSObject, GCDAsyncSocketDelegate, @unchecked Sendable {
  // Unchecked: everything that changes is touched on the delegate queue only.
  private enum Tag {
    static let head = 1
    static let body = 2
    static let chunkSize = 3
    static let chunk = 4
    static let trailer = 5
    static let answer = 6
    static let refusal = 7
    static let rest = 8
  }

  private static let idleTimeout: TimeInterval = 15
  private static let bodyTimeout: TimeInterval = 30
  private static let writeTimeout: TimeInterval = 30
  private static let closeTimeout: TimeInterval = 5
  private static let headLimit: UInt = 16 * 1024
  private static let lineLimit: UInt = 1024
  private static let bodyLimit: UInt = 8 * 1024 * 1024
  private static let headEnd = Data("\r\n\r\n".utf8)

  private let socket: GCDAsyncSocket
  private let site: Site
  private let workQueue: DispatchQueue
  private let onEnd: @Sendable (HTTPConnection, _ served: Int) -> Void
  private let delegateQueue = DispatchQueue(label: "HTTPConnection")
  /// The request whose body is coming, or whose answer is.
  private var request: HTTPRequest?
  private var isAnswering = false
  /// The client sends no more, but may wait for answers.
  private var inputEnded = false
  private var served = 0
  private var isStopping = false
  /// The client has been told why, and what it still sends is read over.
  private var isRefused = false

  /// Takes over a socket that was just accepted.
  init(
    _ socket: GCDAsyncSocket, site: Site, workQueue: DispatchQueue,
    onEnd: @escaping @Sendable (HTTPConnection, _ served: Int) -> Void
  ) {
    self.socket = socket
    self.site = site
    self.workQueue = workQueue
    self.onEnd = onEnd
    super.init()
    // A client may end its stream behind its last request.
    socket.autoDisconnectOnClosedReadStream = false
    socket.setDelegate(self, delegateQueue: delegateQueue)
    delegateQueue.async { self.readHead() }
  }

  /// Ends when the request that is being served has its answer; at once if there is none.
  func stop() {
    delegateQueue.async {
      self.isStopping = true
      if self.request == nil { self.socket.disconnectAfterWriting() }
    }
  }

  // MARK: Reading

  private func readHead() {
    request = nil
    // Without a client that could say more, it is what has come already, or nothing.
    let timeout = inputEnded ? 0 : Self.idleTimeout
    socket.readData(to: Self.headEnd, withTimeout: timeout, maxLength: Self.headLimit, tag: Tag.head)
  }

  private func readLine(tag: Int) {
    socket.readData(
      to: GCDAsyncSocket.crlfData(), withTimeout: Self.bodyTimeout, maxLength: Self.lineLimit, tag: tag)
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    guard !isRefused else { return readRest() }
    do {
      switch tag {
      case Tag.head: try headCame(data)
      case Tag.chunkSize: try chunkSizeCame(data)
      case Tag.chunk: try chunkCame(data)
      // Trailing fields are read over, up to a line that is empty.
      case Tag.trailer: data.count == 2 ? answer() : readLine(tag: Tag.trailer)
      default:
        request?.body = data
        answer()
      }
    } catch {
      refuse(error)
    }
  }

  private func headCame(_ data: Data) throws(HTTPFailure) {
    // Lines that are left over from the request before do no harm.
    let head = data.drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    guard !head.isEmpty else { return readHead() }
    let request = try HTTPRequest(head: Data(head))
    self.request = request
    if case .length(let count) = request.framing, count > Self.bodyLimit { throw .tooLarge(limit: Self.bodyLimit) }
    if request.framing != .none, request.expectsContinue {
      socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), withTimeout: Self.writeTimeout, tag: Tag.answer)
    }
    switch request.framing {
    case .none: answer()
    case .length(let count): socket.readData(toLength: count, withTimeout: Self.bodyTimeout, tag: Tag.body)
    case .chunked: readLine(tag: Tag.chunkSize)
    }
  }

  private func chunkSizeCame(_ line: Data) throws(HTTPFailure) {
    let digits = String(decoding: line, as: UTF8.self).prefix { $0 != ";" && !$0.isWhitespace }
    guard digits.allSatisfy(\.isHexDigit), let size = UInt(digits, radix: 16) else {
      throw .badRequest("A chunk begins with its size in hexadecimal digits.")
    }
    guard size <= Self.bodyLimit, UInt(request?.body.count ?? 0) + size <= Self.bodyLimit else {
      throw .tooLarge(limit: Self.bodyLimit)
    }
    guard size > 0 else { return readLine(tag: Tag.trailer) }
    socket.readData(toLength: size + 2, withTimeout: Self.bodyTimeout, tag: Tag.chunk)
  }

  private func chunkCame(_ data: Data) throws(HTTPFailure) {
    guard data.suffix(2) == GCDAsyncSocket.crlfData() else { throw .badRequest("A chunk ends with CRLF.") }
    request?.body.append(data.dropLast(2))
    readLine(tag: Tag.chunkSize)
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    // A client that sends nothing is let go; one that stops halfway is told why, and given the time to hear it.
    guard !isStopping, !inputEnded, tag != Tag.head || length > 0 else { return 0 }
    refuse(.timeout)
    return Self.closeTimeout
  }

  func socketDidCloseReadStream(_ sock: GCDAsyncSocket) {
    inputEnded = true
    if !isAnswering { sock.disconnectAfterWriting() }
  }

  // MARK: Answering

  private func answer() {
    guard let request else { return }
    isAnswering = true
    workQueue.async { [self] in
      let response = site.response(to: request)
      delegateQueue.async { self.send(response, isKeepAlive: request.isKeepAlive, withBody: request.method != "HEAD") }
    }
  }

  /// What can't be understood is answered, and then the connection ends: nobody knows where the next request begins.
  ///
  /// A client that is still sending would lose the answer to a reset if the connection were closed over bytes that
  /// nobody has read. So they are read over until it closes, or its time is over.
  private func refuse(_ failure: HTTPFailure) {
    isStopping = true
    isRefused = true
    served += 1
    let response = HTTPResponse(failure)
    let body = request?.method == "HEAD" ? Data() : response.body
    socket.write(response.head(isKeepAlive: false) + body, withTimeout: Self.writeTimeout, tag: Tag.refusal)
    if inputEnded { return socket.disconnectAfterWriting() }
    readRest()
    delegateQueue.asyncAfter(deadline: .now() + Self.closeTimeout) { [weak socket] in socket?.disconnectAfterWriting() }
  }

  private func readRest() { socket.readData(withTimeout: Self.closeTimeout, tag: Tag.rest) }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {
    guard tag == Tag.refusal else { return }
    // The end of the stream tells the client that the answer was the last.
    sock.perform { _ = shutdown(sock.socketFD(), Int32(SHUT_WR)) }
  }

  private func send(_ response: HTTPResponse, isKeepAlive: Bool, withBody: Bool) {
    let isLast = !isKeepAlive || isStopping
    isAnswering = false
    served += 1
    socket.write(response.head(isKeepAlive: !isLast), withTimeout: Self.writeTimeout, tag: Tag.answer)
    if withBody { socket.write(response.body, withTimeout: Self.writeTimeout, tag: Tag.answer) }
    if isLast { socket.disconnectAfterWriting() } else { readHead() }
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) { onEnd(self, served) }
}
