import SocketCore
import TestSupport
import Testing

/// What is completed on the fast path is what a pass would have done: the tables and laws of the passes hold for it.
@Suite("On the fast path")
struct FastPathTests {
  private func both(_ body: () -> Void) { OnFastPath.$isWanted.withValue(true, operation: body) }

  @Test("the read queue's table", arguments: ReadQueueTests.rows)
  func readTable(row: ReadQueueTests.Row) { both { ReadQueueTests().table(row: row) } }

  @Test("the write queue's table", arguments: WriteQueueTests.rows)
  func writeTable(row: WriteQueueTests.Row) { both { WriteQueueTests().table(row: row) } }

  @Test("the table of wishes to close", arguments: ClosingTests.rows)
  func closingTable(row: ClosingTests.Row) { both { ClosingTests().table(row: row) } }

  @Test("reads: partials, failures, ends, back-pressure, readiness")
  func reads() {
    both {
      let tests = ReadQueueTests()
      tests.lengthPartials()
      tests.delimiterPartials()
      tests.overflowPartial()
      tests.overflowIsNoTimeout()
      tests.failurePartial()
      tests.endOfStreamPartial()
      tests.destinations()
      tests.backPressure()
      tests.readinessIsRemembered()
      tests.shortReceiveAtMark()
      tests.shortReceiveBeforeEnd()
      for tag in [0, -1, .min, .max] { tests.tags(tag: tag) }
      for means in [true, false] { tests.shortReceive(meansEmpty: means) }
    }
  }

  @Test("writes: partials, would-block, order, progress")
  func writes() {
    both {
      let tests = WriteQueueTests()
      tests.increments()
      tests.waitsForWritability()
      tests.barrier()
      tests.readsBeforeFailure()
      tests.directionsAreIndependent()
      tests.progress()
      tests.readProgress()
      for seed in 0..<40 { tests.randomWrites(seed: seed) }
    }
  }

  @Test("the end of the peer's stream")
  func ends() {
    both {
      let tests = EndOfStreamTests()
      for closes in [true, false] {
        tests.idle(closes: closes)
        tests.idleReset(closes: closes)
        tests.hiddenBehindKernelBytes(closes: closes)
        tests.hiddenBehindLeftovers(closes: closes)
      }
      tests.unsatisfiable()
      tests.endsWrites()
      tests.writesGoOn()
      tests.readsAreOver()
      tests.resetBehindEnd()
      tests.switchCountsOnce()
      tests.endAfterBudget()
      ClosingTests().lastReadAtEnd()
    }
  }

  @Test("chunking and queueing laws", arguments: 0..<12)
  func laws(seed: Int) {
    both {
      ReadProgramTests().chunkingLaw(seed: seed)
      ReadProgramTests().queueingLaw(seed: seed)
      if seed < 6 { ReadProgramTests().largePrograms(seed: seed) }
    }
  }

  @Test("a request and its answer are served without a pass")
  func conversation() {
    both {
      var bench = SocketBench()
      bench.read(.available(limit: 0, timeout: -1, tag: 0))
      let passes = bench.passes
      for round in 1...100 {
        bench.arrive("ping")
        bench.machine.read(.available(limit: 0, timeout: -1, tag: round))
        bench.write(Array("pong".utf8), tag: -round)
        #expect(bench.take() == [.read("ping", tag: round - 1), .wrote(tag: -round)])
        #expect(bench.machine.readProgress?.tag == round)
      }
      #expect(bench.servedOnFastPath == 200)
      #expect(bench.passes == passes)
    }
  }

  @Test("nothing is served on the fast path where time, TLS, an end or a wish to close plays a part")
  func notForAll() {
    both {
      var timed = SocketBench()
      timed.read(.available(limit: 0, timeout: 10, tag: 0))
      timed.arrive("a")
      #expect(timed.take() == [.read("a", tag: 0)] && timed.servedOnFastPath == 0)

      var wishing = SocketBench()
      wishing.machine.read(.available(limit: 0, timeout: -1, tag: 0))
      wishing.close(afterReads: true)
      wishing.arrive("a")
      #expect(wishing.take() == [.read("a", tag: 0), .disconnected(nil)] && wishing.servedOnFastPath == 0)

      var secured = SocketBench()
      secured.startTLS(ClearSession())
      secured.read(.available(limit: 0, timeout: -1, tag: 0))
      secured.arrive("a")
      #expect(secured.servedOnFastPath == 0)

      var ended = SocketBench()
      ended.transport.arrive("a".utf8)
      ended.finish()
      ended.read(.available(limit: 0, timeout: -1, tag: 0))
      #expect(ended.take() == [.read("a", tag: 0), .disconnected(.closedByPeer)] && ended.servedOnFastPath == 0)
    }
  }
}
