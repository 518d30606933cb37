import Glibc
import SocketPOSIX
import Testing

@testable import SocketPOSIX

@Suite("Event loop: work that a call brings up", .serialized)
struct LentWorkTests {
  @Test("it is done on the loop's thread, in order, when the call is over, and work of one group in one loan")
  func order() throws {
    // What c brings up is done in b's loan, as it is of the same group.
    let expected = ["call", "enter a", "a", "c", "enter b", "b", "d"]
    // On a machine that is busy elsewhere the loop goes on without its thread.
    for _ in 0..<50 {
      let (told, isThreadReplaced) = try play()
      // The new thread makes the call once more.
      if isThreadReplaced { continue }
      if told == expected { return }
      #expect(told.contains("handed over") || told.contains("enter d"), "\(told)")
    }
    Issue.record("never \(expected)")
  }

  private func play() throws -> (told: [String], isThreadReplaced: Bool) {
    let (one, other) = (Group(), Group())
    let told = LockedValue<[String]>([])
    var replacements: UInt64 = 0
    let note: @Sendable (String) -> Void = { text in told.withLock { $0.append(text) } }
    try withLoop { loop in
      let done = try Signal()
      let work: @Sendable (String, Group, @escaping @Sendable () -> Void) -> TestWork = { name, group, body in
        let end: @Sendable () -> Void = { if name == "d" { done.raise() } }
        return TestWork(
          group, onEnter: { note("enter \(name)") },
          onHandOver: {
            note("handed over")
            body()
            end()
          }
        ) {
          note(loop.isCurrentThread ? name : "\(name) elsewhere")
          body()
          end()
        }
      }
      let probe = Probe(on: loop) { probe, _, _ in
        let last = work("d", other) {}
        #expect(probe.doNext(work("a", one) {}))
        #expect(probe.doNext(work("b", other) {}))
        #expect(probe.doNext(work("c", one) { if !probe.doNext(last) { last.handOver() } }))
        note("call")
      }
      probe.attachment?.requestWakeup(key: 0)
      try done.wait()
      try settle(loop)
      loop.stop()
      replacements = loop.state.withLock { $0.threadCount }
    }
    return (told.withLock { $0 }, replacements > 0)
  }

  @Test("another thread is not the loop's, and a stopped loop takes no work")
  func elsewhere() throws {
    let loop = EventLoop(name: "test-loop")
    let probe = Probe(on: loop)
    #expect(!probe.doNext(TestWork(Group()) {}))
    let refused = try Signal()
    let stopping = Probe(on: loop) { probe, _, _ in
      loop.stop()
      if !probe.doNext(TestWork(Group()) {}) { refused.raise() }
    }
    stopping.attachment?.requestWakeup(key: 0)
    try refused.wait()
  }

  @Test("a loop that is stopped hands over what it has not come to")
  func stop() throws {
    let loop = EventLoop(name: "test-loop")
    let handedOver = try Signal()
    let probe = Probe(on: loop) { probe, _, _ in
      #expect(probe.doNext(TestWork(Group(), onHandOver: { handedOver.raise() }) {}))
      loop.stop()
    }
    probe.attachment?.requestWakeup(key: 0)
    try handedOver.wait()
  }

  @Test("a group that may not be lent to has its work handed over")
  func busyGroup() throws {
    try withLoop { loop in
      let handedOver = try Signal()
      let probe = Probe(on: loop) { probe, _, _ in
        #expect(probe.doNext(TestWork(BusyGroup(), onHandOver: { handedOver.raise() }) { Issue.record("was lent") }))
      }
      probe.attachment?.requestWakeup(key: 0)
      try handedOver.wait()
    }
  }

  @Test("when work keeps the thread, what waits behind it is handed over, and its handler is called")
  func thread() throws {
    try withLoop { loop in
      let (handedOver, lookedAfter, released, tooLate) = try (Signal(), Signal(), Signal(), Signal())
      let probe = Probe(on: loop) { probe, _, key in
        guard key == 1 else { return lookedAfter.raise() }
        let keeping = TestWork(Group()) {
          released.wasRaised()
          if !probe.doNext(TestWork(Group()) {}) { tooLate.raise() }
        }
        #expect(probe.doNext(keeping, key: 7))
        #expect(probe.doNext(TestWork(Group(), onHandOver: { handedOver.raise() }) { Issue.record("was kept") }))
      }
      probe.attachment?.requestWakeup(key: 1)
      try handedOver.wait()
      try lookedAfter.wait()
      released.raise()
      try tooLate.wait()
      #expect(probe.calls.last == Probe.Call(readiness: [], key: 7))
    }
  }
}

extension Probe {
  fileprivate func doNext(_ work: TestWork, key: UInt16 = 3) -> Bool {
    attachment?.doNext(work, key: key) ?? false
  }
}

/// A group that its own thread serves.
private final class BusyGroup: LoanGroup {
  func mayBegin() -> Bool { false }
  func mayGoOn(after took: Int64) -> Bool { true }
}

private final class TestWork: LentWork {
  let group: any LoanGroup
  private let onEnter: @Sendable () -> Void
  private let onHandOver: @Sendable () -> Void
  private let body: @Sendable () -> Void

  init(
    _ group: any LoanGroup, onEnter: @escaping @Sendable () -> Void = {},
    onHandOver: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () -> Void
  ) {
    self.group = group
    self.onEnter = onEnter
    self.onHandOver = onHandOver
    self.body = body
  }

  func insideGroup(_ body: () -> Void) {
    onEnter()
    body()
  }

  func run() { body() }

  func handOver() { onHandOver() }
}
