import ReportMarkup
import RunReports
import ScenarioModel

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
    guard let source, let range = source.trace, var events = try? read(range), !events.isEmpty else { return nil }
    // A deviation may belong to a remark of the lab's; what happened before that is what it is seen at.
    if let deviation = source.deviationIndex,
      let place = events.lastIndex(where: { event in
        event.kind != "note" && event.index.map { $0 <= deviation } ?? false
      })
    {
      events[place].isDeviation = true
    }
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
          case "index": event.index = try scanner.integer()
          case "at_ms": event.milliseconds = try scanner.number()
          case "kind": event.kind = try scanner.text()
          case "lane": event.lane = try scanner.text()
          case "what": event.what = try scanner.text()
          case "count": event.count = try scanner.integer()
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
