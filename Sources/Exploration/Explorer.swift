import CaseReduction
import ScenarioModel

/// Goes through the trials of an exploration, one round after the other.
///
/// Law: which trials a round has, and in what order its findings come, depends on nothing but their numbers.
package struct Explorer {
  /// A case that shows something wrong.
  package struct Sighting: Hashable, Sendable {
    /// The trial that it is of.
    package var trial: ExploredTrial
    /// Where it was played.
    package var point: ExploredTrial.Point
    /// What it came to, with nothing in it but what the judgement covers.
    package var result: CaseResult
    /// What makes two of them the same finding.
    package var subject: String
  }

  /// Plays cases; nil for one that was not played.
  package typealias Play = ([(scenario: Scenario, point: ExploredTrial.Point)]) throws -> [CaseResult?]

  /// What draws the trials.
  package let drawing: TrialDrawing
  /// What has been explored so far.
  package private(set) var tally = ExplorationTally()
  /// The number of the next trial.
  package private(set) var next = 0
  private let play: Play

  package init(_ drawing: TrialDrawing, play: @escaping Play) {
    self.drawing = drawing
    self.play = play
  }

  /// Plays `count` more trials. The sightings come in the order of their trials.
  package mutating func round(of count: Int) throws -> [Sighting] {
    let numbers = next..<next + count
    next += count
    let drawn = numbers.map { drawing.trial($0) }
    for trial in drawn where trial == nil { tally.discard() }
    let trials = drawn.compactMap(\.self)
    let results = try play(trials.flatMap { trial in trial.points.map { (trial.scenario, $0) } })
    var rest = results[...]
    var sightings: [Sighting] = []
    for trial in trials {
      let own = Array(rest.prefix(trial.points.count))
      rest = rest.dropFirst(trial.points.count)
      tally.count(trial, own)
      for (point, result) in zip(trial.points, own) {
        guard let result, TrialJudge.finding(result, by: trial.judgement) != nil else { continue }
        sightings.append(
          Sighting(
            trial: trial, point: point, result: TrialJudge.judged(result, by: trial.judgement),
            subject: TrialJudge.subject(result, of: trial)))
      }
    }
    return sightings
  }

  /// Counts a sighting that did not show again.
  package mutating func countUnconfirmed() { tally.unconfirmed += 1 }
}
