import ScenarioModel
import ScenarioRunner
import ScenarioYAML
import Simulation

/// Small scenarios that touch every part of the simulated world; each must pass under every seed.
enum SampleScenarios {
  static let texts: [(name: String, yaml: String)] = [
    ("delimiter split across segments", delimiter), ("echo with timeouts", echo),
    ("large transfer both ways", transfer), ("peer closes after its reply", peerCloses),
    ("peer resets", peerResets), ("half-close", halfClose), ("graceful close", graceful),
    ("timeout extended once", timeout), ("refused", refused), ("hole with timeout", hole),
    ("resolver delay and race", resolver), ("listener with two clients", listener),
    ("blocked delegate queue", blocked), ("disconnect inside a callback", inside),
    ("notified disconnect", notified), ("caller's buffer", buffer), ("slow delegate", slow),
    ("released socket", released), ("reconnect", reconnect), ("stalled peer", stalled),
  ]

  /// Scenarios that move many bytes or have many variants get fewer.
  static func seeds(for scenario: Scenario) -> UInt64 {
    let moved = scenario.subjects.flatMap(\.steps).map { step -> Int in
      if case .command(.write(let write), _, _) = step.step { return write.payload.count }
      return 0
    }.reduce(0, +)
    #if DEBUG
      let most: UInt64 = 40
    #else
      let most: UInt64 = 200
    #endif
    return moved > 1 << 16 || scenario.variants.count > 9 ? most / 8 : most
  }

  static func read(_ name: String, _ yaml: String) throws -> Scenario {
    let result = ScenarioReader.read(yaml, id: "sample/\(name)")
    guard let scenario = result.scenario else {
      let text = DiagnosticPrinter(path: name, source: yaml).text(result.diagnostics)
      throw LabFailure(text)
    }
    return scenario
  }

  static func run(_ script: CaseScript, _ variant: Variant, seed: UInt64, faults: LinkFaults = .standard) -> CaseResult
  {
    var world = SimulatedWorld(faults: faults)
    return CaseRunner.run(script, variant: variant, seed: seed, in: &world, tolerance: .simulated)
  }

  private static let matrix = "matrix: { family: [ipv4, ipv6, unix], queues: [separate, shared, own] }"

  private static let delimiter = """
    title: A delimiter split across two segments is found once
    requirements: [RD-DELIM-04]
    matrix: { family: [ipv4, ipv6], segmentation: [whole, bytes, everySplit, random], queues: [separate, shared, own] }
    peer:
      - accept
      - send: "HELLO\\r"
      - wait: 20ms
      - send: "\\nREST"
    subject:
      - connect
      - read: { through: "\\r\\n", limit: 64B, timeout: 1s, tag: 7 }
    expect:
      - didConnect
      - didRead: { tag: 7, bytes: "HELLO\\r\\n" }
      - nothing: { for: 50ms }
    ending: open
    """

  static let echo = """
    title: Three messages are echoed
    requirements: [WR-01]
    \(matrix)
    peer:
      - accept
      - echo: { length: 15B }
    subject:
      - connect
      - write: { bytes: "hello", timeout: 1s, tag: 1 }
      - write: { bytes: "world", timeout: 1s, tag: 2 }
      - read: { length: 5B, timeout: 2s, tag: 1 }
      - read: { length: 5B, timeout: 2s, tag: 2 }
      - after: { didRead: { tag: 2 } }
      - write: { bytes: "again", timeout: 1s, tag: 3 }
      - read: { length: 5B, timeout: 2s, tag: 3 }
      - after: { didRead: { tag: 3 } }
      - disconnect
    expect:
      - oneOf: [[didConnect], [didConnectToURL]]
      - anyOrder:
        - didWrite: { tag: 1 }
        - didWrite: { tag: 2 }
        - didRead: { tag: 1, bytes: "hello" }
        - didRead: { tag: 2, bytes: "world" }
      - anyOrder:
        - didWrite: { tag: 3 }
        - didRead: { tag: 3, bytes: "again" }
      - didDisconnect: { error: none }
    ending: subject fin
    """

