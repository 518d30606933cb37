/// The catalogue of misbehaviours with the scenarios that do each: the floor below which the library must not fall.
package struct MisbehaviourFloor: Encodable {
  /// How much of a misbehaviour is scripted.
  package enum State: String, Encodable, CaseIterable {
    /// A scenario does it.
    case scripted
    /// A scenario does it in part; the rest has its reason.
    case partly
    /// No scenario does it, for a reason.
    case open
    /// No scenario does it, and no reason is given.
    case forgotten
  }

  /// A misbehaviour with its scenarios.
  package struct Row: Encodable {
    package var misbehaviour: Misbehaviour
    /// In the order of the library; a file whose cases all do it, once.
    package var scenarios: [String]

    /// How much of it is scripted.
    package var state: State {
      switch (scenarios.isEmpty, misbehaviour.open) {
      case (false, nil): .scripted
      case (false, _?): .partly
      case (true, _?): .open
      case (true, nil): .forgotten
      }
    }
  }

  /// In the order of their numbers.
  package let rows: [Row]

  /// - Parameter scenarios: with their tags; canaries count, too: they show that the lab sees what it does itself.
  package init(_ misbehaviours: [Misbehaviour], scenarios: [(id: String, tags: [String])]) {
    var byTag: [String: [String]] = [:]
    for (id, tags) in scenarios {
      for tag in tags where Misbehaviour.isNamed(by: tag) { byTag[tag, default: []].append(id) }
    }
    let cases = Dictionary(grouping: scenarios.map(\.id), by: Self.file).mapValues(\.count)
    rows = misbehaviours.map { Row(misbehaviour: $0, scenarios: Self.shortened(byTag[$0.tag] ?? [], cases)) }
  }

  /// Without the name of a case.
  private static func file(of id: String) -> String { String(id.prefix { $0 != "#" }) }

  /// A file's name stands for its cases, if all of them are named.
  private static func shortened(_ ids: [String], _ cases: [String: Int]) -> [String] {
    let named = Dictionary(grouping: ids, by: file).mapValues(\.count)
    var shown: [String] = []
    for id in ids {
      let file = file(of: id)
      let word = named[file] == cases[file] ? file : id
      if shown.last != word { shown.append(word) }
    }
    return shown
  }

  /// How many are in one of these states.
  package func count(_ states: State...) -> Int { rows.count { states.contains($0.state) } }

  /// For a terminal: what is missing first, then the count.
  package var lines: [String] {
    var lines: [String] = []
    let parts = [
      (State.forgotten, "No scenario does it, and nobody says why"), (.open, "No scenario does it"),
      (.partly, "Scripted in part"),
    ]
    for (state, title) in parts where count(state) > 0 {
      lines.append("\(title): \(count(state))")
      for row in rows where row.state == state {
        let number = String(row.misbehaviour.number)
        let indent = String(repeating: " ", count: max(0, 3 - number.count))
        lines.append("\(state == .forgotten ? "✗" : "·") \(indent)\(number)  \(row.misbehaviour.does)")
        if let reason = row.misbehaviour.open { lines.append("       \(reason)") }
      }
      lines.append("")
    }
    let scenarios = Set(rows.flatMap(\.scenarios)).count
    lines.append(
      "\(rows.count) misbehaviours: \(count(.scripted, .partly)) scripted by \(scenarios) scenarios, "
        + "\(count(.partly)) of them in part; \(count(.open)) open, each with its reason")
    return lines
  }

  /// The catalogue as tables, one for each group.
  package var markdown: String {
    var text = ""
    var group: String?
    var hasSteps = false
    for row in rows {
      if row.misbehaviour.group != group {
        group = row.misbehaviour.group
        hasSteps = rows.contains { $0.misbehaviour.group == group && $0.misbehaviour.with != nil }
        text += "\n### \(row.misbehaviour.group)\n\n| No. | What the other side does |\(hasSteps ? " With |" : "")"
        text += " Scenarios |\n|---|---|---|\(hasSteps ? "---|" : "")\n"
      }
      let entry = row.misbehaviour
      var said = row.scenarios.map { "`\($0)`" }.joined(separator: ", ")
      for remark in [entry.note, entry.open.map { "**open**: \($0)" }] {
        if let remark { said += (said.isEmpty ? "" : ". ") + remark }
      }
      text += "| \(entry.number) | \(entry.does) |\(hasSteps ? " \(entry.with ?? "") |" : "") \(said) |\n"
    }
    return text
  }
}
