import ScenarioModel
import ScenarioRunner
import Testing

@testable import Simulation

/// The world's own laws, called directly.
@Suite struct SimulatedWorldTests {
  private func opened(
    _ faults: LinkFaults = .standard, seed: UInt64 = 1, family: AddressFamily = .ipv4,
    _ change: (inout Scenario) -> Void = { _ in }
  ) throws -> SimulatedWorld {
    var scenario = Scenario(id: "world", title: "World")
    scenario.peers = [PeerLane(name: "peer", steps: [Located(.accept, at: SourcePosition(line: 1, column: 1))])]
    change(&scenario)
    var world = SimulatedWorld(faults: faults)
    try world.open(
      CaseSetup(
        scenario: scenario, variant: Variant(family: family, cut: .whole, queues: .separate), seed: seed,
        reactions: ReactionBook(scenario.reactions)))
    return world
  }

  @Test func timeMovesToTheDeadlineWhenNothingHappens() throws {
    var world = try opened()
    #expect(world.now == .zero)
    #expect(world.nextEvent(before: .seconds(3)) == nil)
    #expect(world.now == .seconds(3))
    #expect(world.nextEvent(before: .seconds(2)) == nil)
    #expect(world.now == .seconds(3), "time never goes back")
    #expect(world.lateness == .zero)
    #expect(world.name == .simulated)
  }

  @Test func callsReturnBeforeWhatTheySetOff() throws {
    var world = try opened(.none)
    world.perform(.accept, by: "peer")
    #expect(world.perform(.connect(ConnectCommand(target: .peer("peer"))), on: "socket") == .done)
    #expect(world.read(.isDisconnected, name: nil, of: "socket") == .flag(false))
    #expect(world.read(.isConnected, name: nil, of: "socket") == .flag(false))
    #expect(world.now == .zero)
    var callbacks: [Callback] = []
    while let event = world.nextEvent(before: .seconds(1)) {
      if case .callback(let delivered) = event.kind { callbacks.append(delivered.callback) }
    }
    #expect(callbacks == [.didConnect(host: "127.0.0.1", port: world.port(.peer("peer")) ?? 0)])
    #expect(world.read(.isConnected, name: nil, of: "socket") == .flag(true))
    #expect(world.close() == [])
  }

  @Test func aStartedSocketRefusesToStartAgain() throws {
    var world = try opened()
    #expect(world.perform(.listen(ListenCommand(place: .anywhere(port: .free))), on: "socket") == .done)
    guard case .refused(let error) = world.perform(.connect(ConnectCommand(target: .peer("peer"))), on: "socket")
    else { throw LabFailure("not refused") }
    #expect(error.name == "BadConfig")
    #expect(!error.message.isEmpty)
  }

  @Test func seedsExploreDifferentCourses() throws {
    let echo = try SampleScenarios.read("echo", SampleScenarios.echo)
    let script = CaseScript(echo, profile: .documented)
    let variant = try #require(echo.variants.first)
    let hashes = Set((0..<50).map { SampleScenarios.run(script, variant, seed: $0).traceHash })
    #expect(hashes.count > 3)
  }

  @Test func portsAreDeterministicAndDistinct() throws {
    var world = try opened { scenario in
      scenario.peers.append(PeerLane(name: "other", steps: scenario.peers[0].steps))
    }
    let again = try opened()
    #expect(world.port(.peer("peer")) == again.port(.peer("peer")))
    #expect(world.port(.peer("peer")) != world.port(.peer("other")))
    #expect(world.port(.peer("nobody")) == nil)
    #expect(world.port(.listener("socket")) == nil)
    #expect(world.perform(.listen(ListenCommand(place: .anywhere(port: .free))), on: "socket") == .done)
    #expect(world.read(.localPort, name: nil, of: "socket") == .number(Double(world.port(.listener("socket")) ?? 0)))
  }

  @Test func calledOnNothingIsRefused() throws {
    var world = try opened()
    for name in ["nobody", "child"] {
      guard case .refused = world.perform(.disconnect, on: name) else { throw LabFailure("not refused") }
      #expect(world.read(.isConnected, name: nil, of: name) == PropertyValue.none)
    }
    #expect(world.perform(.release, on: "socket") == .done)
    guard case .refused = world.perform(.disconnect, on: "socket") else { throw LabFailure("not refused") }
  }

  @Test func whatTheWireTookOfASendIsKnown() throws {
    var world = try opened(.none)
    world.perform(.accept, by: "peer")
    _ = world.perform(.connect(ConnectCommand(target: .peer("peer"))), on: "socket")
    #expect(world.takenUnderWay(by: "peer") == 0)
    while let event = world.nextEvent(before: .seconds(1)) {
      if case .peer(_, .connected) = event.kind {
        world.perform(.send([UInt8](repeating: 7, count: 20 << 20)), by: "peer")
      }
    }
    #expect((1..<20 << 20).contains(world.takenUnderWay(by: "peer")))
    #expect(world.takenUnderWay(by: "nobody") == 0)
  }

  @Test func withoutFaultsALongWriteIsLimitedByTheBuffersOnly() throws {
    var world = try opened(.none)
    world.perform(.accept, by: "peer")
    let payload = Payload.pattern(seed: 1, count: 1 << 20)
    _ = world.perform(.connect(ConnectCommand(target: .peer("peer"))), on: "socket")
    _ = world.perform(.write(WriteCommand(payload: payload, tag: 1)), on: "socket")
    world.perform(.setReading(.paused), by: "peer")
    var written = 0
    while let event = world.nextEvent(before: .seconds(1)) {
      if case .peer(_, .connected) = event.kind { world.perform(.setReading(.paused), by: "peer") }
      if case .callback(let delivered) = event.kind, case .didWritePartial(let count, _) = delivered.callback {
        written += count
      }
    }
    #expect(written == SimulatedHost.sendBuffer + SimulatedHost.receiveBuffer)
    guard case .progress(1, written, 1 << 20, _) = world.read(.progressOfWrite, name: nil, of: "socket") else {
      throw LabFailure("no progress")
    }
  }
}
