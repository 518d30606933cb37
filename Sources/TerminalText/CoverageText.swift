import HostTools
import Requirements
import ScenarioModel

/// A requirement for the terminal, with what witnesses it; or a decision, or a defect of the original.
package struct RequirementText {
  private let id: String
  private let register: RequirementRegister

  /// nil: the register has no such id.
  package init?(_ id: String, in register: RequirementRegister) {
    guard register.sentence(of: id) != nil else { return nil }
    self.id = id
    self.register = register
  }

  /// The sentence, the facts, and each witness with its last verdict; `row` is nil for what is no requirement.
  package func lines(_ row: RequirementCoverage.Entry?, lastRun: String?) -> [String] {
    if let defect = register.defect(id) {
      return [Console.styled("\(id)  a defect of the original", .strong), defect.defect, defect.consequence]
        + fact("requirements", defect.requirements.map { "\($0)  \(register.sentence(of: $0) ?? "")" })
        + fact("written in", [Self.text(defect.place)])
    }
    if let decision = register.decision(id) {
      return [Console.styled("\(id)  a decision", .strong), decision.disputed]
        + fact("decided", [decision.decided]) + fact("written in", [Self.text(decision.place)])
    }
    guard let requirement = register[id], let row else { return [] }
    let area = register.areas.first { $0.id == requirement.area }?.title ?? requirement.area
    let see = requirement.see.map { "\($0)  \(register.sentence(of: $0) ?? "")" }
    return [
      Console.styled("\(id)  \(requirement.level.rawValue)", .strong), requirement.sentence,
    ] + fact("area", [area]) + fact("applies to", [requirement.scope.text])
      + fact("the original", [requirement.upstream].compactMap(\.self))
      + fact("", requirement.upstreamUnseen.map { ["No scenario shows it. \($0)"] } ?? [])
      + fact("permits", requirement.permits.map { [$0] } ?? [])
      + fact("sources", register.lines(ofSources: requirement.sources)) + fact("see", see)
      + fact("written in", [Self.text(requirement.place)])
      + fact("judged in", row.isInEveryCase ? ["every case, whatever its scenario expects"] : [])
      + fact(
        "scenarios", row.scenarios.isEmpty ? ["none"] : row.scenarios.map { Self.text($0, lastRun) }
      )
      + fact(
        "tests",
        row.tests.isEmpty ? ["none"] : row.tests.map { "\($0.path):\($0.line)  \($0.name)" })
      + fact("mutants", mutants(row)) + fact("last run", lastRun.map { [$0] } ?? [])
  }

  /// Each witness with the mutants that it kills.
  private func mutants(_ row: RequirementCoverage.Entry) -> [String] {
    guard let kills = row.kills else { return [] }
    guard !kills.isEmpty else {
      return row.requirement.permits == nil ? ["none that a witness kills"] : ["none: no subject can break it"]
    }
    return kills.sorted { $0.key < $1.key }.map { "\($0)  kills \($1.joined(separator: ", "))" }
  }

  /// The values below each other, the name before the first.
  private func fact(_ name: String, _ values: [String]) -> [String] {
    values.enumerated().map { index, value in
      "  \((index == 0 ? name : "").padded(to: 12))  \(value)"
    }
  }

  private static func text(_ place: Located<String>) -> String { "\(place.value):\(place.position.line)" }

  /// `read/line  loopback, simulated  passed, 8 cases`.
  private static func text(_ witness: ScenarioWitness, _ lastRun: String?) -> String {
    let worlds = witness.worlds.map(\.rawValue).joined(separator: ", ")
    let place = "\(witness.scenario)  \(Console.styled(worlds, .quiet))"
    guard let last = witness.last else {
      return lastRun == nil ? place : "\(place)  \(Console.styled("not in the last run", .caution))"
    }
    let wrong = last.cases - last.asExpected
    let cases =
      wrong > 0 ? "\(wrong) of \(QuantityText.count(last.cases, "case"))" : QuantityText.count(last.cases, "case")
    return "\(place)  \(Console.styled("\(last.verdict), \(cases)", wrong > 0 ? .bad : .good))"
  }
}

