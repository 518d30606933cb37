import ReportMarkup
import RunReports
import ScenarioModel

/// An event of a trace as a report tells it.
package struct ReportedEvent: Hashable, Sendable {
  /// Its place in the whole trace, of which a report may leave out the middle; nil: the report does not say.
  package var index: Int?
  /// Since the case began, in milliseconds.
  package var milliseconds = 0.0
  /// `call`, `callback`, `check`, `action`, `sight`, `tls`, `point` or `note`.
  package var kind = ""
  /// The peer or socket; nil: it concerns the whole case.
  package var lane: String?
  /// `didRead tag 7, 7 B`
  package var what = ""
  /// How many bytes it carried, of which `hex` has the first ones; nil: none.
  package var count: Int?
  /// The bytes it carried, in hexadecimal digits; nil: none.
  package var hex: String?
  /// Whether the first deviation of its case belongs to it.
  package var isDeviation = false

  package init() {}

  /// The events among which its order counts: calls and callbacks of a socket are of different threads.
  fileprivate var strand: String { "\(lane ?? "") \(kind == "call")" }

  /// Whether a peer did or saw it.
  var isOfPeer: Bool { kind == "action" || kind == "sight" || kind == "tls" }

  /// What must be equal for two events to be the same; when they happened must not.
  fileprivate var likeness: String {
    let words = VariantNeutral.text(what, keepsCounts: true)
    return "\(kind) \(lane ?? "") \(words) \(count.map(String.init) ?? "") \(hex ?? "")"
  }

  /// What is equal in two events that are the same thing with another content: `callback socket didRead`.
  fileprivate var name: String { "\(kind) \(lane ?? "") \(what.prefix { $0 != " " })" }
}

/// Two traces of a case side by side.
///
/// Laws
/// - Every event of both stands in it once, in the order of its own trace.
/// - As many events as can be are paired: kind, lane, words and bytes with their number are equal, instants, durations
///   and addresses need not be. Of what is left, what differs in its content only stands in one row, too.
/// - What differs is decided lane by lane, and of a socket apart for calls and callbacks: in which order events of
///   different threads came is the schedulers' business.
/// - Where the judge ended a case for what it saw, the subject would have gone on: what the other trace has behind that
///   is no difference. Where it waited for something that did not come, it is one.
package struct TraceAlignment: Hashable, Sendable {
  /// One line of it: an event of each side, or of one.
  package struct Row: Hashable, Sendable {
    /// In the old run.
    package let old: ReportedEvent?
    /// In the new run.
    package let new: ReportedEvent?
    /// The other side has no such event in that place of its lane. If it has one, and the row is no pair, the event
    /// only came earlier or later among those of other lanes.
    package fileprivate(set) var differs: Bool
    /// The other trace ends before: its case was over.
    package fileprivate(set) var isBeyond = false

    /// Whether the deviation of the old or of the new case belongs to it.
    var isDeviation: Bool { old?.isDeviation == true || new?.isDeviation == true }
  }

  /// From the beginning of the case to its end.
  package let rows: [Row]
  /// The first row that differs; nil: the traces tell the same as far as both go.
  package let divergence: Int?

  /// Pairs the events of two traces. Remarks of the lab's own are left out.
  ///
  /// - Parameters:
  ///   - isOldCut: the judge ended the old case for what it saw, so that its trace does not say what would have come.
  ///   - isNewCut: the same of the new case.
  package init(_ old: [ReportedEvent], _ new: [ReportedEvent], isOldCut: Bool = false, isNewCut: Bool = false) {
    let sides = Sides(old.filter { $0.kind != "note" }, new.filter { $0.kind != "note" })
    var rows: [Row] = []
    var (i, j) = (0, 0)
    for pair in sides.pairs + [(sides.old.count, sides.new.count)] {
      // What a trace ends with belongs beside what the other one did there, and not behind all that it went on with.
      let isLast = pair.0 == sides.old.count
      rows += sides.rows(i..<pair.0, j..<pair.1, isNewFirst: isLast && isNewCut && !isOldCut)
      if !isLast { rows.append(Row(old: sides.old[pair.0], new: sides.new[pair.1], differs: false)) }
      (i, j) = (pair.0 + 1, pair.1 + 1)
    }
    let ends = [
      isOldCut ? rows.lastIndex(where: { $0.old != nil }) ?? -1 : rows.count,
      isNewCut ? rows.lastIndex(where: { $0.new != nil }) ?? -1 : rows.count,
    ]
    for place in rows.indices where place > ends[0] || place > ends[1] {
      (rows[place].differs, rows[place].isBeyond) = (false, true)
    }
    self.rows = rows
    divergence = rows.firstIndex(where: \.differs)
  }

  /// What the traces come to, in words for a reader.
  package var summary: String {
    let beyond = rows.first(where: \.isBeyond)
    var sentences = ["The first difference is marked."]
    if divergence == nil { sentences = ["Both traces tell the same\(beyond == nil ? "" : " as far as both go")."] }
    if rows.contains(where: \.isDeviation) { sentences.append("✕ marks the deviation.") }
    if let beyond {
      let (name, other) = beyond.new == nil ? ("new", "old") : ("old", "new")
      sentences.append(
        "The \(name) trace ends where it does because the case was over: what the \(other) one goes on with is no "
          + "difference.")
    }
    return sentences.joined(separator: " ")
  }

  /// The events of both sides, and which of them the other side has.
  private struct Sides {
    let old: [ReportedEvent]
    let new: [ReportedEvent]
    /// Places of equal events, in order.
    let pairs: [(Int, Int)]
    private let oldNames: [String]
    private let newNames: [String]
    /// Places that the other side's lane has, too.
    private var known = Set<Int>()
    private var knownNow = Set<Int>()

    init(_ old: [ReportedEvent], _ new: [ReportedEvent]) {
      (self.old, self.new) = (old, new)
      (oldNames, newNames) = (old.map(\.name), new.map(\.name))
      let (one, other) = (old.map(\.likeness), new.map(\.likeness))
      pairs = TraceAlignment.pairs(one, other)
      for strand in Set(old.map(\.strand) + new.map(\.strand)) {
        let mine = old.indices.filter { old[$0].strand == strand }
        let others = new.indices.filter { new[$0].strand == strand }
        for pair in TraceAlignment.pairs(mine.map { one[$0] }, others.map { other[$0] }) {
          known.insert(mine[pair.0])
          knownNow.insert(others[pair.1])
        }
      }
    }

    /// The rows of what stands between two pairs.
    func rows(_ mine: Range<Int>, _ others: Range<Int>, isNewFirst: Bool) -> [Row] {
      var rows: [Row] = []
      var (i, j) = (mine.lowerBound, others.lowerBound)
      func append(to end: Int, _ otherEnd: Int) {
        let lost = (i..<end).map { Row(old: old[$0], new: nil, differs: !known.contains($0)) }
        let gained = (j..<otherEnd).map { Row(old: nil, new: new[$0], differs: !knownNow.contains($0)) }
        rows += isNewFirst ? gained + lost : lost + gained
      }
      for place in mine where !known.contains(place) {
        let twin = (j..<others.upperBound).first { !knownNow.contains($0) && newNames[$0] == oldNames[place] }
        guard let twin else { continue }
        append(to: place, twin)
        rows.append(Row(old: old[place], new: new[twin], differs: true))
        (i, j) = (place + 1, twin + 1)
      }
      append(to: mine.upperBound, others.upperBound)
      return rows
    }
  }

  /// The longest common subsequence, as pairs of places.
  fileprivate static func pairs(_ one: [String], _ other: [String]) -> [(Int, Int)] {
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
