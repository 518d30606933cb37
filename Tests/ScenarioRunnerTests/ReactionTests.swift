import ScenarioModel
import ScenarioRunner
import Testing

/// Reactions as the judge sees them: by what happens, whoever carries them out.
@Suite struct ReactionTests {
  private static let check = PropertyCheck(
    property: .isConnected, expected: .value(.flag(true)), position: line(32))

  /// The subject connects, and inside `didConnect` it keeps the callback busy, reads and checks.
  private static func reacting(_ edit: (inout Scenario) -> Void = { _ in }) -> Scenario {
    scenario([event(.didConnect, line: 11)]) {
      $0.subjects = [SubjectLane(name: "socket", steps: [step(connectCommand, line: 5)])]
      $0.reactions = [
        Reaction(
          pattern: pattern(.didConnect), socket: nil, times: 1,
          steps: [
            LocatedStep(.hold(.seconds(1)), at: line(30)), step(read(7), line: 31),
            LocatedStep(.check([check], socket: "socket"), at: line(32)),
          ], position: line(29))
      ]
      edit(&$0)
    }
  }

  /// A subject that carries out its reaction one second later: what it tells of it.
  private static func subject(_ told: [WorldEvent.Kind]) -> FakeWorld {
    var world = FakeWorld()
    world.onCommand = { command, _, at in
      guard case .connect = command else { return (.done, []) }
      let later = told.map { kind in
        let position = if case .command = kind { line(31) } else { line(32) }
        return WorldEvent(at: at + .seconds(1), kind: kind, position: position)
      }
      return (.done, [happens(connected, at: at)] + later)
    }
    return world
  }

  private static let called = WorldEvent.Kind.command(read(7), socket: "socket", result: .done, refusal: nil)

  private static func checked(_ flag: Bool) -> WorldEvent.Kind {
    .checked(check, socket: "socket", actual: .flag(flag))
  }

  private static func run(_ scenario: Scenario, in world: FakeWorld) -> CaseResult {
    var world = world
    return CaseRunner.run(
      scenario, variant: Variant(family: .ipv4, cut: .whole, queues: .separate), seed: 1, profile: .documented,
      in: &world, tolerance: Tolerance(early: .zero, late: .zero))
  }

  @Test(
    "a case is not over before its reactions are: the check behind a busy callback counts", arguments: [true, false])
  func caseWaits(flag: Bool) {
    let result = Self.run(Self.reacting(), in: Self.subject([Self.called, Self.checked(flag)]))
    #expect(result.verdict == (flag ? .passed : .failed))
    #expect(result.deviations.map(\.kind) == (flag ? [] : [.check]))
  }

  @Test("steps that a subject leaves out are missed", arguments: [0, 1])
  func leftOut(_ count: Int) {
    let result = Self.run(Self.reacting(), in: Self.subject([Self.called].prefix(count).map(\.self)))
    #expect(result.verdict == .timeout)
    #expect(result.deviations.map(\.position) == (31 + count...32).map(line))
    #expect(result.deviations.allSatisfy { $0.kind == .missing })
    #expect(result.deviations.first?.expected == "a reaction that has begun takes this step")
  }

  @Test("a reaction to a callback that never comes is a deviation, unless it is optional", arguments: [true, false])
  func neverRuns(isOptional: Bool) {
    let unused = Self.reacting {
      $0.reactions[0].pattern = pattern(.didWrite)
      $0.reactions[0].isOptional = isOptional
    }
    let result = Self.run(unused, in: Self.subject([]))
    #expect(result.verdict == (isOptional ? .passed : .timeout))
    #expect(result.deviations.map(\.position) == (isOptional ? [] : [line(29)]))
  }

  @Test("a case waits for the callback of a reaction that nothing else waits for")
  func comesLate() {
    var world = FakeWorld()
    world.onCommand = { _, _, at in
      let late = at + .seconds(3)
      return (
        .done, [happens(connected, at: late), WorldEvent(at: late, kind: Self.checked(true), position: line(32))]
      )
    }
    let late = Self.reacting {
      $0.expectations = []
      $0.reactions[0].steps.removeSubrange(..<2)
    }
    #expect(Self.run(late, in: world).verdict == .passed)
    #expect(Self.run(late, in: FakeWorld()).deviations.map(\.position) == [line(29)])
  }

  @Test("copies of a reaction are one, and are used up together", arguments: [nil, 7])
  func copies(origin: Int?) {
    let copied = Self.reacting {
      $0.reactions[0].origin = origin
      var other = $0.reactions[0]
      other.socket = "child"
      $0.reactions.append(other)
    }
    let verdict = Self.run(copied, in: Self.subject([Self.called, Self.checked(true)])).verdict
    #expect(verdict == (origin == nil ? .timeout : .passed))
    let book = ReactionBook(copied.reactions)
    #expect(!book.steps(for: delivered(connected)).isEmpty)
    #expect(book.steps(for: delivered(connected, on: "child")).isEmpty == (origin != nil))
  }

  @Test("a step before its callback is none of its reaction's")
  func tooEarly() {
    let scenario = Self.reacting { $0.reactions[0].steps = [step(read(7), line: 31)] }
    var world = FakeWorld()
    world.onCommand = { _, _, at in
      (.done, [WorldEvent(at: at, kind: Self.called, position: line(31)), happens(connected, at: at)])
    }
    #expect(!Self.run(scenario, in: world).isAsExpected)
  }

  @Test("what a reaction takes more often than its callback comes is nobody's", arguments: [1, 2])
  func surplus(_ count: Int) {
    let told = Array(repeating: Self.called, count: count) + [Self.checked(true)]
    let result = Self.run(Self.reacting(), in: Self.subject(told))
    #expect(result.verdict == (count == 1 ? .passed : .failed))
    #expect(result.deviations.map(\.kind) == (count == 1 ? [] : [.unexpected]))
    #expect(result.deviations.map(\.position) == (count == 1 ? [] : [line(31)]))
  }

  @Test("what went wrong before is not said again by the reactions it kept from running")
  func consequence() {
    let unused = Self.reacting {
      $0.expectations.append(event(.didWrite, line: 12))
      $0.reactions[0].pattern = pattern(.didWrite)
    }
    let result = Self.run(unused, in: Self.subject([]))
    #expect(result.deviations.map(\.position) == [line(12)])
  }

  @Test("of a canary nothing is said but what it expects")
  func canary() {
    let unused = Self.reacting {
      $0.canary = true
      $0.reactions[0].pattern = pattern(.didWrite)
    }
    #expect(Self.run(unused, in: Self.subject([])).deviations == [])
  }

  @Test("a step that is repeated is waited for each time")
  func repeated() {
    let scenario = Self.reacting {
      let again = SubjectStep.repeated(times: 3, steps: [step(read(7), line: 31)])
      $0.reactions[0].steps = [LocatedStep(again, at: line(30))]
    }
    for count in 0...3 {
      let result = Self.run(scenario, in: Self.subject(Array(repeating: Self.called, count: count)))
      #expect(result.verdict == (count == 3 ? .passed : .timeout), "\(count)")
    }
  }
}
