import ScenarioModel

/// The changes of a scenario after which its expectations no longer apply, and only what must hold in every case is
/// judged.
struct ScenarioDisturbance {
  private let kind: ScenarioChange.Kind
  private var random: SplitMix64

  init(_ kind: ScenarioChange.Kind, _ random: SplitMix64) {
    self.kind = kind
    self.random = random
  }

  private static let nowhere = SourcePosition(line: 0, column: 0)

  /// False: the scenario has nothing of the kind.
  mutating func apply(to scenario: inout Scenario) -> Bool {
    switch kind {
    case .leavesOut, .doubles, .swaps: return rearrange(&scenario)
    case .peerEnds: return insertPeerStep(&scenario, [.finish, .close, .reset])
    case .pauses: return pause(&scenario)
    case .calls: return insertCall(&scenario)
    case .length, .timeout: return changeCall(&scenario)
    case .size: return changeSize(&scenario)
    case .setting: return changeSetting(&scenario)
    case .queues: return changeQueues(&scenario)
    case .handshake: return changeHandshake(&scenario)
    case .delegate: return changeDelegate(&scenario)
    case .reaction: return addReaction(&scenario)
    case .tags, .bytes, .cuts, .joins, .idleCalls: return false
    }
  }

  // MARK: Order

  private mutating func rearrange(_ scenario: inout Scenario) -> Bool {
    let lanes = scenario.peers.count + scenario.subjects.count
    guard lanes > 0 else { return false }
    let lane = random.below(lanes)
    if lane < scenario.peers.count {
      // The first step says whether the peer listens.
      return rearrange(&scenario.peers[lane].steps, from: 1)
    }
    return rearrange(&scenario.subjects[lane - scenario.peers.count].steps, from: 0)
  }

  private mutating func rearrange<Step>(_ steps: inout [Step], from first: Int) -> Bool {
    guard steps.count - first > 1 else { return false }
    let place = first + random.below(steps.count - first)
    switch kind {
    case .leavesOut: steps.remove(at: place)
    case .doubles: steps.insert(steps[place], at: place)
    default: steps.swapAt(place, first + random.below(steps.count - first))
    }
    return true
  }

  private mutating func insertPeerStep(_ scenario: inout Scenario, _ steps: [PeerStep]) -> Bool {
    guard !scenario.peers.isEmpty else { return false }
    let lane = random.below(scenario.peers.count)
    guard let first = scenario.peers[lane].steps.first?.value, first.startsConnection else { return false }
    let place = 1 + random.below(scenario.peers[lane].steps.count)
    scenario.peers[lane].steps.insert(Located(random.pick(steps), at: Self.nowhere), at: place)
    return true
  }

  private mutating func pause(_ scenario: inout Scenario) -> Bool {
    let pause = Duration.milliseconds(random.pick([1, 5, 20, 100]))
    if random.below(2) == 0 { return insertPeerStep(&scenario, [.wait(pause)]) }
    guard !scenario.subjects.isEmpty else { return false }
    let lane = random.below(scenario.subjects.count)
    let place = random.below(scenario.subjects[lane].steps.count + 1)
    scenario.subjects[lane].steps.insert(LocatedStep(.wait(pause), at: Self.nowhere), at: place)
    return true
  }

  // MARK: Calls

  private mutating func call() -> SubjectCommand {
    let timeout = TimeoutValue(seconds: random.pick([-1, -1, 0.001, 0.05, 1]))
    switch random.below(9) {
    case 0: return .disconnect
    case 1: return .disconnectAfterReading
    case 2: return .disconnectAfterWriting
    case 3: return .disconnectAfterReadingAndWriting
    case 4: return .write(WriteCommand(payload: .bytes([97, 98, 13, 10]), timeout: timeout, tag: 4712))
    case 5: return .read(ReadCommand(boundary: .available(limit: random.pick([0, 1])), timeout: timeout, tag: 4713))
    case 6: return .read(ReadCommand(boundary: .through(.bytes([10]), limit: 0), timeout: timeout, tag: 4714))
    case 7: return .set(.autoDisconnectOnClosedReadStream(random.below(2) == 0))
    default: return .read(ReadCommand(boundary: .exactly(random.pick([1, 3, 100])), timeout: timeout, tag: 4715))
    }
  }

  private mutating func insertCall(_ scenario: inout Scenario) -> Bool {
    let lanes = scenario.subjects.indices.filter { lane in
      scenario.sockets.contains { $0.name == scenario.subjects[lane].name }
    }
    guard !lanes.isEmpty else { return false }
    let lane = random.pick(lanes)
    let name = scenario.subjects[lane].name
    let place = random.below(scenario.subjects[lane].steps.count + 1)
    scenario.subjects[lane].steps.insert(
      LocatedStep(.command(call(), socket: name, refusal: nil), at: Self.nowhere), at: place)
    return true
  }

  private mutating func changeCall(_ scenario: inout Scenario) -> Bool {
    var places: [(lane: Int, step: Int)] = []
    for (lane, subject) in scenario.subjects.enumerated() {
      for (step, located) in subject.steps.enumerated() {
        guard case .command(let command, _, _) = located.step else { continue }
        switch command {
        case .read, .write: places.append((lane, step))
        default: break
        }
      }
    }
    guard !places.isEmpty else { return false }
    let place = random.pick(places)
    guard
      case .command(let command, let socket, let refusal) = scenario.subjects[place.lane].steps[place.step].step
    else { return false }
    scenario.subjects[place.lane].steps[place.step].step =
      .command(changed(command), socket: socket, refusal: refusal)
    return true
  }

