import Glibc
import SocketPOSIX
import SocketValues
import Testing

@testable import SocketPOSIX

@Suite("Event loop: lending its thread", .serialized)
struct EventLoopLendingTests {
  @Test("what a loan waits for can be brought by another handler of the loop")
  func loanThatWaits() throws {
    try withLoop { loop in
      let brought = try Signal()
      let done = try Signal()
      let waiting = lender(on: loop) {
        brought.wasRaised()
        done.raise()
      }
      let bringing = Probe(on: loop) { _, _, _ in brought.raise() }
      for round in 0..<5 {
        try eventually { loop.mayLend }
        waiting.attachment?.requestWakeup(key: UInt16(round))
        bringing.attachment?.requestWakeup(key: 0)
        try done.wait("round \(round): the loop waited for its own handler")
      }
      #expect(bringing.calls.count == 5)
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
      let lending = lender(on: loop) { released.wasRaised() }
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
      #expect(([lending] + others).allSatisfy { $0.calls.count { $0.readiness != [] } == 1 })
    }
  }

  @Test("while a thread is away nothing more is lent; when it is back, lending goes on")
  func oneAtATime() throws {
    try withLoop { loop in
      let released = try Signal()
      let lending = lender(on: loop) { released.wasRaised() }
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

  @Test(
    "the handler whose call keeps the thread is called again, once, to do what it has put off",
    arguments: [true, false])
  func handlerIsLookedAfter(isDeadline: Bool) throws {
    try withLoop { loop in
      let released = try Signal()
      let lookedAfter = try Signal()
      let lending = Probe(
        on: loop,
        onCall: { context in
          if loop.mayLend {
            loop.lend(to: Group(), context) { _ in released.wasRaised() }
          } else {
            lookedAfter.raise()
          }
        })
      if isDeadline {
        lending.attachment?.setDeadline(.now())
      } else {
        lending.attachment?.requestWakeup(key: 7)
      }
      try lookedAfter.wait()
      released.raise()
      try settle(loop)
      let call = Probe.Call(readiness: [], key: 7)
      #expect(lending.calls == (isDeadline ? [] : [call, call]))
      #expect(lending.deadlines.count == (isDeadline ? 2 : 0))
    }
  }

  @Test("in a loan the calls of the group go on, in order and nobody else's")
  func loanGoesOn() throws {
    // 0, 1 and 3 are of the group; 2 is of none, 4 of another one.
    let group = Group()
    try inSomeRound(["0", "1 in", "2", "3", "4", "5"]) {
      try calls(lendingTo: group, groups: [group, group, nil, group, Group(), nil])
    }
    try inSomeRound(["0", "1 in", "2 in", "3"]) {
      try calls(lendingTo: group, groups: [group, group, group, nil])
    }
  }

  @Test("a group that has enough ends the loan")
  func groupEndsTheLoan() throws {
    let group = TiredGroup()
    try inSomeRound(["0", "1", "2"]) { try calls(lendingTo: group, groups: [group, group, nil]) }
  }

  @Test("the group is told of all the time its calls took, those before the end too")
  func allTimeIsTold() throws {
    let group = TimedGroup()
    let told = try calls(lendingTo: group, groups: [group, group, group, nil], taking: 100).told
    // The first call lends before it takes its time. On a busy machine the loop may have gone on with a new thread,
    // which can make the last call before the old one accounts for its own.
    let least = 100_000 * Int64(told.count { $0.hasSuffix("in") })
    try eventually { group.total.withLock { $0 } >= least }
  }

  /// A loan ends early on a machine that is busy elsewhere; the order of the calls is the same in any case, unless the
  /// loop has gone on with a new thread, which makes the present call once more, and the next ones beside it.
  private func inSomeRound(
    _ expected: [String], _ calls: () throws -> (told: [String], isThreadReplaced: Bool)
  ) throws {
    for _ in 0..<50 {
      let (told, isThreadReplaced) = try calls()
      if isThreadReplaced { continue }
      if told == expected { return }
      #expect(told.map { $0.prefix(1) }.uniqued() == expected.map { $0.prefix(1) }.uniqued())
    }
    Issue.record("never \(expected)")
  }

  /// One batch of events for handlers of these groups, the first of which lends: who was called, and whether in the
  /// loan; and whether the loop changed its thread meanwhile.
  private func calls<Lending: LoanGroup>(
    lendingTo group: Lending, groups: [(any LoanGroup)?], taking microseconds: UInt32 = 0
  ) throws -> (told: [String], isThreadReplaced: Bool) {
    let ends = try groups.map { _ in try SocketCall.pair().release() }
    defer { for end in ends { close(end.first); close(end.second) } }
    let told = LockedValue<[String]>([])
    var replacements: UInt64 = 0
    try withLoop { loop in
      let done = try Signal()
      let gate = try Gate(on: loop)
      let probes = groups.indices.map { index in
        Probe(
          on: loop,
          onCall: { context in
            told.withLock { $0.append("\(index)\(context.isInLoan(to: group) ? " in" : "")") }
            if index == 0 { loop.lend(to: group, context) { goOn in goOn() } }
            if microseconds > 0 { usleep(microseconds) }
            if index == groups.count - 1 { done.raise() }
          })
      }
      try gate.hold()
      for ((end, group), probe) in zip(zip(ends, groups), probes) {
        probe.attachment?.join(group)
        try probe.attachment?.watch(end.first, key: 1, interest: .readable)
        #expect(sendText(end.second, "x") == .bytes(1))
      }
      gate.release()
      try done.wait()
      loop.stop()
      replacements = loop.state.withLock { $0.threadCount }
      withExtendedLifetime(probes) {}
    }
    return (told.withLock { $0 }, replacements > 0)
  }

  @Test("deadlines come while a thread is away")
  func deadlinesGoOn() throws {
    try withLoop { loop in
      let released = try Signal()
      let rung = try Signal()
      let lending = lender(on: loop) { released.wasRaised() }
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
    let lending = lender(on: loop) { released.wasRaised() }
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

  /// A handler that lends at the first call with each key; the second one comes because it is looked after.
  private func lender(on loop: EventLoop, _ body: @escaping @Sendable () -> Void) -> Probe {
    let keys = LockedValue<Set<UInt16>>([])
    let key = LockedValue<UInt16>(0)
    return Probe(
      on: loop, onReadiness: { _, _, now in key.withLock { $0 = now } },
      onCall: { context in
        let now = key.withLock { $0 }
        if keys.withLock({ $0.insert(now).inserted }) { loop.lend(to: Group(), context) { _ in body() } }
      })
  }

  private func eventually(_ condition: () throws -> Bool) throws {
    let end = Instant.now().advanced(by: generousLimit)
    while try !condition() { try #require(Instant.now() < end, "never became true") }
  }
}

extension [Substring] {
  /// Without repetitions of what stands before.
  fileprivate func uniqued() -> [Substring] {
    indices.filter { $0 == startIndex || self[$0] != self[$0 - 1] }.map { self[$0] }
  }
}

/// A group that adds up what it is told.
private final class TimedGroup: LoanGroup {
  let total = LockedValue<Int64>(0)

  func mayBegin() -> Bool { true }

  func mayGoOn(after took: Int64) -> Bool {
    total.withLock { $0 += took }
    return true
  }
}

/// A group that takes one call at a time.
private final class TiredGroup: LoanGroup {
  func mayBegin() -> Bool { true }
  func mayGoOn(after took: Int64) -> Bool { false }
}
