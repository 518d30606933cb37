import CocoaAsyncSocket
import Foundation
import Synchronization
import TestSupport
import Testing

/// Where the delegate is asked.
@Suite struct QuestionQueueTests {
  private static let key = DispatchSpecificKey<Bool>()

  @Test("the delegate is asked about a timeout on the delegate queue (TMO-23, INV-13)", arguments: [false, true])
  func questions(hasSocketQueue: Bool) throws {
    let queue = DispatchQueue(label: "delegate")
    queue.setSpecific(key: Self.key, value: true)
    let asked = Mutex<[Bool]>([])
    let delegate = RecorderDelegate(timeoutExtension: { _, _ in
      asked.withLock { $0.append(DispatchQueue.getSpecific(key: Self.key) ?? false) }
      // The first two are answered with more time, the third ends the connection; a fourth may be in line by then.
      return asked.withLock { $0.count } < 3 ? 0.02 : 0
    })
    let socket = GCDAsyncSocket(
      delegate: delegate, delegateQueue: queue, socketQueue: hasSocketQueue ? DispatchQueue(label: "socket") : nil)
    let listener = try RawListener()
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    let peer = try listener.accept()
    try delegate.waitForConnect(of: socket)
    socket.readData(toLength: 1, withTimeout: 0.02, tag: 1)
    // More than both kernels keep for a peer that does not read.
    socket.write(Data(count: 64 << 20), withTimeout: 0.02, tag: 2)
    try delegate.waitForDisconnect(of: socket)
    #expect(asked.withLock { $0.count } >= 3)
    #expect(asked.withLock { $0.allSatisfy { $0 } })
    peer.close()
  }
}