  private static let transfer = """
    title: Half a megabyte each way
    requirements: [INV-05]
    matrix: { family: [ipv4, unix], queues: [separate, own] }
    peer:
      - accept
      - send: { pattern: { seed: 5, size: 512KiB } }
      - expect: { pattern: { seed: 6, size: 512KiB } }
      - expectEnd: fin
    subject:
      - connect
      - write: { bytes: { pattern: { seed: 6, size: 512KiB } }, tag: 1 }
      - read: { length: 512KiB, tag: 2 }
      - disconnectAfterReadingAndWriting
    expect:
      - oneOf: [[didConnect], [didConnectToURL]]
      - anyOrder:
        - didWrite: { tag: 1 }
        - didRead: { tag: 2, bytes: { pattern: { seed: 5, size: 512KiB } } }
      - didDisconnect: { error: none }
    ending: subject fin
    """

  private static let peerCloses = """
    title: Reads that are satisfiable complete before the close is told
    requirements: [RDQ-08]
    \(matrix)
    peer:
      - accept
      - send: "a\\r\\nb\\r\\nc\\r\\n"
      - close
    subject:
      - connect
      - read: { through: "\\r\\n", tag: 1 }
      - read: { through: "\\r\\n", tag: 2 }
      - read: { through: "\\r\\n", tag: 3 }
    expect:
      - oneOf: [[didConnect], [didConnectToURL]]
      - didRead: { tag: 1, bytes: "a\\r\\n" }
      - didRead: { tag: 2, bytes: "b\\r\\n" }
      - didRead: { tag: 3, bytes: "c\\r\\n" }
      - didDisconnect: { error: Closed }
    ending: peer fin
    """

  private static let peerResets = """
    title: A reset in the middle of a read
    requirements: [RD-LEN-08]
    matrix: { family: [ipv4, ipv6], queues: [separate, shared, own] }
    peer:
      - accept
      - send: "123456"
      - wait: 20ms
      - reset
    subject:
      - connect
      - read: { length: 10B, tag: 1 }
    expect:
      - didConnect
      - didDisconnect: { error: ECONNRESET }
    ending: peer rst
    """

  private static let halfClose = """
    title: After the peer's FIN writes go on
    requirements: [HALF-02]
    \(matrix)
    peer:
      - accept
      - send: "request"
      - finish
      - expect: "reply"
      - expectEnd: fin
    subject:
      - set: { autoDisconnectOnClosedReadStream: false }
      - connect
      - read: { length: 7B, tag: 1 }
      - after: didCloseRead
      - write: { bytes: "reply", tag: 2 }
      - disconnectAfterWriting
    expect:
      - oneOf: [[didConnect], [didConnectToURL]]
      - didRead: { tag: 1, bytes: "request" }
      - didCloseRead
      - didWrite: { tag: 2 }
      - didDisconnect: { error: none }
    ending: peer fin, subject fin
    """

  private static let graceful = """
    title: Unread input does not turn the close into a reset
    requirements: [DIS-22]
    matrix: { family: [ipv4, ipv6] }
    peer:
      - accept
      - stall
      - send: "unread"
      - wait: 50ms
      - drain: { chunk: 4KiB, every: 1ms }
      - expect: { pattern: { seed: 1, size: 300KiB } }
      - expectEnd: fin
    subject:
      - connect
      - wait: 20ms
      - write: { bytes: { pattern: { seed: 1, size: 300KiB } }, tag: 1 }
      - disconnectAfterWriting
    expect:
      - didConnect
      - didWrite: { tag: 1 }
      - didDisconnect: { error: none }
    ending: subject fin
    """

  private static let timeout = """
    title: A timeout is extended once, then enforced
    requirements: [TMO-06]
    \(matrix)
    peer:
      - accept
      - send: "1234"
      - expectEnd: fin
    subject:
      - connect
      - read: { length: 10B, timeout: 200ms, tag: 4 }
    reactions:
      - when: { shouldTimeoutRead: { elapsed: 0.2s } }
        do:
          - answer: 300ms
    expect:
      - oneOf: [[didConnect], [didConnectToURL]]
      - shouldTimeoutRead: { tag: 4, elapsed: 0.2s, bytesDone: 4B, at: 200ms, from: start }
      - shouldTimeoutRead: { tag: 4, elapsed: 0.5s, bytesDone: 4B, at: 300ms }
      - didDisconnect: { error: ReadTimeout, within: 10ms }
    ending: subject fin
    """

