import ScenarioModel

extension MatchWalker {
  /// The instants after `now` at which something changes without an event: windows that close, silences that end.
  func deadline(
    in nodes: [ExpectationNode], from cursor: MatchCursor, choices: [UInt8], previous: Duration, now: Duration
  ) -> Duration? {
    var earliest: Duration?
    func offer(_ instant: Duration?) {
      guard let instant, instant > now else { return }
      earliest = earliest.map { min($0, instant) } ?? instant
    }
    walk(nodes, from: cursor, choices: choices, previous: previous, now: now) { node, place, way in
      switch node {
      case .event(let event): offer(clock.lateFrom(event.expectation.window, previous: way.previous))
      case .stream: break
      case .nothing(let nothing): offer(clock.end(of: nothing, after: way.previous))
      case .anyOrder(let group):
        for (index, item) in group.items.enumerated() {
          let inner = place.inner.isEmpty ? MatchCursor() : place.inner[index]
          offer(deadline(in: item, from: inner, choices: way.choices, previous: way.previous, now: now))
        }
      case .oneOf(let group):
        for alternative in open(group, way.choices) {
          let inner = place.inner.first ?? MatchCursor()
          offer(deadline(in: alternative.nodes, from: inner, choices: way.choices, previous: way.previous, now: now))
        }
      }
    }
    return earliest
  }

  /// The expectation whose window has closed although it had to be met before anything else; nil when the events to
  /// come may still be in time.
  func overdue(
    in nodes: [ExpectationNode], from cursor: MatchCursor, choices: [UInt8], previous: Duration, now: Duration
  ) -> Unmet? {
    guard cursor.index < nodes.count else { return nil }
    switch nodes[cursor.index] {
    case .event(let event):
      if event.isOptional, cursor.progress == 0 {
        return overdue(in: nodes, from: cursor.past, choices: choices, previous: previous, now: now)
      }
      guard let from = clock.lateFrom(event.expectation.window, previous: previous), from <= now else { return nil }
      return Unmet(nodes[cursor.index], cursor, previous: previous)
    case .stream: return nil
    case .nothing(let nothing):
      let end = clock.end(of: nothing, after: previous)
      guard end <= now else { return nil }
      let next = previous == WindowClock.notBegun ? previous : end
      return overdue(in: nodes, from: cursor.past, choices: choices, previous: next, now: now)
    case .anyOrder(let group):
      for (index, item) in group.items.enumerated() {
        let inner = cursor.inner.isEmpty ? MatchCursor() : cursor.inner[index]
        if let late = overdue(in: item, from: inner, choices: choices, previous: previous, now: now) {
          return late.amongOthers
        }
      }
      return nil
    case .oneOf(let group):
      var last: Unmet?
      for alternative in open(group, choices) {
        let inner = cursor.inner.first ?? MatchCursor()
        guard
          let late = overdue(in: alternative.nodes, from: inner, choices: choices, previous: previous, now: now)
        else { return nil }
        last = late
      }
      return last
    }
  }

  /// What must still be seen, from the cursor on, in file order.
  func required(
    in nodes: [ExpectationNode], from cursor: MatchCursor, choices: [UInt8], previous: Duration
  ) -> [Unmet] {
    var found: [Unmet] = []
    for index in nodes.indices where index >= cursor.index {
      let place = index == cursor.index ? cursor : MatchCursor(index: index)
      let unmet = Unmet(nodes[index], place, previous: previous)
      switch nodes[index] {
      case .event(let event): if !event.isOptional || place.progress > 0 { found.append(unmet) }
      case .stream, .nothing: found.append(unmet)
      case .anyOrder(let group):
        for (number, item) in group.items.enumerated() {
          let inner = place.inner.isEmpty ? MatchCursor() : place.inner[number]
          found += required(in: item, from: inner, choices: choices, previous: previous).map(\.amongOthers)
        }
      case .oneOf(let group):
        let open = open(group, choices)
        if open.count == 1, let only = open.first {
          found += required(
            in: only.nodes, from: place.inner.first ?? MatchCursor(), choices: choices, previous: previous)
        } else {
          found.append(unmet)
        }
      }
    }
    return found
  }

  /// The first event expectation from the cursor on that the callback fits, wherever it stands.
  func later(_ delivered: DeliveredCallback, in nodes: [ExpectationNode], from index: Int) -> EventNode? {
    guard index < nodes.count else { return nil }
    for node in nodes[index...] {
      switch node {
      case .event(let event): if event.fits(delivered) { return event }
      case .stream, .nothing: continue
      case .anyOrder(let group):
        for item in group.items {
          if let event = later(delivered, in: item, from: 0) { return event }
        }
      case .oneOf(let group):
        for alternative in group.alternatives {
          if let event = later(delivered, in: alternative.nodes, from: 0) { return event }
        }
      }
    }
    return nil
  }
}
