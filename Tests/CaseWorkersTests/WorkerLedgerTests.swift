import CaseWorkers
import Glibc
import ScenarioModel
import Testing

@Suite struct WorkerLedgerTests {
  private let start = ContinuousClock.now

  @Test func theFirstOnesAreUnderWay() {
    var ledger = WorkerLedger<String>(width: 2)
    for number in 0..<4 { ledger.add(number, "\(number)", at: start) }
    #expect(ledger.begun.map(\.number) == [0, 1])
    #expect(ledger.waiting.map(\.number) == [2, 3])
    #expect(ledger.answer(1, at: start + .seconds(1)) == "1")
    #expect(ledger.begun.map(\.number) == [0, 2])
    #expect(ledger.begun.map(\.since) == [start, start + .seconds(1)])
    #expect(ledger.answer(1, at: start) == nil)
    #expect(ledger.answer(7, at: start) == nil)
  }

  @Test func timeRunsOnlyForWhatHasBegun() {
    var ledger = WorkerLedger<Int>(width: 1)
    ledger.add(0, 3, at: start)
    ledger.add(1, 1, at: start)
    let allowed: (Int) -> Duration = { .seconds($0) }
    #expect(ledger.nextDeadline(allowing: allowed) == start + .seconds(3))
    #expect(ledger.overdue(at: start + .seconds(2), allowing: allowed).isEmpty)
    #expect(ledger.overdue(at: start + .seconds(3), allowing: allowed).map(\.number) == [0])
    _ = ledger.answer(0, at: start + .seconds(3))
    #expect(ledger.nextDeadline(allowing: allowed) == start + .seconds(4))
    _ = ledger.answer(1, at: start + .seconds(4))
    #expect(ledger.nextDeadline(allowing: allowed) == nil)
  }
}

@Suite struct NarrowingTests {
  /// Whatever the culprits are, the first ones are found, each alone.
  @Test(arguments: [[0], [99], [0, 99], [49, 50], [3, 4, 5], Array(0..<100)]) func culpritsAreFound(_ culprits: [Int]) {
    var trials = 0
    let parts = Narrowing.parts(of: Array(0..<100), most: 3) { part in
      trials += 1
      return part.contains { culprits.contains($0) }
    }
    #expect(parts == culprits.prefix(3).map { [$0] })
    #expect(trials <= 3 * 2 * 7)
  }

  @Test func whatTakesTwoIsToldAsTheSmallestPartThatShowsIt() {
    let parts = Narrowing.parts(of: Array(0..<16), most: 3) { $0.contains(5) && $0.contains(6) }
    #expect(parts == [Array(4..<8)])
  }

  @Test func anErrorEndsTheSearch() {
    struct Broken: Error {}
    #expect(throws: Broken.self) {
      try Narrowing.parts(of: [1, 2, 3], most: 1) { _ throws(Broken) in throw Broken() }
    }
  }
}

@Suite struct ResourceBoundsTests {
  private let before = ResourceReading(
    descriptors: ["0 /dev/null", "3 socket:[1]"], threads: ["exe": 9], memory: 1 << 20)

  private func after(_ change: (inout ResourceReading) -> Void) -> ResourceReading {
    var reading = before
    reading.idleTime = .milliseconds(30)
    change(&reading)
    return reading
  }

  @Test func whatIsHeldIsNamed() {
    let reading = after { $0.descriptors.append("9 socket:[44]") }
    #expect(ResourceBounds.suspicions(before: before, after: reading, cases: 100) == [.descriptors])
    #expect(ResourceBounds.certain(before: before, after: reading, cases: 1) == [.descriptors])
    let words = ResourceBounds.words(.descriptors, before: before, after: reading, cases: 1)
    #expect(words.actual == "1 more: 9 socket:[44]")
  }

  @Test func anEventLoopThatIsMadeOnFirstUseIsNoLeak() {
    let reading = after { $0.descriptors += ["4 anon_inode:[eventpoll]", "5 anon_inode:[eventfd]"] }
    #expect(ResourceBounds.suspicions(before: before, after: reading, cases: 100).isEmpty)
    #expect(ResourceBounds.certain(before: before, after: reading, cases: 100) == [.descriptors])
  }

  /// As it was read of a worker that had played scenarios of both classes, one with a loop that sleeps among them.
  @Test func loopsOfEveryKindAreNoLeakTogether() {
    let loops = ["eventpoll", "eventfd"].flatMap { [String](repeating: $0, count: 4) } + ["timerfd", "timerfd"]
    let reading = after { reading in
      for (number, kind) in loops.enumerated() { reading.descriptors.append("\(number + 20) anon_inode:[\(kind)]") }
    }
    #expect(ResourceBounds.suspicions(before: before, after: reading, cases: 1).isEmpty)
    let leaking = after { reading in
      for number in 20..<50 { reading.descriptors.append("\(number) anon_inode:[eventfd]") }
    }
    #expect(ResourceBounds.suspicions(before: before, after: leaking, cases: 1) == [.descriptors])
  }

