import ScenarioModel
import ScenarioRunner

/// A world that is a table: what happens by itself, and what commands and peer actions set off. Time is virtual.
struct FakeWorld: World {
  typealias CommandRule = (_ command: SubjectCommand, _ socket: String, _ at: Duration) -> (CommandResult, [WorldEvent])
  typealias ActionRule = (_ action: PeerAction, _ peer: String, _ at: Duration) -> [WorldEvent]

  var name = WorldName.simulated
  var now = Duration.zero
  var lateness = Duration.zero
  var processorWait = Duration.zero
  var obstacle: CaseObstacle?
  /// From the first call that hangs on.
  var faultOfHang: SubjectFault?
  private(set) var fault: SubjectFault?
  var ports: [String: UInt16] = [:]
  var properties: [SubjectProperty: PropertyValue] = [:]
  var notes: [String] = []
  /// What the subject has done wrong when the case is closed.
  var faults: [String] = []
  /// Reading them does not return.
  var stuckProperties: Set<SubjectProperty> = []
  var uninvitedPeers: [String] = []
  /// What keeps a call that hangs, or a property that is stuck, from returning.
  var hold: SourcePosition?
  /// Of each peer's send under way.
  var taken = 0
  /// In the order of time; equal times keep their order.
  var pending: [WorldEvent] = []
  var onCommand: CommandRule = { _, _, _ in (.done, []) }
  /// By default every send is taken at once and every accept or connect succeeds at once.
  var onAction: ActionRule = FakeWorld.obliging
  /// How long after it was asked for a call is made.
  var callDelay: Duration?
  /// How long a call takes.
  var callLength = Duration.zero
  /// How long the runner is held up when it reads a property.
  var readLength = Duration.zero
  private(set) var lastCall: Duration?
  private(set) var actions: [PeerAction] = []
  private(set) var isClosed = false

  init(_ events: [WorldEvent] = []) { schedule(events) }

  static func obliging(_ action: PeerAction, _ peer: String, _ at: Duration) -> [WorldEvent] {
    switch action {
    case .accept, .connect: [WorldEvent(at: at, kind: .peer(peer, .connected))]
    case .send(let bytes): [WorldEvent(at: at, kind: .peer(peer, .sent(bytes.count)))]
    default: []
    }
  }

  mutating func schedule(_ events: [WorldEvent]) {
    for event in events {
      let place = pending.firstIndex { $0.at > event.at } ?? pending.count
      pending.insert(event, at: place)
    }
  }

  mutating func open(_ setup: CaseSetup) throws(CaseObstacle) {
    if let obstacle { throw obstacle }
  }

  mutating func perform(_ command: SubjectCommand, on socket: String) -> CommandResult {
    if let callDelay {
      now += callDelay
      lastCall = now
    }
    let (result, events) = onCommand(command, socket, now)
    schedule(events)
    now += callLength
    if result == .hung { fault = faultOfHang }
    return result
  }

  mutating func read(_ property: SubjectProperty, name: String?, of socket: String) -> PropertyValue? {
    now += readLength
    return stuckProperties.contains(property) ? nil : properties[property] ?? PropertyValue.none
  }

  func port(_ reference: PortReference) -> UInt16? {
    switch reference {
    case .number(let number): number
    case .peer(let name), .listener(let name): ports[name]
    }
  }

  mutating func perform(_ action: PeerAction, by peer: String) {
    actions.append(action)
    schedule(onAction(action, peer, now))
  }

  mutating func nextEvent(before deadline: Duration) -> WorldEvent? {
    guard let first = pending.first, first.at < deadline else {
      if deadline > now { now = deadline }
      return nil
    }
    pending.removeFirst()
    if first.at > now { now = first.at }
    return first
  }

  mutating func toldEvent(before instant: Duration) -> WorldEvent? {
    guard let first = pending.first, first.at < instant else { return nil }
    return pending.removeFirst()
  }

  func takenUnderWay(by peer: String) -> Int { taken }

  mutating func uninvited() -> [String] { uninvitedPeers }

  mutating func close() -> [ClosingRemark] {
    isClosed = true
    return notes.map { ClosingRemark($0, isFault: false) } + faults.map { ClosingRemark($0, isFault: true) }
  }
}
