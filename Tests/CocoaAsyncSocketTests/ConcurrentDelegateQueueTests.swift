import CocoaAsyncSocket
import Foundation
import Glibc
import SocketPOSIX
import TestSupport
import Testing

/// A delegate queue that could run callbacks side by side.
@Suite struct ConcurrentDelegateQueueTests {
  @Test(
    "on a concurrent delegate queue callbacks come one at a time and in order, and no byte is lost (THR-03, INV-04)",
    arguments: [false, true])
  func oneAtATime(isGlobal: Bool) throws {
    let running = LockedValue(0)
    let overlaps = LockedValue(0)
    let delegate = RecorderDelegate { _, _ in
      let others = running.withLock { count in
        defer { count += 1 }
        return count
      }
      if others > 0 { overlaps.withLock { $0 += 1 } }
      // Long enough for a second callback to begin, if somebody lets it. On a busy machine each takes milliseconds.
      for _ in 0..<4 { sched_yield() }
      running.withLock { $0 -= 1 }
    }
    let queue = isGlobal ? DispatchQueue.global() : DispatchQueue(label: "delegate", attributes: .concurrent)
    let link = try SocketAndPeer(delegate: delegate, queue: queue)
    // Many events in flight: reads and writes complete faster than the delegate hears of them.
    let count = 250
    let bytes = countingBytes(4 * count)
    for tag in 0..<count {
      link.socket.readData(toLength: 4, withTimeout: -1, tag: tag)
      link.socket.write(Data(bytes[4 * tag..<4 * tag + 4]), withTimeout: -1, tag: tag)
    }
    try link.peer.send(bytes)
    #expect(try link.peer.receive(bytes.count) == bytes)
    link.peer.finish()
    try delegate.waitForDisconnect(of: link.socket)
    var (read, readTags, writeTags): (Data, [Int], [Int]) = (Data(), [], [])
    for kind in delegate.kinds(of: link.socket) {
      switch kind {
      case .read(let data, let tag):
        read += data
        readTags.append(tag)
      case .wrote(let tag): writeTags.append(tag)
      default: break
      }
    }
    #expect(readTags == Array(0..<count) && writeTags == Array(0..<count))
    #expect(read == Data(bytes))
    #expect(delegate.occurrences.last?.isDisconnect == true)
    #expect(overlaps.withLock { $0 } == 0)
  }
}
