import CocoaAsyncSocket
import Foundation

/// One call that a delegate received.
package struct Occurrence: Sendable {
  package enum Kind: Equatable, Sendable {
    case childQueue(address: Data)
    case accepted
    case connected(host: String, port: UInt16)
    case connectedToPath(String)
    case read(Data, tag: Int)
    case readPartial(UInt, tag: Int)
    case wrote(tag: Int)
    case wrotePartial(UInt, tag: Int)
    case readTimeout(tag: Int, elapsed: Double, bytesDone: UInt)
    case writeTimeout(tag: Int, elapsed: Double, bytesDone: UInt)
    case readStreamClosed
    case secured
    case trustAsked
    case disconnected(RecordedError?)
  }

  /// Which socket called.
  package let socket: ObjectIdentifier
  package let kind: Kind

  package var isDisconnect: Bool {
    if case .disconnected = kind { return true }
    return false
  }

  package var isRead: Bool { kind.isRead }
}

extension Occurrence.Kind {
  package var isRead: Bool {
    if case .read = self { return true }
    return false
  }
}

/// An error as a delegate got it.
package struct RecordedError: Equatable, Sendable {
  package let domain: String
  package let code: Int
  package let text: String
  /// The failure reason; empty if there is none.
  package let reason: String

  package init(_ error: any Error) {
    let error = error as NSError
    domain = error.domain
    code = error.code
    text = error.localizedDescription
    reason = error.localizedFailureReason ?? ""
  }

  /// Whether it is the library's own error of this code.
  package func isLibrary(_ expected: GCDAsyncSocketError.Code) -> Bool {
    domain == GCDAsyncSocketErrorDomain && code == expected.rawValue
  }

  /// Whether it is this errno.
  package func isPOSIX(_ expected: Int32) -> Bool { domain == NSPOSIXErrorDomain && code == Int(expected) }
}

