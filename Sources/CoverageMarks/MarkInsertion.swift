/// Puts coverage marks into the text of source files.
package enum MarkInsertion {
  /// Names the file of counters, eight bytes for each mark in the order of the table. All processes that have it in
  /// their environment add to the same file, and what a process has counted outlives it, however it ends.
  package static let variable = "SOCKETLAB_REACH"
  /// Names the file that gets a line for each case: its world, its scenario, and the numbers of the marks that were
  /// entered while it ran. That is the truth where one case runs at a time.
  package static let casesVariable = "SOCKETLAB_REACH_CASES"

  /// A mark whose place is not found once.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The mark's id.
    package var mark: String
    /// The file, below the package's folder.
    package var path: String
    /// How often its anchor was found.
    package var count: Int
    package var description: String {
      "coverage mark \(mark): \(path): its place was found \(count) times, not once. Bring its anchor in "
        + "Sources/CoverageMarks in line with the source."
    }
  }

  /// The files that marks stand in.
  package static func paths(of marks: [CoverageMark] = CoverageMark.all) -> [String] {
    Array(Set(marks.map(\.place.path))).sorted()
  }

  /// One file with its marks in it.
  package static func apply(
    _ marks: [CoverageMark] = CoverageMark.all, to path: String, source: String
  ) throws(Failure) -> String {
    var inserts: [(point: String.Index, text: String)] = []
    for (number, mark) in marks.enumerated() where mark.place.path == path {
      let call = "\(enter)(\(number))"
      inserts.append((try point(of: mark, in: source), mark.place.condition.map { "if (\($0)) { \(call) }" } ?? call))
    }
    var text = source
    for insert in inserts.reversed().sorted(by: { $0.point > $1.point }) {
      text.insert(contentsOf: "\n\(insert.text)\n", at: insert.point)
    }
    return text
  }

  /// The line that a mark stands in, from 1.
  package static func line(of mark: CoverageMark, in source: String) throws(Failure) -> Int {
    source[..<(try point(of: mark, in: source))].count { $0 == "\n" } + 1
  }

  private static func point(of mark: CoverageMark, in source: String) throws(Failure) -> String.Index {
    let found = source.ranges(of: mark.place.anchor)
    guard let range = found.first, found.count == 1 else {
      throw Failure(mark: mark.id, path: mark.place.path, count: found.count)
    }
    return mark.place.side == .before ? range.lowerBound : range.upperBound
  }

  // MARK: Cases

  /// Where cases begin and end: every case of every world comes through here.
  package static let runner = CoverageMark.Place(
    "Sources/ScenarioRunner/CaseRunner.swift", .after,
    "var result = CaseResult(scenario: scenario, variant: variant, world: world.name, seed: seed)")

  /// The runner with a note of each case in it.
  package static func applyToRunner(_ source: String) throws(Failure) -> String {
    var text = source
    let point = try point(of: CoverageMark("(cases)", "", .both, runner), in: source)
    let note = "defer { Reach.note(scenario.id, world.name.rawValue, since: reachBefore) }"
    text.insert(contentsOf: "\nlet reachBefore = Reach.snapshot()\n\(note)\n", at: point)
    return text
  }

  // MARK: Counting

  private static let enter = "Reach.enter"

  /// The folders of the modules that need a counter of their own (`Sources/SocketCore`).
  package static func modules(of marks: [CoverageMark] = CoverageMark.all) -> [String] {
    let paths = paths(of: marks) + [runner.path]
    return Array(Set(paths.map { $0.split(separator: "/").prefix(2).joined(separator: "/") })).sorted()
  }

  /// The name of the file that each module with marks gets.
  package static let counterName = "Reach.swift"

  /// The text of that file. Without the variable a mark costs one branch. Inlinable code may be marked, too.
  package static let counter = [
    "import Glibc",
    "import Synchronization",
    "",
    "@usableFromInline",
    "enum Reach {",
    "  // Unsafe: mapped once and never moved; the counters are atomic.",
    "  nonisolated(unsafe) private static let map: UnsafeMutableBufferPointer<Atomic<UInt64>>? = {",
    "    guard let path = getenv(\"\(variable)\") else { return nil }",
    "    let file = open(path, O_RDWR | O_CLOEXEC)",
    "    guard file >= 0 else { return nil }",
    "    defer { close(file) }",
    "    var status = stat()",
    "    guard fstat(file, &status) == 0, status.st_size >= 8,",
    "      let base = mmap(nil, Int(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), base != MAP_FAILED",
    "    else { return nil }",
    "    let count = Int(status.st_size) / 8",
    "    let counters = base.bindMemory(to: Atomic<UInt64>.self, capacity: count)",
    "    return UnsafeMutableBufferPointer(start: counters, count: count)",
    "  }()",
    "",
    "  @usableFromInline",
    "  static func enter(_ mark: Int) {",
    "    guard let map, mark < map.count else { return }",
    "    map[mark].wrappingAdd(1, ordering: .relaxed)",
    "  }",
    "",
    "  private static let cases: Int32? = getenv(\"\(casesVariable)\").map {",
    "    open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)",
    "  }",
    "",
    "  static func snapshot() -> [UInt64]? {",
    "    guard cases != nil, let map else { return nil }",
    "    return map.indices.map { map[$0].load(ordering: .relaxed) }",
    "  }",
    "",
    "  static func note(_ scenario: String, _ world: String, since before: [UInt64]?) {",
    "    guard let before, let now = snapshot(), let cases else { return }",
    "    let entered = before.indices.filter { now[$0] != before[$0] }.map { String($0) }",
    "    let line = Array(\"\\(world) \\(scenario) \\(entered.joined(separator: \",\"))\\n\".utf8)",
    "    _ = write(cases, line, line.count)",
    "  }",
    "}",
    "",
  ].joined(separator: "\n")
}
