import SocketCore
import TestSupport
import Testing

/// The end of the peer's stream: closing, and half-closing.
@Suite("End of stream")
struct EndOfStreamTests {
  @Test("RDQ-06, HALF-10: on an idle connection it is noticed at once", arguments: [true, false])
  func idle(closes: Bool) {
    var bench = SocketBench(closesOnEndOfStream: closes)
    bench.finish()
    #expect(bench.take() == [closes ? .disconnected(.closedByPeer) : .readClosed])
    #expect(bench.machine.isConnected == !closes)
  }

  @Test("CON-44: a reset on an idle connection is noticed at once", arguments: [true, false])
  func idleReset(closes: Bool) {
    var bench = SocketBench(closesOnEndOfStream: closes)
    bench.reset()
    #expect(bench.take() == [.disconnected(.posix(104, call: "read"))])
  }

  @Test("HALF-09, ERR-11: a reset behind the peer's end is told as one, though the kernel calls it a broken pipe")
  func resetBehindEnd() {
    for seesEndFirst in [true, false] {
      var bench = SocketBench(closesOnEndOfStream: false)
      bench.transport.finish()
      if seesEndFirst { bench.wake() }
      bench.reset()
      let told: [RecordedEvent] = [.readClosed, .disconnected(.posix(104, call: "read"))]
      #expect(bench.take() == told.suffix(seesEndFirst ? 2 : 1))
    }
  }

  @Test("RDQ-07: unread bytes in the kernel hide it until they are read", arguments: [true, false])
  func hiddenBehindKernelBytes(closes: Bool) {
    var bench = SocketBench(closesOnEndOfStream: closes)
    bench.arrive("hello")
    bench.finish()
    bench.wait(milliseconds: 1000)
    #expect(bench.take() == [])
    #expect(bench.transport.waiting == 5)
    bench.read(.available(limit: 0, timeout: -1, tag: 1))
    #expect(bench.take() == [.read("hello", tag: 1), closes ? .disconnected(.closedByPeer) : .readClosed])
  }

  @Test("RDQ-09, HALF-04: buffered leftovers hide it until they are read", arguments: [true, false])
  func hiddenBehindLeftovers(closes: Bool) {
    var bench = SocketBench(closesOnEndOfStream: closes)
    bench.read(.through([13, 10], limit: 0, timeout: -1, tag: 1))
    bench.transport.arrive("a\r\nb\r\n".utf8)
    bench.finish()
    #expect(bench.take() == [.read("a\r\n", tag: 1)])
    bench.wait(milliseconds: 1000)
    #expect(bench.take() == [])
    bench.read(.through([13, 10], limit: 0, timeout: -1, tag: 2))
    #expect(bench.take() == [.read("b\r\n", tag: 2), closes ? .disconnected(.closedByPeer) : .readClosed])
  }

  @Test("RDQ-09: leftovers that satisfy no read hide it no longer")
  func unsatisfiable() {
    var bench = SocketBench()
    bench.read(.exactly(1, timeout: -1, tag: 1))
    bench.transport.arrive("abc".utf8)
    bench.finish()
    #expect(bench.take() == [.read("a", tag: 1)])
    bench.read(.through([13, 10], limit: 0, timeout: -1, tag: 2))
    #expect(bench.take() == [.readPartial(2, tag: 2), .disconnected(.closedByPeer)])
  }

  @Test("HALF-01: by default it ends everything, pending writes too")
  func endsWrites() {
    var bench = SocketBench(sendRoom: 1)
    bench.write([1, 2, 3], tag: 1)
    bench.finish()
    #expect(bench.take() == [.wrotePartial(1, tag: 1), .disconnected(.closedByPeer)])
    #expect(bench.machine.takeCommands() == [.close(.immediate)])
  }

  @Test("HALF-02, HALF-07: half-closed, writes go on until they fail")
  func writesGoOn() {
    var bench = SocketBench(sendRoom: 1, closesOnEndOfStream: false)
    bench.write([1, 2, 3], tag: 1)
    bench.finish()
    #expect(bench.take() == [.wrotePartial(1, tag: 1), .readClosed])
    bench.drain(2)
    #expect(bench.take() == [.wrote(tag: 1)])
    bench.drain(9)
    bench.write([4], tag: 2)
    bench.transport.reset()
    bench.write([5], tag: 3)
    #expect(bench.take() == [.wrote(tag: 2), .disconnected(.posix(32, call: "write"))])
  }

