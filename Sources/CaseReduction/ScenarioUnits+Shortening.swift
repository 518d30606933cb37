import ScenarioModel

extension ScenarioUnits {
  /// A read or a write that can be made shorter, with what goes over the wire for it.
  package struct Shortening: Sendable {
    /// How many bytes it has.
    package var count: Int
    /// How few it must have.
    package var least: Int
    fileprivate var call: ScenarioItem
    fileprivate var expectation: ScenarioItem?
    fileprivate var pieces: [Piece]
  }

  /// All that can be made shorter.
  package var shortenings: [Shortening] {
    units.compactMap { unit in
      let calls = unit.items.filter { data(at: $0) != nil }
      let events = unit.items.filter { event(at: $0) != nil }
      guard let call = calls.first, calls.count == 1, events.count <= 1, unit.pieces.count <= 1 else { return nil }
      switch data(at: call) {
      case .write(let write):
        let count = write.payload.count
        guard count > 1, unit.pieces.allSatisfy({ !$0.isSent && $0.range.count == count }) else { return nil }
        return Shortening(count: count, least: 1, call: call, expectation: events.first, pieces: unit.pieces)
      case .read(let read):
        guard let piece = unit.pieces.first, piece.isSent, read.buffer == nil, let item = events.first,
          event(at: item)?.pattern.hash == nil
        else { return nil }
        var least = 1
        if case .through(let delimiter, _) = read.boundary { least = delimiter.count }
        guard piece.range.count > least else { return nil }
        return Shortening(
          count: piece.range.count, least: least, call: call, expectation: item, pieces: unit.pieces)
      default: return nil
      }
    }
  }

  /// The scenario with `count` bytes of it left; nil: that is not possible. Of a read to a delimiter the end stays.
  package func scenario(_ shortening: Shortening, keeping count: Int) -> Scenario? {
    guard count >= shortening.least, count < shortening.count else { return nil }
    var rest = scenario
    var tail = 0
    if case .read(let read) = data(at: shortening.call), case .through(let delimiter, _) = read.boundary {
      tail = delimiter.count
    }
    let head = count - tail
    func kept(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.prefix(head) + bytes.suffix(tail)) }
    let cuts = shortening.pieces.map { piece in
      let start = piece.range.lowerBound + head
      return Piece(lane: piece.lane, isSent: piece.isSent, range: start..<piece.range.upperBound - tail)
    }
    guard keepsDelimiter(shortening, kept) else { return nil }
    let gone = cut(cuts, in: &rest)
    change(&rest, at: shortening.call) { command in
      switch command {
      case .write(var write):
        write.payload = .bytes(kept(write.payload.materialised))
        command = .write(write)
      case .read(var read):
        if case .exactly = read.boundary { read.boundary = .exactly(count) }
        command = .read(read)
      default: break
      }
    }
    if case .expectation(let place) = shortening.expectation, case .event(var event) = rest.expectations[place] {
      if let bytes = event.pattern.bytes { event.pattern.bytes = .bytes(kept(bytes.materialised)) }
      if event.pattern.count != nil { event.pattern.count = count...count }
      rest.expectations[place] = .event(event)
    }
    return rest.without(gone)
  }

  /// Whether the delimiter comes at the end only.
  private func keepsDelimiter(_ shortening: Shortening, _ kept: ([UInt8]) -> [UInt8]) -> Bool {
    guard case .read(let read) = data(at: shortening.call), case .through(let delimiter, _) = read.boundary,
      let piece = shortening.pieces.first
    else { return true }
    let bytes = kept(Array(sent(by: piece.lane)[piece.range]))
    return bytes.firstRange(of: delimiter.materialised)?.upperBound == bytes.count
  }

  private func sent(by lane: Int) -> [UInt8] {
    scenario.peers[lane].steps.flatMap { step -> [UInt8] in
      switch step.value {
      case .send(let payload), .drip(let payload, _, _): payload.materialised
      default: []
      }
    }
  }

  private func data(at item: ScenarioItem) -> SubjectCommand? {
    let step: SubjectStep? =
      switch item {
      case .call(let lane, let place): scenario.subjects[lane].steps[place].step
      case .reaction(let lane, let place): scenario.reactions[lane].steps[place].step
      default: nil
      }
    guard case .command(let command, _, _) = step else { return nil }
    switch command {
    case .read, .write: return command
    default: return nil
    }
  }

  private func event(at item: ScenarioItem) -> EventExpectation? {
    guard case .expectation(let place) = item, case .event(let event) = scenario.expectations[place] else { return nil }
    return [.didRead, .didWrite].contains(event.pattern.kind) ? event : nil
  }

  private func change(
    _ rest: inout Scenario, at item: ScenarioItem, _ body: (inout SubjectCommand) -> Void
  ) {
    func changed(_ step: SubjectStep) -> SubjectStep {
      guard case .command(var command, let socket, let refusal) = step else { return step }
      body(&command)
      return .command(command, socket: socket, refusal: refusal)
    }
    switch item {
    case .call(let lane, let place):
      rest.subjects[lane].steps[place].step = changed(rest.subjects[lane].steps[place].step)
    case .reaction(let lane, let place):
      rest.reactions[lane].steps[place].step = changed(rest.reactions[lane].steps[place].step)
    default: break
    }
  }
}