  private static let refused = """
    title: A refused connect ends with the errno
    requirements: [CON-05]
    \(matrix)
    peer:
      - refuse
    subject:
      - connect
      - check: { isDisconnected: false, isConnected: false }
    expect:
      - didDisconnect: { error: ECONNREFUSED, within: 20ms }
    ending: never connected
    """

  private static let hole = """
    title: A connect into a hole times out, and a late accept changes nothing
    requirements: [CON-08]
    matrix: { family: [ipv4, ipv6], queues: [separate, shared, own] }
    limit: 20s
    peer:
      - blackhole
      - wait: 600ms
    subject:
      - connect: { peer: peer, timeout: 500ms }
    expect:
      - didDisconnect: { error: ConnectTimeout, at: 500ms, from: start }
      - nothing: { for: 8s }
    ending: never connected
    """

  private static let resolver = """
    title: The alternate family wins when the preferred one hangs
    requirements: [CON-17]
    hosts:
      twofold: { addresses: ["127.0.0.1", "::1"], delay: 100ms }
    peers:
      six: { family: ipv6, steps: [accept, { send: "hi" }] }
      four: { family: ipv4, samePortAs: six, steps: [blackhole] }
    subject:
      - set: { alternateAddressDelay: 200ms }
      - connect: { host: twofold, port: six, timeout: 5s }
      - read: { length: 2B, tag: 1 }
      - after: didConnect
      - check: { isIPv6: true, isIPv4: false, connectedHost: "::1", connectedPort: { peer: six } }
    expect:
      - didConnect: { host: "::1", at: 300ms, from: start }
      - didRead: { tag: 1, bytes: "hi" }
    ending: open
    """

  private static let listener = """
    title: A listener serves two clients
    requirements: [ACC-18]
    \(matrix)
    subjects:
      server:
        - listen
    peers:
      one:
        - connect: server
        - send: "one"
        - expect: "ONE"
      two:
        - wait: 30ms
        - connect: server
        - send: "two"
        - expect: "ONE"
    reactions:
      - when: { didAccept: {} }
        times: 1
        do:
          - child.read: { length: 3B, tag: 1 }
          - child.write: { bytes: "ONE", tag: 1 }
      - when: { didAccept: {} }
        times: 1
        do:
          - child2.read: { length: 3B, tag: 2 }
          - child2.write: { bytes: "ONE", tag: 2 }
    expect:
      - server.didAccept: { child: child }
      - server.didAccept: { child: child2 }
      - anyOrder:
        - child.didRead: { tag: 1, bytes: "one" }
        - child.didWrite: { tag: 1 }
      - anyOrder:
        - child2.didRead: { tag: 2, bytes: "two" }
        - child2.didWrite: { tag: 2 }
    """

  private static let blocked = """
    title: Callbacks pile up behind a blocked queue and come before the disconnect
    requirements: [DIS-04]
    matrix: { family: [ipv4], queues: [separate, own] }
    peer:
      - accept
      - send: "12345"
    subject:
      - connect
      - after: didConnect
      - blockDelegateQueue
      - repeat: { times: 5, steps: [ { read: { length: 1B, tag: 1 } } ] }
      - wait: 30ms
      - disconnect
      - check: { isDisconnected: true, connectedHost: none }
      - wait: 30ms
      - unblockDelegateQueue
    expect:
      - didConnect
      - didRead: { tag: 1, notBefore: 50ms }
      - didRead: { tag: 1, times: 4 }
      - didDisconnect: { error: none }
    ending: subject fin
    """

  private static let inside = """
    title: Disconnect inside a callback is final
    requirements: [DIS-07]
    matrix: { family: [ipv4, ipv6], queues: [separate, shared, own] }
    peer:
      - accept
      - send: "abc"
      - expectEnd: either
    subject:
      - connect
      - read: { length: 1B, tag: 1 }
      - read: { length: 1B, tag: 2 }
    reactions:
      - when: { didConnect: {} }
        do:
          - disconnect
          - check: { isDisconnected: true }
          - disconnect
    expect:
      - didConnect
      - didRead: { optional: true, times: 1 }
      - didRead: { optional: true, times: 1 }
      - didDisconnect: { error: none }
      - nothing: { for: 100ms }
    """

