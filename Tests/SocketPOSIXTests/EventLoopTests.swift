import Glibc
import Testing

@testable import SocketPOSIX

@Suite("Event loop: readiness")
struct EventLoopReadinessTests {
  @Test func edgesRearmAndPeerClosed() throws {
    try withLoop { loop in
      let ends = try SocketCall.pair().release()
      let mine = Descriptor(adopting: ends.first)
      let signal = try Signal()
      let probe = Probe(on: loop) { _, _, _ in signal.raise() }
      let attachment = try #require(probe.attachment)
      try attachment.watch(mine.rawValue, key: 7)
      try signal.wait()
      #expect(probe.calls == [.init(readiness: .writable, key: 7)])

      #expect(sendText(ends.second, "x") == .bytes(1))
      try signal.wait()
      #expect(probe.calls.last == .init(readiness: [.readable, .writable], key: 7))

      try settle(loop)
      #expect(probe.calls.count == 2, "an edge is told once, though the byte still waits")
      attachment.rearm(mine.rawValue, key: 8)
      try signal.wait()
      #expect(probe.calls.last == .init(readiness: [.readable, .writable], key: 8))

      #expect(SocketCall.shutdown(ends.second, .write) == 0)
      try signal.wait()
      #expect(probe.calls.last?.readiness == [.readable, .writable, .peerClosed])
      Descriptor(adopting: ends.second).close()
      try signal.wait()
      #expect(probe.calls.last?.readiness.isSuperset(of: [.broken, .peerClosed]) == true)
      #expect(!probe.sawStrayThread)

      attachment.unwatch(mine.rawValue)
      attachment.unwatch(mine.rawValue)
      attachment.rearm(mine.rawValue, key: 9)
      try settle(loop)
      #expect(probe.calls.last?.key == 8)
    }
  }

  @Test func interestIsKept() throws {
    try withLoop { loop in
      let ends = try SocketCall.pair()
      let probe = Probe(on: loop)
      try probe.attachment?.watch(ends.first.rawValue, key: 1, interest: .readable)
      try settle(loop)
      #expect(probe.calls == [])
    }
  }

  @Test func watchFailuresAreThrown() throws {
    try withLoop { loop in
      let probe = Probe(on: loop)
      let attachment = try #require(probe.attachment)
      let ends = try SocketCall.pair()
      try attachment.watch(ends.first.rawValue, key: 1)
      #expect(throws: SystemCallFailure(call: "epoll_ctl", code: EEXIST)) {
        try attachment.watch(ends.first.rawValue, key: 1)
      }
      #expect(throws: SystemCallFailure(call: "epoll_ctl", code: EBADF)) {
        try attachment.watch(-1, key: 1)
      }
    }
  }

  @Test func wakeupsAreCoalesced() throws {
    try withLoop { loop in
      let gate = try Gate(on: loop)
      let probe = Probe(on: loop)
      try gate.hold()
      for _ in 0..<1000 {
        probe.attachment?.requestWakeup(key: 3)
        probe.attachment?.requestWakeup(key: 4)
      }
      gate.release()
      try settle(loop)
      #expect(probe.calls == [.init(readiness: [], key: 3), .init(readiness: [], key: 4)])
    }
  }

  @Test func wakeupInsideItsOwnCallComesAgain() throws {
    try withLoop { loop in
      let done = try Signal()
      let probe = Probe(on: loop) { probe, _, key in
        if key < 100 { probe.attachment?.requestWakeup(key: key + 1) } else { done.raise() }
      }
      probe.attachment?.requestWakeup(key: 0)
      try done.wait()
      #expect(probe.calls.map(\.key) == Array(0...100))
    }
  }

  @Test func concurrentWakeupsAreNeverLost() throws {
    try withLoop { loop in
      let signal = try Signal()
      let probe = Probe(on: loop) { _, _, _ in signal.raise() }
      // Strict alternation makes each request race with the loop's going to sleep.
      for round in 0..<5000 as Range<UInt16> {
        probe.attachment?.requestWakeup(key: round)
        try signal.wait("wake-up \(round) was lost")
      }
      #expect(probe.calls.count == 5000)
    }
  }

  @Test func currentThread() throws {
    try withLoop { loop in
      #expect(!loop.isCurrentThread)
      let probe = Probe(on: loop)
      probe.attachment?.requestWakeup(key: 0)
      try settle(loop)
      #expect(probe.calls.count == 1)
      #expect(!probe.sawStrayThread)
    }
  }
}

