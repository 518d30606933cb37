import ScenarioModel
import ScriptedPeer

/// The disputed behaviours of one scenario: every `oneOf` with an alternative that is tolerated, not wished for.
///
/// Whichever alternative comes, the case may pass. An alternative that is not on record is an undecided change of
/// behaviour, and the case fails until the record is made anew. Only the documented profile has a record.
struct Disputes: Sendable {
  struct Dispute: Sendable {
    /// In file order, from 1.
    var number: Int
    /// Of each alternative, in words.
    var alternatives: [String]
    var isTolerated: [Bool]
    var position: SourcePosition
  }

  private(set) var disputes: [Dispute] = []
  private let recorded: RecordedForms?

  init(in scenario: Scenario, profile: Profile) {
    recorded = profile == .documented ? scenario.recordedForms : nil
    var count = 0
    collect(scenario.expectations, profile: profile, &count)
  }

  /// In the order in which alternatives are chosen by number.
  private mutating func collect(_ expectations: [Expectation], profile: Profile, _ count: inout Int) {
    for expectation in expectations {
      switch expectation {
      case .event, .stream, .nothing: continue
      case .anyOrder(let items, _): collect(items, profile: profile, &count)
      case .oneOf(let alternatives, let position):
        count += 1
        let isOpen = alternatives.filter { $0.profile == nil || $0.profile == profile }
        if isOpen.contains(where: { $0.grade == .nonStrict }) {
          disputes.append(
            Dispute(
              number: count, alternatives: alternatives.map(ExpectationText.text),
              isTolerated: alternatives.map { $0.grade == .nonStrict }, position: position))
        }
        for alternative in alternatives { collect(alternative.expectations, profile: profile, &count) }
      }
    }
  }

  /// Where the case took another form than the one on record; nothing where none is.
  func changes(in result: CaseResult) -> [Deviation] {
    // What is on record is what the library that comes with the lab does.
    guard let recorded, result.variant.program == nil else { return [] }
    return disputes.compactMap { dispute in
      let place = RecordedForms.Place(oneOf: dispute.number, world: result.world)
      guard let known = recorded.alternatives[place], result.forms.indices.contains(dispute.number - 1) else {
        return nil
      }
      let form = result.forms[dispute.number - 1]
      guard form > 0, !known.contains(form) else { return nil }
      return Deviation(
        kind: .disputed,
        expected: "the form that is on record: " + known.sorted().map { dispute.text($0) }.joined(separator: ", or "),
        actual: "\(dispute.text(form)). If that is meant, `socketlab disputes --record` puts it on record",
        position: dispute.position)
    }
  }
}

extension Disputes.Dispute {
  /// `alternative 2, tolerated: didSecure, then didDisconnect { error: none }`.
  func text(_ form: Int) -> String {
    guard alternatives.indices.contains(form - 1) else { return "alternative \(form)" }
    return "alternative \(form)\(isTolerated[form - 1] ? ", tolerated" : ""): \(alternatives[form - 1])"
  }
}

/// The record of all scenarios: one line for each disputed `oneOf` and world, in the order of scenarios' ids.
///
/// ```
/// tls/certificates/disputed#wildcard-top-level 1 simulated 1  # didDisconnect { error: errSSLHostNameMismatch }
/// reset/unread-bytes-before-a-reset-are-delivered-whole-or-not-at-all 1 loopback either 1 2
/// ```
package struct DisputeRecord: Sendable {
  /// By scenario.
  package private(set) var forms: [String: RecordedForms] = [:]

  package init() {}

  /// Reads the file's text. The error says what is wrong, and in which line.
  package init(text: String) throws(LabFailure) {
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      // Ids of cases have a # inside; a comment begins with one.
      let words = line.split(separator: " ").prefix { !$0.hasPrefix("#") }
      guard !words.isEmpty else { continue }
      let alternatives = words.dropFirst(words.count > 3 && words[3] == "either" ? 4 : 3).map { Int($0) ?? 0 }
      guard words.count > 3, let oneOf = Int(words[1]), oneOf > 0, let world = WorldName(rawValue: String(words[2])),
        !alternatives.isEmpty, alternatives.allSatisfy({ $0 > 0 })
      else {
        throw LabFailure("line \(number + 1) is not `SCENARIO NUMBER WORLD ALTERNATIVE`, or `… WORLD either 1 2`")
      }
      let place = RecordedForms.Place(oneOf: oneOf, world: world)
      forms[String(words[0]), default: RecordedForms()].alternatives[place] = Set(alternatives)
    }
  }

  /// Notes what a case that passed has shown.
  package mutating func add(_ result: CaseResult, of scenario: Scenario) {
    guard result.verdict == .passed || result.verdict == .passedNonStrict else { return }
    for dispute in Disputes(in: scenario, profile: .documented).disputes {
      guard result.forms.indices.contains(dispute.number - 1), result.forms[dispute.number - 1] > 0 else { continue }
      let place = RecordedForms.Place(oneOf: dispute.number, world: result.world)
      forms[scenario.id, default: RecordedForms()].alternatives[place, default: []].insert(
        result.forms[dispute.number - 1])
    }
  }

  /// A place with several alternatives on record keeps them unless another one came: a race does not show all its
  /// outcomes in every run.
  package mutating func keepRaces(of former: DisputeRecord) {
    for (scenario, forms) in former.forms {
      for (place, alternatives) in forms.alternatives where alternatives.count > 1 {
        guard let seen = self.forms[scenario]?.alternatives[place], seen.isSubset(of: alternatives) else { continue }
        self.forms[scenario]?.alternatives[place] = alternatives
      }
    }
  }

  /// The file's text, with the alternatives in words.
  package func text(_ scenarios: [Scenario]) -> String {
    var lines = [
      "# Where a scenario tolerates more than it wishes for: the alternative that the reference takes, by scenario,",
      "# number of the oneOf, and world. Another one fails the case. Made by `socketlab disputes --record`.",
    ]
    for scenario in scenarios.sorted(by: { $0.id < $1.id }) {
      for dispute in Disputes(in: scenario, profile: .documented).disputes {
        for world in WorldName.allCases {
          let place = RecordedForms.Place(oneOf: dispute.number, world: world)
          guard let known = forms[scenario.id]?.alternatives[place]?.sorted(), let first = known.first else { continue }
          let line = "\(scenario.id) \(dispute.number) \(world.rawValue) "
          let only = dispute.alternatives.indices.contains(first - 1) ? dispute.alternatives[first - 1] : "gone"
          let several = "either " + known.map(String.init).joined(separator: " ")
          lines.append(line + (known.count == 1 ? "\(first)  # \(only)" : several))
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Scenarios with disputes, and the worlds in which they should be on record and are not; the file's order.
  package func missing(_ scenarios: [Scenario]) -> [String] {
    scenarios.sorted { $0.id < $1.id }.flatMap { scenario in
      Disputes(in: scenario, profile: .documented).disputes.flatMap { dispute in
        WorldName.allCases.filter(scenario.worlds.contains).compactMap { world in
          let place = RecordedForms.Place(oneOf: dispute.number, world: world)
          return forms[scenario.id]?.alternatives[place] == nil
            ? "\(scenario.id) \(dispute.number) \(world.rawValue)" : nil
        }
      }
    }
  }

  /// Whether the scenario has anything to put on record.
  package static func concerns(_ scenario: Scenario) -> Bool {
    !Disputes(in: scenario, profile: .documented).disputes.isEmpty
  }
}