  private mutating func changed(_ command: SubjectCommand) -> SubjectCommand {
    let timeout = TimeoutValue(seconds: random.pick([-1, 0, 0.001, 0.02, 0.5]))
    switch command {
    case .read(var read) where kind == .timeout:
      read.timeout = timeout
      return .read(read)
    case .write(var write) where kind == .timeout:
      write.timeout = timeout
      return .write(write)
    case .read(var read):
      switch read.boundary {
      case .available: read.boundary = .available(limit: random.pick([0, 1, 2, 1000]))
      case .exactly(let length): read.boundary = .exactly(length.moved(by: random.pick([-1, 1, 7])))
      case .through(let delimiter, let limit):
        read.boundary = .through(delimiter, limit: random.pick([0, delimiter.count, limit.moved(by: 1), 1000]))
      }
      return .read(read)
    default: return command
    }
  }

  // MARK: Sizes

  private mutating func changeSize(_ scenario: inout Scenario) -> Bool {
    var places: [(lane: Int, step: Int, bytes: [UInt8])] = []
    for (lane, peer) in scenario.peers.enumerated() {
      for (step, located) in peer.steps.enumerated() {
        guard case .send(let payload) = located.value, (1...16_384).contains(payload.count) else { continue }
        places.append((lane, step, payload.materialised))
      }
    }
    guard !places.isEmpty else { return false }
    let place = random.pick(places)
    let bytes: [UInt8] =
      switch random.below(3) {
      case 0: Array(place.bytes.prefix(max(1, place.bytes.count / 2)))
      case 1: place.bytes + place.bytes
      default: place.bytes + [UInt8](repeating: 97, count: random.pick([1, 100, 5000]))
      }
    scenario.peers[place.lane].steps[place.step].value = .send(.bytes(bytes))
    return true
  }

  // MARK: Settings

  private mutating func changeSetting(_ scenario: inout Scenario) -> Bool {
    guard scenario.matrix.subjects != [.runLoop], let lane = scenario.subjects.indices.first else { return false }
    let settings: [SubjectSetting] = [
      .autoDisconnectOnClosedReadStream(false), .notifiesDisconnectBeforeReturning(true),
      .ipv4Preferred(false), .alternateAddressDelay(0.01),
    ]
    let name = scenario.subjects[lane].name
    guard scenario.sockets.contains(where: { $0.name == name }) else { return false }
    scenario.subjects[lane].steps.insert(
      LocatedStep(.command(.set(random.pick(settings)), socket: name, refusal: nil), at: Self.nowhere), at: 0)
    return true
  }

  private mutating func changeQueues(_ scenario: inout Scenario) -> Bool {
    guard !scenario.sockets.isEmpty, scenario.matrix.subjects != [.runLoop] else { return false }
    scenario.sockets[random.below(scenario.sockets.count)].queues = random.pick(QueueTopology.allCases)
    return true
  }

  private mutating func changeDelegate(_ scenario: inout Scenario) -> Bool {
    guard let lane = scenario.subjects.indices.first else { return false }
    let name = scenario.subjects[lane].name
    guard scenario.sockets.contains(where: { $0.name == name }) else { return false }
    let place = random.below(scenario.subjects[lane].steps.count + 1)
    let command = random.pick([SubjectCommand.setDelegate("other"), .setDelegate(nil)])
    scenario.subjects[lane].steps.insert(
      LocatedStep(.command(command, socket: name, refusal: nil), at: Self.nowhere), at: place)
    return true
  }

  private mutating func changeHandshake(_ scenario: inout Scenario) -> Bool {
    for lane in scenario.subjects.indices {
      for place in scenario.subjects[lane].steps.indices {
        guard case .command(.startTLS(var tls), let socket, let refusal) = scenario.subjects[lane].steps[place].step
        else { continue }
        switch random.below(5) {
        case 0: tls.minimumVersion = random.pick(TLSVersion.allCases)
        case 1: tls.maximumVersion = random.pick(TLSVersion.allCases)
        case 2: tls.manualTrust = random.below(2) == 0
        case 3: tls.anchors = .host
        default: tls.peerName = random.pick([nil, "other.example"])
        }
        scenario.subjects[lane].steps[place].step = .command(.startTLS(tls), socket: socket, refusal: refusal)
        return true
      }
    }
    return false
  }

  private mutating func addReaction(_ scenario: inout Scenario) -> Bool {
    guard let socket = scenario.sockets.first else { return false }
    let kinds: [CallbackKind] = [.didConnect, .didRead, .didWrite, .didCloseRead, .didDisconnect]
    let command = call()
    scenario.reactions.insert(
      Reaction(
        pattern: CallbackPattern(kind: random.pick(kinds)), socket: socket.name, times: 1,
        isOptional: true, steps: [LocatedStep(.command(command, socket: socket.name, refusal: nil), at: Self.nowhere)],
        position: Self.nowhere), at: 0)
    return true
  }
}

extension PeerStep {
  fileprivate var startsConnection: Bool {
    switch self {
    case .accept, .connect: true
    default: false
    }
  }
}
