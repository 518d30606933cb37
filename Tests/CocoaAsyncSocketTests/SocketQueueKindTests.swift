import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CocoaAsyncSocket

/// A socket queue is serial (LIFE-25), and no serial queue is taken for a concurrent one.
@Suite struct SocketQueueKindTests {
  /// Says yes to a client with a queue that is no good.
  final class CarelessDelegate: NSObject, GCDAsyncSocketDelegate {
    let answer: DispatchQueue
    let accepted = DispatchSemaphore(value: 0)
    init(answer: DispatchQueue) { self.answer = answer }

    func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue? { answer }
    func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) { accepted.signal() }
  }

  /// Accepts one client, whose socket gets that queue.
  private static func accept(withQueue queue: DispatchQueue) throws {
    let delegate = CarelessDelegate(answer: queue)
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "d"))
    try listener.accept(onInterface: "127.0.0.1", port: 0)
    let peer = try RawPeer.connect(port: listener.localPort)
    delegate.accepted.wait()
    withExtendedLifetime((listener, peer)) {}
  }

  @Test("a global queue as socket queue is a programming error (LIFE-25)")
  func globalSocketQueue() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { _ = GCDAsyncSocket(socketQueue: DispatchQueue.global()) }
    #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("must not be concurrent"))
    await #expect(processExitsWith: .failure) {
      _ = GCDAsyncSocket(delegate: nil, delegateQueue: nil, socketQueue: DispatchQueue.global(qos: .background))
    }
  }

  @Test("a concurrent queue of one's own as socket queue is a programming error (LIFE-25)")
  func concurrentSocketQueue() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { _ = GCDAsyncSocket(socketQueue: DispatchQueue(label: "c", attributes: .concurrent)) }
    #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("must not be concurrent"))
    await #expect(processExitsWith: .failure) {
      let queue = DispatchQueue(label: "c", qos: .userInteractive, attributes: .concurrent, target: .global())
      _ = GCDAsyncSocket(delegate: nil, delegateQueue: nil, socketQueue: queue)
    }
  }

  @Test("a concurrent queue for an accepted socket is one, too (LIFE-25, ACC-24)")
  func concurrentQueueForAClient() async {
    await #expect(processExitsWith: .failure) {
      try Self.accept(withQueue: DispatchQueue(label: "c", attributes: .concurrent))
    }
    await #expect(processExitsWith: .failure) { try Self.accept(withQueue: .global()) }
    await #expect(processExitsWith: .success) { try Self.accept(withQueue: DispatchQueue(label: "s")) }
  }

  /// Queues that run one block at a time, in all their forms.
  private static func serialQueues() -> [(name: String, queue: DispatchQueue)] {
    let retargeted = DispatchQueue(label: "retargeted", attributes: .initiallyInactive)
    retargeted.setTarget(queue: DispatchQueue(label: "c", attributes: .concurrent))
    retargeted.activate()
    return [
      ("plain", DispatchQueue(label: "s")), ("main", .main), ("priority", DispatchQueue(label: "s", qos: .background)),
      (
        "over a concurrent queue", DispatchQueue(label: "s", target: DispatchQueue(label: "c", attributes: .concurrent))
      ),
      ("over a global queue", DispatchQueue(label: "s", target: .global(qos: .utility))),
      ("over a serial queue", DispatchQueue(label: "s", target: DispatchQueue(label: "t"))),
      ("over the main queue", DispatchQueue(label: "s", target: .main)),
      ("with a pool for each block", DispatchQueue(label: "s", autoreleaseFrequency: .workItem)),
      ("with a label like a global one's", DispatchQueue(label: "com.apple.root.default-qos")),
      ("with a concurrent target set later", retargeted),
    ]
  }

  @Test("the kinds of queues can be told on this system")
  func kindsAreKnown() { #expect(QueueKind.known != nil) }

  @Test("serial queues are welcome, whatever they look like")
  func serialQueuesAreNotMisjudged() {
    for (name, queue) in Self.serialQueues() {
      #expect(!queue.isConcurrent && !queue.isGlobal, "\(name)")
      withExtendedLifetime(GCDAsyncSocket(socketQueue: queue)) {}
    }
    // Also those that do not run at all just now.
    let inactive = DispatchQueue(label: "s", attributes: .initiallyInactive)
    #expect(!inactive.isConcurrent)
    inactive.activate()
    let suspended = DispatchQueue(label: "s")
    suspended.suspend()
    #expect(!suspended.isConcurrent)
    suspended.resume()
    // And while one of their blocks runs and others wait.
    let busy = DispatchQueue(label: "s")
    let inside = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    busy.async {
      inside.signal()
      done.wait()
    }
    busy.async {}
    inside.wait()
    #expect(!busy.isConcurrent)
    done.signal()
    busy.sync { #expect(!busy.isConcurrent) }
  }

  @Test("concurrent queues are known as such, whatever they look like")
  func concurrentQueuesAreNotMisjudged() {
    let inactive = DispatchQueue(label: "c", attributes: [.concurrent, .initiallyInactive])
    #expect(inactive.isConcurrent)
    inactive.activate()
    let queues = [
      DispatchQueue(label: "c", attributes: .concurrent),
      DispatchQueue(label: "c", qos: .userInitiated, attributes: .concurrent),
      DispatchQueue(label: "c", attributes: .concurrent, target: DispatchQueue(label: "s")),
      DispatchQueue(label: "c", attributes: .concurrent, target: .global()),
    ]
    for queue in queues { #expect(queue.isConcurrent && !queue.isGlobal) }
    for qos in [DispatchQoS.QoSClass.background, .utility, .default, .userInitiated, .userInteractive] {
      #expect(DispatchQueue.global(qos: qos).isGlobal && DispatchQueue.global(qos: qos).isConcurrent)
    }
    queues[0].sync(flags: .barrier) { #expect(queues[0].isConcurrent) }
  }
}
