import CocoaAsyncSocket
import ScenarioModel
import ScenarioRunner
import Testing

@testable import SubjectAdapters

@Suite("The loopback world at another speed")
struct LoopbackSpeedTests {
  @Test("a variant's speed holds for the first sockets and for accepted ones", arguments: Speed.allCases)
  func speeds(speed: Speed) throws {
    let variant = Variant(family: .ipv4, cut: .whole, queues: .own, speed: speed)
    let bench = try LoopbackWorldBench(variant, peers: [.connecting()])
    #expect(bench.call(.listen(ListenCommand(place: .anywhere(port: .free)))) == .done)
    bench.peer(.connect(socket: "socket"))
    #expect(bench.sees(.didAccept(child: "child")))
    let stage = try #require(bench.world.library)
    for name in ["socket", "child"] {
      let socket = try #require(stage.socket(named: name)?.object as? GCDAsyncSocket)
      #expect(socket.takesShortcuts(named: speed.rawValue), "\(name)")
    }
    #expect(bench.world.close() == [])
  }
}
