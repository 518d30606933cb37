import ScenarioModel

/// What choices between the alternatives of `oneOf` still mean.
///
/// A choice that only one socket's expectations know binds nobody any more once they have gone past it, but for whether
/// it was a strict one. Readings that differ in nothing else are one reading: kept apart, they would double with every
/// `oneOf`.
struct ChoiceTable: Sendable {
  /// For each `oneOf`, in file order: which of its alternatives are tolerated only.
  let nonStrict: [[Bool]]
  /// For each `oneOf` where the expectations of the one socket that it concerns have it; nil: it binds several sockets.
  private let places: [Place?]

  private struct Place: Sendable {
    var slot: Int
    /// Of the outermost expectation.
    var index: Int
  }

  /// What of a reading decides how it goes on.
  struct StateKey: Hashable {
    var cursors: [MatchCursor]
    var met: [Duration]
    var choices: [UInt8]
    var isStrict: Bool
    /// Of the events that may turn out not to have been in time, by their places in the trace.
    var anchored: [Anchor]
  }

  struct Anchor: Hashable {
    var event: ObjectIdentifier
    var index: Int
  }

  private struct WayKey: Hashable {
    var choices: [UInt8]
    var isStrict: Bool
    var previous: Duration
  }

  init(_ nonStrict: [[Bool]] = [], _ groups: [[[ExpectationNode]]] = []) {
    self.nonStrict = nonStrict
    var found: [[Place]] = nonStrict.map { _ in [] }
    for (slot, nodes) in groups.flatMap({ $0.enumerated() }) {
      for (index, node) in nodes.enumerated() {
        for choice in Self.choices(in: node) { found[choice].append(Place(slot: slot, index: index)) }
      }
    }
    places = found.map { $0.count == 1 ? $0[0] : nil }
  }

  private static func choices(in node: ExpectationNode) -> [Int] {
    switch node {
    case .event, .stream, .nothing: []
    case .anyOrder(let group): group.items.flatMap { $0.flatMap(choices) }
    case .oneOf(let group): [group.choice] + group.alternatives.flatMap { $0.nodes.flatMap(choices) }
    }
  }

  func isStrict(_ choices: [UInt8]) -> Bool {
    for (choice, number) in choices.enumerated() where number > 0 && nonStrict[choice][Int(number) - 1] { return false }
    return true
  }

  /// Of two states with equal keys one is enough.
  func key(of state: MatchState) -> StateKey {
    var choices = state.choices
    for (choice, place) in places.enumerated() {
      if let place, place.index < state.cursors[place.slot].index { choices[choice] = 0 }
    }
    return StateKey(
      cursors: state.cursors, met: state.met, choices: choices, isStrict: isStrict(state.choices),
      anchored: state.anchored.map { Anchor(event: ObjectIdentifier($0.event), index: $0.index) })
  }

  /// The first of all that go on alike. All must come from one state, past the same expectations of one socket: then
  /// choices that concern no other socket differ only in what is behind them.
  func distinct(_ ways: [MatchWalker.Skip]) -> [MatchWalker.Skip] {
    guard ways.count > 1 else { return ways }
    var known: Set<WayKey> = []
    return ways.filter { way in
      var choices = way.choices
      for (choice, place) in places.enumerated() where place != nil { choices[choice] = 0 }
      let key = WayKey(choices: choices, isStrict: isStrict(way.choices), previous: way.previous)
      return known.insert(key).inserted
    }
  }
}
