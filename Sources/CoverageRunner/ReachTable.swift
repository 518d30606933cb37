import CoverageMarks
import Foundation
import HostTools
import ScenarioModel

/// How often a run of the scenarios has entered each coverage mark.
package struct ReachTable: Encodable {
  /// The committed table, by its path in the package.
  package static let published = "Scenarios/REACH.md"

  package struct Row: Encodable {
    /// The mark's id.
    package var id: String
    /// What it means that the mark was entered.
    package var meaning: String
    /// `Sources/SocketCore/Mailbox.swift:193`.
    package var place: String
    /// Entered so often, by world; without the worlds that do not run that code, or did not run.
    package var counts: [String: UInt64] = [:]
    /// The worlds in which a run of the whole suite must enter it.
    package var demanded: [String]
    /// Why not in all worlds.
    package var reason: String?
    /// Scenarios that enter it, by world: the ones that enter least first.
    package var scenarios: [String: [String]] = [:]
  }

  /// One for each mark, in the order of the catalogue.
  package private(set) var rows: [Row]
  private let marks: [CoverageMark]
  /// Marks entered by each scenario, by world.
  private var entered: [WorldName: [String: Set<Int>]] = [:]

  private enum CodingKeys: CodingKey { case rows }

  /// - Parameter read: gives the content of a source file by its path in the package.
  package init(
    _ marks: [CoverageMark] = CoverageMark.all, read: (String) throws -> [UInt8] = { try HostFiles.read($0) }
  ) throws {
    self.marks = marks
    rows = try marks.map { mark in
      let source = String(decoding: try read(mark.place.path), as: UTF8.self)
      do {
        let line = try MarkInsertion.line(of: mark, in: source)
        let (worlds, reason) = Self.demand(of: mark)
        return Row(
          id: mark.id, meaning: mark.meaning, place: "\(mark.place.path):\(line)",
          demanded: worlds.map(\.rawValue), reason: reason)
      } catch { throw LabFailure("\(error)") }
    }
  }

  private static func demand(of mark: CoverageMark) -> (worlds: [WorldName], reason: String?) {
    switch mark.demand {
    case .both: ([.loopback, .simulated], nil)
    case .loopback(let reason): ([.loopback], reason)
    case .simulated(let reason): ([.simulated], reason)
    case .none(let reason): ([], reason)
    }
  }

  // MARK: Filling in

  /// Adds what a run has counted, by the marks' numbers; marks beyond the list were not entered.
  package mutating func add(_ counts: [UInt64], in world: WorldName) {
    for (index, mark) in marks.enumerated() where world == .loopback || mark.isInSimulatedWorld {
      rows[index].counts[world.rawValue, default: 0] += index < counts.count ? counts[index] : 0
    }
  }

  /// A line that a marked lab has written about a case: its world, its scenario, and the marks' numbers.
  package mutating func note(case line: Substring, in world: WorldName) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[0] == world.rawValue else { return }
    let scenario = String(words[1])
    let marks = words[2].split(separator: ",").compactMap { Int($0) }.filter(rows.indices.contains)
    entered[world, default: [:]][scenario, default: []].formUnion(marks)
    for index in marks where world == .loopback || self.marks[index].isInSimulatedWorld {
      if rows[index].scenarios[world.rawValue, default: []].contains(scenario) { continue }
      rows[index].scenarios[world.rawValue, default: []].append(scenario)
    }
  }

  /// The scenarios that enter a mark, the ones that enter least first: they are about it most likely.
  private func sorted(_ row: Row, _ world: WorldName) -> [String] {
    let sizes = entered[world] ?? [:]
    return (row.scenarios[world.rawValue] ?? []).sorted { (sizes[$0]?.count ?? 0, $0) < (sizes[$1]?.count ?? 0, $1) }
  }

  // MARK: Judging

  /// Marks that had to be entered in this world and were not; none if the world did not run.
  package func missing(in world: WorldName) -> [Row] {
    rows.filter { $0.demanded.contains(world.rawValue) && $0.counts[world.rawValue] == 0 }
  }

  /// Marks that had to be entered and were not, in some world that ran.
  package var missing: [Row] { rows.filter { row in row.demanded.contains { row.counts[$0] == 0 } } }

  // MARK: Reading it

  /// The scenarios that the published table's text names first for these marks, at most `first` for a mark, each once.
  /// Marks without one are left out.
  package static func published(in text: String, of rows: [Row], first: Int) -> Set<String> {
    let ids = Set(rows.map { "`\($0.id)`" })
    var names: Set<String> = []
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: " | ", omittingEmptySubsequences: false)
      guard cells.count > 4, ids.contains(String(cells[0].dropFirst(2))) else { continue }
      let cell = cells[4].split(separator: " and ").first ?? ""
      for name in cell.split(whereSeparator: { $0 == "," || $0 == " " }).prefix(first) { names.insert(String(name)) }
    }
    return names
  }

  // MARK: Saying it

  /// Zero where it matters: where the mark is demanded, or anywhere if nothing is.
  package func isZero(_ row: Row) -> Bool {
    row.counts.contains { $0.value == 0 && (row.demanded.isEmpty || row.demanded.contains($0.key)) }
  }

  /// How many marks of the world were entered: `simulated enters 80 of 90`.
  package func summary(_ world: WorldName) -> String {
    let here = rows.compactMap { $0.counts[world.rawValue] }
    return "\(world.rawValue) enters \(here.count { $0 > 0 }) of \(here.count)"
  }

  /// `loopback: read/line, read/all and 12 more`; nil: no scenario is known to enter it in this world.
  package func entering(_ row: Row, _ world: WorldName) -> String? {
    let names = sorted(row, world)
    guard !names.isEmpty else { return nil }
    let more = names.count > 3 ? " and \(QuantityText.count(names.count - 3)) more" : ""
    return "\(world.rawValue): \(names.prefix(3).joined(separator: ", "))\(more)"
  }

  /// The whole table with its scenarios sorted, as JSON with a last line end.
  package func json() throws -> [UInt8] {
    var table = self
    for index in rows.indices {
      for world in WorldName.allCases where rows[index].scenarios[world.rawValue] != nil {
        table.rows[index].scenarios[world.rawValue] = sorted(rows[index], world)
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(table)) + [10]
  }

  /// The published table; zeros first.
  package var markdown: String {
    var text = """
      # What the scenarios reach

      How often a run of the suite enters the rare paths of the socket, and by which scenarios. Made anew by
      `./lab reach --update`; the marks themselves are in `Sources/CoverageMarks`. Counts over the kernel differ from
      run to run. A dash: that world does not run the code. CI holds the suite to every mark without a reason.

      \(summary(.loopback)); \(summary(.simulated)).

      | mark | what happens there | loopback | simulated | entered by | not demanded |
      |---|---|--:|--:|---|---|

      """
    for row in rows.sorted(by: { isZero($0) && !isZero($1) }) {
      let counts = [WorldName.loopback, .simulated].map { world -> String in
        guard let count = row.counts[world.rawValue] else { return "–" }
        return count == 0 ? "**0**" : QuantityText.count(Int(clamping: count))
      }
      let world = row.scenarios[WorldName.loopback.rawValue] == nil ? WorldName.simulated : .loopback
      let names = sorted(row, world)
      let more = names.count > 2 ? " and \(QuantityText.count(names.count - 2)) more" : ""
      let isWholly = Set(row.demanded).isSuperset(of: row.counts.keys)
      let cells = [
        "`\(row.id)`", row.meaning, counts[0], counts[1], names.prefix(2).joined(separator: ", ") + more,
        isWholly ? "" : row.reason ?? "",
      ]
      text += "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
    }
    return text
  }
}
