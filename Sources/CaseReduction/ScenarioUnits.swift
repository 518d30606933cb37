import ScenarioModel

/// A scenario as units: parts that can only be left out together, because one depends on another.
///
/// While a failing scenario is made smaller there is no correct socket to say what it would do. A part is therefore
/// left out together with everything that depends on it, and the rest stays right without being run:
///
/// - A read, the callback that it is expected to bring, and the peer's bytes that complete it are one unit; so are a
///   write, its callback and the bytes that the peer waits for. Bytes go out of the middle of a `send`.
/// - Whatever ends a connection, and what is expected of its end, is one unit, with the reads and writes of which
///   nothing is expected; what belongs to TLS goes with it. Its expectations alone never go.
/// - A reaction goes with the callbacks that it answers; an expectation whose time counts from another one, or a
///   silence, with that one; a point with the steps that wait for it.
/// - A wait, a point or an `after` can go only where nothing that is left depends on when things happen: nothing ends,
///   times out, stalls, is silent or is looked at.
/// - What makes the connections stays, unless a connection goes with all that is done on it.
/// - Where a rule can't tell what belongs together, everything that might is one unit.
///
/// - Where reads or writes decide when the connection ends, all of them go with the end.
///
/// A test leaves random units out of scenarios of the library and has the reference play what is left: the rules are
/// right for all but a few odd ones, whose leftovers the search recognises by what else they show (`CaseReducer`).
package struct ScenarioUnits {
  /// Bytes of a lane: of what its peer sends, or waits for.
  struct Piece: Hashable {
    var lane: Int
    var isSent: Bool
    var range: Range<Int>
  }

  struct Unit {
    var items: [ScenarioItem] = []
    var pieces: [Piece] = []
    /// It can't go.
    var isFixed = false
    /// It says when things happen, and nothing else.
    var isOrdering = false
    /// It depends on when things happen.
    var isSensitive = false
  }

  /// Without `repeat`.
  package let scenario: Scenario
  let units: [Unit]
  /// Of `after` steps: the expectation whose callback they wait for.
  let awaited: [ScenarioItem: Int]

  /// Works out what belongs together.
  package init(_ scenario: Scenario) {
    let flat = scenario.flattened
    var linking = UnitLinking(flat)
    linking.link()
    self.scenario = flat
    units = linking.units
    awaited = linking.awaited
  }

  /// The units that may go, by their places.
  package var removable: [Int] { units.indices.filter { !units[$0].isFixed } }

  /// Whether the rules let these go together.
  package func admits(without left: Set<Int>) -> Bool {
    guard left.contains(where: { units[$0].isOrdering }) else { return true }
    return !units.indices.contains { !left.contains($0) && units[$0].isSensitive }
  }

  /// The scenario without these units.
  package func scenario(without left: Set<Int>) -> Scenario {
    let items = Set(left.flatMap { units[$0].items })
    var rest = scenario
    let cuts = left.flatMap { units[$0].pieces }
    var gone = cut(cuts, in: &rest)
    gone.formUnion(retarget(without: items, in: &rest))
    return rest.without(items.union(gone))
  }

  // MARK: Bytes

  /// Takes the bytes out. Returns steps that have none left.
  func cut(_ pieces: [Piece], in rest: inout Scenario) -> Set<ScenarioItem> {
    var gone: Set<ScenarioItem> = []
    for lane in scenario.peers.indices {
      for isSent in [true, false] {
        let ranges = pieces.filter { $0.lane == lane && $0.isSent == isSent && !$0.range.isEmpty }.map(\.range)
        guard !ranges.isEmpty else { continue }
        var offset = 0
        for (place, step) in scenario.peers[lane].steps.enumerated() {
          guard let count = step.value.byteCount(isSent: isSent) else { continue }
          let own = offset..<offset + count
          offset += count
          guard ranges.contains(where: { $0.overlaps(own) }) else { continue }
          let kept = own.filter { byte in !ranges.contains { $0.contains(byte) } }.map { $0 - own.lowerBound }
          if kept.isEmpty {
            gone.insert(.peer(lane, place))
          } else {
            rest.peers[lane].steps[place].value = step.value.keeping(kept)
          }
        }
      }
    }
    return gone
  }

  // MARK: Moments

  /// Lets steps that wait for a callback wait for the one that is left before it. Returns those without any.
  private func retarget(without items: Set<ScenarioItem>, in rest: inout Scenario) -> Set<ScenarioItem> {
    var gone: Set<ScenarioItem> = []
    for (item, target) in awaited where !items.contains(item) {
      guard let moment = moment(of: item), case .callback(let pattern, let socket, _) = moment else { continue }
      let events = scenario.expectations.indices.filter { index in
        guard case .event(let event) = scenario.expectations[index] else { return false }
        return event.socket == socket && !items.contains(.expectation(index))
      }
      guard let last = events.last(where: { $0 <= target }), case .event(let event) = scenario.expectations[last]
      else {
        gone.insert(item)
        continue
      }
      var wanted = pattern
      if last != target {
        wanted = CallbackPattern(kind: event.pattern.kind)
        wanted.tag = event.pattern.tag
      }
      let occurrence = events.filter { index in
        guard index <= last, case .event(let event) = scenario.expectations[index] else { return false }
        return wanted.isMet(by: event)
      }.count
      set(.callback(wanted, socket: socket, occurrence: max(1, occurrence)), at: item, in: &rest)
    }
    return gone
  }

  private func moment(of item: ScenarioItem) -> SyncPoint? {
    switch item {
    case .peer(let lane, let place):
      if case .after(let moment) = scenario.peers[lane].steps[place].value { moment } else { nil }
    case .call(let lane, let place):
      if case .after(let moment) = scenario.subjects[lane].steps[place].step { moment } else { nil }
    case .reaction, .expectation, .ending: nil
    }
  }

  private func set(_ moment: SyncPoint, at item: ScenarioItem, in rest: inout Scenario) {
    switch item {
    case .peer(let lane, let place): rest.peers[lane].steps[place].value = .after(moment)
    case .call(let lane, let place): rest.subjects[lane].steps[place].step = .after(moment)
    case .reaction, .expectation, .ending: break
    }
  }
}

extension CallbackPattern {
  /// Whether the expected callback is one of those, as far as kind and tag say.
  func isMet(by event: EventExpectation) -> Bool {
    kind == event.pattern.kind && (tag == nil || tag == event.pattern.tag)
  }

  /// Whether kind and tag say all of it.
  var isPlain: Bool {
    var plain = CallbackPattern(kind: kind)
    plain.tag = tag
    return plain == self
  }
}

extension PeerStep {
  /// Of steps that send, or of those that wait for bytes; nil: it is none of these.
  func byteCount(isSent: Bool) -> Int? {
    switch self {
    case .send(let payload) where isSent: payload.count
    case .drip(let payload, _, _) where isSent: payload.count
    case .expect(let payload) where !isSent: payload.count
    case .expectCount(let count, nil) where !isSent: count
    default: nil
    }
  }

  /// The step with these of its bytes.
  func keeping(_ places: [Int]) -> PeerStep {
    func kept(_ payload: Payload) -> Payload {
      let bytes = payload.materialised
      return .bytes(places.map { bytes[$0] })
    }
    return switch self {
    case .send(let payload): .send(kept(payload))
    case .drip(let payload, let chunk, let every): .drip(kept(payload), chunk: chunk, every: every)
    case .expect(let payload): .expect(kept(payload))
    case .expectCount: .expectCount(places.count, hash: nil)
    default: self
    }
  }
}
