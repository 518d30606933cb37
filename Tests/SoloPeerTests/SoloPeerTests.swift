import Glibc
import ScenarioModel
import SocketPOSIX
import SocketValues
import Testing

@testable import SoloPeer

/// The peer over the kernel, with another socket of the test's at the other end.
@Suite struct SoloPeerTests {
  /// What the other end gets while the peer has its turns; nil as soon as its stream has ended.
  private static func receive(_ descriptor: borrowing Descriptor, _ peer: SoloPeer, _ text: inout String) -> IOResult? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
    defer { buffer.deallocate() }
    _ = peer.turn(limit: .milliseconds(20))
    let result = SocketCall.receive(descriptor.rawValue, into: buffer)
    if case .bytes(let count) = result { text += String(decoding: buffer[..<count], as: UTF8.self) }
    return result == .wouldBlock ? nil : result
  }

  private static func connected(to address: RawAddress) throws -> Descriptor {
    let descriptor = try SocketCall.open(family: address.family)
    _ = try SocketCall.startConnect(descriptor.rawValue, to: address)
    return descriptor
  }

  @Test("it plays its lane for whoever connects, and tells it")
  func listens() throws {
    let lane = try SoloLaneTests.lane("accept, send: \"hello\", expect: \"bye\", close")
    var told: [TraceKind] = []
    let peer = SoloPeer(SoloLane(lane, stepByStep: false), at: .listens(.loopbackIPv4(port: 0))) {
      told.append($0.kind)
    }
    let address = try #require(try peer.open())
    let descriptor = try Self.connected(to: address)
    var text = ""
    for _ in 0..<500 where text != "hello" { _ = Self.receive(descriptor, peer, &text) }
    #expect(text == "hello")
    #expect(!peer.isOver)
    _ = Array("bye".utf8).withUnsafeBytes { SocketCall.send(descriptor.rawValue, $0) }
    for _ in 0..<500 where !peer.isOver { _ = peer.turn(limit: .milliseconds(20)) }
    #expect(peer.isOver)
    #expect(peer.deviation == nil)
    #expect(told.contains(.peerAction(.send(Array("hello".utf8)), peer: "peer")))
    #expect(told.contains(.peerAction(.close, peer: "peer")))
  }

  @Test("what comes instead of what is expected is a deviation")
  func deviates() throws {
    let lane = try SoloLaneTests.lane("accept, expect: \"bye\"")
    let peer = SoloPeer(SoloLane(lane, stepByStep: false), at: .listens(.loopbackIPv4(port: 0))) { _ in }
    let address = try #require(try peer.open())
    let descriptor = try Self.connected(to: address)
    for _ in 0..<500 where peer.deviation == nil {
      _ = Array("no".utf8).withUnsafeBytes { SocketCall.send(descriptor.rawValue, $0) }
      _ = peer.turn(limit: .milliseconds(20))
    }
    #expect(peer.deviation?.actual.contains("0x6e") == true, "\(peer.deviation?.actual ?? "none")")
  }

  @Test("after a deviation the other end has a moment, and is then reset; what it sends meanwhile is not told")
  func breaksOff() throws {
    let lane = try SoloLaneTests.lane("accept, expect: \"bye\"")
    var told: [TraceKind] = []
    let peer = SoloPeer(SoloLane(lane, stepByStep: false), at: .listens(.loopbackIPv4(port: 0))) {
      told.append($0.kind)
    }
    let address = try #require(try peer.open())
    let descriptor = try Self.connected(to: address)
    let start = ContinuousClock.now
    var deviatedAfter: Duration?
    while !peer.isOver, ContinuousClock.now - start < .seconds(30) {
      _ = Array("no".utf8).withUnsafeBytes { SocketCall.send(descriptor.rawValue, $0) }
      _ = peer.turn(limit: .milliseconds(20))
      if peer.deviation != nil, deviatedAfter == nil { deviatedAfter = ContinuousClock.now - start }
    }
    let took = ContinuousClock.now - start
    #expect(peer.isOver && peer.deviation != nil)
    #expect(took >= SoloPeer.patience)
    let waited = try #require(deviatedAfter)
    #expect(waited < took)
    let received = told.filter { if case .peerSaw(.received, _) = $0 { true } else { false } }
    #expect(received.count == 1, "\(received.count)")
    #expect(told.last == .peerAction(.reset, peer: "peer"))
    var text = ""
    var end: IOResult?
    for _ in 0..<50 where end == nil { end = Self.receive(descriptor, peer, &text) }
    #expect(end == .failed(ECONNRESET))
  }

  @Test("an end that deviates and ends by itself is not reset")
  func endsByItself() throws {
    let lane = try SoloLaneTests.lane("accept, expect: \"bye\"")
    var told: [TraceKind] = []
    let peer = SoloPeer(SoloLane(lane, stepByStep: false), at: .listens(.loopbackIPv4(port: 0))) {
      told.append($0.kind)
    }
    let address = try #require(try peer.open())
    let descriptor = try Self.connected(to: address)
    for _ in 0..<500 where peer.deviation == nil {
      _ = Array("no".utf8).withUnsafeBytes { SocketCall.send(descriptor.rawValue, $0) }
      _ = peer.turn(limit: .milliseconds(20))
    }
    #expect(!peer.isOver)
    _ = SocketCall.shutdown(descriptor.rawValue, .write)
    for _ in 0..<500 where !peer.isOver { _ = peer.turn(limit: .milliseconds(20)) }
    #expect(peer.isOver)
    #expect(told.last == .peerSaw(.endOfStream, peer: "peer"))
  }

  @Test("who has ended its side gets all that was sent to it, however slowly it reads", arguments: [false, true])
  func slowReader(startsAgain: Bool) throws {
    let size = 1 << 20
    let lane = try SoloLaneTests.lane("accept, expect: \"GET\", send: { pattern: { seed: 1, size: 1MiB } }, finish")
    let peer = SoloPeer(SoloLane(lane, stepByStep: false), at: .listens(.loopbackIPv4(port: 0))) { _ in }
    let address = try #require(try peer.open())
    let descriptor = try Self.connected(to: address)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 1)
    defer { buffer.deallocate() }
    var count = 0
    var hasAsked = false
    for turn in 0..<5000 where !peer.isOver {
      if !hasAsked, case .bytes = Array("GET".utf8).withUnsafeBytes({ SocketCall.send(descriptor.rawValue, $0) }) {
        hasAsked = true
        _ = SocketCall.shutdown(descriptor.rawValue, .write)
      }
      _ = peer.turn(limit: .milliseconds(1))
      if turn % 8 == 7, case .bytes(let more) = SocketCall.receive(descriptor.rawValue, into: buffer) { count += more }
    }
    #expect(peer.isOver && peer.deviation == nil)
    #expect(count < size)
    if startsAgain { try peer.startAgain() } else { peer.close() }
    var end: IOResult?
    for _ in 0..<20_000 where end == nil {
      switch SocketCall.receive(descriptor.rawValue, into: buffer) {
      case .bytes(let more): count += more
      case .wouldBlock: usleep(1000)
      case let other: end = other
      }
    }
    #expect(end == .endOfStream && count == size)
  }

  @Test("who connects during a play waits for the next one", arguments: [false, true])
  func again(isLocal: Bool) throws {
    let lane = try SoloLaneTests.lane("accept, send: \"hello\", close")
    let local = try #require(RawAddress.unix("/tmp/solo-peer-\(getpid())"))
    let wanted = isLocal ? local : RawAddress.loopbackIPv4(port: 0)
    let peer = SoloPeer(SoloLane(lane, stepByStep: false), at: .listens(wanted)) { _ in }
    defer { peer.close() }
    let address = try #require(try peer.open())
    let first = try Self.connected(to: address)
    let second = try Self.connected(to: address)
    var text = ""
    for _ in 0..<500 where !peer.isOver || text.count < 5 { _ = Self.receive(first, peer, &text) }
    #expect(text == "hello" && peer.isOver && peer.hasConnection)
    try peer.startAgain()
    #expect(!peer.isOver && !peer.hasConnection && peer.deviation == nil)
    var other = ""
    for _ in 0..<500 where !peer.isOver || other.count < 5 { _ = Self.receive(second, peer, &other) }
    #expect(other == "hello" && peer.isOver)
  }

  @Test("who connects does so in each play")
  func connectsAgain() throws {
    let greeting = try SoloLaneTests.lane("accept, send: \"hello\", close")
    let server = SoloPeer(SoloLane(greeting, stepByStep: false), at: .listens(.loopbackIPv4(port: 0))) { _ in }
    defer { server.close() }
    let address = try #require(try server.open())
    let lane = try SoloLaneTests.lane("accept, expect: \"hello\", expectEnd: fin")
    let peer = SoloPeer(SoloLane(lane, stepByStep: false), at: .connects(address)) { _ in }
    defer { peer.close() }
    for play in 0..<2 {
      if play > 0 {
        try server.startAgain()
        try peer.startAgain()
      }
      #expect(!peer.hasConnection && !peer.isOver)
      for _ in 0..<500 where !server.isOver || !peer.isOver {
        _ = server.turn(limit: .milliseconds(5))
        _ = peer.turn(limit: .milliseconds(5))
      }
      #expect(peer.hasConnection && peer.isOver && peer.deviation == nil)
      #expect(server.hasConnection && server.isOver && server.deviation == nil)
    }
  }

  @Test("step by step nothing goes before its key; a reset goes at any time")
  func keys() throws {
    let lane = try SoloLaneTests.lane("accept, send: \"one\", send: \"two\"")
    let peer = SoloPeer(SoloLane(lane, stepByStep: true), at: .listens(.loopbackIPv4(port: 0))) { _ in }
    let address = try #require(try peer.open())
    let descriptor = try Self.connected(to: address)
    var text = ""
    for _ in 0..<500 where !peer.waitsFor.contains("step 1") { _ = Self.receive(descriptor, peer, &text) }
    #expect(text.isEmpty)
    peer.press(.next)
    for _ in 0..<500 where text.isEmpty { _ = Self.receive(descriptor, peer, &text) }
    #expect(text == "one")
    peer.press(.reset)
    var end: IOResult?
    for _ in 0..<500 where end == nil { end = Self.receive(descriptor, peer, &text) }
    #expect(end == .failed(ECONNRESET))
    #expect(text == "one")
  }

  @Test("a lane that answers nobody is never over, and takes nobody in", arguments: ["refuse", "blackhole"])
  func nobody(step: String) throws {
    let lane = try SoloLaneTests.lane(step)
    let peer = SoloPeer(SoloLane(lane, stepByStep: false), at: .listens(.loopbackIPv4(port: 0))) { _ in }
    let address = try #require(try peer.open())
    for _ in 0..<5 { _ = peer.turn(limit: .milliseconds(5)) }
    #expect(peer.laneIsOver && !peer.isOver && peer.answersNobody)
    let descriptor = try SocketCall.open(family: AF_INET)
    var code: Int32 = 0
    do throws(SystemCallFailure) { _ = try SocketCall.startConnect(descriptor.rawValue, to: address) } catch {
      code = error.code
    }
    for _ in 0..<20 { _ = peer.turn(limit: .milliseconds(5)) }
    if code == 0 { code = SocketCall.pendingError(descriptor.rawValue) }
    #expect(code == (step == "refuse" ? ECONNREFUSED : 0))
    #expect(SocketCall.peerAddress(descriptor.rawValue) == nil)
    #expect(!peer.isOver)
  }

  @Test("keys that end a connection do nothing where there is none, and the next step has its place")
  func keysWithoutConnection() throws {
    let lane = try SoloLaneTests.lane("accept, send: \"one\"")
    var told: [TraceKind] = []
    let peer = SoloPeer(SoloLane(lane, stepByStep: true), at: .listens(.loopbackIPv4(port: 0))) { told.append($0.kind) }
    let address = try #require(try peer.open())
    for key in [SoloPeer.Key.reset, .finish] { peer.press(key) }
    #expect(told.allSatisfy { $0 == .peerAction(.accept, peer: "peer") })
    #expect(peer.nextStep == nil)
    let descriptor = try Self.connected(to: address)
    for _ in 0..<500 where peer.nextStep == nil { _ = peer.turn(limit: .milliseconds(20)) }
    #expect(peer.nextStep == lane.steps[1].position)
    peer.press(.next)
    #expect(peer.nextStep == nil)
    withExtendedLifetime(descriptor) {}
  }

  @Test("a key stands for what its line says; others do nothing")
  func pressedKeys() throws {
    let lane = try SoloLaneTests.lane("accept, send: \"one\", send: \"two\", send: \"three\"")
    for (keys, sent, ends) in [
      ("n", "one", nil), ("x\tn", "one", nil), (" \n", "onetwo", nil), ("g", "onetwothree", nil),
      ("nr", "one", ECONNRESET),
      ("nf", "one", 0),
    ] as [(String, String, Int32?)] {
      let peer = SoloPeer(SoloLane(lane, stepByStep: true), at: .listens(.loopbackIPv4(port: 0))) { _ in }
      let descriptor = try Self.connected(to: try #require(try peer.open()))
      var text = ""
      var end: IOResult?
      func look() {
        guard let result = Self.receive(descriptor, peer, &text) else { return }
        if case .bytes = result { return }
        end = end ?? result
      }
      for _ in 0..<500 where peer.nextStep == nil { _ = peer.turn(limit: .milliseconds(20)) }
      for key in keys.utf8 {
        #expect(peer.take(key), "\(key)")
        for _ in 0..<3 { look() }
      }
      for _ in 0..<500 where text.count < sent.count || ends != nil && end == nil { look() }
      #expect(text == sent, "\(keys)")
      let wanted: IOResult? = ends.map { $0 == 0 ? .endOfStream : .failed($0) }
      #expect(end == wanted, "\(keys)")
    }
    let peer = SoloPeer(SoloLane(lane, stepByStep: true), at: .listens(.loopbackIPv4(port: 0))) { _ in }
    for key in [UInt8(ascii: "q"), 3, 4] { #expect(!peer.take(key)) }
    #expect(SoloPeer.keys.split(separator: "  ").compactMap(\.first) == ["n", "r", "f", "g", "q"])
  }
}
