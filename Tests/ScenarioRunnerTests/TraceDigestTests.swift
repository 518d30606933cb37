import ScenarioModel
import ScenarioRunner
import Testing

@Suite struct TraceDigestTests {
  private static let trace = Trace(events: [
    command(connectCommand), did(.accept), saw(.connected), callback(connected, at: 1), did(.send(bytes("HELLO"))),
    callback(.didReadPartial(count: 1, tag: 7), at: 2), callback(.didRead(bytes: bytes("HELLO"), tag: 7), at: 3),
    TraceEvent(at: .milliseconds(4), kind: .point("p")), TraceEvent(at: .milliseconds(5), kind: .note("slow")),
  ])

  /// The hash is part of reports that are compared across runs: a change of it must be meant.
  @Test func isStable() {
    #expect(TraceDigest.text(of: Self.trace, world: .simulated) == "9728fc0ba7aa3530")
    #expect(TraceDigest.text(of: Self.trace, world: .loopback) == "c717d836fed35ec4")
    #expect(TraceDigest.text(of: Trace(), world: .simulated).count == 16)
  }

  @Test func everyEventCounts() {
    var seen: Set<String> = [TraceDigest.text(of: Self.trace, world: .simulated)]
    for index in Self.trace.events.indices {
      var shorter = Self.trace
      shorter.events.remove(at: index)
      #expect(seen.insert(TraceDigest.text(of: shorter, world: .simulated)).inserted)
      var later = Self.trace
      later.events[index].at += .nanoseconds(1)
      #expect(seen.insert(TraceDigest.text(of: later, world: .simulated)).inserted)
    }
  }

  @Test func fieldsCount() {
    let kinds: [TraceKind] = [
      .callback(delivered(.didRead(bytes: bytes("a"), tag: 1))),
      .callback(delivered(.didRead(bytes: bytes("b"), tag: 1))),
      .callback(delivered(.didRead(bytes: bytes("a"), tag: 2))),
      .callback(delivered(.didRead(bytes: bytes("a"), tag: 1), on: "child")), .callback(delivered(.didWrite(tag: 1))),
      .callback(delivered(.didDisconnect(nil))), .callback(delivered(.didDisconnect(closed))),
      .peerAction(.finish, peer: "peer"), .peerAction(.finish, peer: "second"), .peerAction(.close, peer: "peer"),
      .peerSaw(.broken(104), peer: "peer"), .peerSaw(.broken(32), peer: "peer"), .point("a"), .note("a"),
      .command(read(1), socket: "socket", result: .done, inCallback: false),
      .command(read(2), socket: "socket", result: .done, inCallback: false),
      .command(read(1), socket: "socket", result: .done, inCallback: true),
      .command(read(1), socket: "socket", result: .hung, inCallback: false),
    ]
    let hashes = kinds.map {
      TraceDigest.text(of: Trace(events: [TraceEvent(at: .zero, kind: $0)]), world: .simulated)
    }
    #expect(Set(hashes).count == kinds.count)
  }

  @Test func whatTLSDidCounts() {
    let facts = TLSFacts(version: .tls13, cipher: "C", serverName: "", alpn: "", isResumed: false)
    let alert = TLSAlert(level: 2, description: 40)
    let tlsEvents: [TLSEvent] = [
      .began(.server), .began(.client), .messageSent("finished"), .messageReceived("finished"), .alertSent(alert),
      .alertReceived(alert), .certificates(["a"]), .certificates([]), .established(facts), .forged("a"), .failed("a"),
      .plainSent([1]), .plainReceived([1]), .secret("a"),
    ]
    let hashes = tlsEvents.map {
      TraceDigest.text(of: Trace(events: [TraceEvent(at: .zero, kind: .tls($0, peer: "p"))]), world: .loopback)
    }
    #expect(Set(hashes).count == tlsEvents.count)
  }

  @Test func ciphertextCountsByItsLengthAndOnLoopbackNotAtAll() {
    func trace(_ bytes: [UInt8]) -> Trace {
      let kinds: [TraceKind] = [
        .peerSaw(.connected, peer: "peer"), .tls(.began(.server), peer: "peer"),
        .peerAction(.send(bytes), peer: "peer"),
        .peerSaw(.received(bytes), peer: "peer"), .peerSaw(.connected, peer: "peer"),
      ]
      return Trace(events: kinds.map { TraceEvent(at: .zero, kind: $0) })
    }
    #expect(
      TraceDigest.text(of: trace([1]), world: .loopback) == TraceDigest.text(of: trace([2, 3]), world: .loopback))
    #expect(
      TraceDigest.text(of: trace([1]), world: .simulated) == TraceDigest.text(of: trace([2]), world: .simulated))
    #expect(
      TraceDigest.text(of: trace([1]), world: .simulated) != TraceDigest.text(of: trace([2, 3]), world: .simulated))
  }

  @Test func onLoopbackTheHostsMoodIsLeftOut() {
    var other = Self.trace
    other.events[3] = callback(.didConnect(host: "127.0.0.1", port: 4001), at: 9)
    other.events[8].kind = .note("slower")
    other.events.remove(at: 5)
    #expect(
      TraceDigest.text(of: other, world: .loopback) == TraceDigest.text(of: Self.trace, world: .loopback))
    #expect(
      TraceDigest.text(of: other, world: .simulated) != TraceDigest.text(of: Self.trace, world: .simulated))
  }

  @Test func positionsInTheFileDoNotCount() {
    var moved = Self.trace
    for index in moved.events.indices { moved.events[index].position = line(index) }
    #expect(
      TraceDigest.text(of: moved, world: .simulated) == TraceDigest.text(of: Self.trace, world: .simulated))
  }
}
