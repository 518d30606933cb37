import ScenarioModel
import ScenarioRunner

/// Whether programs are judged as the library that comes with the lab is, case by case: what is proved of the protocol
/// that way is that nothing gets lost in it.
package enum AgreementCheck {
  /// One case of two subjects.
  package struct Pair: Sendable {
    /// That of the library that comes with the lab.
    package var library: CaseResult
    /// That of the program.
    package var program: CaseResult

    package init(library: CaseResult, program: CaseResult) { (self.library, self.program) = (library, program) }

    /// Both are judged, and alike. What could not be judged says nothing.
    var agrees: Bool {
      library.verdict == program.verdict && library.verdict != .inconclusive && library.verdict != .error
    }
  }

  /// More than these are no matter of chance, and to play them again would take long.
  package static let maxReplayed = 64
  /// How often a difference is looked at again.
  package static let rounds = 3

  /// What stays of differences when both subjects play their case again, alone. Where they are judged alike once, it
  /// was not the subject that made the difference. What can't be played again stays.
  ///
  /// - Parameter replay: plays cases again, one at a time, and returns what came of each.
  package static func lasting(
    _ pairs: [Pair], rounds: Int = rounds, replay: ([CaseResult]) throws -> [CaseResult]
  ) rethrows -> [Pair] {
    var left = Array(pairs.prefix(maxReplayed))
    for _ in 0..<rounds where !left.isEmpty {
      let results = try replay(left.flatMap { [$0.library, $0.program] })
      func again(_ result: CaseResult) -> CaseResult? {
        results.first { $0.name == result.name && $0.seed == result.seed }
      }
      left = left.compactMap { pair in
        guard let library = again(pair.library), let program = again(pair.program) else { return pair }
        let seen = Pair(library: library, program: program)
        return seen.agrees ? nil : seen
      }
    }
    return left + pairs.dropFirst(maxReplayed)
  }
}

extension SuiteRun {
  /// Plays cases of this run again, one at a time; what is no case of it is left out.
  package func replay(_ results: [CaseResult]) throws -> [CaseResult] {
    let places = Dictionary(scenarios.indices.map { (scenarios[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
    let cases = results.compactMap { result in
      places[result.scenario].map {
        PlannedCase(scenario: $0, variant: result.variant, world: result.world, seed: result.seed)
      }
    }
    return try played(cases)
  }
}
