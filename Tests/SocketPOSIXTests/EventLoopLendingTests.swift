import Glibc
import SocketPOSIX
import Testing

@testable import SocketPOSIX

@Suite("Event loop: lending its thread", .serialized)
struct EventLoopLendingTests {
  @Test("what a loan waits for can be brought by another handler of the loop")
  func loanThatWaits() throws {
    try withLoop { loop in
      let brought = try Signal()
      let done = try Signal()
      let waiting = Probe(on: loop) { _, _, _ in
        _ = loop.lend { brought.wasRaised() }
        done.raise()
      }
      let bringing = Probe(on: loop) { _, _, _ in brought.raise() }
      for round in 0..<5 {
        waiting.attachment?.requestWakeup(key: 0)
        bringing.attachment?.requestWakeup(key: 0)
        try done.wait("round \(round): the loop waited for its own handler")
      }
      #expect(waiting.calls.count == 5 && bringing.calls.count == 5)
    }
  }

  @Test("events of the same batch are not lost with the thread, and none is told twice")
  func batchGoesOn() throws {
    try withLoop { loop in
      let ends = try (0..<20).map { _ in try SocketCall.pair().release() }
      defer { for end in ends { close(end.first); close(end.second) } }
      let gate = try Gate(on: loop)
      let released = try Signal()
      let told = try Signal()
      let lending = Probe(on: loop) { _, _, _ in _ = loop.lend { released.wasRaised() } }
      let others = ends.dropFirst().map { _ in Probe(on: loop) { _, _, _ in told.raise() } }
      try gate.hold()
      for (end, probe) in zip(ends, [lending] + others) {
        try probe.attachment?.watch(end.first, key: 1, interest: .readable)
        #expect(sendText(end.second, "x") == .bytes(1))
      }
      gate.release()
      for index in others.indices { try told.wait("event \(index) of the batch was lost") }
      released.raise()
      try settle(loop)
      #expect(([lending] + others).allSatisfy { $0.calls.count == 1 })
    }
  }

  @Test("while a thread is away nothing more is lent; when it is back, lending goes on")
  func oneAtATime() throws {
    try withLoop { loop in
      let released = try Signal()
      let lending = Probe(on: loop) { _, _, _ in _ = loop.lend { released.wasRaised() } }
      lending.attachment?.requestWakeup(key: 0)
      let away = try Signal()
      let asking = Probe(on: loop) { _, _, _ in if !loop.mayLend { away.raise() } }
      try eventually {
        asking.attachment?.requestWakeup(key: 0)
        return away.wasRaised(within: milliseconds(1))
      }
      released.raise()
      let back = try Signal()
      let again = Probe(on: loop) { _, _, _ in if loop.mayLend { back.raise() } }
      try eventually {
        again.attachment?.requestWakeup(key: 0)
        return back.wasRaised(within: milliseconds(1))
      }
    }
  }

  @Test("deadlines come while a thread is away")
  func deadlinesGoOn() throws {
    try withLoop { loop in
      let released = try Signal()
      let rung = try Signal()
      let lending = Probe(on: loop) { _, _, _ in _ = loop.lend { released.wasRaised() } }
      let timed = Probe(on: loop, onDeadline: { _ in rung.raise() })
      lending.attachment?.requestWakeup(key: 0)
      timed.attachment?.setDeadline(.now().advanced(by: milliseconds(20)))
      try rung.wait("the deadline was held up")
      released.raise()
    }
  }

  @Test("a loop that is stopped while its thread is away ends, and calls nobody any more")
  func stopWhileAway() throws {
    let loop = EventLoop(name: "test-loop")
    let released = try Signal()
    let away = try Signal()
    let lending = Probe(on: loop) { _, _, _ in _ = loop.lend { released.wasRaised() } }
    lending.attachment?.requestWakeup(key: 0)
    let asking = Probe(on: loop) { _, _, _ in if !loop.mayLend { away.raise() } }
    try eventually {
      asking.attachment?.requestWakeup(key: 0)
      return away.wasRaised(within: milliseconds(1))
    }
    loop.stop()
    let calls = asking.calls.count
    asking.attachment?.requestWakeup(key: 0)
    released.raise()
    usleep(20_000)
    #expect(asking.calls.count == calls)
  }

  private func eventually(_ condition: () throws -> Bool) throws {
    let end = MonotonicInstant.now().advanced(by: generousLimit)
    while try !condition() { try #require(MonotonicInstant.now() < end, "never became true") }
  }
}
