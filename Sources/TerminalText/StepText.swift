import HostTools
import RunReports
import ScenarioModel
import ScenarioRunner

/// The events of a recorded case, one at a time, for the terminal.
package struct StepText {
  private static let maxOpen = 6

  private let walk: TraceWalk
  private let path: String

  /// - Parameter path: the scenario's file.
  package init(_ walk: TraceWalk, path: String) {
    self.walk = walk
    self.path = Console.visible(path)
  }

  /// How many events there are.
  package var count: Int { walk.steps.count }

  /// One event and where the case stood behind it, in lines.
  package func lines(_ place: Int) -> [String] {
    guard walk.steps.indices.contains(place) else { return ["  no events"] }
    let step = walk.steps[place]
    let line = EventLine(step.event)
    let who = Console.visible(line.who)
    let head = "[\(place + 1)/\(count)]  \(DurationWords.text(step.event.at))  \(who)  \(line.kind)"
    let text = Console.visible(line.text)
    let mark = line.isTrouble || !step.deviations.isEmpty ? Console.styled(text, .bad) : text
    var lines = ["\(Console.styled(head, .quiet))  \(Console.styled(mark, .strong))"]
    if !line.wire.isEmpty { lines.append("    wire     \(Console.visible(line.wire))") }
    if let position = step.event.position { lines.append("    step     \(self.place(position))") }
    if let met = step.met { lines.append("    \(Console.styled("met", .good))      \(self.place(met))") }
    for deviation in step.deviations { lines += self.lines(deviation) }
    if step.open.isEmpty {
      lines.append("    open     nothing")
    } else {
      for (number, open) in step.open.prefix(Self.maxOpen).enumerated() {
        let place = open.position.map { "  line \($0.line)" } ?? ""
        let text = Console.visible(open.text)
        lines.append("    \(number == 0 ? "open " : "     ")    \(text)\(Console.styled(place, .quiet))")
      }
      let left = step.open.count - Self.maxOpen
      if left > 0 { lines.append("             and \(QuantityText.count(left, "more expectation"))") }
    }
    if place == count - 1 {
      for deviation in walk.atTheEnd { lines += self.lines(deviation) }
    }
    return lines
  }

  private func lines(_ deviation: Deviation) -> [String] {
    [
      "    \(Console.styled(deviation.kind.rawValue, .bad))\(deviation.position.map { "  " + place($0) } ?? "")",
      "      expected  \(Console.visible(deviation.expected))",
      "      actual    \(Console.visible(deviation.actual))",
    ]
  }

  private func place(_ position: SourcePosition) -> String { "\(path):\(position.line):\(position.column)" }
}

/// Durations of a trace, which are small.
private enum DurationWords {
  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    let fraction = String(microseconds % 1000)
    return "\(microseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) ms"
  }
}