/// The table of all requirements for the terminal.
package struct CoverageText {
  private typealias State = RequirementCoverage.State

  private let coverage: RequirementCoverage
  private let register: RequirementRegister

  package init(_ coverage: RequirementCoverage, _ register: RequirementRegister) {
    self.coverage = coverage
    self.register = register
  }

  /// A block for each state, the worst first, and what they come to; only of these requirements and areas, if any are
  /// named.
  package func lines(of names: [String]) -> [String] {
    let rows = coverage.rows.filter { row in
      names.isEmpty || names.contains(row.requirement.id) || names.contains(row.requirement.area)
    }
    var lines: [String] = []
    for state in State.allCases {
      // Musts first.
      let group = Requirement.Level.allCases.flatMap { level in
        rows.filter { $0.state == state && $0.requirement.level == level }
      }
      guard !group.isEmpty else { continue }
      lines.append(Console.styled("\(CoveragePage.title(state)): \(group.count)", .strong))
      lines += group.map { line($0, state) }
      lines.append("")
    }
    return lines + summary(rows)
  }

  /// An open one with its whole sentence, which is all that is known; of the others as much as has room.
  private func line(_ row: RequirementCoverage.Entry, _ state: State) -> String {
    let requirement = row.requirement
    let isBad = state == .open && requirement.level == .must || state == .failing
    let mark = isBad ? Console.styled("✗", .bad) : state == .bothWorlds ? " " : "·"
    let head = "\(mark) \(requirement.id.padded(to: 11))  \(requirement.level.rawValue.padded(to: 6))"
    guard state != .open else {
      let isNamed = requirement.scope != .runLoop || requirement.sentence.contains("AsyncSocket")
      let scope = isNamed ? "" : "AsyncSocket: "
      return "\(head)  \(scope)\(requirement.sentence)"
    }
    var witnesses = row.isInEveryCase ? ["every case"] : []
    if !row.scenarios.isEmpty { witnesses.append(QuantityText.count(row.scenarios.count, "scenario")) }
    if !row.tests.isEmpty { witnesses.append(QuantityText.count(row.tests.count, "test")) }
    if let kills = row.kills, !kills.isEmpty {
      witnesses.append("\(QuantityText.count(row.killed.count, "mutant"))")
    }
    if state == .oneWorld { witnesses.append("\(row.worlds[0].rawValue) only") }
    let failing = row.scenarios.filter { $0.last.map { $0.asExpected < $0.cases } ?? false }.map(\.scenario)
    if !failing.isEmpty { witnesses.append(Console.styled("failed: \(failing.joined(separator: ", "))", .bad)) }
    let shown = witnesses.joined(separator: ", ").padded(to: 36)
    return "\(head)  \(shown)  \(Console.styled(Self.clipped(requirement.sentence), .quiet))"
  }

  private static func clipped(_ sentence: String) -> String {
    let room = 76
    return sentence.count > room ? sentence.prefix(room - 1) + "…" : sentence
  }

  private func summary(_ rows: [RequirementCoverage.Entry]) -> [String] {
    let counts = Dictionary(grouping: rows, by: \.state).mapValues(\.count)
    let parts: [(State, String)] = [
      (.bothWorlds, "in both worlds"), (.oneWorld, "in one"), (.tests, "by tests only"),
      (.failing, "failing"),
      (.unproven, "unproven"), (.open, "open"), (.permissive, "that no subject can break"),
    ]
    let told = parts.compactMap { state, words in counts[state].map { "\($0) \(words)" } }
    var lines = ["\(QuantityText.count(rows.count, "requirement")): \(told.joined(separator: ", "))"]
    let musts = rows.filter { $0.state == .open && $0.requirement.level == .must }
    if !musts.isEmpty {
      let runLoop = musts.count { $0.requirement.scope == .runLoop }
      lines.append("Open musts: \(musts.count), of which \(runLoop) about AsyncSocket alone.")
    }
    if rows.contains(where: { $0.kills != nil }) {
      let breakable = rows.filter { $0.requirement.permits == nil }
      let proven = breakable.count { $0.kills?.isEmpty == false }
      let citations = rows.reduce(0) { $0 + $1.scenarios.count }
      let killing = rows.reduce(0) { sum, row in
        sum + row.scenarios.count { row.kills?[$0.scenario] != nil }
      }
      lines.append(
        "With a mutant that a witness kills: \(proven) of \(breakable.count) that a subject can break. Citations that "
          + "kill one: \(killing) of \(citations).")
    }
    let verdicts = coverage.lastRun.map { "Verdicts are those of the run that began at \($0)." }
    return lines + [verdicts ?? "No verdicts: there is no report of a run."]
      + ["Not known: \(RequirementCoverage.notKnown.joined(separator: "; "))."]
  }

  /// The requirements that are said to permit whatever a subject does, with the mutants that prove the contrary.
  package static func lines(ofContradicted rows: [RequirementCoverage.Entry]) -> [String] {
    rows.map { row in
      let mutants = row.killed.joined(separator: ", ")
      return Console.styled(
        "✗ \(row.requirement.id) permits whatever a subject does, and a witness kills \(mutants): take `permits` out "
          + "of the register, or the requirement off the mutant", .bad)
    }
  }

  /// What the record and the coverage disagree about, and what to do; nothing if they agree.
  package static func lines(
    of difference: OpenRequirements.Difference, lacking lack: OpenRequirements.Lack,
    in register: RequirementRegister,
    path: String, isMended: Bool
  ) -> [String] {
    let what = lack == .witness ? "witness" : "witness that kills a mutant"
    var lines = difference.lost.map { id in
      Console.styled(
        "✗ \(id) has no \(what), and is not on record: \(register.sentence(of: id) ?? "")", .bad)
    }
    if !lines.isEmpty {
      lines.append(
        lack == .witness
          ? "Have a scenario cite it that fails when it is broken (Scenarios/README.md), or a Swift test declare it."
          : "Play its mutants (./lab fuzz zoo, ./lab fuzz zoo --derived); Requirements/README.md says how a citation "
            + "is proved."
      )
      lines.append("The record \(path) only gets shorter.")
    }
    lines += difference.mended.map { id in
      isMended ? "- \(id)" : Console.styled("✗ \(id) is on record as open, and is not", .bad)
    }
    if !difference.mended.isEmpty, !isMended {
      lines.append("Take what has a \(what) off the record: socketlab coverage --record")
    }
    return lines
  }

  /// What the record of idle citations and the coverage disagree about, and what to do; nothing if they agree.
  package static func lines(of difference: IdleCitations.Difference, path: String, isMended: Bool) -> [String] {
    var lines = difference.new.map { citation in
      Console.styled(
        "✗ \(citation.requirement) \(citation.witness): the citation kills no mutant, and is not on record", .bad)
    }
    if !lines.isEmpty {
      lines.append(
        "Play the mutants (./lab fuzz zoo --idle, ./lab fuzz zoo --derived); take a citation off that no mutant can "
          + "fail, or sharpen what the scenario expects. The record \(path) only gets shorter.")
    }
    lines += difference.mended.map { citation in
      let name = "\(citation.requirement) \(citation.witness)"
      return isMended ? "- \(name)" : Console.styled("✗ \(name) is on record as idle, and is not", .bad)
    }
    if !difference.mended.isEmpty, !isMended {
      lines.append("Take what is idle no more off the record: socketlab coverage --record")
    }
    return lines
  }
}

extension String {
  /// With spaces behind it up to the width, which counts characters; longer texts stay as they are.
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
