import ScenarioModel
import ScenarioRunner
import Testing

@testable import Simulation

/// Delegates, queues and callbacks, one small scenario a fact.
@Suite struct QueueScenarioTests {
  private static let cases: [(name: String, yaml: String)] = [
    (
      "one queue for both: nothing moves while a callback runs",
      """
      requirements: [THR-12]
      matrix: { queues: [shared] }
      peer: [ accept, { send: "go" }, { expect: "later" }, { reach: written } ]
      subject:
        - connect
        - read: { length: 2B, tag: 1 }
        - after: { didRead: {} }
        - write: { bytes: "later", tag: 2 }
        - wait: 300ms
        - check: { progressOfWrite: { tag: 2, done: 0B, total: 5B } }
      reactions: [ { when: { didRead: {} }, do: [ { hold: 400ms }, { reach: rested } ] } ]
      expect: [ didConnect, { didRead: { tag: 1 } }, { didWrite: { tag: 2, notBefore: 400ms } } ]
      """
    ),
    (
      "callbacks enqueued before a change of delegate and queue go to the old ones",
      """
      requirements: [CFG-09]
      matrix: { queues: [separate, own] }
      peer: [ accept, { send: "aabb" } ]
      subject:
        - connect
        - after: didConnect
        - wait: 5ms
        - blockDelegateQueue
        - read: { length: 1B, tag: 1 }
        - read: { length: 1B, tag: 2 }
        - wait: 5ms
        - delegate: second
        - delegateQueue: elsewhere
        - read: { length: 1B, tag: 3 }
        - read: { length: 1B, tag: 4 }
        - wait: 50ms
        - reach: unblocking
        - unblockDelegateQueue
      expect:
        - didConnect
        - anyOrder:
          - didRead: { tag: 3, delegate: second }
          - didRead: { tag: 4, delegate: second }
          - didRead: { tag: 1, delegate: delegate, notBefore: 0ms, from: unblocking }
          - didRead: { tag: 2, delegate: delegate }
      """
    ),
    (
      "without a delegate data is consumed in silence",
      """
      requirements: [CFG-11]
      peer: [ accept, { wait: 20ms }, { send: "abcd" }, { wait: 30ms }, { send: "ef" } ]
      subject:
        - connect
        - after: didConnect
        - delegate: none
        - read: { length: 4B, tag: 1 }
        - wait: 40ms
        - delegate: again
        - read: { length: 2B, tag: 2 }
      expect: [ didConnect, { didRead: { tag: 2, bytes: "ef", delegate: again } } ]
      ending: open
      """
    ),
    (
      "a timeout without a delegate closes at once",
      """
      requirements: [CFG-11, TMO-16]
      peer: [ accept, { expectEnd: fin } ]
      subject: [ connect, { after: didConnect }, { read: { timeout: 100ms, tag: 1 } }, { delegate: none } ]
      expect: [ didConnect, { nothing: { for: 200ms } } ]
      ending: subject fin
      """
    ),
    (
      "a client that comes while the listener has no delegate queue is closed",
      """
      requirements: [ACC-32]
      peer: [ { wait: 20ms }, { connect: server }, { expectEnd: either } ]
      subjects: { server: [ listen, { wait: 10ms }, { delegateQueue: none } ] }
      expect: [ { server.nothing: { for: 100ms } } ]
      """
    ),
    (
      "a client may be disconnected inside didAccept",
      """
      requirements: [ACC-27]
      matrix: { queues: [separate, shared, own] }
      peer: [ { connect: server }, { expectEnd: either } ]
      subjects: { server: [ listen ] }
      reactions:
        - when: { didAccept: {} }
          do: [ { child.check: { isConnected: true } }, { child.read: { tag: 1 } }, child.disconnect ]
      expect: [ server.didAccept, { child.didDisconnect: { error: none } }, { child.nothing: { for: 50ms } } ]
      """
    ),
    (
      "a client nobody keeps is closed",
      """
      requirements: [ACC-22]
      matrix: { queues: [separate, shared, own] }
      peer: [ { connect: server }, { expectEnd: fin } ]
      subjects: { server: [ listen ] }
      reactions: [ { when: { didAccept: {} }, do: [ child.release ] } ]
      expect: [ server.didAccept, { child.nothing: { for: 50ms } } ]
      """
    ),
    (
      "a client does nothing before didAccept has returned",
      """
      requirements: [ACC-23, ACC-26]
      peer: [ { connect: server }, { send: "early" } ]
      subjects: { server: [ listen ] }
      reactions:
        - when: { didAccept: {} }
          do: [ { child.read: { length: 5B, tag: 1 } }, { child.delegate: own }, { hold: 300ms } ]
      expect:
        - server.didAccept
        - child.didRead: { tag: 1, bytes: "early", delegate: own, notBefore: 300ms, from: start }
      """
    ),
    (
      "calls inside perform run on the socket queue",
      """
      requirements: [THR-13]
      matrix: { queues: [separate, shared, own] }
      peer: [ accept, { expect: "x" } ]
      subject:
        - perform: [ connect, { write: { bytes: "x", tag: 1 } }, { read: { tag: 2, timeout: 50ms } } ]
        - after: { didWrite: {} }
      expect: [ didConnect, { didWrite: { tag: 1 } }, shouldTimeoutRead, { didDisconnect: { error: ReadTimeout } } ]
      """
    ),
    (
      "a late answer meets nothing of the next connection",
      """
      requirements: [TMO-11]
      matrix: { queues: [separate, own] }
      peers:
        first: [ accept ]
        second: [ accept, { wait: 500ms }, { send: "ok" } ]
      subject:
        - connect: first
        - read: { timeout: 100ms, tag: 1 }
        - wait: 150ms
        - disconnect
        - connect: second
        - read: { length: 2B, timeout: 10s, tag: 2 }
      reactions: [ { when: { shouldTimeoutRead: {} }, do: [ { hold: 200ms }, { answer: 0s } ] } ]
      expect:
        - didConnect
        - shouldTimeoutRead: { tag: 1 }
        - didDisconnect: { error: none }
        - didConnect
        - didRead: { tag: 2, bytes: "ok" }
      """
    ),
    (
      "a notifying disconnect waits for the callback that runs, and for those behind it",
      """
      requirements: [DIS-03]
      matrix: { queues: [separate, own] }
      peer: [ accept, { send: "ab" } ]
      subject:
        - set: { notifiesDisconnectBeforeReturning: true }
        - connect
        - read: { length: 1B, tag: 1 }
        - read: { length: 1B, tag: 2 }
        - after: { didRead: { tag: 1 } }
        - wait: 10ms
        - disconnect
        - reach: returned
        - check: { isDisconnected: true }
      reactions:
        - { when: { didRead: { tag: 1 } }, do: [ { hold: 200ms } ] }
        - { when: { didDisconnect: {} }, do: [ { hold: 50ms }, { reach: ended } ] }
      expect:
        - didConnect
        - didRead: { tag: 1 }
        - didRead: { tag: 2, at: 200ms }
        - didDisconnect: { error: none }
      """
    ),
    (
      "a peer can wait for the end of a handshake that the subject breaks off",
      """
      requirements: [TLS-36]
      peer: [ accept, { tls: { until: server-hello } }, { reach: half }, { expectEnd: either } ]
      subject: [ connect, startTLS, { after: half }, disconnect ]
      expect: [ didConnect, { didDisconnect: { error: none } } ]
      """
    ),
    (
      "startTLS waits for the read before it, then secures what comes after",
      """
      requirements: [TLS-01]
      peer: [ accept, { send: "a" }, tls, { send: "b" } ]
      subject: [ connect, { read: { length: 1B, tag: 1 } }, startTLS, { read: { length: 1B, tag: 2 } } ]
      expect: [ didConnect, { didRead: { tag: 1 } }, didSecure, { didRead: { tag: 2, bytes: b } } ]
      """
    ),
  ]

  @Test(arguments: cases.map(\.name))
  func fact(name: String) throws {
    let yaml = try #require(Self.cases.first { $0.name == name }?.yaml)
    try SampleScenarios.expectPasses(name, "title: A fact\n" + yaml)
  }

  @Test func aNotifyingDisconnectHangsOnABlockedQueue() throws {
    let yaml = """
      title: The hop waits for ever
      requirements: [DIS-03]
      peer: [ accept ]
      subject:
        - set: { notifiesDisconnectBeforeReturning: true }
        - connect
        - after: didConnect
        - blockDelegateQueue
        - disconnect
      """
    let scenario = try SampleScenarios.read("hang", yaml)
    let variant = try #require(scenario.variants.first)
    let result = SampleScenarios.run(CaseScript(scenario, profile: .documented), variant, seed: 1)
    #expect(result.verdict == .hang)
  }
}
