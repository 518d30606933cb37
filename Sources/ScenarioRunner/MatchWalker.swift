import ScenarioModel
import ScriptedPeer

/// Walks the expectations of one socket: the ways in which an event can be the next one, the ways in which what is left
/// may stay unseen, and the instants that matter. Pure functions of cursor, choices and time; the judge keeps the set.
struct MatchWalker {
  /// A way to go on.
  struct Outcome {
    var cursor: MatchCursor
    var choices: [UInt8]
    var node: ExpectationNode
    /// Bytes of the stream, or occurrences of the event, seen before.
    var progress: Int
    var previous: Duration
    var flaw: MatchFlaw?
  }

  /// A way to leave something out.
  struct Skip {
    var choices: [UInt8]
    var previous: Duration
  }

  let clock: WindowClock
  let table: ChoiceTable

  // MARK: - An event

  func outcomes(
    of delivered: DeliveredCallback, at instant: Duration, in nodes: [ExpectationNode], from cursor: MatchCursor,
    choices: [UInt8], previous: Duration
  ) -> [Outcome] {
    var found: [Outcome] = []
    walk(nodes, from: cursor, choices: choices, previous: previous, now: instant) { node, place, way in
      switch node {
      case .event(let event):
        found += consume(delivered, at: instant, event, node, place, way.choices, way.previous)
      case .stream(let stream): found += consume(delivered, stream, node, place, way.choices, way.previous)
      case .nothing: break
      case .anyOrder(let group):
        found += consume(delivered, at: instant, group, place, way.choices, way.previous)
      case .oneOf(let group): found += consume(delivered, at: instant, group, place, way.choices, way.previous)
      }
    }
    return found
  }

  /// Visits the expectations that may be the next one, the nearest first, each in every way to leave out those before
  /// it. Returns the ways to leave out all of them.
  @discardableResult
  func walk(
    _ nodes: [ExpectationNode], from cursor: MatchCursor, choices: [UInt8], previous: Duration, now: Duration,
    visit: (_ node: ExpectationNode, _ cursor: MatchCursor, _ way: Skip) -> Void = { _, _, _ in }
  ) -> [Skip] {
    var ways = [Skip(choices: choices, previous: previous)]
    var place = cursor
    while place.index < nodes.count, !ways.isEmpty {
      let node = nodes[place.index]
      for way in ways { visit(node, place, way) }
      ways = table.distinct(
        ways.flatMap { skips(of: node, place, choices: $0.choices, previous: $0.previous, now: now) })
      place = place.past
    }
    return ways
  }

  private func consume(
    _ delivered: DeliveredCallback, at instant: Duration, _ event: EventNode, _ node: ExpectationNode,
    _ cursor: MatchCursor, _ choices: [UInt8], _ previous: Duration
  ) -> [Outcome] {
    guard delivered.callback.kind == event.kind else { return [] }
    let flaw: MatchFlaw? =
      event.fits(delivered)
      ? clock.flaw(event.expectation.window, at: instant, previous: previous) : .content
    var next = cursor
    next.progress += 1
    if next.progress >= event.times { next = cursor.past }
    return [
      Outcome(
        cursor: next, choices: choices, node: node, progress: cursor.progress, previous: previous, flaw: flaw)
    ]
  }

  private func consume(
    _ delivered: DeliveredCallback, _ stream: StreamNode, _ node: ExpectationNode, _ cursor: MatchCursor,
    _ choices: [UInt8], _ previous: Duration
  ) -> [Outcome] {
    var next = cursor
    var flaw: MatchFlaw?
    if case .didRead(let bytes, _) = delivered.callback {
      next.progress += bytes.count
      if next.progress > stream.bytes.count
        || ByteComparison.firstDifference(stream.bytes, from: cursor.progress, bytes, from: 0, count: bytes.count)
          != nil
      {
        flaw = .content
      }
      if next.progress >= stream.bytes.count { next = cursor.past }
    } else if !delivered.callback.kind.isIncidental {
      return []
    }
    return [
      Outcome(
        cursor: next, choices: choices, node: node, progress: cursor.progress, previous: previous, flaw: flaw)
    ]
  }

