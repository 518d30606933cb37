import ScenarioModel
import ScenarioYAML

/// A candidate of a reduction: a scenario at one point of its matrix with one seed.
package struct ReductionTrial: Hashable, Sendable {
  /// What is played.
  package var scenario: Scenario
  /// At which point of the matrix.
  package var variant: Variant
  /// With which seed.
  package var seed: UInt64

  package init(scenario: Scenario, variant: Variant, seed: UInt64) {
    self.scenario = scenario
    self.variant = variant
    self.seed = seed
  }

  /// Whether it can be written as a file and read again.
  var isReadable: Bool {
    ScenarioReader.read(ScenarioWriter.yaml(scenario), id: scenario.id).scenario != nil
  }

  /// The same for the library that comes with the lab; nil: it has no such variant.
  package var ofLibrary: ReductionTrial? {
    scenario.libraryVariant(of: variant).map { ReductionTrial(scenario: scenario, variant: $0, seed: seed) }
  }

  /// How large it is.
  package var size: ReductionSize { ReductionSize(scenario) }
}

extension ReductionTrial {
  /// The same at one point of the matrix, which is all of the matrix then; nil: the scenario has no such variant.
  func alone(at variant: Variant) -> ReductionTrial? {
    var alone = self
    alone.variant = variant
    // A program is played at what is any class's.
    let isNarrowed = scenario.matrix.subjects != nil && variant.program == nil
    alone.scenario.matrix = Matrix(
      subjects: isNarrowed ? [variant.subject] : scenario.matrix.subjects, families: [variant.family],
      segmentations: [variant.cut.segmentation], queues: [variant.queues], securities: [variant.security],
      speeds: [variant.speed])
    return alone.scenario.libraryVariant(of: variant).map { alone.scenario.variants.contains($0) } == true ? alone : nil
  }
}

extension Variant.Cut {
  fileprivate var segmentation: Segmentation {
    switch self {
    case .whole: .whole
    case .bytes: .bytes
    case .split: .everySplit
    case .random: .random
    }
  }
}

/// How large a scenario is, for people.
package struct ReductionSize: Hashable, Sendable {
  /// In the lanes of peers and calls and in reactions.
  package var steps: Int
  /// At the top of `expect`.
  package var expectations: Int
  /// What peers send and calls write.
  package var bytes: Int
  /// What is drawn of the schedule; nil: all of it.
  package var draws: Int?

  init(_ scenario: Scenario) {
    let flat = scenario.flattened
    steps = flat.peers.reduce(0) { $0 + $1.steps.count } + flat.subjects.reduce(0) { $0 + $1.steps.count }
    steps += flat.reactions.reduce(0) { $0 + $1.steps.count }
    expectations = flat.expectations.count
    bytes = flat.peers.reduce(0) { $0 + $1.steps.reduce(0) { $0 + ($1.value.byteCount(isSent: true) ?? 0) } }
    for step in flat.subjects.flatMap(\.steps) + flat.reactions.flatMap(\.steps) {
      if case .command(.write(let write), _, _) = step.step { bytes += write.payload.count }
    }
    draws = scenario.schedule?.draws?.count
  }

  /// `6 steps, 2 expectations, 12 bytes, a quiet schedule`
  package var text: String {
    let schedule =
      switch draws {
      case nil: ""
      case 0?: ", a quiet schedule"
      case let count?: ", \(QuantityText.count(count, "draw"))"
      }
    return QuantityText.count(steps, "step") + ", " + QuantityText.count(expectations, "expectation") + ", "
      + QuantityText.count(bytes, "byte") + schedule
  }
}
