import CocoaAsyncSocket
import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// Blocks that a program puts on the delegate queue, and callbacks: what was put there before a call was made runs
/// before what the call leads to (D-34).
@Suite struct BlockOrderTests {
  @Test("a block put on the delegate queue before disconnect runs before didDisconnect", arguments: [false, true])
  func beforeDisconnect(inCallback: Bool) throws {
    let queue = DispatchQueue(label: "delegate")
    let order = LockedValue<[String]>([])
    let entered = Latch()
    let left = Latch()
    let delegate = RecorderDelegate { _, kind in
      switch kind {
      case .read where inCallback:
        // A callback is under way, so that what comes next could be told in the same visit to the queue.
        entered.signal()
        try? left.wait("the calls to be made")
      case .disconnected: order.withLock { $0.append("didDisconnect") }
      default: break
      }
    }
    let link = try SocketAndPeer(delegate: delegate, queue: queue)
    var gate: Gate?
    if inCallback {
      link.socket.readData(withTimeout: -1, tag: 0)
      try link.peer.send("x")
      try entered.wait("the callback")
    } else {
      gate = try Gate(blocking: queue)
    }
    queue.async { order.withLock { $0.append("block") } }
    link.socket.disconnect()
    left.signal()
    gate?.open()
    try delegate.waitForDisconnect(of: link.socket)
    queue.sync {}
    #expect(order.withLock { $0 } == ["block", "didDisconnect"])
  }
}
