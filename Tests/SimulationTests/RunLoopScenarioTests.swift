import ScenarioModel
import ScenarioRunner
import Testing

@testable import Simulation

/// Virtual run loops, one small scenario a fact.
@Suite struct RunLoopScenarioTests {
  private static let cases: [(name: String, yaml: String)] = [
    (
      "a loop serves only sockets that are attached in its mode",
      """
      requirements: [RL-22]
      sockets: { socket: {}, other: { modes: [default, private] } }
      peers:
        one: [ accept, { after: private }, { send: "x" } ]
        two: [ accept, { after: private }, { send: "y" } ]
      subject:
        - connect: { peer: one }
        - other.connect: { peer: two }
        - { after: socket.didConnect }
        - { after: other.didConnect }
        - read: { length: 1B, tag: 1 }
        - other.read: { length: 1B, tag: 2 }
        - wait: 10ms
        - runMode: { mode: private, for: 300ms }
        - reach: private
      expect:
        - other.didConnect
        - other.didRead: { tag: 2, mode: private, within: 50ms, from: private }
        - socket.didConnect
        - socket.didRead: { tag: 1, mode: default, notBefore: 300ms, from: private }
      """
    ),
    (
      "a deadline waits for its mode",
      """
      requirements: [TMO-24]
      peer: [ accept, { expectEnd: fin } ]
      subject:
        - connect
        - { after: didConnect }
        - read: { length: 1B, timeout: 50ms, tag: 1 }
        - wait: 10ms
        - runMode: { mode: private, for: 300ms }
        - reach: private
      expect:
        - didConnect
        - shouldTimeoutRead: { tag: 1, mode: default, notBefore: 300ms, from: private }
        - willDisconnect: { error: ReadTimeout }
        - didDisconnect: { error: ReadTimeout }
      """
    ),
    (
      "a callback that holds keeps its own loop, and no other",
      """
      requirements: [THR-16]
      sockets: { socket: {}, near: {}, far: { runLoop: worker } }
      peers:
        one: [ accept, { send: "x" } ]
        two: [ accept, { after: holding }, { send: "y" } ]
        three: [ accept, { after: holding }, { send: "z" } ]
      subject:
        - near.connect: { peer: two }
        - far.connect: { peer: three }
        - { after: near.didConnect }
        - { after: far.didConnect }
        - near.read: { length: 1B, tag: 2 }
        - far.read: { length: 1B, tag: 3 }
        - connect: { peer: one }
        - read: { length: 1B, tag: 1 }
      reactions: [ { when: socket.didRead, do: [ { reach: holding }, { hold: 200ms } ] } ]
      expect:
        - socket.didConnect
        - socket.didRead
        - near.didConnect
        - near.didRead: { on: main, notBefore: 200ms, from: holding }
        - far.didConnect: { on: worker }
        - far.didRead: { on: worker, within: 50ms, from: holding }
      """
    ),
    (
      "a call waits until its loop is free, or runs nested",
      """
      requirements: [THR-16]
      peer: [ accept, { send: "ab" }, { expect: "1" }, { reach: first }, { expect: "2" }, { reach: second } ]
      subjects:
        socket: [ connect, { read: { length: 1B, tag: 1 } }, { read: { length: 1B, tag: 2 } } ]
        caller:
          - { after: holding }
          - socket.write: { bytes: "1", tag: 3 }
          - reach: called
          - { after: running }
          - wait: 10ms
          - socket.write: { bytes: "2", tag: 4 }
          - reach: calledAgain
      reactions:
        - { when: { socket.didRead: { tag: 1 } }, do: [ { reach: holding }, { hold: 200ms } ] }
        - { when: { socket.didRead: { tag: 2 } },
            do: [ { reach: running }, { socket.runMode: { mode: default, for: 300ms } }, { reach: ran } ] }
      expect:
        - socket.didConnect
        - socket.didRead: { tag: 1 }
        - anyOrder:
          - socket.didRead: { tag: 2, notBefore: 200ms, from: holding }
          - socket.didWrite: { tag: 3, notBefore: 200ms, from: holding }
        - socket.didWrite: { tag: 4, within: 100ms, from: running }
      """
    ),
    (
      "nested runs end from the innermost outwards",
      """
      requirements: [RL-22]
      sockets: { socket: { modes: [default, outer, inner] } }
      peer: [ accept, { send: "abc" } ]
      subject:
        - connect
        - read: { length: 1B, tag: 1 }
        - read: { length: 1B, tag: 2 }
        - read: { length: 1B, tag: 3 }
      reactions:
        - { when: { didRead: { tag: 1 } }, do: [ { runMode: { mode: outer, for: 100ms } }, { reach: outerOver } ] }
        - { when: { didRead: { tag: 2 } }, do: [ { runMode: { mode: inner, for: 300ms } }, { reach: innerOver } ] }
      expect:
        - didConnect
        - didRead: { tag: 1, mode: default }
        - didRead: { tag: 2, mode: outer }
        - didRead: { tag: 3, mode: inner }
        - nothing: { for: 50ms }
      """
    ),
    (
      "what waits moves to the other loop",
      """
      requirements: [RL-17, RL-18]
      peers: { hole: [ blackhole ], peer: [ accept, { after: moved }, { send: "x" } ] }
      sockets: { socket: {}, late: {} }
      subject:
        - connect: { peer: peer }
        - read: { length: 1B, tag: 1 }
        - late.connect: { peer: hole, timeout: 200ms }
        - { after: socket.didConnect }
        - moveToRunLoop: worker
        - late.moveToRunLoop: worker
        - reach: moved
      expect:
        - socket.didConnect: { on: main }
        - socket.didRead: { on: worker }
        - late.willDisconnect: { error: ConnectTimeout, on: worker, notBefore: 200ms }
        - late.didDisconnect: { error: ConnectTimeout, on: worker }
      """
    ),
    (
      "a child comes to life on the loop that was chosen, or not at all",
      """
      requirements: [ACC-19, ACC-38, RL-14]
      peers:
        one: [ connect: server, { expect: "hi" }, { reach: greeted } ]
        two: [ { after: greeted }, { connect: server }, { expectEnd: either } ]
      subject: [ server.listen ]
      reactions:
        - { when: server.wantsRunLoop, do: [ answer: { runLoop: worker } ] }
        - { when: child2.willConnect, do: [ answer: false ] }
        - { when: child.didConnect, do: [ child.write: { bytes: "hi" } ] }
      expect:
        - server.didAccept: { child: child, on: main }
        - server.wantsRunLoop: { on: main }
        - server.didAccept: { child: child2, on: main }
        - server.wantsRunLoop
        - child.willConnect: { on: main }
        - child.didConnect: { on: worker }
        - child.didWrite: { on: worker }
        - child2.willConnect: { on: main }
        - child2.didDisconnect: { error: none, optional: true }
      """
    ),
    (
      "a hold inside disconnect takes the time of the call",
      """
      requirements: [DIS-02]
      peer: [ accept, { expectEnd: fin }, accept ]
      subject: [ connect, { after: didConnect }, { reach: calling }, disconnect, connect ]
      reactions: [ { when: didDisconnect, do: [ { hold: 100ms } ] } ]
      expect:
        - didConnect
        - didDisconnect: { error: none, within: 1ms, from: calling }
        - didConnect: { notBefore: 100ms, from: calling }
      """
    ),
    (
      "a disconnect before the end of a connect that failed is told leaves its didDisconnect",
      """
      requirements: [INV-01, DIS-02]
      peer: [ refuse ]
      subject: [ connect ]
      reactions: [ { when: willDisconnect, do: [ disconnect, { check: { isDisconnected: true } } ] } ]
      expect: [ { willDisconnect: { error: ECONNREFUSED } }, { didDisconnect: { error: ECONNREFUSED } } ]
      """
    ),
    (
      "a socket that a callback lets go of ends there, with what it has in line",
      """
      requirements: [RL-29, LIFE-18]
      peer: [ accept, { send: "ab" }, { expectEnd: either } ]
      subject: [ connect, { read: { length: 1B, tag: 1 } }, { read: { length: 1B, tag: 2 } } ]
      reactions: [ { when: { didRead: { tag: 1 } }, do: [ release ] } ]
      expect: [ didConnect, { didRead: { tag: 1 } }, { nothing: { for: 50ms } } ]
      """
    ),
    (
      "bytes that nobody reads do not hold the peer's end back",
      """
      requirements: [RL-07, RL-10]
      matrix: { subject: [run-loop], segmentation: [whole, bytes, random] }
      peer: [ accept, { send: "abcdef" }, finish, { expectEnd: fin } ]
      subject: [ connect, { read: { length: 2B, tag: 1 } } ]
      reactions:
        - { when: { willDisconnect: { error: none } }, do: [ { check: { unreadData: "cdef" } }, { read: { tag: 2 } } ] }
      expect:
        - didConnect
        - didRead: { tag: 1, bytes: "ab" }
        - willDisconnect: { error: none }
        - didRead: { tag: 2, bytes: "cdef" }
        - didDisconnect: { error: Closed }
      """
    ),
    (
      "more reads than a pass has time for are followed by another turn",
      """
      requirements: [INV-14]
      peer: [ accept, { send: { repeat: "x", times: 3000 } } ]
      subject: [ connect, { repeat: { times: 3000, steps: [ read: { length: 1B, tag: 1 } ] } } ]
      expect: [ didConnect, { didRead: { tag: 1, times: 3000 } } ]
      """
    ),
  ]

