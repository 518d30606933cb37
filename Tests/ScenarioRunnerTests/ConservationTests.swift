import ScenarioModel
import ScenarioRunner
import Testing

/// Bytes are conserved between peers and sockets (INV-05, INV-06), with traces that keep that and traces that break it.
@Suite struct ConservationTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var events: [TraceEvent]
    var requirements: [String]
    var testDescription: String { name }
  }

  private static let end = callback(.didDisconnect(nil))
  private static let link = linked("socket", to: "peer")
  private static let child = [command(listenCommand), saw(.connected), callback(.didAccept(child: "child"))]
  private static let startTLS = command(.startTLS(TLSCommand()))
  /// The beginning of a ClientHello.
  private static let hello: [UInt8] = [22, 3, 1]

  private static func linked(_ socket: String, to peer: String) -> [TraceEvent] {
    [
      command(.connect(ConnectCommand(target: .peer(peer))), on: socket), saw(.connected, peer: peer),
      callback(connected, on: socket),
    ]
  }

  private static func didRead(_ text: String, on socket: String = "socket") -> TraceEvent {
    callback(.didRead(bytes: bytes(text), tag: 0), on: socket)
  }

  static let onePeer: [Row] = [
    Row(
      name: "all of the input", events: link + [command(read()), did(.send(bytes("ab"))), didRead("ab")],
      requirements: []),
    Row(
      name: "a part of the input", events: link + [command(read()), did(.send(bytes("abc"))), didRead("ab")],
      requirements: []),
    Row(
      name: "the input in other pieces",
      events: link + [
        command(read()), command(read()), did(.send(bytes("a"))), did(.send(bytes("bc"))), didRead("ab"), didRead("c"),
      ], requirements: []),
    Row(
      name: "a byte of input changed", events: link + [command(read()), did(.send(bytes("ab"))), didRead("ax")],
      requirements: ["INV-05"]),
    Row(
      name: "more input than was sent", events: link + [command(read()), did(.send(bytes("ab"))), didRead("abc")],
      requirements: ["INV-05"]),
    Row(
      name: "urgent data",
      events: link + [command(read()), did(.sendUrgent(1)), did(.send(bytes("ab"))), didRead("ax")],
      requirements: []),
    Row(
      name: "each life has its own input",
      events: link + [command(read()), did(.send(bytes("ab"))), didRead("a"), end] + link + [
        command(read()), did(.send(bytes("cd"))), didRead("bc"),
      ], requirements: ["INV-05"]),
    Row(
      name: "the output, cut short",
      events: link + [
        command(write("ab")), command(write("cd")), saw(.received(bytes("a"))), saw(.received(bytes("bc"))),
      ],
      requirements: []),
    Row(
      name: "a byte of output lost", events: link + [command(write("abc")), saw(.received(bytes("ac")))],
      requirements: ["INV-06"]),
    Row(
      name: "output of a write that met a disconnect",
      events: link + [
        command(.disconnectAfterWriting), command(write("ab"), inCallback: true), saw(.received(bytes("ab"))),
      ], requirements: []),
    Row(
      name: "a byte changed of a write that met a disconnect",
      events: link + [
        command(.disconnectAfterWriting), command(write("ab"), inCallback: true), saw(.received(bytes("ax"))),
      ], requirements: ["INV-06"]),
    Row(
      name: "a write that met a disconnect and a new start may have gone to either life",
      events: link + [
        command(.disconnect), command(connectCommand), command(write("ab"), inCallback: true),
        command(write("cd"), inCallback: true, at: 1), saw(.received(bytes("ab"))), end, saw(.connected),
        callback(connected), saw(.received(bytes("cd"))),
      ], requirements: []),
    Row(
      name: "output of a life whose connect nobody has heard of yet",
      events: [
        command(.blockDelegateQueue), command(connectCommand), saw(.connected), command(write("ab")),
        saw(.received(bytes("ab"))),
      ], requirements: []),
    Row(
      name: "a byte changed of such output",
      events: [
        command(.blockDelegateQueue), command(connectCommand), saw(.connected), command(write("ab")),
        saw(.received(bytes("ax"))),
      ], requirements: ["INV-06"]),
    Row(
      name: "the queue is free again, and yet nobody has heard of the connect",
      events: [
        command(.blockDelegateQueue), command(connectCommand), saw(.connected), command(write("ab")),
        saw(.received(bytes("ab"))), command(.unblockDelegateQueue),
      ], requirements: ["INV-06"]),
    Row(
      name: "output nobody wrote", events: link + [saw(.received(bytes("a")))], requirements: ["INV-06"]),
    Row(
      name: "a child's input",
      events: child + [
        command(read(), on: "child"), did(.send(bytes("ab"))),
        callback(.didRead(bytes: bytes("b"), tag: 0), on: "child"),
      ], requirements: ["INV-05"]),
  ]

  static let secured: [Row] = [
    Row(
      name: "secured from the beginning, a byte changed",
      events: link + [
        startTLS, tls(.began(.server)), callback(.didSecure), command(read()), tls(.plainSent(bytes("ab"))),
        didRead("ax"),
      ], requirements: ["INV-05"]),
    Row(
      name: "secured from the beginning, a byte of output lost",
      events: link + [
        startTLS, tls(.began(.server)), saw(.received(hello)), command(write("abc")),
        tls(.plainReceived(bytes("ac"))),
      ], requirements: ["INV-06"]),
    Row(
      name: "secured from the beginning, all of the output",
      events: link + [
        startTLS, tls(.began(.server)), saw(.received(hello)), did(.send([22, 3, 3])),
        callback(.didSecure), command(write("abc")), tls(.plainReceived(bytes("abc"))), tls(.plainSent(bytes("x"))),
        command(read()), didRead("x"),
      ], requirements: []),
    Row(
      name: "the peer's handshake, read before TLS was asked for",
      events: link + [
        tls(.began(.server)), command(read()), callback(.didRead(bytes: hello, tag: 0)), startTLS,
      ], requirements: []),
    Row(
      name: "a peer that speaks TLS to a socket that does not",
      events: link + [
        tls(.began(.client)), command(write("pong")), saw(.received(bytes("pong"))), saw(.endOfStream),
        tls(.failed("the stream ended")), callback(.didWrite(tag: 0)), end,
      ], requirements: []),
    Row(
      name: "in clear while the subject has asked for TLS, a byte changed",
      events: link + [startTLS, command(read()), did(.send(bytes("ab"))), didRead("ax")], requirements: ["INV-05"]),
    Row(
      name: "a ClientHello that the peer takes for bytes in clear",
      events: link + [command(write("ab")), startTLS, saw(.received(bytes("ab"))), saw(.received(hello))],
      requirements: []),
    Row(
      name: "a ClientHello that begins as what is written secured",
      events: link + [
        startTLS, saw(.received(hello + [0, 9])), tls(.began(.server)),
        command(.write(WriteCommand(payload: .bytes(hello + [0, 1]), tag: 0))), tls(.plainReceived(hello + [0, 1])),
      ], requirements: []),
    Row(
      name: "a byte of output lost in front of a ClientHello",
      events: link + [command(write("abc")), startTLS, saw(.received(bytes("ac") + hello))], requirements: ["INV-06"]),
    Row(
      name: "secured input before didSecure",
      events: link + [startTLS, tls(.began(.server)), command(read()), tls(.plainSent(bytes("ab"))), didRead("ab")],
      requirements: ["INV-05"]),
    Row(
      name: "secured late, everything there", events: link + late("ok", "secret", "abc"), requirements: []),
    Row(
      name: "secured late, a byte of clear input lost", events: link + late("k", "secret", "abc"),
      requirements: ["INV-05"]),
    Row(
      name: "secured late, a byte of secured input lost", events: link + late("ok", "scret", "abc"),
      requirements: ["INV-05"]),
    Row(
      name: "secured late, a byte of secured output lost", events: link + late("ok", "secret", "ac"),
      requirements: ["INV-06"]),
    Row(
      name: "what came in clear behind startTLS, delivered as if it were secured",
      events: link + late("ok", "injectedsecret", "abc", injected: "injected"), requirements: ["INV-05"]),
    Row(
      name: "what came in clear behind startTLS, left out", events: link + late("ok", "secret", "abc", injected: "x"),
      requirements: []),
    Row(
      name: "what a peer's records by hand hold is not known",
      events: link + [
        startTLS, tls(.began(.server)), tls(.plainSent(bytes("a"))), tls(.forged("record repeated")), command(read()),
        callback(.didSecure), didRead("aa"),
      ], requirements: []),
  ]

  /// A command and its answer in clear, then a secured dialogue: what the subject reads in clear and secured, and what
  /// the peer gets out of its TLS. The peer has sent `ok`, perhaps something injected, and `secret`.
  private static func late(
    _ clear: String, _ secured: String, _ received: String, injected: String = ""
  ) -> [TraceEvent] {
    [
      command(write("tls")), saw(.received(bytes("tls") + hello)), did(.send(bytes("ok" + injected))), command(read()),
      didRead(clear), startTLS, tls(.began(.server)), command(read()), command(write("abc")), callback(.didSecure),
      tls(.plainReceived(bytes(received))), tls(.plainSent(bytes("secret"))), didRead(secured),
    ]
  }

  private static let two = linked("one", to: "peer") + linked("other", to: "second")

  static let severalPeers: [Row] = [
    Row(
      name: "each socket has its peer's input",
      events: two + [
        command(read(), on: "one"), command(read(), on: "other"), did(.send(bytes("ab"))),
        did(.send(bytes("cd")), peer: "second"), didRead("cd", on: "other"), didRead("a", on: "one"),
      ], requirements: []),
    Row(
      name: "each has the other peer's",
      events: two + [
        command(read(), on: "one"), command(read(), on: "other"), did(.send(bytes("ab"))),
        did(.send(bytes("cd")), peer: "second"), didRead("ab", on: "other"), didRead("cd", on: "one"),
      ], requirements: ["INV-05", "INV-05"]),
    Row(
      name: "one has the end of what belongs to the other",
      events: two + [
        command(read(), on: "one"), did(.send(bytes("ab"))), did(.send(bytes("cd")), peer: "second"),
        didRead("abcd", on: "one"),
      ], requirements: ["INV-05"]),
    Row(
      name: "output that went to the other peer",
      events: two + [command(write("ab"), on: "one"), saw(.received(bytes("ab")), peer: "second")],
      requirements: ["INV-06"]),
    Row(
      name: "two sockets of one peer, in whatever order it accepted them", events: crossed("cd", "ab"),
      requirements: []),
    Row(
      name: "two sockets of one peer, the output of the one doubled and of the other lost",
      events: crossed("ab", "ab"), requirements: ["INV-06"]),
    Row(
      name: "children of a crowd, accepted in another order", events: crowd("cd", "ab"), requirements: []),
    Row(
      name: "children of a crowd that have the same input", events: crowd("ab", "ab"), requirements: ["INV-05"]),
    Row(
      name: "input that nobody sent",
      events: [command(connectCommand), callback(connected), command(read())]
        + [didRead("a")], requirements: ["INV-05"]),
    Row(
      name: "a second connection that nobody uses",
      events: link + [
        saw(.connected, peer: "second"), command(read()), did(.send(bytes("a"))), didRead("a"), command(write("b")),
        saw(.received(bytes("b"))),
      ], requirements: []),
    Row(
      name: "sockets of the subject's own, connected to each other",
      events: [
        command(listenCommand, on: "listener"), command(.connect(within), on: "one"), callback(connected, on: "one"),
        callback(.didAccept(child: "child"), on: "listener"), command(write("ab"), on: "child"),
        command(read(), on: "one"), didRead("ab", on: "one"),
      ], requirements: []),
  ]

  /// Two sockets connect to one peer and write `ab` and `cd`; this arrives at its first connection and at its second.
  private static func crossed(_ first: String, _ second: String) -> [TraceEvent] {
    ["one", "other"].flatMap { [command(connectCommand, on: $0), callback(connected, on: $0)] } + [
      command(write("ab"), on: "one"), command(write("cd"), on: "other"), saw(.connected),
      saw(.received(bytes(first))), saw(.connected), saw(.received(bytes(second))),
    ]
  }

  private static let within = ConnectCommand(target: .host("localhost", port: .listener("listener")))

  /// Two peers send `ab` and `cd` to the children of one listener, which read this.
  private static func crowd(_ first: String, _ second: String) -> [TraceEvent] {
    [
      command(listenCommand, on: "listener"), saw(.connected), saw(.connected, peer: "second"),
      callback(.didAccept(child: "first"), on: "listener"), callback(.didAccept(child: "last"), on: "listener"),
      did(.send(bytes("ab"))), did(.send(bytes("cd")), peer: "second"), command(read(), on: "first"),
      command(read(), on: "last"), didRead(first, on: "first"), didRead(second, on: "last"),
    ]
  }

  @Test(arguments: onePeer + secured) func holdsWithOnePeer(_ row: Row) { check(row, peers: ["peer"]) }

  @Test(arguments: severalPeers) func holdsWithSeveral(_ row: Row) { check(row, peers: ["peer", "second"]) }

  private func check(_ row: Row, peers: [String]) {
    var checker = InvariantChecker(scenario: scenario { $0.peers = peers.map { PeerLane(name: $0, steps: []) } })
    for (index, event) in row.events.enumerated() { checker.observe(event, index: index) }
    checker.finish()
    #expect(checker.deviations.compactMap(\.requirement) == row.requirements, "\(checker.deviations)")
    #expect(checker.deviations.allSatisfy { $0.kind == .invariant })
  }
}
