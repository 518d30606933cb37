import ReferenceModel
import ScenarioModel

/// A trial: a generated scenario, its origin, and the oracle that judges it.
package struct ExploredTrial: Hashable, Sendable {
  /// The oracle.
  package enum Judgement: String, CaseIterable, Hashable, Sendable {
    /// The reference model: what it foretells of the program is what the scenario expects.
    case model
    /// The committed scenario, which was changed in nothing that it judges.
    case expectations
    /// Only what must hold in every case: invariants, calls that return, a process that lives.
    case laws
  }

  /// What it was made of.
  package enum Origin: Hashable, Sendable {
    /// A program drawn at random.
    case drawn
    /// The program that a committed scenario tells, by its id.
    case program(of: String)
    /// A committed scenario, by its id.
    case scenario(String)

    /// The committed scenario's id; nil: there is none.
    package var scenario: String? {
      switch self {
      case .drawn: nil
      case .program(let id), .scenario(let id): id
      }
    }
  }

  /// Where it is played: at which point of the matrix, in which world, with which seed.
  package struct Point: Hashable, Sendable {
    /// The point of the scenario's matrix.
    package var variant: Variant
    /// The world it is played in.
    package var world: WorldName
    /// What is random in the world is drawn from it.
    package var seed: UInt64

    package init(variant: Variant, world: WorldName, seed: UInt64) {
      self.variant = variant
      self.world = world
      self.seed = seed
    }
  }

  /// The changes, in the order in which they were made.
  package enum Changes: Hashable, Sendable {
    case program([ProgramChange])
    case scenario([ScenarioChange])

    /// Each in words.
    package var texts: [String] {
      switch self {
      case .program(let changes): changes.map(\.kind.rawValue)
      case .scenario(let changes): changes.map(\.kind.rawValue)
      }
    }
  }

  /// Its number in the exploration: with the seed it is the whole trial.
  package var number: Int
  /// What it was made of.
  package var origin: Origin
  /// The oracle.
  package var judgement: Judgement
  /// What was changed.
  package var changes: Changes
  /// What is played. It can be written as a file and read again.
  package var scenario: Scenario
  /// Where it is played.
  package var points: [Point]
  /// The program that the scenario tells; nil: it is none.
  package var program: SocketProgram?
}

/// A committed scenario that trials are made of.
package struct ExplorationBase: Hashable, Sendable {
  /// The scenario as it was committed.
  package var scenario: Scenario
  /// The program that it tells; nil: programs can't say it.
  package var program: SocketProgram?

  package init(scenario: Scenario, program: SocketProgram? = nil) {
    self.scenario = scenario
    self.program = program
  }
}
