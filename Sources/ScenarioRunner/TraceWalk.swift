import ScenarioModel

/// A recorded case, event by event: what was seen, what of it was wrong, and what the judge still waited for.
package struct TraceWalk: Sendable {
  /// One event, and where the case stood behind it.
  package struct Step: Sendable {
    /// What was seen.
    package var event: TraceEvent
    /// Where in the file the expectation stands that it met; nil: it met none.
    package var met: SourcePosition?
    /// What it shows that should not be.
    package var deviations: [Deviation]
    /// What must still be seen, in the scenario's words.
    package var open: [Judge.Outstanding]
  }

  /// In the order of the trace.
  package let steps: [Step]
  /// What no event shows.
  package let atTheEnd: [Deviation]

  /// Shows the trace of a result to a judge once more.
  package init(_ script: CaseScript, _ result: CaseResult, tolerance: Tolerance) {
    let script = script.form(of: result.variant)
    var judge = Judge(program: script.program, tolerance: tolerance)
    var steps: [Step] = []
    for (index, event) in result.trace.events.enumerated() {
      judge.observe(event, index: index)
      judge.advance(to: event.at)
      steps.append(
        Step(
          event: event, met: result.matches[index], deviations: result.deviations.filter { $0.traceIndex == index },
          open: judge.outstandingExpectations))
    }
    self.steps = steps
    atTheEnd = result.deviations.filter { $0.traceIndex == nil }
  }
}

/// The user's place in a trace that is walked through by keys.
package struct StepCursor: Hashable, Sendable {
  /// How many events there are.
  package let count: Int
  /// The event that is shown, from 0.
  package private(set) var place = 0
  /// Whether the walk is over.
  package private(set) var isOver = false
  /// The digits of the event to go to, behind `g`; nil: none are being typed.
  package private(set) var digits: String?

  package init(count: Int) { self.count = count }

  /// Takes a key. Returns whether there is something new to show.
  ///
  /// `n`, space and return: the next event. `p`: the one before. `g`, digits and return: that event. `q`: the end.
  package mutating func take(_ key: UInt8) -> Bool {
    let character = Character(UnicodeScalar(key))
    if let typed = digits {
      switch character {
      case "0"..."9" where typed.count < 9: digits = typed + String(character)
      case "\u{7F}", "\u{8}": digits = String(typed.dropLast())
      case "\r", "\n":
        digits = nil
        if let number = Int(typed) { place = min(max(number - 1, 0), max(count - 1, 0)) }
      case "\u{1B}": digits = nil
      default: return false
      }
      return true
    }
    switch character {
    case "n", " ", "\r", "\n":
      guard place + 1 < count else { return false }
      place += 1
    case "p":
      guard place > 0 else { return false }
      place -= 1
    case "g": digits = ""
    case "q", "\u{3}", "\u{4}": isOver = true
    default: return false
    }
    return true
  }
}
