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

  @Test(
    "callbacks run on a concurrent delegate queue as on any other, from the first to the last (INV-13)",
    arguments: ["all", "plain"])
  func onTheQueue(shortcuts: String) throws {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "delegate", attributes: .concurrent)
    queue.setSpecific(key: key, value: true)
    let elsewhere = LockedValue<[Occurrence.Kind]>([])
    let delegate = RecorderDelegate { _, kind in
      if DispatchQueue.getSpecific(key: key) != true { elsewhere.withLock { $0.append(kind) } }
    }
    let link = try SocketAndPeer(delegate: delegate, queue: queue, shortcuts: shortcuts)
    for tag in 0..<20 {
      link.socket.readData(toLength: 1, withTimeout: -1, tag: tag)
      link.socket.write(data("x"), withTimeout: -1, tag: tag)
      try link.peer.send("y")
      try delegate.wait("both are told", count: 2 * (tag + 1)) {
        switch $0.kind {
        case .read, .wrote: true
        default: false
        }
      }
    }
    link.peer.finish()
    try delegate.waitForDisconnect(of: link.socket)
    #expect(elsewhere.withLock { $0.isEmpty })
  }

  @Test("what disconnect delivers before it returns does not run beside another thread's callback (THR-03)")
  func notesBeforeReturning() throws {
    let running = LockedValue(0)
    let overlaps = LockedValue(0)
    let isInside = DispatchSemaphore(value: 0)
    let isOver = DispatchSemaphore(value: 0)
    let delegate = RecorderDelegate { _, kind in
      let others = running.withLock { count in
        defer { count += 1 }
        return count
      }
      if others > 0 { overlaps.withLock { $0 += 1 } }
      if case .read = kind {
        isInside.signal()
        // The other thread's call is over long before this.
        Thread.sleep(forTimeInterval: 0.3)
      }
      running.withLock { $0 -= 1 }
      if case .disconnected = kind { isOver.signal() }
    }
    let queue = DispatchQueue(label: "delegate", attributes: .concurrent)
    let link = try SocketAndPeer(delegate: delegate, queue: queue)
    let socket = link.socket
    socket.notifiesDisconnectBeforeReturning = true
    socket.readData(toLength: 1, withTimeout: -1, tag: 1)
    try link.peer.send("x")
    isInside.wait()
    let isBack = DispatchSemaphore(value: 0)
    queue.async {
      socket.disconnect()
      isBack.signal()
    }
    // It can't wait for the callback, which may be waiting for it.
    #expect(isBack.wait(timeout: .now() + 10) == .success)
    #expect(isOver.wait(timeout: .now() + 10) == .success)
    #expect(overlaps.withLock { $0 } == 0)
    #expect(delegate.occurrences.filter(\.isDisconnect).count == 1)
  }

  @Test("callbacks on two queues at once: disconnect inside the older one delivers what waits behind it (DIS-03)")
  func notesBeforeReturningBesideAnotherQueue() throws {
    let isInside = DispatchSemaphore(value: 0)
    let isOver = LockedValue<Bool?>(nil)
    let first = DispatchQueue(label: "first")
    let second = DispatchQueue(label: "second")
    let recorder = LockedValue<RecorderDelegate?>(nil)
    let delegate = RecorderDelegate { socket, kind in
      switch kind {
      case .read(_, tag: 1):
        socket.delegateQueue = second
        socket.write(data("x"), withTimeout: -1, tag: 3)
        isInside.wait()
        // The other queue is inside a callback by now, and begun later than this one.
        socket.disconnect()
        isOver.withLock { $0 = recorder.withLock { $0 }?.occurrences.last?.isDisconnect }
      case .wrote(tag: 3):
        isInside.signal()
        // Until disconnect() has begun to deliver.
        Thread.sleep(forTimeInterval: 0.2)
      default: break
      }
    }
    recorder.withLock { $0 = delegate }
    let link = try SocketAndPeer(delegate: delegate, queue: first)
    link.socket.notifiesDisconnectBeforeReturning = true
    // Both are complete before the first one is delivered.
    first.sync {
      link.socket.readData(toLength: 1, withTimeout: -1, tag: 1)
      link.socket.readData(toLength: 1, withTimeout: -1, tag: 2)
      try? link.peer.send("ab")
      Thread.sleep(forTimeInterval: 0.2)
    }
    try eventually("the callback has returned") { isOver.withLock { $0 } != nil }
    #expect(isOver.withLock { $0 } == true)
    let kinds = delegate.kinds(of: link.socket)
    #expect(kinds.filter(\.isRead).count == 2)
    #expect(delegate.occurrences.filter(\.isDisconnect).count == 1)
  }

  @Test("a callback that ends on another queue does not hide one that runs (THR-03)")
  func notesBeforeReturningAfterAnotherQueue() throws {
    let running = LockedValue(0)
    let overlaps = LockedValue(0)
    let isInside = DispatchSemaphore(value: 0)
    let hasWritten = DispatchSemaphore(value: 0)
    let isOver = DispatchSemaphore(value: 0)
    let first = DispatchQueue(label: "first", attributes: .concurrent)
    let second = DispatchQueue(label: "second")
    let delegate = RecorderDelegate { socket, kind in
      if case .wrote = kind {
        hasWritten.signal()
        return
      }
      let others = running.withLock { count in
        defer { count += 1 }
        return count
      }
      if others > 0 { overlaps.withLock { $0 += 1 } }
      if case .read(_, tag: 1) = kind {
        socket.delegateQueue = second
        socket.write(data("x"), withTimeout: -1, tag: 3)
        isInside.signal()
        Thread.sleep(forTimeInterval: 0.4)
      }
      running.withLock { $0 -= 1 }
      if case .disconnected = kind { isOver.signal() }
    }
    let link = try SocketAndPeer(delegate: delegate, queue: first)
    let socket = link.socket
    socket.notifiesDisconnectBeforeReturning = true
    first.sync(flags: .barrier) {
      socket.readData(toLength: 1, withTimeout: -1, tag: 1)
      socket.readData(toLength: 1, withTimeout: -1, tag: 2)
      try? link.peer.send("ab")
      Thread.sleep(forTimeInterval: 0.2)
    }
    isInside.wait()
    hasWritten.wait()
    // The write's callback has returned.
    second.sync {}
    DispatchQueue.global().async { socket.disconnect() }
    #expect(isOver.wait(timeout: .now() + 10) == .success)
    #expect(overlaps.withLock { $0 } == 0)
  }

  @Test("a queue that becomes the delegate queue again runs no callback beside its last one (THR-03)")
  func backToTheQueue() throws {
    let running = LockedValue(0)
    let overlaps = LockedValue(0)
    let isOver = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "delegate", attributes: .concurrent)
    let other = DispatchQueue(label: "other")
    let delegate = RecorderDelegate { socket, kind in
      guard case .read(_, let tag) = kind, tag != 2 else { return }
      let others = running.withLock { count in
        defer { count += 1 }
        return count
      }
      if others > 0 { overlaps.withLock { $0 += 1 } }
      if tag == 1 {
        socket.delegateQueue = other
        socket.readData(toLength: 1, withTimeout: -1, tag: 2)
        // It is told on the other queue, and then the first one is back.
        Thread.sleep(forTimeInterval: 0.1)
        socket.delegateQueue = queue
        socket.readData(toLength: 1, withTimeout: -1, tag: 3)
        Thread.sleep(forTimeInterval: 0.2)
      }
      running.withLock { $0 -= 1 }
      if tag == 3 { isOver.signal() }
    }
    let link = try SocketAndPeer(delegate: delegate, queue: queue)
    link.socket.readData(toLength: 1, withTimeout: -1, tag: 1)
    try link.peer.send("abc")
    #expect(isOver.wait(timeout: .now() + 10) == .success)
    #expect(try delegate.bytes(ofRead: 3, of: link.socket) == data("c"))
    #expect(overlaps.withLock { $0 } == 0)
  }
}