  @Test("HALF-05, HALF-06: half-closed, no read completes, and didCloseRead comes once")
  func readsAreOver() {
    var bench = SocketBench(closesOnEndOfStream: false)
    bench.read(.exactly(10, timeout: -1, tag: 1))
    bench.arrive("abcd")
    bench.finish()
    bench.read(.available(limit: 0, timeout: -1, tag: 2))
    bench.machine.note([.readable, .peerClosed])
    bench.wait(milliseconds: 1000)
    #expect(bench.take() == [.readPartial(4, tag: 1), .readClosed])
    #expect(bench.machine.isConnected)
  }

  @Test("HALF-08: a connection that is broken when its end is found closes", arguments: [Int32(104), 32, 110, 0])
  func brokenAtEnd(errno: Int32) {
    var transport = ScriptedTransport(peeks: [.endOfStream])
    transport.error = errno
    var bench = SocketBench(opened: transport, closesOnEndOfStream: false)
    bench.machine.note([.readable, .peerClosed, .broken])
    bench.pass()
    // EPIPE is what writes are to hear of a reset (ERR-11).
    let told = errno == 32 ? 104 : errno
    #expect(bench.take() == [.disconnected(errno == 0 ? .closedByPeer : .posix(told, call: "read"))])
  }

  @Test("HALF-11, CFG-18: the switch counts when the end is found, not later")
  func switchCountsOnce() {
    var bench = SocketBench(closesOnEndOfStream: true)
    bench.machine.configuration.autoDisconnectOnClosedReadStream = false
    bench.finish()
    #expect(bench.take() == [.readClosed])
    bench.machine.configuration.autoDisconnectOnClosedReadStream = true
    bench.machine.note([.readable, .peerClosed])
    bench.wait(milliseconds: 1000)
    #expect(bench.take() == [])
    #expect(bench.machine.isConnected)
  }

  enum Barrier: String, CaseIterable, Sendable { case first, behindRead, behindWrite }

  @Test("HALF-12, TLS-09: an end that meets the upgrade closes, whatever the switch says", arguments: Barrier.allCases)
  func upgrade(barrier: Barrier) {
    var bench = SocketBench(sendRoom: 0, closesOnEndOfStream: false)
    switch barrier {
    case .first:
      // Only the other queue keeps the barrier from being complete.
      bench.write([1], tag: 1)
      bench.machine.startTLS { .success(ClearSession()) }
    case .behindRead:
      // The write queue has come to the barrier; the read before it can't complete any more.
      bench.read(.exactly(5, timeout: -1, tag: 1))
      bench.machine.startTLS { .success(ClearSession()) }
    case .behindWrite:
      bench.read(.exactly(1, timeout: -1, tag: 1))
      bench.write([1], tag: 2)
      bench.machine.startTLS { .success(ClearSession()) }
      bench.transport.arrive("x".utf8)
    }
    bench.finish()
    #expect(bench.take().last == .disconnected(.tls(-9806)))
  }

  @Test("TLS-04: a barrier waits for both queues")
  func barrierWaits() {
    var bench = SocketBench(sendRoom: 0)
    bench.read(.exactly(1, timeout: -1, tag: 1))
    bench.write([1], tag: 2)
    bench.machine.startTLS { .success(ClearSession()) }
    bench.machine.startTLS { .success(ClearSession()) }
    bench.arrive("x")
    #expect(bench.take() == [.read("x", tag: 1)])
    #expect(bench.machine.backlog.reads == 1)
    bench.arrive("SECRET")
    #expect(bench.transport.waiting == 6)
    bench.drain(1)
    #expect(bench.take() == [.wrote(tag: 2), .disconnected(.tls(-9847))])
  }

  @Test("a read of zero bytes ahead of the end is no end: only the transport says so")
  func readinessAlone() {
    var bench = SocketBench(opened: ScriptedTransport(peeks: [.wouldBlock]))
    bench.machine.note([.readable, .peerClosed])
    bench.pass()
    #expect(bench.take() == [])
    #expect(bench.machine.isConnected)
  }

  @Test("RDQ-08: an end does not overtake reads that a budgeted pass left")
  func endAfterBudget() {
    var bench = SocketBench()
    for tag in 0..<10_000 { if let read = ReadRequest.exactly(1, timeout: -1, tag: tag) { bench.machine.read(read) } }
    bench.transport.arrive([UInt8](repeating: 7, count: 10_000))
    bench.finish()
    let events = bench.take()
    #expect(events.count == 10_001)
    #expect(events.last == .disconnected(.closedByPeer))
    #expect(bench.passes > 2)
  }
}
