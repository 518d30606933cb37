import ReportMarkup
import RunComparison
import RunReports
import ScenarioModel

/// The history as a file: a line of JSON for each entry, in the order in which they were added.
///
/// Laws
/// - An entry is added by appending its line, so that what was there is never written again.
/// - A line that was cut off, that is of another format, or that stands there twice is an error with its place. What
///   can be read is read, for who wants to mend the file.
package struct HistoryIndex: Sendable {
  /// The version of the lines.
  package static let schemaVersion = 1
  /// The file's name in the folder of the reports.
  package static let fileName = "history.jsonl"

  /// What is wrong with a line.
  package struct Problem: Hashable, Sendable {
    /// From 1.
    package var line: Int
    /// From 1, in bytes.
    package var column: Int
    /// What is wrong there.
    package var text: String
    /// The line, without its line feed.
    package var bytes: [UInt8]
  }

  /// In the order of the file.
  package private(set) var entries: [HistoryEntry] = []
  /// In the order of the file; empty: all of it could be read.
  package private(set) var problems: [Problem] = []

  /// Reads the bytes of the whole file.
  package init(_ bytes: [UInt8]) {
    var seen: [String: Int] = [:]
    var start = 0
    var line = 0
    while start < bytes.count {
      line += 1
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
      read(Array(bytes[start..<(end ?? bytes.count)]), line: line, isWhole: end != nil, &seen)
      start = (end ?? bytes.count) + 1
    }
  }

  private mutating func read(_ bytes: [UInt8], line: Int, isWhole: Bool, _ seen: inout [String: Int]) {
    guard bytes.contains(where: { $0 > 0x20 }) else { return }
    do {
      let entry = try bytes.withUnsafeBufferPointer { buffer in
        var scanner = JSONScanner(buffer)
        let entry = try HistoryEntry(&scanner)
        guard scanner.isAtEnd() else { throw scanner.failure("there is more behind the entry") }
        return entry
      }
      guard isWhole else { return note("the file ends here, in the middle of a line", line, bytes.count + 1, bytes) }
      if let first = seen.updateValue(line, forKey: "\(entry.kind) \(entry.name)") {
        return note(
          "\(entry.kind.rawValue) \(VisibleText.clipped(entry.name, to: 60)) stands in line \(first) already", line, 1,
          bytes)
      }
      entries.append(entry)
    } catch let failure as JSONScanner.Failure {
      note(failure.problem, line, failure.offset + 1, bytes)
    } catch { note("\(error)", line, 1, bytes) }
  }

  private mutating func note(_ text: String, _ line: Int, _ column: Int, _ bytes: [UInt8]) {
    problems.append(Problem(line: line, column: column, text: text, bytes: bytes))
  }

  /// The line of an entry, with its line feed.
  package static func line(_ entry: HistoryEntry) -> [UInt8] { entry.node.encoded(spread: 0) }
}

extension HistoryEntry {
  fileprivate var node: JSONNode {
    [
      "history": .integer(HistoryIndex.schemaVersion),
      "kind": .text(kind.rawValue),
      "name": .text(name),
      "started_at": .text(startedAt),
      "commit": commit.map(JSONNode.text),
      "host": .text(host),
      "size": .integer(size),
      "measures": .list(measures.map(\.node)),
      "slowest": slowest.isEmpty
        ? nil : .list(slowest.map { ["case": .text($0.name), "ms": .number($0.milliseconds)] }),
      "failing": failing.isEmpty ? nil : .texts(failing),
    ]
  }

  /// More than any run has of anything: sums of such numbers don't overflow.
  fileprivate static let mostCounted = 1_000_000_000_000

  fileprivate init(_ scanner: inout JSONScanner) throws {
    self.init(kind: .suite, name: "", startedAt: "", commit: nil, host: "", size: 0)
    var keys: Set<String> = []
    try scanner.object { key, scanner in
      keys.insert(key)
      switch key {
      case "history":
        let number = try scanner.integer()
        guard number == HistoryIndex.schemaVersion else { throw scanner.failure("a line of format \(number)") }
      case "kind": kind = try scanner.word(of: "a kind of entry")
      case "name": name = try scanner.text()
      case "started_at":
        startedAt = try scanner.text()
        guard startedAt.prefixMatch(of: /\d{4}-\d\d-\d\d/) != nil else {
          throw scanner.failure("\(VisibleText.clipped(startedAt, to: 60)) is no instant")
        }
      case "commit": commit = try scanner.text()
      case "host": host = try scanner.text()
      case "size":
        size = try scanner.integer()
        guard (0...Self.mostCounted).contains(size) else { throw scanner.failure("a size of \(size)") }
      case "measures": try scanner.list { scanner in measures.append(try HistoryMeasure(&scanner)) }
      case "slowest": try scanner.list { scanner in slowest.append(try SlowCase(&scanner)) }
      case "failing": try scanner.list { scanner in failing.append(try scanner.text()) }
      default: try scanner.skip()
      }
    }
    for key in ["history", "kind", "name", "started_at", "measures"] where !keys.contains(key) {
      throw scanner.failure("an entry without the key \(key)")
    }
  }
}

extension HistoryEntry.SlowCase {
  fileprivate init(_ scanner: inout JSONScanner) throws {
    self.init(name: "", milliseconds: 0)
    try scanner.object { key, scanner in
      switch key {
      case "case": name = try scanner.text()
      case "ms": milliseconds = try scanner.number()
      default: try scanner.skip()
      }
    }
  }
}

extension HistoryMeasure {
  fileprivate var node: JSONNode {
    [
      "name": .text(name), "value": .number(value), "unit": .text(unit.rawValue),
      "better": .text(isHigherBetter ? "higher" : "lower"), "noise": .text(noise.rawValue),
      "basis": basis.isEmpty ? nil : .text(basis),
      "samples": samples.isEmpty ? nil : .list(samples.map(JSONNode.number)),
      "of": counted.map { .integer($0.of) }, "all": counted.map { .integer($0.all) },
    ]
  }

  fileprivate init(_ scanner: inout JSONScanner) throws {
    self.init("", 0, .count, isHigherBetter: true, noise: .unjudged)
    var (of, all): (Int?, Int?) = (nil, nil)
    try scanner.object { key, scanner in
      switch key {
      case "name": name = try scanner.text()
      case "value": value = try scanner.number()
      case "unit": unit = try scanner.word(of: "a unit")
      case "better":
        let word = try scanner.text()
        guard word == "higher" || word == "lower" else { throw scanner.failure("\(word) is neither higher nor lower") }
        isHigherBetter = word == "higher"
      case "noise": noise = try scanner.word(of: "a kind of noise")
      case "basis": basis = try scanner.text()
      case "samples": try scanner.list { scanner in samples.append(try scanner.number()) }
      case "of": of = try scanner.integer()
      case "all": all = try scanner.integer()
      default: try scanner.skip()
      }
    }
    guard !name.isEmpty, value.isFinite else { throw scanner.failure("a measure without name or figure") }
    if let of, let all {
      guard of >= 0, all >= of, all <= HistoryEntry.mostCounted else {
        throw scanner.failure("a share of \(of) of \(all)")
      }
      counted = (of, all)
    }
  }
}