  private static let notified = """
    title: With the option set, didDisconnect has run when disconnect returns
    requirements: [DIS-03]
    \(matrix)
    peer:
      - accept
      - send: "abc"
    subject:
      - set: { notifiesDisconnectBeforeReturning: true }
      - connect
      - read: { length: 3B, tag: 1 }
      - after: { didRead: {} }
      - reach: calling
      - disconnect
      - check: { isDisconnected: true }
    expect:
      - oneOf: [[didConnect], [didConnectToURL]]
      - didRead: { tag: 1, bytes: "abc" }
      - didDisconnect: { error: none, within: 1us, from: calling }
    ending: subject fin
    """

  private static let buffer = """
    title: Bytes are placed into the caller's buffer from the offset on
    requirements: [RD-BUF-02]
    \(matrix)
    peer:
      - accept
      - send: "0123456789"
    subject:
      - connect
      - read: { length: 4B, tag: 1, buffer: { name: b, size: 6B, offset: 4B, fill: 0xEE } }
      - read: { length: 4B, tag: 9, buffer: { name: b, size: 6B, offset: 7B, fill: 0xEE } }
      - after: { didRead: { tag: 1 } }
      - check: { buffer.b: { hex: "ee ee ee ee 30 31 32 33" } }
    expect:
      - oneOf: [[didConnect], [didConnectToURL]]
      - didRead: { tag: 1, bytes: "0123" }
      - nothing: { for: 50ms }
    ending: open
    """

  private static let slow = """
    title: A slow delegate does not stop output
    requirements: [THR-09]
    matrix: { family: [ipv4], queues: [separate, own] }
    peer:
      - accept
      - send: "go"
      - expect: "later"
      - reach: written
    subject:
      - connect
      - read: { length: 2B, tag: 1 }
      - after: { didRead: {} }
      - write: { bytes: "later", tag: 2 }
      - after: written
      - check: { isConnected: true }
    reactions:
      - when: { didRead: { tag: 1 } }
        do:
          - hold: 500ms
          - reach: rested
    expect:
      - didConnect
      - didRead: { tag: 1 }
      - didWrite: { tag: 2, notBefore: 500ms }
    ending: open
    """

  private static let released = """
    title: A released socket closes without a word
    requirements: [LIFE-18]
    \(matrix)
    peer:
      - accept
      - expectEnd: fin
    subject:
      - connect
      - wait: 20ms
      - release
    expect:
      - oneOf: [[didConnect], [didConnectToURL]]
      - nothing: { for: 100ms }
    ending: subject fin
    """

  private static let reconnect = """
    title: Nothing of an earlier connection reaches a later one
    requirements: [INV-18]
    matrix: { family: [ipv4, ipv6], queues: [separate, shared, own] }
    peers:
      first:
        - accept
        - send: "old"
        - expectEnd: either
      second:
        - accept
        - send: "new"
    subject:
      - connect: first
      - read: { length: 4B, timeout: 50ms, tag: 1 }
      - wait: 20ms
      - disconnect
      - connect: second
      - read: { length: 3B, tag: 2 }
    expect:
      - didConnect
      - didDisconnect: { error: none }
      - didConnect
      - didRead: { tag: 2, bytes: "new" }
      - nothing: { for: 200ms }
    """

  private static let stalled = """
    title: A write to a stalled peer times out
    requirements: [TMO-04]
    matrix: { family: [ipv4, unix], queues: [separate, own] }
    peer:
      - accept
      - stall
      - wait: 1s
    subject:
      - connect
      - write: { bytes: { pattern: { seed: 2, size: 1MiB } }, timeout: 300ms, tag: 3 }
    expect:
      - oneOf: [[didConnect], [didConnectToURL]]
      - shouldTimeoutWrite: { tag: 3, at: 300ms, from: start }
      - didDisconnect: { error: WriteTimeout, within: 5ms }
    """
}