@Suite("Event loop: ends")
struct EventLoopEndTests {
  @Test func unreferencedHandlerIsFreed() throws {
    try withLoop { loop in
      let ended = try Signal()
      let ends = try SocketCall.pair()
      weak var ghost: Probe?
      do {
        let probe = Probe(on: loop, onEnd: { ended.raise() })
        ghost = probe
        try probe.attachment?.watch(ends.first.rawValue, key: 1)
        probe.attachment?.setDeadline(.now().advanced(by: milliseconds(5)))
        probe.attachment?.requestWakeup(key: 2)
      }
      try ended.wait("the loop keeps its handler alive")
      try settle(loop)
      #expect(ghost == nil)
      #expect(loop.deadlineNodeCount <= 64)
    }
  }

  @Test func handlerMayEndOnTheLoopThread() throws {
    try withLoop { loop in
      let entered = try Signal()
      let dropped = try Signal()
      let ended = try Signal()
      do {
        let probe = Probe(
          on: loop,
          onReadiness: { _, _, _ in
            entered.raise()
            dropped.wasRaised()
          },
          onEnd: { [unowned loop] in if loop.isCurrentThread { ended.raise() } })
        probe.attachment?.requestWakeup(key: 0)
        try entered.wait()
      }
      dropped.raise()
      try ended.wait("the last reference is the loop's own, and its end must not deadlock")
      try settle(loop)
    }
  }

  /// Two events come in one batch; the handler of the first ends the second and lets a newcomer take its number.
  @Test func staleEventFindsNobody() throws {
    let number: Int32 = 9100
    for _ in 0..<20 {
      try withLoop { loop in
        let gate = try Gate(on: loop)
        let old = try SocketCall.pair()
        let new = try SocketCall.pair()
        let trigger = try SocketCall.pair()
        let newNumber = new.first.rawValue
        let victim = Probe(on: loop)
        let newcomer = Probe(on: loop)
        let killer = Probe(on: loop) { _, _, _ in
          victim.attachment?.detach()
          close(number)
          _ = parked(newNumber, at: number)
          try? newcomer.attachment?.watch(number, key: 1, interest: .readable)
        }
        #expect(parked(old.first.rawValue, at: number) == number)
        try victim.attachment?.watch(number, key: 1, interest: .readable)
        try killer.attachment?.watch(trigger.first.rawValue, key: 1, interest: .readable)
        try settle(loop)
        try gate.hold()
        #expect(sendText(trigger.second.rawValue, "x") == .bytes(1))
        #expect(sendText(old.second.rawValue, "x") == .bytes(1))
        gate.release()
        try settle(loop)
        #expect(killer.calls.count == 1)
        #expect(victim.calls == [])
        #expect(newcomer.calls == [])
        #expect(sendText(new.second.rawValue, "x") == .bytes(1))
        try settle(loop)
        #expect(newcomer.calls == [.init(readiness: .readable, key: 1)])
        close(number)
      }
    }
  }

  @Test func nothingStartsAfterDetach() throws {
    try withLoop { loop in
      let gate = try Gate(on: loop)
      let ends = try SocketCall.pair()
      let probe = Probe(on: loop)
      let attachment = try #require(probe.attachment)
      try gate.hold()
      try attachment.watch(ends.first.rawValue, key: 1)
      attachment.requestWakeup(key: 2)
      attachment.setDeadline(.now())
      attachment.detach()
      attachment.detach()
      attachment.requestWakeup(key: 3)
      attachment.setDeadline(.now())
      gate.release()
      try settle(loop)
      #expect(probe.calls == [])
      #expect(probe.deadlines == [])
    }
  }

  @Test func stopJoins() throws {
    for precision in [TimerPrecision.finest, .millisecond] {
      let loop = EventLoop(name: "a name that is too long for the kernel", precision: precision)
      let probe = Probe(on: loop)
      try settle(loop)
      loop.stop()
      loop.stop()
      probe.attachment?.requestWakeup(key: 1)
      probe.attachment?.setDeadline(.now())
      #expect(probe.calls == [])
      weak var ghost: EventLoop?
      do {
        let other = EventLoop(name: "short")
        ghost = other
        other.stop()
      }
      #expect(ghost == nil, "the thread's own reference is gone once stop returns")
    }
  }

  @Test func stopOnTheLoopThread() throws {
    let loop = EventLoop(name: "self-stop")
    let stopped = try Signal()
    let probe = Probe(on: loop) { [unowned loop] probe, _, _ in
      probe.attachment?.requestWakeup(key: 1)
      loop.stop()
      stopped.raise()
    }
    probe.attachment?.requestWakeup(key: 0)
    try stopped.wait()
    loop.stop()
    #expect(probe.calls.map(\.key) == [0])
  }

  @Test func theGroupGoesRound() {
    let loops = (0..<EventLoopGroup.loopCount * 2).map { _ in EventLoopGroup.next() }
    #expect((1...2).contains(EventLoopGroup.loopCount))
    #expect(Set(loops.map(ObjectIdentifier.init)).count == EventLoopGroup.loopCount)
    #expect(loops.allSatisfy { $0.startFailure == nil })
  }
}
