import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import Testing

@Suite("The loopback world")
struct LoopbackWorldTests {
  typealias Bench = LoopbackWorldBench

  @Test("carries bytes both ways on every family and queue topology", arguments: Variant.all)
  func exchange(variant: Variant) throws {
    let bench = try Bench(variant)
    bench.connect()
    bench.call(.write("ping", tag: 1))
    #expect(bench.peerSees(.received(Array("ping".utf8))))
    #expect(bench.sees(.didWrite(tag: 1)))
    bench.call(.read(.exactly(4), tag: 2))
    bench.peer(.send(Array("pong".utf8)))
    #expect(bench.peerSees(.sent(4)))
    #expect(bench.sees(.didRead(bytes: Array("pong".utf8), tag: 2)))
    bench.call(.disconnect)
    #expect(bench.sees(.didDisconnect(nil)))
    #expect(bench.peerSees(.endOfStream))
    #expect(bench.world.close() == [])
  }

  @Test("names children in the order they are accepted, and they are sockets", arguments: Variant.all)
  func children(variant: Variant) throws {
    let bench = try Bench(variant, peers: [.connecting("one"), .connecting("two")])
    #expect(bench.call(.listen(ListenCommand(place: .anywhere(port: .free)))) == .done)
    for (peer, child) in [("one", "child"), ("two", "child2")] {
      bench.peer(.connect(socket: "socket"), peer)
      #expect(bench.peerSees(.connected, peer))
      #expect(bench.sees(.didAccept(child: child)))
      bench.call(.read(.available(limit: 0), tag: 3), on: child)
      bench.peer(.send(Array(peer.utf8)), peer)
      #expect(bench.sees(.didRead(bytes: Array(peer.utf8), tag: 3), of: child))
      bench.call(.write(child), on: child)
      #expect(bench.peerSees(.received(Array(child.utf8)), peer))
    }
    #expect(bench.callbacks().first == .newSocketQueue)
    #expect(bench.world.close() == [])
  }

  @Test("a deadline is waited for, and not longer")
  func deadline() throws {
    let bench = try Bench()
    let deadline = bench.world.now + .milliseconds(20)
    #expect(bench.world.nextEvent(before: deadline) == nil)
    #expect(bench.world.now >= deadline)
    // A thread that is away when the deadline comes does not wait for it.
    for _ in 0..<20 where bench.world.lateness == .zero {
      #expect(bench.world.nextEvent(before: bench.world.now + .milliseconds(20)) == nil)
    }
    #expect(bench.world.lateness > .zero)
    // A deadline that has passed asks for what is there, and says nothing about lateness.
    let before = bench.world.lateness
    #expect(bench.world.nextEvent(before: .zero) == nil)
    #expect(bench.world.lateness == before)
  }

  @Test("instants never go back, and a peer that stalls at once has read nothing")
  func order() throws {
    let bench = try Bench(peers: [.listening(receiveBuffer: 4096)])
    bench.peer(.accept)
    bench.call(.connect(ConnectCommand(target: .peer("peer"))))
    bench.call(.write("early"))
    #expect(bench.peerSees(.connected))
    bench.peer(.setReading(.paused))
    bench.watch(for: .milliseconds(30))
    #expect(!bench.events.contains { if case .peer(_, .received) = $0.kind { true } else { false } })
    bench.peer(.setReading(.atMost(2)))
    #expect(bench.peerSees(.received(Array("ea".utf8))))
    bench.peer(.setReading(.everything))
    #expect(bench.peerSees(.received(Array("rly".utf8))))
    #expect(bench.events.map(\.at) == bench.events.map(\.at).sorted())
  }

  @Test("peers that refuse, hang and share a port")
  func places() throws {
    let peers: [PeerLane] = [
      .listening("refuses", first: .refuse), .listening("hangs", first: .blackhole),
      .listening("four", family: .ipv4), .listening("six", family: .ipv6, samePortAs: "four"),
    ]
    let sockets = ["a", "b"].map { SocketSetup(name: $0) }
    let bench = try Bench(peers: peers, sockets: sockets)
    bench.call(.connect(ConnectCommand(target: .peer("refuses"))), on: "a")
    let timeout = TimeoutValue(seconds: 0.05)
    bench.call(.connect(ConnectCommand(target: .peer("hangs"), timeout: timeout)), on: "b")
    #expect(bench.waits(for: .didDisconnect, of: "a") && bench.waits(for: .didDisconnect, of: "b"))
    #expect(bench.errorNames(of: "a") == ["ECONNREFUSED"])
    #expect(bench.errorNames(of: "b") == ["ConnectTimeout"])
    #expect(bench.world.port(.peer("four")) == bench.world.port(.peer("six")))
    #expect(bench.world.port(.listener("a")) == nil)
  }