  private func consume(
    _ delivered: DeliveredCallback, at instant: Duration, _ group: AnyOrderNode, _ cursor: MatchCursor,
    _ choices: [UInt8], _ previous: Duration
  ) -> [Outcome] {
    var entered = cursor
    if entered.inner.isEmpty { entered.inner = group.items.map { _ in MatchCursor() } }
    for (index, item) in group.items.enumerated() where entered.inner[index].index == 0 {
      guard case .nothing(let nothing) = item[0] else { continue }
      guard clock.end(of: nothing, after: previous) <= instant else { return [] }
      entered.inner[index] = MatchCursor(index: 1)
    }
    var found: [Outcome] = []
    for (index, item) in group.items.enumerated() where entered.inner[index].index == 0 {
      if let twin = group.twins[index], entered.inner[twin] == entered.inner[index] { continue }
      for var outcome in outcomes(
        of: delivered, at: instant, in: item, from: entered.inner[index], choices: choices, previous: previous)
      {
        var next = entered
        next.inner[index] = outcome.cursor
        outcome.cursor = next.inner.allSatisfy { $0.index > 0 } ? cursor.past : next
        found.append(outcome)
      }
    }
    return found
  }

  private func consume(
    _ delivered: DeliveredCallback, at instant: Duration, _ group: OneOfNode, _ cursor: MatchCursor,
    _ choices: [UInt8], _ previous: Duration
  ) -> [Outcome] {
    var found: [Outcome] = []
    for alternative in open(group, choices) {
      var chosen = choices
      chosen[group.choice] = alternative.number
      for var outcome in outcomes(
        of: delivered, at: instant, in: alternative.nodes, from: cursor.inner.first ?? MatchCursor(), choices: chosen,
        previous: previous)
      {
        var next = cursor
        next.inner = [outcome.cursor]
        outcome.cursor = outcome.cursor.index == alternative.nodes.count ? cursor.past : next
        found.append(outcome)
      }
    }
    return found
  }

  /// The alternatives that are still possible.
  func open(_ group: OneOfNode, _ choices: [UInt8]) -> [OneOfNode.Alternative] {
    let chosen = choices[group.choice]
    return chosen == 0 ? group.alternatives : group.alternatives.filter { $0.number == chosen }
  }

  // MARK: - Nothing

  /// The ways in which the rest of an expectation may stay unseen, given that it is `now`.
  func skips(
    of node: ExpectationNode, _ cursor: MatchCursor, choices: [UInt8], previous: Duration, now: Duration
  ) -> [Skip] {
    let same = Skip(choices: choices, previous: previous)
    switch node {
    case .event(let event): return event.isOptional && cursor.progress == 0 ? [same] : []
    case .stream(let stream): return stream.bytes.isEmpty ? [same] : []
    case .nothing(let nothing):
      let end = clock.end(of: nothing, after: previous)
      return end <= now ? [Skip(choices: choices, previous: previous == WindowClock.notBegun ? previous : end)] : []
    case .anyOrder(let group):
      var ways = [same]
      for (index, item) in group.items.enumerated() {
        let inner = cursor.inner.isEmpty ? MatchCursor() : cursor.inner[index]
        ways = table.distinct(
          ways.flatMap { completions(of: item, from: inner, choices: $0.choices, previous: previous, now: now) })
      }
      return ways
    case .oneOf(let group):
      return open(group, choices).flatMap { alternative in
        var chosen = choices
        chosen[group.choice] = alternative.number
        return completions(
          of: alternative.nodes, from: cursor.inner.first ?? MatchCursor(), choices: chosen, previous: previous,
          now: now)
      }
    }
  }

  /// The ways in which everything from the cursor on may stay unseen.
  func completions(
    of nodes: [ExpectationNode], from cursor: MatchCursor, choices: [UInt8], previous: Duration, now: Duration
  ) -> [Skip] {
    walk(nodes, from: cursor, choices: choices, previous: previous, now: now)
  }
}
