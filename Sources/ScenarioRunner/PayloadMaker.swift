import ScenarioModel

/// Writes out the payloads of lanes and reactions, so that a scenario that is run a thousand times makes its bytes
/// once. Equal payloads share their bytes.
struct PayloadMaker {
  private var made: [Payload: Payload] = [:]

  /// The scenario with all bytes that its steps send, expect, write or search for in literal form; it means the same.
  static func writtenOut(_ scenario: Scenario) -> Scenario {
    var maker = PayloadMaker()
    var scenario = scenario
    for lane in scenario.peers.indices {
      scenario.peers[lane].steps = scenario.peers[lane].steps.map { maker.writtenOut($0) }
    }
    for lane in scenario.subjects.indices {
      scenario.subjects[lane].steps = scenario.subjects[lane].steps.map { maker.writtenOut($0) }
    }
    for reaction in scenario.reactions.indices {
      scenario.reactions[reaction].steps = scenario.reactions[reaction].steps.map { maker.writtenOut($0) }
    }
    return scenario
  }

  private mutating func writtenOut(_ payload: Payload) -> Payload {
    if case .bytes = payload { return payload }
    if let known = made[payload] { return known }
    let bytes = Payload.bytes(payload.materialised)
    made[payload] = bytes
    return bytes
  }

  private mutating func writtenOut(_ step: Located<PeerStep>) -> Located<PeerStep> {
    var step = step
    switch step.value {
    case .send(let payload): step.value = .send(writtenOut(payload))
    case .drip(let payload, let chunk, let every): step.value = .drip(writtenOut(payload), chunk: chunk, every: every)
    case .expect(let payload): step.value = .expect(writtenOut(payload))
    case .repeated(let times, let steps): step.value = .repeated(times: times, steps: steps.map { writtenOut($0) })
    default: break
    }
    return step
  }

  private mutating func writtenOut(_ step: LocatedStep) -> LocatedStep {
    var step = step
    switch step.step {
    case .command(let command, let socket, let refusal):
      step.step = .command(writtenOut(command), socket: socket, refusal: refusal)
    case .repeated(let times, let steps): step.step = .repeated(times: times, steps: steps.map { writtenOut($0) })
    default: break
    }
    return step
  }

  private mutating func writtenOut(_ command: SubjectCommand) -> SubjectCommand {
    switch command {
    case .write(var write):
      write.payload = writtenOut(write.payload)
      return .write(write)
    case .read(var read):
      guard case .through(let delimiter, let limit) = read.boundary else { return command }
      read.boundary = .through(writtenOut(delimiter), limit: limit)
      return .read(read)
    case .perform(let commands): return .perform(commands.map { writtenOut($0) })
    default: return command
    }
  }
}
