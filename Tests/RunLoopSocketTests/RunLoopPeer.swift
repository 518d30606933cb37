import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// A delegate that writes down what it hears, and where.
final class RunLoopRecorder: AsyncSocketDelegate, @unchecked Sendable {
  // Unchecked: called on the run loop's thread only, and read there or after that thread has ended; `counts` below the
  // lock.
  private let lock = NSLock()
  private var counts: [String: Int] = [:]
  var events: [String] = []
  var threads: Set<UInt> = []
  var children: [AsyncSocket] = []
  var unread: [Data?] = []
  var keepsChildren = true
  var mayConnect = true
  var runLoopForChild: RunLoop?
  var more: [TimeInterval] = []
  var hosts: [String?] = []
  /// Runs inside the callback of that name.
  var reactions: [String: (AsyncSocket) -> Void] = [:]

  /// How many callbacks of that name there were. May be asked on another thread than that of the callbacks.
  func count(_ name: String) -> Int { lock.withLock { counts[name, default: 0] } }

  private func note(_ name: String, _ detail: String, _ sock: AsyncSocket) {
    threads.insert(UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue))
    events.append(detail.isEmpty ? name : "\(name) \(detail)")
    reactions[name]?(sock)
    lock.withLock { counts[name, default: 0] += 1 }
  }

  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)?) {
    unread.append(sock.unreadData())
    hosts.append(sock.connectedHost())
    let text = err.map { "\(($0 as NSError).domain) \(($0 as NSError).code)" } ?? "nil"
    note("willDisconnect", text, sock)
  }

  func onSocketDidDisconnect(_ sock: AsyncSocket) {
    hosts.append(sock.connectedHost())
    note("didDisconnect", "", sock)
  }

  func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket) {
    if keepsChildren { children.append(newSocket) }
    note("didAccept", "", newSocket)
  }

  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop? {
    note("wantsRunLoop", "", newSocket)
    return runLoopForChild
  }

  func onSocketWillConnect(_ sock: AsyncSocket) -> Bool {
    note("willConnect", "", sock)
    return mayConnect
  }

  func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16) { note("didConnect", host, sock) }

  func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
    note("didRead", "\(String(decoding: data, as: UTF8.self).debugDescription) \(tag)", sock)
  }

  func onSocket(_ sock: AsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    note("didReadPartial", "\(partialLength) \(tag)", sock)
  }

  func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int) { note("didWrite", "\(tag)", sock) }

  func onSocket(_ sock: AsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    note("didWritePartial", "", sock)
  }

  func onSocket(
    _ sock: AsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutWrite", "", sock)
    return more.isEmpty ? 0 : more.removeFirst()
  }

  func onSocket(
    _ sock: AsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutRead", "\(tag) \(length)", sock)
    return more.isEmpty ? 0 : more.removeFirst()
  }
}

/// Runs the current run loop until the condition holds; false after five seconds.
func runLoop(in mode: RunLoop.Mode = .default, until condition: () -> Bool) -> Bool {
  let end = Date(timeIntervalSinceNow: generousLimit)
  while !condition() {
    guard end.timeIntervalSinceNow > 0 else { return false }
    _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.05))
  }
  return true
}

/// Runs the body on a thread of its own, which has a run loop of its own.
func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
  try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
    Thread { continuation.resume(with: Result { try body() }) }.start()
  }
}

/// Runs the current run loop in the mode for so many seconds, and no longer; a mode in which nobody is waited for
/// would end at once.
func idle(in mode: RunLoop.Mode = .default, for seconds: TimeInterval) {
  let end = Date(timeIntervalSinceNow: seconds)
  let timer = Timer(timeInterval: 60, repeats: true) { _ in }
  RunLoop.current.add(timer, forMode: mode)
  // Once at least, however late this thread is.
  repeat { _ = RunLoop.current.run(mode: mode, before: end) } while end.timeIntervalSinceNow > 0
  timer.invalidate()
}

/// A run loop that runs on a thread of its own until `end`.
final class RunLoopThread: @unchecked Sendable {
  // Unchecked: set once, before the initialiser returns.
  private(set) nonisolated(unsafe) var runLoop: RunLoop!
  private let isOver = Flag()
  private let hasEnded = Latch()
  private let work = WorkList()

  init() throws {
    let hasBegun = Latch()
    let thread = Thread { [self, isOver, hasEnded, work] in
      runLoop = RunLoop.current
      let timer = Timer(timeInterval: 60, repeats: true) { _ in }
      runLoop.add(timer, forMode: .default)
      hasBegun.signal()
      while !isOver.isSet {
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
        work.carryOut()
      }
      timer.invalidate()
      hasEnded.signal()
    }
    thread.start()
    try hasBegun.wait("the run loop's thread begins")
  }

  /// Does the work on the thread, between two runs of its loop, and waits for its end.
  func sync(_ body: @escaping @Sendable () -> Void) throws {
    let isDone = Latch()
    work.append {
      body()
      isDone.signal()
    }
    try isDone.wait("the work on the run loop's thread is done")
  }

  /// Ends the loop and waits until it is over.
  func end() throws {
    isOver.set()
    try hasEnded.wait("the run loop's thread ends")
  }
}

/// What a thread has to do.
private final class WorkList: @unchecked Sendable {
  // Unchecked: below the lock.
  private let lock = NSLock()
  private var work: [@Sendable () -> Void] = []

  func append(_ body: @escaping @Sendable () -> Void) { lock.withLock { work.append(body) } }

  func carryOut() {
    let taken = lock.withLock {
      defer { work = [] }
      return work
    }
    for body in taken { body() }
  }
}

/// A flag that several threads see.
final class Flag: @unchecked Sendable {
  // Unchecked: below the lock.
  private let lock = NSLock()
  private var value = false

  var isSet: Bool { lock.withLock { value } }

  func set() { lock.withLock { value = true } }
}

/// A socket on the current run loop that has connected to a peer.
struct ConnectedSocket {
  let socket: AsyncSocket
  let recorder: RunLoopRecorder
  let peer: RawPeer

  init(_ recorder: RunLoopRecorder = RunLoopRecorder()) throws {
    let listener = try RawListener()
    self.recorder = recorder
    socket = AsyncSocket(delegate: recorder)
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    peer = try listener.accept()
    #expect(runLoop { recorder.events.contains("didConnect 127.0.0.1") })
  }
}
