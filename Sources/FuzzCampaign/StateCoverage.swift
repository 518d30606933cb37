/// Which states of a machine were reached, and by which transitions: what edges of the code don't tell.
///
/// A replay of the corpus through a recorder prints one line for each transition, `STATE <from> <event> <to> <count>`,
/// in any order; lines with the same three names add up. A count of 0 says that the machine has the transition and
/// the corpus does not take it. Names hold no white space. Other lines are none of ours.
package struct StateCoverage: Hashable, Sendable, Codable {
  /// Sorted by their names.
  package private(set) var transitions: [Transition] = []
  /// States that are known without a transition; nil: none but those of the transitions.
  package private(set) var known: [String]?

  /// How often an event led from one state to another.
  package struct Transition: Hashable, Sendable, Codable {
    /// The state's name; without white space, like the other two.
    package var from: String
    /// What made the machine change.
    package var event: String
    /// The state after the event, which may be the same.
    package var to: String
    /// How often it was taken; 0: the machine has it, and the corpus does not take it.
    package var count: Int

    package init(from: String, event: String, to: String, count: Int) {
      self.from = from
      self.event = event
      self.to = to
      self.count = count
    }

    /// The text form, without an end of line.
    package var line: String { "STATE \(from) \(event) \(to) \(count)" }
  }

  package init() {}

  /// Adds up transitions of the same three names, and sorts them.
  package init(_ transitions: some Sequence<Transition>, known: [String]? = nil) {
    self.known = known
    for transition in transitions { add(transition) }
  }

  /// Adds the count to the transition of the same three names, or puts a new one in its place; stops at `Int.max`.
  package mutating func add(_ transition: Transition) {
    let name = Self.name(transition)
    let place = transitions.firstIndex { !Self.name($0).lexicographicallyPrecedes(name) } ?? transitions.count
    if place < transitions.count, Self.name(transitions[place]) == name {
      transitions[place].count = Self.sum(transitions[place].count, transition.count)
    } else {
      transitions.insert(transition, at: place)
    }
  }

  /// Adds the other's counts; known states are those of either.
  package mutating func merge(_ other: StateCoverage) {
    if let more = other.known { known = Set((known ?? []) + more).sorted() }
    for transition in other.transitions { add(transition) }
  }

  private static func name(_ transition: Transition) -> [String] { [transition.from, transition.event, transition.to] }

  private static func sum(_ one: Int, _ other: Int) -> Int {
    let (sum, overflows) = one.addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}

extension StateCoverage {
  /// All that are named.
  package var states: [String] { Set(transitions.flatMap { [$0.from, $0.to] } + (known ?? [])).sorted() }
  /// States at either end of a transition that was taken, sorted.
  package var reached: [String] { Set(taken.flatMap { [$0.from, $0.to] }).sorted() }
  /// Transitions that were taken at least once.
  package var taken: [Transition] { transitions.filter { $0.count > 0 } }
  /// Transitions that the machine has and the corpus does not take.
  package var untaken: [Transition] { transitions.filter { $0.count == 0 } }

  /// Reached, could be left, and were not.
  package var neverLeft: [String] {
    let left = Set(taken.filter { $0.from != $0.to }.map(\.from))
    let leavable = Set(transitions.filter { $0.from != $0.to }.map(\.from))
    return reached.filter { leavable.contains($0) && !left.contains($0) }
  }

  /// How often a state was entered, staying included.
  package func entries(of state: String) -> Int {
    taken.filter { $0.to == state }.reduce(0) { Self.sum($0, $1.count) }
  }

  /// The text form.
  package var lines: [String] { transitions.map(\.line) }

  /// Reads the text form.
  package static func parse(_ lines: some Sequence<some StringProtocol>) throws(StateCoverageFailure) -> StateCoverage {
    var coverage = StateCoverage()
    for line in lines {
      let words = String(line).split { $0.isWhitespace }.map(String.init)
      guard words.first == "STATE" else { continue }
      guard words.count == 5, let count = Int(words[4]), count >= 0 else {
        throw StateCoverageFailure(line: String(line.prefix(200)))
      }
      coverage.add(Transition(from: words[1], event: words[2], to: words[3], count: count))
    }
    return coverage
  }
}

/// A line that begins as a transition and is none.
package struct StateCoverageFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, at most 200 characters of it.
  package var line: String

  package var description: String { "no transition (STATE from event to count): \(line.debugDescription)" }
}
