import HostTools
import ScenarioModel
import ScenarioRunner

/// Whether programs are judged like the library that comes with the lab, case by case. For the same library behind the
/// protocol this proves that the protocol loses nothing.
package enum AgreementCheck {
  /// One case of two subjects.
  package struct Pair: Sendable {
    /// That of the library that comes with the lab.
    package var library: CaseResult
    /// That of the program.
    package var program: CaseResult

    package init(library: CaseResult, program: CaseResult) { (self.library, self.program) = (library, program) }

    /// Whether both are judged, and alike; false if either could not be judged.
    var agrees: Bool {
      library.verdict == program.verdict && library.verdict != .inconclusive && library.verdict != .error
    }
  }

  /// The number of differences above which they are not chance, and are not played again.
  package static let maxReplayed = 64
  /// How often a difference is looked at again.
  package static let rounds = 3

  /// The differences that remain when both subjects play their case again, alone. A pair that is judged alike once does
  /// not differ by its subjects. Cases that can't be played again remain.
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
  ///
  /// - Parameter stop: ends it early; the rest is left out, too.
  package func replay(_ results: [CaseResult], stop: StopFlag = StopFlag()) throws -> [CaseResult] {
    let places = Dictionary(scenarios.indices.map { (scenarios[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
    let cases = results.compactMap { result in
      places[result.scenario].map {
        PlannedCase(scenario: $0, variant: result.variant, world: result.world, seed: result.seed)
      }
    }
    return try played(cases, stop: stop)
  }
}
