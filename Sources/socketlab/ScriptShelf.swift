import ScenarioModel
import ScenarioRunner
import Synchronization

/// The scripts of the scenarios that are being run: each is made for the first of its cases and dropped after the last
/// one, because a script holds all bytes its lanes send.
final class ScriptShelf: Sendable {
  private struct Place {
    var script: CaseScript?
    var usesLeft: Int
  }

  private let scenarios: [Scenario]
  private let profile: Profile
  private let places: Mutex<[Int: Place]>

  /// `uses` names the scenario (its index) of every case that will ask.
  init(_ scenarios: [Scenario], profile: Profile, uses: [Int]) {
    self.scenarios = scenarios
    self.profile = profile
    places = Mutex(uses.reduce(into: [:]) { $0[$1, default: Place(usesLeft: 0)].usesLeft += 1 })
  }

  /// Lends the scenario's script to one of its cases.
  func with<Result>(_ scenario: Int, _ body: (CaseScript) -> Result) -> Result {
    defer { giveBack(scenario) }
    if let script = places.withLock({ $0[scenario]?.script }) { return body(script) }
    // Made outside the lock. Two threads may both make it; one of the two scripts stays.
    let script = CaseScript(scenarios[scenario], profile: profile)
    places.withLock { $0[scenario]?.script = script }
    return body(script)
  }

  private func giveBack(_ scenario: Int) {
    places.withLock { places in
      guard let place = places[scenario] else { return }
      places[scenario] = place.usesLeft > 1 ? Place(script: place.script, usesLeft: place.usesLeft - 1) : nil
    }
  }
}
