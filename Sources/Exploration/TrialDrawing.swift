import FuzzPrograms
import ReferenceModel
import ScenarioModel

/// Draws the trials of an exploration.
///
/// Laws
/// - A trial depends on its number, the seed, the committed scenarios and the choice of classes and worlds; on nothing
///   that other trials came to.
/// - Every committed scenario that can be chosen is chosen once before any is chosen again.
/// - What is drawn can be written as a file that `check` accepts, or it is discarded.
package struct TrialDrawing: Sendable {
  /// What is explored.
  package struct Options: Hashable, Sendable {
    /// What everything is drawn from.
    package var seed: UInt64
    /// Which classes are judged; never empty.
    package var subjects: [SubjectKind]
    /// Where; never empty.
    package var worlds: Set<WorldName>
    /// Which kinds of trials; never empty.
    package var judgements: Set<ExploredTrial.Judgement>

    package init(
      seed: UInt64, subjects: [SubjectKind] = SubjectKind.allCases, worlds: Set<WorldName> = Set(WorldName.allCases),
      judgements: Set<ExploredTrial.Judgement> = Set(ExploredTrial.Judgement.allCases)
    ) {
      self.seed = seed
      self.subjects = subjects
      self.worlds = worlds
      self.judgements = judgements
    }
  }

  /// What a turn of the wheel draws.
  private enum Kind: Int, Hashable, Sendable {
    case drawn, retold, faithful, disturbed

    var judgement: ExploredTrial.Judgement {
      switch self {
      case .drawn, .retold: .model
      case .faithful: .expectations
      case .disturbed: .laws
      }
    }
  }

  private struct Slot: Hashable, Sendable {
    var kind: Kind
    var world: WorldName
  }

  /// Much where thousands fit into a second, and half of the real kernel's for what only it can show.
  private static let wheel: [Slot] =
    [(Kind.drawn, 3), (.retold, 3), (.faithful, 2), (.disturbed, 2)]
    .flatMap { kind, times in Array(repeating: Slot(kind: kind, world: .simulated), count: times) }
    + [(Kind.faithful, 4), (.drawn, 1)]
    .flatMap { kind, times in Array(repeating: Slot(kind: kind, world: .loopback), count: times) }

  /// What is explored.
  package let options: Options
  private let slots: [Slot]
  private let bases: [Slot: [ExplorationBase]]

  /// Canaries, which must fail, are no base.
  package init(_ all: [ExplorationBase], _ options: Options) {
    self.options = options
    let sound = all.filter { !$0.scenario.canary }
      .filter { base in base.scenario.subjectKinds.contains { options.subjects.contains($0) } }
    var bases: [Slot: [ExplorationBase]] = [:]
    for slot in Set(Self.wheel) {
      switch slot.kind {
      case .drawn: continue
      case .retold: bases[slot] = sound.filter { $0.program != nil }
      case .faithful: bases[slot] = sound.filter { $0.scenario.worlds.contains(slot.world) && $0.isQuick }
      case .disturbed:
        bases[slot] = sound.filter {
          $0.scenario.worlds.contains(slot.world) && $0.scenario.network == nil && $0.isQuick
        }
      }
    }
    self.bases = bases
    slots = Self.wheel.filter { slot in
      options.worlds.contains(slot.world) && options.judgements.contains(slot.kind.judgement)
        && bases[slot]?.isEmpty != true
    }
  }

  /// Whether there is anything to draw.
  package var isEmpty: Bool { slots.isEmpty }

  /// The trial of this number, from 0; nil: what was drawn is no valid scenario, or says nothing.
  package func trial(_ number: Int) -> ExploredTrial? {
    guard !slots.isEmpty else { return nil }
    let place = number % slots.count
    let slot = slots[place]
    // How many of the slot's trials come before this one.
    let turns = number / slots.count * slots.count { $0 == slot } + slots[..<place].count { $0 == slot }
    var random = SplitMix64(seed: SplitMix64.number(number, ofSeed: options.seed))
    switch slot.kind {
    case .drawn, .retold: return programTrial(number, slot, turns, &random)
    case .faithful, .disturbed: return scenarioTrial(number, slot, turns, &random)
    }
  }

  private func base(_ slot: Slot, turn: Int) -> ExplorationBase? {
    guard let bases = bases[slot], !bases.isEmpty else { return nil }
    let salt = UInt64(slot.kind.rawValue * 2 + (slot.world == .loopback ? 1 : 0))
    var random = SplitMix64(
      seed: SplitMix64.number(turn / bases.count, ofSeed: options.seed &+ salt &* 0x9E37_79B9))
    let order = bases.indices.shuffled(using: &random)
    return bases[order[turn % bases.count]]
  }

  // MARK: Programs

  private static let seedsOfAProgram = 4

  private func programTrial(
    _ number: Int, _ slot: Slot, _ turn: Int, _ random: inout SplitMix64
  ) -> ExploredTrial? {
    let hasClocks = slot.world == .simulated
    let subject = random.pick(options.subjects)
    var program: SocketProgram
    var changes: [ProgramChange] = []
    var origin = ExploredTrial.Origin.drawn
    if let base = slot.kind == .retold ? base(slot, turn: turn) : nil, let told = base.program {
      program = told
      program.livesOnRunLoop = subject == .runLoop
      origin = .program(of: base.scenario.id)
      changes = (0..<1 + random.below(4)).map { _ in ProgramChange.drawn(seed: random.next(), hasClocks: hasClocks) }
      for change in changes { change.apply(to: &program) }
    } else {
      var drawing = ProgramDrawing(seed: random.next())
      program = drawing.program(livesOnRunLoop: subject == .runLoop, hasClocks: hasClocks)
    }
    let setting = ProgramTrial.Setting.drawn(&random, world: slot.world, subject: subject)
    guard let scenario = ProgramTrial.scenario(program, id: "explore/\(number)", setting),
      scenario.variants.contains(setting.variant)
    else { return nil }
    let seeds = (0..<(hasClocks ? Self.seedsOfAProgram : 1)).map { _ in random.next() >> 33 }
    return ExploredTrial(
      number: number, origin: origin, judgement: .model, changes: .program(changes), scenario: scenario,
      points: seeds.map { .init(variant: setting.variant, world: slot.world, seed: $0) }, program: program)
  }

  // MARK: Scenarios

  private func scenarioTrial(
    _ number: Int, _ slot: Slot, _ turn: Int, _ random: inout SplitMix64
  ) -> ExploredTrial? {
    guard let base = base(slot, turn: turn) else { return nil }
    let isFaithful = slot.kind == .faithful
    let changes = drawChanges(of: base.scenario, isFaithful: isFaithful, &random)
    let made = Self.changed(base.scenario, by: changes, isFaithful: isFaithful, id: "explore/\(number)")
    guard let (scenario, effective) = made, !effective.isEmpty else { return nil }
    let points = points(of: scenario, slot, &random)
    guard !points.isEmpty else { return nil }
    return ExploredTrial(
      number: number, origin: .scenario(base.scenario.id), judgement: isFaithful ? .expectations : .laws,
      changes: .scenario(effective), scenario: scenario, points: points)
  }

  /// Changes that are tried, until enough of them fit the scenario.
  private static let maxTried = 8

  private func drawChanges(
    of scenario: Scenario, isFaithful: Bool, _ random: inout SplitMix64
  ) -> [ScenarioChange] {
    let wanted = 1 + random.below(3)
    var changes: [ScenarioChange] = []
    var changed = scenario
    for _ in 0..<Self.maxTried where changes.count < wanted {
      let change = ScenarioChange.drawn(seed: random.next(), isFaithful: isFaithful)
      guard let next = change.applied(to: changed) else { continue }
      changes.append(change)
      changed = next
    }
    return changes
  }

  /// The scenario with these changes, and those of them that changed something; nil: none did, or what comes of them
  /// can't be read.
  package static func changed(
    _ scenario: Scenario, by changes: [ScenarioChange], isFaithful: Bool, id: String
  ) -> (Scenario, [ScenarioChange])? {
    var changed = scenario
    var effective: [ScenarioChange] = []
    for change in changes {
      guard let next = change.applied(to: changed) else { continue }
      changed = next
      effective.append(change)
    }
    guard !effective.isEmpty || changes.isEmpty else { return nil }
    changed.id = id
    changed.control = nil
    changed.recordedForms = nil
    if !isFaithful { changed = changed.unjudged }
    guard let readable = ProgramTrial.readable(changed) else { return nil }
    return (readable, effective)
  }

  private func points(of scenario: Scenario, _ slot: Slot, _ random: inout SplitMix64) -> [ExploredTrial.Point] {
    // A shortcut of the socket's may be left out, and no law may break by it. What a scenario of one speed expects may
    // be what only that speed makes certain.
    let mayDiffer = slot.kind != .faithful || scenario.matrix.speeds != [.all]
    let other: Speed? = random.below(8) == 0 && mayDiffer ? random.pick(Speed.allCases) : nil
    let told = other.map { scenario.at($0) } ?? scenario
    let variants = told.variants.filter { options.subjects.contains($0.subject) }
    guard !variants.isEmpty else { return [] }
    let count = slot.world == .loopback ? (slot.kind == .faithful ? 2 : 1) : 4
    var points: [ExploredTrial.Point] = []
    for _ in 0..<count {
      let point = ExploredTrial.Point(
        variant: random.pick(variants), world: slot.world, seed: slot.world == .loopback ? 1 : random.next() >> 33)
      if !points.contains(point) { points.append(point) }
    }
    return points
  }
}

extension ExplorationBase {
  /// Longer ones would hold up all others.
  private static let longest = Duration.seconds(30)

  fileprivate var isQuick: Bool { scenario.limit <= Self.longest }
}

extension Scenario {
  /// The longest that a lane may wait in vain over the real kernel.
  private static let vainWait = Duration.seconds(1)

  /// Nothing is judged but what must hold in every case.
  var unjudged: Scenario {
    var unjudged = self
    unjudged.expectations = []
    (unjudged.ending, unjudged.endingPosition) = (nil, nil)
    if worlds.contains(.loopback) {
      unjudged.limit = min(limit, Self.vainWait)
      unjudged.settle = min(settle, unjudged.limit / 2)
    }
    for lane in subjects.indices {
      unjudged.subjects[lane].steps.removeAll { if case .check = $0.step { true } else { false } }
    }
    // What was disturbed need not bring the callback.
    for index in reactions.indices { unjudged.reactions[index].isOptional = true }
    return unjudged
  }
}