  @Test(arguments: cases.map(\.name))
  func fact(name: String) throws {
    var yaml = try #require(Self.cases.first { $0.name == name }?.yaml)
    if !yaml.contains("matrix:") { yaml = "matrix: { subject: run-loop }\n" + yaml }
    try SampleScenarios.expectPasses(name, "title: A fact\n" + yaml)
  }

  @Test func aCallBehindAHoldOfTheScenariosOwnIsNoHang() throws {
    let yaml = """
      title: The call waits until the case is over
      requirements: [THR-16]
      matrix: { subject: run-loop }
      limit: 2s
      peer: [ accept ]
      subject: [ connect, { after: holding }, { write: { bytes: "x" } } ]
      reactions: [ { when: didConnect, do: [ { reach: holding }, { hold: 1999.9ms } ] } ]
      """
    let scenario = try SampleScenarios.read("hang", yaml)
    let variant = try #require(scenario.variants.first)
    let result = SampleScenarios.run(CaseScript(scenario, profile: .documented), variant, seed: 1)
    #expect(result.verdict == .timeout)
  }

  @Test func theSeedDrawsWhomALoopServesFirst() throws {
    let yaml = """
      title: Two sockets of one loop
      requirements: [THR-16]
      matrix: { subject: run-loop }
      sockets: { one: {}, two: {} }
      peers: { peer: [ accept, { send: "x" } ], other: [ accept, { send: "y" } ] }
      subject:
        - one.connect: { peer: peer }
        - two.connect: { peer: other }
        - one.read: { tag: 1 }
        - two.read: { tag: 2 }
      expect: [ one.didConnect, one.didRead, two.didConnect, two.didRead ]
      """
    let script = CaseScript(try SampleScenarios.read("two", yaml), profile: .documented)
    let variant = try #require(script.scenario.variants.first)
    let firsts = (UInt64(0)..<20).map { seed in
      SampleScenarios.run(script, variant, seed: seed).trace.events.compactMap { event -> String? in
        guard case .callback(let delivered) = event.kind, delivered.callback.kind == .didRead else { return nil }
        return delivered.socket
      }.first
    }
    #expect(Set(firsts) == ["one", "two"])
    let again = SampleScenarios.run(script, variant, seed: 3)
    #expect(again.traceHash == SampleScenarios.run(script, variant, seed: 3).traceHash)
  }
}
