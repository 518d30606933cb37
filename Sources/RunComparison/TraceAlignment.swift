import ReportMarkup
import RunReports
import ScenarioModel

/// An event of a trace as a report tells it.
package struct ReportedEvent: Hashable, Sendable {
  /// Since the case began, in milliseconds.
  package var milliseconds = 0.0
  /// `call`, `callback`, `check`, `action`, `sight`, `tls`, `point` or `note`.
  package var kind = ""
  /// The peer or socket; nil: it concerns the whole case.
  package var lane: String?
  /// `didRead tag 7, 7 B`
  package var what = ""
  /// The bytes it carried, in hexadecimal digits; nil: none.
  package var hex: String?

  package init() {}

  /// The events among which its order counts: calls and callbacks of a socket are of different threads.
  fileprivate var strand: String { "\(lane ?? "") \(kind == "call")" }

  /// Whether a peer did or saw it.
  var isOfPeer: Bool { kind == "action" || kind == "sight" || kind == "tls" }

  /// What must be equal for two events to be the same; when they happened must not.
  fileprivate var likeness: String { "\(kind) \(lane ?? "") \(VariantNeutral.text(what)) \(hex ?? "")" }
}

/// Two traces of a case side by side.
///
/// Laws
/// - Every event of both stands in it once, in the order of its own trace.
/// - As many events as can be are paired: kind, lane, words and bytes are equal, instants and addresses need not be.
/// - What differs is decided lane by lane, and of a socket apart for calls and callbacks: in which order events of
///   different threads came is the schedulers' business.
package struct TraceAlignment: Hashable, Sendable {
  /// One line of it: an event of each side, or of one.
  package struct Row: Hashable, Sendable {
    /// In the old run.
    package let old: ReportedEvent?
    /// In the new run.
    package let new: ReportedEvent?
    /// The other side has no such event in that place of its lane. If it has one, and the row is no pair, the event
    /// only came earlier or later among those of other lanes.
    package let differs: Bool
  }

  /// From the beginning of the case to its end.
  package let rows: [Row]
  /// The first row that differs; nil: the traces tell the same.
  package let divergence: Int?

  /// Pairs the events of two traces. Remarks of the lab's own are left out.
  package init(_ old: [ReportedEvent], _ new: [ReportedEvent]) {
    let (left, right) = (old.filter { $0.kind != "note" }, new.filter { $0.kind != "note" })
    let (one, other) = (left.map(\.likeness), right.map(\.likeness))
    var (known, knownNow) = (Set<Int>(), Set<Int>())
    for strand in Set(left.map(\.strand) + right.map(\.strand)) {
      let (mine, others) = (
        left.indices.filter { left[$0].strand == strand }, right.indices.filter { right[$0].strand == strand }
      )
      for pair in Self.pairs(mine.map { one[$0] }, others.map { other[$0] }) {
        known.insert(mine[pair.0])
        knownNow.insert(others[pair.1])
      }
    }
    var rows: [Row] = []
    var (i, j) = (0, 0)
    for pair in Self.pairs(one, other) + [(one.count, other.count)] {
      for place in i..<pair.0 { rows.append(Row(old: left[place], new: nil, differs: !known.contains(place))) }
      for place in j..<pair.1 { rows.append(Row(old: nil, new: right[place], differs: !knownNow.contains(place))) }
      if pair.0 < one.count { rows.append(Row(old: left[pair.0], new: right[pair.1], differs: false)) }
      (i, j) = (pair.0 + 1, pair.1 + 1)
    }
    self.rows = rows
    divergence = rows.firstIndex(where: \.differs)
  }

  /// The longest common subsequence, as pairs of places.
  private static func pairs(_ one: [String], _ other: [String]) -> [(Int, Int)] {
    // lengths[i][j]: how many pairs the rests from i and from j have.
    var lengths = Array(repeating: Array(repeating: Int32(0), count: other.count + 1), count: one.count + 1)
    for i in one.indices.reversed() {
      for j in other.indices.reversed() {
        lengths[i][j] = one[i] == other[j] ? lengths[i + 1][j + 1] + 1 : max(lengths[i + 1][j], lengths[i][j + 1])
      }
    }
    var pairs: [(Int, Int)] = []
    var (i, j) = (0, 0)
    while i < one.count, j < other.count {
      if one[i] == other[j] {
        pairs.append((i, j))
        (i, j) = (i + 1, j + 1)
      } else if lengths[i + 1][j] >= lengths[i][j + 1] {
        i += 1
      } else {
        j += 1
      }
    }
    return pairs
  }
}

/// The traces that a report holds, read when they are asked for.
package struct RecordedTraces: Sendable {
  private let bytes: [UInt8]
  private let examples: [String: ComparedCase]

  /// - Parameter bytes: those that the run was read from.
  package init(_ run: ComparedRun, bytes: [UInt8]) {
    self.bytes = bytes
    var examples: [String: ComparedCase] = [:]
    for found in run.cases where found.trace != nil {
      let name = "\(found.key.world) \(found.key.scenario)"
      // What went well says what should happen.
      if let known = examples[name], known.isAsExpected || !found.isAsExpected { continue }
      examples[name] = found
    }
    self.examples = examples
  }

  /// The case's trace; without one that of another variant of the scenario in its world. nil: the report has neither.
  package func trace(of found: ComparedCase) -> (events: [ReportedEvent], of: ComparedCase)? {
    let source = found.trace == nil ? examples["\(found.key.world) \(found.key.scenario)"] : found
    guard let source, let range = source.trace, let events = try? read(range), !events.isEmpty else { return nil }
    return (events, source)
  }

  private func read(_ range: Range<Int>) throws -> [ReportedEvent] {
    try bytes.withUnsafeBufferPointer { buffer in
      var events: [ReportedEvent] = []
      var scanner = JSONScanner(buffer, in: range)
      try scanner.list { scanner in
        var event = ReportedEvent()
        try scanner.object { key, scanner in
          switch key {
          case "at_ms": event.milliseconds = try scanner.number()
          case "kind": event.kind = try scanner.text()
          case "lane": event.lane = try scanner.text()
          case "what": event.what = try scanner.text()
          case "hex": event.hex = try scanner.text()
          default: try scanner.skip()
          }
        }
        events.append(event)
      }
      return events
    }
  }
}
