import ScenarioModel

/// Tags and bytes of a scenario replaced throughout: in steps, reactions, checks and expectations alike.
///
/// Law: with functions that are one-to-one the scenario tells the same story in other words, and what it expects stays
/// right. `isFaithful` says whether all bytes could be replaced.
struct ScenarioRewriting {
  var tag: (Int) -> Int
  /// nil: bytes stay as they are.
  var byte: ((UInt8) -> UInt8)?
  /// False once there was something whose bytes can't be replaced: a hash, a forged record, a long pattern.
  private(set) var isFaithful = true
  /// Longer payloads are not written out.
  private static let maxBytes = 4096

  init(tag: @escaping (Int) -> Int = { $0 }, byte: ((UInt8) -> UInt8)? = nil) {
    self.tag = tag
    self.byte = byte
  }

  mutating func rewrite(_ scenario: inout Scenario) {
    for lane in scenario.peers.indices { rewrite(&scenario.peers[lane].steps) }
    for lane in scenario.subjects.indices { rewrite(&scenario.subjects[lane].steps) }
    for place in scenario.reactions.indices {
      rewrite(&scenario.reactions[place].pattern)
      rewrite(&scenario.reactions[place].steps)
    }
    for place in scenario.expectations.indices { rewrite(&scenario.expectations[place]) }
    if var network = scenario.network {
      rewrite(&network.steps)
      scenario.network = network
    }
  }

  // MARK: Bytes

  private mutating func rewrite(_ payload: inout Payload) {
    guard let byte else { return }
    switch payload {
    case .bytes(let bytes): payload = .bytes(bytes.map(byte))
    case .repeated(var unit, let times):
      rewrite(&unit)
      payload = .repeated(unit: unit, times: times)
    case .pattern(_, let count):
      guard count <= Self.maxBytes else { return isFaithful = false }
      payload = .bytes(payload.materialised.map(byte))
    case .joined(var parts):
      for place in parts.indices { rewrite(&parts[place]) }
      payload = .joined(parts)
    }
  }

  private mutating func refuseBytes() { if byte != nil { isFaithful = false } }

  // MARK: Steps

  private mutating func rewrite(_ steps: inout [Located<PeerStep>]) {
    for place in steps.indices { rewrite(&steps[place].value) }
  }

  private mutating func rewrite(_ step: inout PeerStep) {
    switch step {
    case .send(var payload):
      rewrite(&payload)
      step = .send(payload)
    case .expect(var payload):
      rewrite(&payload)
      step = .expect(payload)
    case .drip(var payload, let chunk, let every):
      rewrite(&payload)
      step = .drip(payload, chunk: chunk, every: every)
    case .sendUrgent(let value): if let byte { step = .sendUrgent(byte(value)) }
    case .expectCount(_, .some), .raw, .record, .alert, .tls: if !step.isSoundHandshake { refuseBytes() }
    case .after(var point):
      rewrite(&point)
      step = .after(point)
    case .repeated(let times, var inner):
      rewrite(&inner)
      step = .repeated(times: times, steps: inner)
    default: break
    }
  }

  private mutating func rewrite(_ point: inout SyncPoint) {
    guard case .callback(var pattern, let socket, let occurrence) = point else { return }
    rewrite(&pattern)
    point = .callback(pattern, socket: socket, occurrence: occurrence)
  }

  private mutating func rewrite(_ steps: inout [LocatedStep]) {
    for place in steps.indices { rewrite(&steps[place].step) }
  }

  private mutating func rewrite(_ step: inout SubjectStep) {
    switch step {
    case .command(var command, let socket, let refusal):
      rewrite(&command)
      step = .command(command, socket: socket, refusal: refusal)
    case .check(var checks, let socket):
      for place in checks.indices { rewrite(&checks[place]) }
      step = .check(checks, socket: socket)
    case .after(var point):
      rewrite(&point)
      step = .after(point)
    case .repeated(let times, var inner):
      rewrite(&inner)
      step = .repeated(times: times, steps: inner)
    default: break
    }
  }

  private mutating func rewrite(_ command: inout SubjectCommand) {
    switch command {
    case .read(var read):
      read.tag = tag(read.tag)
      if case .through(var delimiter, let limit) = read.boundary {
        rewrite(&delimiter)
        read.boundary = .through(delimiter, limit: limit)
      }
      if let byte, let fill = read.buffer?.fill { read.buffer?.fill = byte(fill) }
      command = .read(read)
    case .write(var write):
      write.tag = tag(write.tag)
      rewrite(&write.payload)
      command = .write(write)
    case .perform(var commands):
      for place in commands.indices { rewrite(&commands[place]) }
      command = .perform(commands)
    default: break
    }
  }

  private mutating func rewrite(_ check: inout PropertyCheck) {
    let holdsPayload = check.property == .buffer || check.property == .unreadData
    switch check.expected {
    case .payload(var payload) where holdsPayload:
      rewrite(&payload)
      check.expected = .payload(payload)
    case .value(.bytes(let bytes)) where holdsPayload: if let byte { check.expected = .value(.bytes(bytes.map(byte))) }
    case .value(.progress(let number, let done, let total, let fraction)):
      check.expected = .value(.progress(tag: tag(number), done: done, total: total, fraction: fraction))
    case .progress(let number?, let done, let total, let active):
      check.expected = .progress(tag: tag(number), done: done, total: total, active: active)
    case .mentions: refuseBytes()
    default: break
    }
  }

  // MARK: Expectations

  private mutating func rewrite(_ pattern: inout CallbackPattern) {
    pattern.tag = pattern.tag.map(tag)
    if pattern.hash != nil { refuseBytes() }
    if var bytes = pattern.bytes {
      rewrite(&bytes)
      pattern.bytes = bytes
    }
  }

  private mutating func rewrite(_ expectation: inout Expectation) {
    switch expectation {
    case .event(var event):
      rewrite(&event.pattern)
      expectation = .event(event)
    case .stream(var stream):
      rewrite(&stream.payload)
      expectation = .stream(stream)
    case .anyOrder(var inner, let position):
      for place in inner.indices { rewrite(&inner[place]) }
      expectation = .anyOrder(inner, position: position)
    case .oneOf(var alternatives, let position):
      for place in alternatives.indices {
        for inner in alternatives[place].expectations.indices { rewrite(&alternatives[place].expectations[inner]) }
      }
      expectation = .oneOf(alternatives, position: position)
    case .nothing: break
    }
  }
}

extension PeerStep {
  /// A handshake that the peer does not forge.
  fileprivate var isSoundHandshake: Bool {
    if case .tls(let tls) = self { return tls.edits.isEmpty }
    return false
  }
}
