import ReportMarkup
import ScenarioModel

/// The contract sentence by sentence as one page that needs nothing else: how well each is witnessed, and by which
/// files, to which it links.
package struct CoveragePage {
  private typealias State = RequirementCoverage.State

  private let coverage: RequirementCoverage
  private let register: RequirementRegister
  private let link: (String) -> String

  /// - Parameter link: the address of a file, given its path as the coverage names it.
  package init(_ coverage: RequirementCoverage, _ register: RequirementRegister, link: @escaping (String) -> String) {
    self.coverage = coverage
    self.register = register
    self.link = link
  }

  /// UTF-8, ending with a line feed. What needs a look comes first, in blocks of their own; the rest follows by area.
  package var bytes: [UInt8] {
    let looks: [State] = [.open, .unproven, .failing, .oneWorld]
    let needy = looks.compactMap { state in
      section(Self.title(state), coverage.rows.filter { $0.state == state })
    }
    let rest = register.areas.compactMap { area in
      section(
        "\(area.id) · \(area.title)",
        coverage.rows.filter { $0.requirement.area == area.id && !looks.contains($0.state) })
    }
    let page = HTMLPage.make(
      title: "\(coverage.rows.count) requirements", style: PageStyle.css + Self.css, script: "",
      body: """
        \(head)<main>
        \(needy)\(rest)</main>

        """)
    return Array(page.html.utf8)
  }

  private static let css: Markup = """

    .panel > summary > span { flex: 1 1 24rem; } .panel .level { color: var(--soft); font-size: .85rem; }
    .inside li { overflow-wrap: anywhere; }
    """

  private var head: Markup {
    let counts = Dictionary(grouping: coverage.rows, by: \.state).mapValues(\.count).sorted { $0.key < $1.key }
    let open = coverage.openMusts.count
    let facts = [
      ("Verdicts", coverage.lastRun.map { "of the run of \($0)" } ?? "none: there is no report of a run"),
      ("Not known", RequirementCoverage.notKnown.joined(separator: "; ")),
    ]
    return """
      <header class="top">
      <div class="verdict \(open == 0 ? "good" : "look")">
      <p class="number"><b>\(coverage.rows.count - (counts.first { $0.key == .open }?.value ?? 0))</b>\
      <span>/ \(coverage.rows.count)</span></p>
      <div><p class="eyebrow">SocketLab requirements</p><h1>have a witness</h1>\
      <p class="state">\(open == 0 ? "Every must has one." : "Musts without one: \(open).")</p></div>
      </div>
      <div class="bar" aria-hidden="true">\
      \(counts.map { "<i class=\"\(Self.tone($0.key))\" style=\"flex-grow:\($0.value)\"></i>" })</div>
      <p>\(counts.map { "<b class=\"badge \(Self.tone($0.key))\">\($0.value) \(Self.label($0.key))</b> " })</p>
      \(HTMLPage.facts(facts, clipped: 400))
      </header>

      """
  }

  private func section(_ title: String, _ rows: [RequirementCoverage.Entry]) -> Markup? {
    guard !rows.isEmpty else { return nil }
    return """
      <section><h2>\(title)</h2><div class="group">
      \(rows.map(entry))</div></section>

      """
  }

  private func entry(_ row: RequirementCoverage.Entry) -> Markup {
    let requirement = row.requirement
    return """
      <details class="panel \(Self.tone(row.state))"><summary>\
      <b class="badge \(Self.tone(row.state))">\(Self.label(row.state))</b><code>\(requirement.id)</code>\
      <span>\(requirement.sentence)</span><i class="level">\(requirement.level.rawValue) · \(requirement.scope.text)\
      </i></summary><div class="inside" id="\(requirement.id)"><ul>
      \(requirement.upstream.map { "<li>The original: \($0)\(unseen(requirement))</li>\n" })\
      \(requirement.permits.map { "<li>No subject can break it: \($0)</li>\n" })\
      \("<li>Every case is held to it.</li>\n", if: row.isInEveryCase)\
      \(row.scenarios.map { scenario($0, row) })\(row.tests.map { test($0, row) })\
      <li class="quiet">Written in <a href="\(link(requirement.place.value))">\(requirement.place.value)</a>, \
      line \(requirement.place.position.line); from \(requirement.sources.joined(separator: ", "))</li>
      </ul></div></details>

      """
  }

  private func unseen(_ requirement: Requirement) -> Markup? {
    requirement.upstreamUnseen.map { " No scenario shows it. \($0)" }
  }

  private func scenario(_ witness: ScenarioWitness, _ row: RequirementCoverage.Entry) -> Markup {
    let worlds = witness.worlds.map(\.rawValue).joined(separator: ", ")
    let isFailing = witness.last.map { $0.asExpected < $0.cases } ?? false
    let verdict = witness.last.map { last -> Markup in
      " <b class=\"badge \(isFailing ? "failed" : "passed")\">\(last.verdict), \(last.asExpected) of \(last.cases)</b>"
    }
    return """
      <li>Scenario <a href="\(link(witness.path))">\(witness.scenario)</a> <span class="quiet">\(worlds)</span>\
      \(verdict)\(kills(row.kills?[witness.scenario]))</li>

      """
  }

  private func test(_ witness: TestWitness, _ row: RequirementCoverage.Entry) -> Markup {
    """
    <li>Test <a href="\(link(witness.path))">\(witness.path):\(witness.line)</a> \
    <span class="quiet">\(witness.name)</span>\(kills(row.kills?[witness.file]))</li>

    """
  }

  private func kills(_ mutants: [String]?) -> Markup? {
    mutants.map { names in " kills \(names.map { name -> Markup in "<code>\(name)</code> " })" }
  }

  // MARK: - Words

  /// A heading for the requirements of a state.
  package static func title(_ state: RequirementCoverage.State) -> String {
    switch state {
    case .open: "Open: no scenario cites it, and no test declares it"
    case .unproven: "No witness is known to fail when it is broken"
    case .failing: "A scenario that cites it failed in the last run"
    case .oneWorld: "Seen in one world only"
    case .tests: "Seen by Swift tests only"
    case .bothWorlds: "Seen in both worlds"
    case .permissive: "Broken by no subject, whatever it does"
    }
  }

  private static func label(_ state: State) -> String {
    switch state {
    case .open: "open"
    case .unproven: "unproven"
    case .failing: "failing"
    case .oneWorld: "one world"
    case .tests: "tests only"
    case .bothWorlds: "both worlds"
    case .permissive: "permissive"
    }
  }

  /// The class of the page's colours.
  private static func tone(_ state: State) -> String {
    switch state {
    case .open, .failing: "failed"
    case .unproven, .oneWorld: "inconclusive"
    case .tests, .permissive: "passedNonStrict"
    case .bothWorlds: "passed"
    }
  }
}