/// A delegate that records everything, lets tests wait for it, and reacts as the test has set.
package final class RecorderDelegate: NSObject, GCDAsyncSocketDelegate, @unchecked Sendable {
  // Unchecked: the mutable part is guarded by the condition, the rest never changes.
  /// What a callback does after it was written down.
  package typealias Reaction = @Sendable (GCDAsyncSocket, Occurrence.Kind) -> Void

  private let condition = NSCondition()
  private var recorded: [Occurrence] = []
  private var kept: [GCDAsyncSocket] = []

  private let keepsChildren: Bool
  private let childQueue: @Sendable () -> DispatchQueue?
  private let timeoutExtension: @Sendable (GCDAsyncSocket, Occurrence.Kind) -> TimeInterval
  private let onAccept: @Sendable (GCDAsyncSocket) -> Void
  private let reaction: Reaction
  private let onTrust: @Sendable (GCDAsyncSocket, SecTrust, @escaping @Sendable (Bool) -> Void) -> Void

  /// `onTrust` gets the questions about trust, and may keep them. `onAccept` gets the child inside didAcceptNewSocket;
  /// `reaction` runs at the end of every other callback.
  package init(
    keepsChildren: Bool = true, childQueue: @escaping @Sendable () -> DispatchQueue? = { nil },
    timeoutExtension: @escaping @Sendable (GCDAsyncSocket, Occurrence.Kind) -> TimeInterval = { _, _ in 0 },
    onAccept: @escaping @Sendable (GCDAsyncSocket) -> Void = { _ in },
    onTrust: @escaping @Sendable (GCDAsyncSocket, SecTrust, @escaping @Sendable (Bool) -> Void) -> Void = { _, _, _ in
    },
    reaction: @escaping Reaction = { _, _ in }
  ) {
    self.keepsChildren = keepsChildren
    self.childQueue = childQueue
    self.timeoutExtension = timeoutExtension
    self.onAccept = onAccept
    self.onTrust = onTrust
    self.reaction = reaction
  }

  /// A delegate that only reacts.
  package convenience init(_ reaction: @escaping Reaction) { self.init(reaction: reaction) }

  // MARK: What was seen

  /// Everything, in order.
  package var occurrences: [Occurrence] { condition.withLock { recorded } }

  /// Everything of one socket, in order.
  package func kinds(of socket: GCDAsyncSocket) -> [Occurrence.Kind] {
    let id = ObjectIdentifier(socket)
    return occurrences.filter { $0.socket == id }.map(\.kind)
  }

  /// The accepted sockets, in order.
  package var children: [GCDAsyncSocket] { condition.withLock { kept } }

  /// Lets the accepted sockets go.
  package func dropChildren() {
    let dropped = condition.withLock {
      defer { kept = [] }
      return kept
    }
    withExtendedLifetime(dropped) {}
  }

  /// How many occurrences fit.
  package func count(where matches: (Occurrence) -> Bool) -> Int { occurrences.count { matches($0) } }

  /// The error of the first didDisconnect of a socket; nil if there was none or it had no error.
  package func disconnectError(of socket: GCDAsyncSocket) -> RecordedError? {
    for case .disconnected(let error) in kinds(of: socket) { return error }
    return nil
  }

  // MARK: Waiting

  /// Waits until enough events fit.
  package func wait(
    _ what: String, count: Int = 1, limit: Double = generousLimit, where matches: (Occurrence) -> Bool
  ) throws {
    let end = Date(timeIntervalSinceNow: limit)
    condition.lock()
    defer { condition.unlock() }
    var examined = 0
    var found = 0
    while true {
      while examined < recorded.count {
        if matches(recorded[examined]) { found += 1 }
        examined += 1
      }
      if found >= count { return }
      guard condition.wait(until: end) else {
        let tail = recorded.suffix(8).map { "\($0.kind)" }.joined(separator: ", ")
        throw WaitFailure("\(what): \(found) of \(count) within \(limit) s; seen last: \(tail)")
      }
    }
  }

  /// Waits for this event of this socket.
  package func wait(for kind: Occurrence.Kind, of socket: GCDAsyncSocket) throws {
    let id = ObjectIdentifier(socket)
    try wait("\(kind)") { $0.socket == id && $0.kind == kind }
  }

  /// Waits until the socket is connected to its peer.
  package func waitForConnect(of socket: GCDAsyncSocket, times: Int = 1) throws {
    let id = ObjectIdentifier(socket)
    try wait("didConnect", count: times) {
      guard $0.socket == id else { return false }
      return switch $0.kind {
      case .connected, .connectedToPath: true
      default: false
      }
    }
  }

  /// Waits until the socket has reported `times` ends.
  package func waitForDisconnect(of socket: GCDAsyncSocket, times: Int = 1) throws {
    let id = ObjectIdentifier(socket)
    try wait("didDisconnect", count: times) { $0.socket == id && $0.isDisconnect }
  }

  /// The child with this number; waits for it.
  package func child(_ index: Int = 0) throws -> GCDAsyncSocket {
    try wait("didAccept", count: index + 1) { $0.kind == .accepted }
    return children[index]
  }

  /// Waits for a read and returns its bytes.
  package func bytes(ofRead tag: Int, of socket: GCDAsyncSocket) throws -> Data {
    let id = ObjectIdentifier(socket)
    var bytes = Data()
    try wait("didRead \(tag)") {
      guard $0.socket == id, case .read(let data, tag) = $0.kind else { return false }
      bytes = data
      return true
    }
    return bytes
  }

  // MARK: The delegate

  private func note(_ socket: GCDAsyncSocket, _ kind: Occurrence.Kind, child: GCDAsyncSocket? = nil) {
    condition.withLock {
      if let child, keepsChildren { kept.append(child) }
      recorded.append(Occurrence(socket: ObjectIdentifier(socket), kind: kind))
      condition.broadcast()
    }
  }

  private func record(_ socket: GCDAsyncSocket, _ kind: Occurrence.Kind) {
    note(socket, kind)
    reaction(socket, kind)
  }

  package func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue? {
    record(sock, .childQueue(address: address))
    return childQueue()
  }

  package func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    // The test's calls on the child come before a waiting test hears of it.
    onAccept(newSocket)
    note(sock, .accepted, child: newSocket)
  }

  package func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    record(sock, .connected(host: host, port: port))
  }

  package func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL) { record(sock, .connectedToPath(url.path)) }

  package func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    record(sock, .read(data, tag: tag))
  }

  package func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    record(sock, .readPartial(partialLength, tag: tag))
  }

  package func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) { record(sock, .wrote(tag: tag)) }

  package func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    record(sock, .wrotePartial(partialLength, tag: tag))
  }

  package func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    let kind = Occurrence.Kind.readTimeout(tag: tag, elapsed: elapsed, bytesDone: length)
    record(sock, kind)
    return timeoutExtension(sock, kind)
  }

  package func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    let kind = Occurrence.Kind.writeTimeout(tag: tag, elapsed: elapsed, bytesDone: length)
    record(sock, kind)
    return timeoutExtension(sock, kind)
  }

  package func socketDidCloseReadStream(_ sock: GCDAsyncSocket) { record(sock, .readStreamClosed) }

  package func socketDidSecure(_ sock: GCDAsyncSocket) { record(sock, .secured) }

  package func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping (Bool) -> Void
  ) {
    let answering = Answering(completionHandler)
    onTrust(sock, trust) { answering.handler($0) }
    record(sock, .trustAsked)
  }

  /// Unchecked: the library promises that the handler may be called from any thread.
  private final class Answering: @unchecked Sendable {
    let handler: (Bool) -> Void
    init(_ handler: @escaping (Bool) -> Void) { self.handler = handler }
  }

  package func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
    record(sock, .disconnected(err.map(RecordedError.init)))
  }
}
