import FuzzHarness

/// What a campaign did with one target.
package struct CampaignTarget: Hashable, Sendable, Codable {
  /// The target's name in the catalogue.
  package var name: String
  /// What holds whatever the input, in one line.
  package var promise: String
  /// Requirements and laws that the target watches, sorted.
  package var invariants: [String] = []
  package var encodingVersion: Int
  /// Bytes of the longest input.
  package var maxLength: Int
  /// Executions a second: what must be reached, and what is asked for.
  package var floors: [LaneFloor]
  /// nil: the target has none.
  package var dictionary: DictionaryFact?
  /// The working corpus and the committed inputs together, when the campaign began; nil: not taken.
  package var corpusBefore: CorpusFact?
  /// The working corpus when the campaign had ended; nil: not taken.
  package var corpusAfter: CorpusFact?
  /// By lane, then by trial.
  package var runs: [FuzzRun] = []
  /// Short runs with inputs as the floors ask for, apart from the search; empty: the runs themselves stand for it.
  package var speeds: [LaneSpeed] = []
  /// From a replay of the corpus; nil: not taken.
  package var coverage: CoverageTable?
  /// Of the machine below the target; nil: it has none, or it was not taken.
  package var states: StateCoverage?
  /// Committed regressions and corpus through the body; nil: not replayed.
  package var replay: ReplayFact?
  /// Share of inputs whose features were the same on two replays, 0…1.
  package var stability: Double?

  /// What the catalogue says of the target, with nothing measured yet.
  package init(_ target: FuzzTarget, encodingVersion: Int = Int(FuzzInput.currentVersion)) {
    name = target.name
    promise = target.promise
    self.encodingVersion = encodingVersion
    maxLength = target.maxLength
    floors = FuzzTarget.Lane.allCases.compactMap { lane in
      target.floors[lane].map { LaneFloor(lane, $0, goal: target.goals[lane]) }
    }
  }

  /// Executions a second below which the gate fails; nil: the lane has no floor.
  package func floor(_ lane: FuzzTarget.Lane) -> Int? { floors.first { $0.lane == lane }?.executionsPerSecond }

  /// Executions a second that are asked for; nil: nothing beyond the floor.
  package func goal(_ lane: FuzzTarget.Lane) -> Int? { floors.first { $0.lane == lane }?.goal }

  /// Lanes that it ran in, in the catalogue's order.
  package var lanes: [FuzzTarget.Lane] {
    FuzzTarget.Lane.allCases.filter { lane in runs.contains { $0.lane == lane } }
  }
}

package struct LaneFloor: Hashable, Sendable, Codable {
  /// The lane that the floor is for.
  package var lane: FuzzTarget.Lane
  /// Below it the gate fails.
  package var executionsPerSecond: Int
  /// What is asked for; no gate. nil: the floor is all there is.
  package var goal: Int?

  package init(_ lane: FuzzTarget.Lane, _ executionsPerSecond: Int, goal: Int? = nil) {
    self.lane = lane
    self.executionsPerSecond = executionsPerSecond
    self.goal = goal
  }
}

/// Executions a second that were measured in a lane, one process at a time.
package struct LaneSpeed: Hashable, Sendable, Codable {
  /// The lane that was measured.
  package var lane: FuzzTarget.Lane
  /// Bytes of the longest input.
  package var maxLength: Int
  /// One per trial.
  package var rates: [Double]

  package init(_ lane: FuzzTarget.Lane, maxLength: Int, rates: [Double]) {
    self.lane = lane
    self.maxLength = maxLength
    self.rates = rates
  }
}

/// The dictionary of words that a target's inputs are made with.
package struct DictionaryFact: Hashable, Sendable, Codable {
  /// Relative to the checkout.
  package var path: String
  /// Hexadecimal, of the file.
  package var sha256: String

  package init(path: String, sha256: String) {
    self.path = path
    self.sha256 = sha256
  }
}

/// A folder of inputs.
package struct CorpusFact: Hashable, Sendable, Codable {
  /// How many inputs there are.
  package var files: Int
  /// The lengths of all inputs together.
  package var bytes: Int
  /// Over the sorted hashes of the files; nil: not taken.
  package var sha256: String?

  package init(files: Int, bytes: Int, sha256: String? = nil) {
    self.files = files
    self.bytes = bytes
    self.sha256 = sha256
  }
}

/// Inputs that must pass, run once.
package struct ReplayFact: Hashable, Sendable, Codable {
  /// How many were run.
  package var inputs: Int
  /// Those that did not pass; empty: all passed.
  package var failures: [ReplayFailure]

  package init(inputs: Int, failures: [ReplayFailure] = []) {
    self.inputs = inputs
    self.failures = failures
  }
}

/// An input whose replay went otherwise than it must.
package struct ReplayFailure: Hashable, Sendable, Codable {
  /// The input's file, relative to the checkout.
  package var path: String
  /// What went wrong, in words.
  package var message: String

  package init(path: String, message: String) {
    self.path = path
    self.message = message
  }
}
