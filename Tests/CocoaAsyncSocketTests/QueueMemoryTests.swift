import CocoaAsyncSocket
import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// What long queues leave behind.
@Suite struct QueueMemoryTests {
  @Test(
    "a burst of small writes leaves no memory behind, while a read waits as it does in every server (INV-08)",
    .disabled(if: ProcessFacts.isSanitized, "sanitizers use memory too"))
  func burst() async {
    // In a process of its own: memory is counted.
    await #expect(processExitsWith: .success) {
      // The recorder's memory is that of the test: it keeps one event.
      let last = LockedValue(0)
      let delegate = LastWrite(last)
      let listener = try RawListener(family: .ipv4)
      let queue = DispatchQueue(label: "delegate")
      let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      socket.readData(toLength: 1, withTimeout: -1, tag: 1)
      func burst(_ count: Int) throws {
        // Behind the first one, which the kernel has no room for, all others wait.
        socket.write(Data(count: 16 << 20), withTimeout: -1, tag: 1)
        let byte = Data(count: 1)
        for _ in 1..<count { socket.write(byte, withTimeout: -1, tag: 1) }
        socket.write(byte, withTimeout: -1, tag: count)
        queue.suspend()
        _ = try peer.receive((16 << 20) + count)
        queue.resume()
        try eventually("all are written") { last.withLock { $0 == count } }
      }
      try burst(300)
      let base = try #require(ProcessFacts.allocatedBytes())
      try burst(60_000)
      var growth = 0
      do {
        try eventually("less than half a megabyte is left", limit: 20) {
          growth = (ProcessFacts.allocatedBytes() ?? .max) - base
          return growth < 500_000
        }
      } catch {
        Issue.record("\(growth) bytes are left")
      }
      withExtendedLifetime((socket, peer)) {}
    }
  }
}

/// Keeps the tag of the last write that was done.
private final class LastWrite: GCDAsyncSocketDelegate {
  private let last: LockedValue<Int>

  init(_ last: LockedValue<Int>) { self.last = last }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) { last.withLock { $0 = tag } }
}