  @Test("errors come with domain, code, words and the call's name")
  func errors() throws {
    let bench = try Bench()
    let empty = ConnectCommand(target: .host("", port: .number(1)))
    guard case .refused(let refusal) = bench.call(.connect(empty)) else {
      Issue.record("an empty host was taken")
      return
    }
    #expect(refusal.name == "BadParam" && !refusal.message.isEmpty)
    bench.call(.connect(ConnectCommand(target: .path("missing"))))
    #expect(bench.waits(for: .didDisconnect))
    guard case .didDisconnect(let error?) = bench.callbacks().last else { return }
    #expect(error.name == "ENOENT" && error.reason?.contains("connect") == true && !error.message.isEmpty)
    guard case .refused(let noPath) = bench.call(.connect(ConnectCommand(target: .path("")))) else {
      Issue.record("an empty path was taken")
      return
    }
    #expect(noPath.name == "BadParam")
  }

  @Test("hosts of the scenario are the only ones, and take their time")
  func hosts() throws {
    let hosts = [
      HostEntry(name: "slow.test", addresses: ["127.0.0.1"], delay: .milliseconds(60)),
      HostEntry(name: "none.test", addresses: []),
    ]
    let bench = try Bench(sockets: ["a", "b"].map { SocketSetup(name: $0) }, hosts: hosts)
    bench.peer(.accept)
    let started = bench.world.now
    bench.call(.connect(ConnectCommand(target: .host("slow.test", port: .peer("peer")))))
    #expect(bench.waits(for: .didConnect))
    #expect((bench.events.last?.at ?? .zero) - started >= .milliseconds(60))
    for (socket, name) in [("a", "none.test"), ("b", "unknown.test")] {
      bench.call(.connect(ConnectCommand(target: .host(name, port: .number(1)))), on: socket)
      #expect(bench.waits(for: .didDisconnect, of: socket))
      #expect(bench.errorNames(of: socket) == ["EAI_NONAME"])
    }
  }

  @Test("what means something that does not exist is refused, and never passes for unsupported")
  func noObject() throws {
    let bench = try Bench(peers: [.connecting()])
    let answers = [
      bench.call(.disconnect, on: "child"), bench.call(.connect(ConnectCommand(target: .peer("peer")))),
      bench.call(.unblockDelegateQueue),
      bench.call(.listen(ListenCommand(place: .anywhere(port: .of("nobody"))))),
    ]
    for answer in answers {
      guard case .refused(let error) = answer, error.domain == .other else {
        Issue.record("\(answer)")
        continue
      }
    }
    #expect(bench.read(.isConnected, of: "child") == .none)
    bench.peer(.connect(socket: "socket"))
    #expect(bench.peerSees(.connectFailed(111)))
  }

  @Test("a released socket is gone, and its peer sees the end")
  func release() throws {
    let bench = try Bench()
    bench.connect()
    #expect(bench.call(.release) == .done)
    #expect(bench.peerSees(.endOfStream))
    #expect(bench.call(.disconnect) != .done)
  }

  @Test("worlds side by side do not disturb each other, and leave nothing behind")
  func sideBySide() async throws {
    // In a process of their own: the suites beside this one have descriptors, too.
    await #expect(processExitsWith: .success) {
      let before = LoopbackWorldBench.openDescriptors()
      try await withThrowingTaskGroup(of: [ClosingRemark].self) { group in
        for number in 0..<64 {
          group.addTask {
            let bench = try Bench(Variant.all[number % Variant.all.count])
            bench.connect()
            let text = "case \(number)"
            bench.call(.read(.exactly(text.utf8.count), tag: number))
            bench.peer(.send(Array(text.utf8)))
            #expect(bench.sees(.didRead(bytes: Array(text.utf8), tag: number)))
            #expect(bench.callbacks().filter { $0.kind == .didRead }.count == 1)
            return bench.world.close()
          }
        }
        for try await remarks in group { #expect(remarks == []) }
      }
      // The loop and the queues keep a few of their own; 64 worlds with one too many each would show.
      for _ in 0..<600 where LoopbackWorldBench.openDescriptors() >= before + 32 {
        try await Task.sleep(for: .milliseconds(100))
      }
      #expect(LoopbackWorldBench.openDescriptors() < before + 32)
    }
  }
}