  /// What a program had early on, whether it had played then, what it has now, and whether that looks like too much.
  @Test(
    arguments: [
      (["socket", "pipe"], false, ["socket", "pipe"], false),
      (["socket"], false, ["socket", "socket", "socket"], false),
      (["socket"], false, ["socket", "socket", "socket", "socket"], true),
      ([], false, ["socket", "socket", "socket"], true),
      (["socket"], true, ["socket"], false),
      (["socket"], true, ["socket", "socket"], true),
      (["pipe"], true, ["pipe"] + [String](repeating: "anon_inode", count: 12), false),
      (["pipe"], true, ["pipe"] + [String](repeating: "anon_inode", count: 13), true),
      (["pipe"], false, ["pipe"] + [String](repeating: "anon_inode", count: 13), true),
      (["socket", "socket", "socket", "socket"], true, ["socket"], false),
    ] as [([String], Bool, [String], Bool)])
  func aProgramsDescriptorsAreSuspiciousBeyondWhatItsLoopNeeds(
    early: [String], isWarm: Bool, now: [String], isMuch: Bool
  ) {
    func told(_ kinds: [String]) -> [String] { kinds.enumerated().map { "7/\($0) \($1):[\($0)]" } }
    let reading = after {
      $0.programs = [
        ProgramHoldings(name: "mine", process: 7, descriptors: told(now), early: told(early), isWarm: isWarm)
      ]
    }
    #expect(ResourceBounds.suspicions(before: before, after: reading, cases: 9) == (isMuch ? [.program] : []))
    #expect(ResourceBounds.certain(before: before, after: reading, cases: 9).isEmpty, "it was not there before")
  }

  @Test func aProgramThatHoldsMoreThanBeforeIsNamed() {
    func reading(_ held: [Int32: [String]]) -> ResourceReading {
      after { reading in
        reading.programs = held.sorted { $0.key < $1.key }.map {
          ProgramHoldings(name: "mine", process: $0, descriptors: $1, early: [], isWarm: true)
        }
      }
    }
    let former = reading([7: ["7/3 socket:[1]"], 8: ["8/3 socket:[2]", "8/4 socket:[3]"]])
    let same = reading([7: ["7/3 socket:[9]"], 8: ["8/3 socket:[2]"], 9: ["9/3 socket:[8]", "9/4 socket:[7]"]])
    #expect(ResourceBounds.certain(before: former, after: same, cases: 1).isEmpty)
    let more = reading([7: ["7/3 socket:[1]", "7/4 socket:[5]"], 8: ["8/3 socket:[2]"]])
    #expect(ResourceBounds.certain(before: former, after: more, cases: 1) == [.program])
    #expect(ResourceBounds.suspicions(before: former, after: more, cases: 1) == [.program])
    let words = ResourceBounds.words(.program, before: former, after: more, cases: 2)
    #expect(words.actual == "mine 1 more: 7/4 socket:[5]")
    #expect(words.expected == "no descriptor more in the subject's process after 2 cases than before")
  }

  @Test func programsAreWaitedForUntilTheyHoldNoMore() {
    var reads = 0
    func program(_ count: Int) -> ProgramHoldings {
      ProgramHoldings(
        name: "mine", process: 7, descriptors: (0..<count).map { "7/\($0) socket:[\($0)]" }, early: [], isWarm: false)
    }
    let settled = ResourceProbe.settledPrograms(before, settleTimeout: .seconds(60)) {
      reads += 1
      return [program(reads < 4 ? 9 : 2)]
    }
    #expect(reads == 4 && settled == [program(2)])
    let leaking = ResourceProbe.settledPrograms(before, settleTimeout: .milliseconds(20)) { [program(9)] }
    #expect(leaking == [program(9)])
  }

  @Test func threadsOfTheSystemsPoolAreNotCounted() {
    let pool = after { $0.threads["-qos.overcommit"] = 60 }
    #expect(ResourceBounds.certain(before: before, after: pool, cases: 1).isEmpty)
    let resolvers = after { $0.threads["socket-resolver"] = 9 }
    #expect(ResourceBounds.suspicions(before: before, after: resolvers, cases: 1) == [.threads])
    let words = ResourceBounds.words(.threads, before: before, after: resolvers, cases: 1)
    #expect(words.actual == "9 more: 9 of socket-resolver")
  }

  @Test func cachesMayFillOnce() {
    let reading = after { $0.memory += 10 << 20 }
    #expect(ResourceBounds.suspicions(before: before, after: reading, cases: 100).isEmpty)
    #expect(ResourceBounds.certain(before: before, after: reading, cases: 100) == [.memory])
    #expect(ResourceBounds.certain(before: before, after: reading, cases: 100_000).isEmpty)
  }

  @Test func whoIsAskedNothingDoesNothing() {
    let busy = after { $0.idleProcessorTime = .milliseconds(20) }
    #expect(ResourceBounds.suspicions(before: before, after: busy, cases: 1) == [.processor])
    #expect(ResourceBounds.certain(before: before, after: after { _ in }, cases: 1).isEmpty)
  }
}

@Suite struct ProcessActivityTests {
  @Test func whoRunsIsAtWork() {
    // This very thread runs while it looks.
    #expect(ProcessActivity.of(getpid()).isRunnable)
    // The system counts in ticks: work until there must have been some.
    let begin = clock()
    while clock() - begin < 5 * CLOCKS_PER_SEC / sysconf(Int32(_SC_CLK_TCK)) {}
    #expect(ProcessActivity.of(getpid()).processorTime > .zero)
  }

  @Test func whoIsGoneIsNot() {
    let activity = ProcessActivity.of(-1)
    #expect(!activity.isRunnable)
    #expect(activity.processorTime == .zero)
  }

  @Test func whoSleepsIsNot() throws {
    var child: pid_t = 0
    let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
    defer { for word in words { free(word) } }
    #expect(posix_spawnp(&child, "sleep", nil, nil, words, environ) == 0)
    defer {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    // It starts as a process that runs.
    for _ in 0..<5_000 where ProcessActivity.of(child).isRunnable { usleep(1_000) }
    #expect(!ProcessActivity.of(child).isRunnable)
  }
}
