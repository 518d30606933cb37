import ReportMarkup
import ScenarioModel

/// Where two traces of the same case, by different subjects, first differ in what was called, told or seen on the wire.
///
/// Callbacks of different sockets come in any order, and so do pieces of bytes: each socket and each peer is compared
/// by itself, and of what differs the earliest counts.
struct TraceDifference {
  /// Index into each trace; nil: the trace ends before.
  private(set) var left: Int?
  private(set) var right: Int?
  /// What each did there, in words.
  private(set) var leftText = "nothing more"
  private(set) var rightText = "nothing more"

  /// nil: no difference was found.
  init?(_ left: Trace, _ right: Trace) {
    let (one, other) = (Self.lanes(left), Self.lanes(right))
    var earliest: (at: Duration, left: Int?, right: Int?)?
    for lane in Set(one.keys).union(other.keys).sorted() {
      let (first, second) = (one[lane] ?? [], other[lane] ?? [])
      let length = max(first.count, second.count)
      guard
        let place = (0..<length).first(where: { place in
          place >= first.count || place >= second.count || first[place].text != second[place].text
        })
      else { continue }
      let (a, b) = (place < first.count ? first[place] : nil, place < second.count ? second[place] : nil)
      let at = min(a?.at ?? .seconds(1_000_000), b?.at ?? .seconds(1_000_000))
      if earliest.map({ at < $0.at }) ?? true { earliest = (at, a?.index, b?.index) }
    }
    guard let earliest else { return nil }
    (self.left, self.right) = (earliest.left, earliest.right)
    if let index = earliest.left { leftText = Self.words(left.events[index]) }
    if let index = earliest.right { rightText = Self.words(right.events[index]) }
  }

  private struct Entry {
    var index: Int
    var at: Duration
    var text: String
  }

  /// What each socket and peer did, in order, without what differs from run to run.
  private static func lanes(_ trace: Trace) -> [String: [Entry]] {
    var lanes: [String: [Entry]] = [:]
    for (index, event) in trace.events.enumerated() {
      switch event.kind {
      case .callback, .command, .checked, .peerSaw: break
      default: continue
      }
      let line = EventLine(event)
      // The kernel cuts bytes as it likes.
      if case .peerSaw(.received, _) = event.kind { continue }
      lanes[line.who, default: []].append(Entry(index: index, at: event.at, text: VariantNeutral.text(line.text)))
    }
    return lanes
  }

  private static func words(_ event: TraceEvent) -> String {
    let line = EventLine(event)
    return "\(line.who): \(line.text)"
  }

  /// The case with the place marked in its trace.
  static func marked(_ result: CaseResult, at index: Int?, _ text: String) -> CaseResult {
    var result = result
    let place = index ?? result.trace.events.count
    let at = index.map { result.trace.events[$0].at } ?? result.trace.events.last?.at ?? .zero
    result.trace.events.insert(TraceEvent(at: at, kind: .note("first difference: \(text)")), at: place)
    result.matches = Dictionary(
      result.matches.map { ($0.key >= place ? $0.key + 1 : $0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    for each in result.deviations.indices {
      guard let old = result.deviations[each].traceIndex, old >= place else { continue }
      result.deviations[each].traceIndex = old + 1
    }
    return result
  }
}
