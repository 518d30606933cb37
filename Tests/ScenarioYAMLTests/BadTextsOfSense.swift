/// More wrong parts: about steps, names and sense.
extension BadTexts {
  static let steps = [
    Row("subject:\n  - conect\n  - read: { tag: 1 }", "2:5 unknown-step"),
    Row(
      "subject:\n  - connect\n  - send: \"x\"\n  - didRead\n  - reed: { tag: 1 }", "3:5 unknown-step",
      "4:5 unknown-step", "5:5 unknown-step"),
    Row(
      "peer:\n  - acept\n  - write: x\n  - disconnect\n  - server.read", "2:5 unknown-step", "3:5 unknown-step",
      "4:5 unknown-step", "5:5 unknown-step"),
    Row("peer:\n  - accept\n  - socket.send: x", "3:5 misplaced-prefix"),
    Row(
      "expect:\n  - didReed\n  - read\n  - socket.oneof: []", "2:5 unknown-callback", "3:5 unknown-callback",
      "4:5 unknown-callback"),
    Row(
      "subject:\n  - connect\n  - after: { didReed: {} }\n  - after: socket.x\n  - read: { tag: 1 }",
      "3:14 unknown-callback", "4:12 unknown-callback"),
    Row(
      """
      subject:
        - connect
        - after: {}
        - after: { didRead: {}, didConnect: {} }
        - after: { occurrence: 2 }
        - after: [didRead]
        - read: { tag: 1 }
      """,
      "3:12 wrong-type", "4:27 wrong-type", "5:12 wrong-type", "6:12 wrong-type"),
    Row("reactions: [{ when: conect, do: [read] }]", "1:21 unknown-callback"),
    Row("reactions: [{ when: { didConnect: {}, didRead: {} }, do: [read] }]", "1:39 wrong-type"),
    Row(
      "subject:\n  - connect\n  - read: { tag: 1 }\n  - hold: 1s\n  - answer: 1s", "4:5 misplaced-step",
      "5:5 misplaced-step"),
    Row(
      "reactions:\n  - when: didConnect\n    do: [{ wait: 1s }, { after: didRead }, { answer: 1s }, hold]",
      "3:12 misplaced-step", "3:26 misplaced-step", "3:46 misplaced-step", "3:60 empty-value"),
    Row("peer: [accept, refuse]\nexpect: [didConnect]", "1:16 misplaced-step"),
    Row("peer: [{ wait: 1s }, blackhole]", "1:22 misplaced-step"),
    Row(
      """
      subject:
        - connect
        - perform: [wait: 1s, check: { isConnected: true }, release, read: { tag: 1 }, connect: { timeout: 1s, \
      error: any }, other.read, perform: []]
      """,
      "3:15 misplaced-step", "3:25 misplaced-step", "3:55 misplaced-step", "3:82 cannot-refuse",
      "3:120 misplaced-prefix", "3:141 empty-list"),
    Row(
      """
      subject:
        - connect
        - socket.wait: 1s
        - socket.after: didRead
        - socket.reach: x
        - read: { tag: 1 }
      """,
      "3:5 misplaced-prefix", "4:5 misplaced-prefix", "5:5 misplaced-prefix", "5:19 unawaited-point"),
    Row("expect:\n  - socket.anyOrder: [didConnect]", "2:5 misplaced-prefix"),
    Row(
      "expect:\n  - connected:\n  - connected: { port: 80 }\n  - other.connected\n  - connected: { at: 5 }",
      "2:5 empty-value", "3:18 unknown-key", "4:5 unknown-socket", "5:22 missing-unit"),
    Row(
      """
      subject:
        - connect
        - read: { tag: 1, error: any }
        - write: { bytes: x, error: any }
        - disconnect: { error: any }
        - release: {}
      """,
      "3:21 cannot-refuse", "4:24 cannot-refuse", "5:19 cannot-refuse"),
    Row(
      """
      subject:
        - connect
        - read: { tag: 1 }
        - connect: { timeout: 1s, error: none }
        - connect: { timeout: 1s, error: [none, BadConfig] }
      """,
      "4:36 cannot-refuse", "5:36 cannot-refuse"),
    Row(
      """
      subject:
        - connect
        - read: { tag: 1 }
        - disconnect: now
        - disconnect: { a: b }
        - disconnect:
        - startTLS: yes
        - read:
      """,
      "4:17 wrong-type", "5:19 unknown-key", "6:5 empty-value", "7:15 wrong-type", "8:5 empty-value"),
    Row(
      """
      subject:
        - connect
        - read: { tag: 1 }
        - write
        - write: {}
        - write: { tag: 3 }
        - wait
        - check: {}
        - check: true
        - set: {}
        - set: { a: b }
        - delegate: 1a
      """,
      "4:5 empty-value", "5:12 missing-key", "6:12 missing-key", "7:5 empty-value", "8:12 empty-list",
      "9:12 wrong-type", "10:10 empty-list", "11:12 unknown-key", "12:15 bad-name"),
    Row(
      """
      peer:
        - accept: x
        - drip: { bytes: x }
        - drain: { chunk: 0B, every: 0s }
        - echo: 10B
        - expectEnd: end
        - expectSilence: 0s
        - expect: { length: 0B }
        - expect: { hash: "0123456789abcdef" }
      """,
      "2:13 wrong-type", "3:11 missing-key", "3:11 missing-key", "4:21 out-of-range", "4:32 zero-duration",
      "5:11 wrong-type", "6:16 unknown-word", "7:20 zero-duration", "8:23 out-of-range", "9:13 missing-key"),
    Row(
      """
      subject:
        - connect
        - repeat: 3
        - repeat: { times: 3 }
        - repeat: { steps: [read] }
        - repeat: { times: 0, steps: [read] }
        - repeat: { times: 2, steps: [] }
        - read: { tag: 1 }
      """,
      "3:13 wrong-type", "4:13 missing-key", "5:13 missing-key", "6:22 out-of-range", "7:32 empty-list"),
    Row(
      """
      subject:
        - connect
        - check: { isConected: true, isSecure: 1, connectedPort: none, progressOfRead: 4B, buffer: x, buffer.1: \
      x, connectedHost: [] }
        - read: { tag: 1 }
      """,
      "3:14 unknown-key", "3:42 unknown-word", "3:60 unknown-peer", "3:82 wrong-type", "3:86 unknown-key",
      "3:97 bad-name", "3:125 wrong-type"),
  ]

  /// The path of no socket: an address holds 107 bytes.
  private static let overlong = "/" + String(repeating: "x", count: 107)

  static let names = [
    Row("peers: { socket: [accept], child: [accept], a: [accept] }", "1:10 duplicate-name", "1:28 duplicate-name"),
    Row(
      """
      subject:
        - connect: pear
        - connect: { peer: pear }
        - connect: { host: "::1", port: pear }
        - read: { tag: 1 }
      """,
      "2:14 unknown-peer", "3:22 unknown-peer", "4:35 unknown-peer"),
    Row(
      "peers: { a: { samePortAs: b, steps: [accept] }, c: { samePortAs: c, family: ipv6, steps: [accept] } }",
      "1:27 unknown-peer", "1:66 unknown-peer"),
    Row("peers: { a: [accept], b: { samePortAs: a, steps: [accept] } }", "1:51 conflicting-keys"),
    Row(
      """
      peers:
        a: { family: ipv4, samePortAs: b, steps: [accept] }
        b: { family: ipv6, samePortAs: a, steps: [accept] }
      """, "2:45 conflicting-keys", "3:45 conflicting-keys"),
    Row(
      "subject:\n  - connect\n  - othr.read\n  - child.read\n  - read: { tag: 1 }\nsockets: { other: {} }",
      "3:5 unknown-socket", "4:5 unknown-socket"),
    Row(
      "expect:\n  - other.didConnect\n  - child.didRead\n  - other.nothing: { for: 1s }", "2:5 unknown-socket",
      "3:5 unknown-socket", "4:5 unknown-socket"),
    Row("expect:\n  - didAccept: { child: first }", "2:25 unknown-socket"),
    Row(
      "subject:\n  - connect\n  - other.listen: { port: { of: sokket } }\n  - read: { tag: 1 }", "3:33 unknown-socket"),
    Row("subjects:\n  child: [read: { tag: 1 }]", "-1:5 unclear-target", "0:5 unclear-target", "2:3 unknown-socket"),
    Row("peer: [accept, after: nowhere]", "1:23 unknown-point"),
    Row("expect:\n  - didRead: { within: 1s, from: strat }", "2:34 unknown-point"),
    Row("peer: [accept, reach: here]", "1:23 unawaited-point"),
    Row("peer: [accept, reach: start]", "1:23 bad-name"),
    Row(
      """
      subject:
        - connect: { host: example, port: 80 }
        - connect: { host: exmple, port: 80, error: any }
        - connect: { host: localhost, port: peer, error: any }
        - read: { tag: 1 }
      hosts: { example: [] }
      """,
      "3:22 unknown-host"),
    Row("peer: [connect]", "-4:5 unclear-target", "1:8 unclear-target"),
    Row("peer: [connect: socket]", "-4:5 unclear-target", "1:17 unclear-target"),
    Row("peer: [connect]\nsubject: [a.listen, b.listen]\nexpect: [a.didAccept]", "1:8 unclear-target"),
    Row("peer: [connect: a]\nsubject: [a.listen, connect: peer]\nexpect: [a.didAccept]", "2:30 unclear-target"),
    Row(
      """
      subjects: { a: [connect] }
      expect: [didConnect, nothing: { for: 1s }]
      reactions: [{ when: didConnect, do: [read] }]
      """,
      "2:10 unclear-target", "2:22 unclear-target", "3:38 unclear-target"),
    Row(
      """
      subject:
        - connect: { host: a, peer: peer, port: 1 }
        - connect: { port: 80 }
        - connect: { host: a }
        - connect: { address: xyz }
        - read: { tag: 1 }
      """,
      "2:25 conflicting-keys", "3:16 conflicting-keys", "4:14 missing-key", "5:25 bad-payload"),
    Row(
      """
      subject:
        - connect
        - listen: { path: x, port: 1 }
        - listen: { port: {} }
        - listen: { port: x }
        - read: { tag: 1 }
      """,
      "3:24 conflicting-keys", "4:21 missing-key", "5:21 bad-number"),
    // A listener stays in the case's folder; of a path that no address can hold there is no file.
    Row(
      """
      subject:
        - connect
        - a.listen: { path: ../x }
        - b.listen: { path: "x/.." }
        - c.listen: { path: /tmp/x, error: any }
        - d.listen: { path: "\(overlong)", error: any }
        - e.listen: { path: x/..y }
        - f.listen: { path: "", error: any }
        - read: { tag: 1 }
      """,
      "3:23 bad-name", "4:23 bad-name", "5:23 bad-name"),
    Row(
      """
      subject:
        - connect
        - read: { tag: 1, buffer: { name: b, size: 1B } }
        - read: { buffer: { name: b, size: 2B } }
        - read: { buffer: { size: 2B } }
        - read: { buffer: { name: c } }
        - read: { buffer: { name: d, size: 1GiB } }
      """,
      "4:21 conflicting-buffer", "5:21 missing-key", "6:21 missing-key", "7:38 out-of-range"),
  ]

  /// A whole file that judges nothing.
  private static let bare = "title: A\nrequirements: [A-01]\npeer: [accept]\nsubject: [connect]\n"

  static let sense = [
    Row(
      """
      expect: [didConnect]
      reactions:
        - { when: didRead, times: always, do: [read: { tag: 1 }] }
        - { when: { didRead: { tag: 1 } }, do: [disconnect] }
        - { when: didConnect, times: 2, do: [read: { tag: 1 }] }
        - { when: didConnect, do: [disconnect] }
      """, "4:5 impossible-callback"),
    Row("expect: []\nreactions: [{ when: didConnect, do: [disconnect] }]"),
    Row("limit: 1s\nsettle: 1s", "2:9 impossible-window"), Row("limit: 50ms", "1:8 impossible-window"),
    Row("limit: 2s\nexpect: [didConnect: { within: 2s }]", "2:32 idle-window"),
    Row("limit: 2s\nexpect: [didConnect: { within: 1999ms }]"),
    Row("limit: 51ms\nexpect: [didConnect]\npeer: [accept]\nsubject: [connect]"),
    Row(
      "matrix: { segmentation: everySplit }\npeer: [accept, send: a]\nexpect: [didConnect]",
      "1:1 empty-matrix"),
    Row("matrix: { segmentation: [whole, everySplit] }\npeer: [accept, send: a]\nexpect: [didConnect]"),
    Row("matrix: { segmentation: everySplit }\npeer: [accept, raw: ab]\nexpect: [didConnect]"),
    Row("matrix: { segmentation: everySplit }\npeer: [accept, send: ab]\nexpect: [didConnect]"),
    Row(
      """
      expect:
        - didRead: { within: 0s }
        - didRead: { at: 0ms }
        - didRead: { notBefore: 2s, within: 1s }
        - didRead: { notBefore: 11s }
      """,
      "2:24 impossible-window", "3:20 impossible-window", "4:39 impossible-window", "5:27 impossible-window"),
    Row("expect:\n  - didRead: { notBefore: 0s, within: 1s }", "2:27 zero-duration"),
    Row("expect:\n  - didRead: { notBefore: 0s, from: start }"),
    Row("expect:\n  - stream: \"\"\n  - stream: a", "2:5 empty-value"),
    Row("limit: 2s\npeer: [accept, wait: 1s, wait: 999ms]"),
    Row("limit: 2s\npeer: [accept, wait: 1s, wait: 1s, send: a]", "2:26 impossible-window"),
    Row(
      "subject:\n  - connect\n  - repeat: { times: 20, steps: [wait: 500ms] }\n  - read: { tag: 1 }",
      "3:34 impossible-window"),
    Row(
      "expect:\n  - didRead: { at: 1s, within: 1s }\n  - didRead: { from: start }", "2:24 conflicting-keys",
      "3:16 missing-key"),
    Row(
      "expect:\n  - nothing: { for: 0ms }\n  - nothing: {}\n  - nothing\n  - nothing: 50ms", "2:21 zero-duration",
      "3:14 missing-key", "4:5 empty-value", "5:14 wrong-type"),
    Row("peer: [refuse, accept]\nexpect: [didDisconnect]", "1:16 unreachable-step"),
    Row(
      """
      peer:
        - send: x
        - finish
        - send: y
        - expectEnd: fin
        - expect: x
        - close
        - expect: z
        - reset
        - close
      """,
      "2:5 unreachable-step", "4:5 unreachable-step", "6:5 unreachable-step", "8:5 unreachable-step",
      "10:5 unreachable-step"),
    Row("peer: [accept, repeat: { times: 2, steps: [{ send: x }, close] }]", "1:46 unreachable-step"),
    Row("peer: [accept, repeat: { times: 1, steps: [{ send: x }, close] }]"),
    Row("peer: [accept, close, stopListening, accept, listenAgain, accept]", "1:38 unreachable-step"),
    Row("peer: [connect, accept]\nsubject: [listen]\nexpect: [didAccept]", "1:17 unreachable-step"),
    Row(
      "subject: [connect, read: { tag: 1 }, release, disconnect, check: { isConnected: true }]",
      "1:47 unreachable-step", "1:59 unreachable-step"),
    Row(
      "subject: [connect, read: { tag: 1 }, repeat: { times: 2, steps: [disconnect, release] }]",
      "1:66 unreachable-step", "1:78 unreachable-step"),
    Row("peer: [accept, after: a, reach: a]", "1:16 never-reached"),
    Row(
      "peer: [accept, after: a, reach: b]\nsubject: [connect, after: b, reach: a, read: { tag: 1 }]",
      "1:16 never-reached", "2:20 never-reached"),
    Row("peer: [accept, after: a]\nreactions: [{ when: didRead, do: [reach: a] }]"),
    Row(
      """
      expect:
        - didRead: { tag: 2 }
        - didWrite
        - didSecure
        - didAccept
        - didCloseRead
        - didConnect: { delegate: other }
      """,
      "2:5 impossible-callback", "3:5 impossible-callback", "4:5 impossible-callback", "5:5 impossible-callback",
      "6:5 impossible-callback", "7:5 impossible-callback"),
    Row(
      "subject: [disconnect]\nexpect: [didConnect, didDisconnect, stream: x]", "2:10 impossible-callback",
      "2:22 impossible-callback", "2:37 impossible-callback"),
    Row(
      "subject: [listen, child.read]\npeer: [connect]\nexpect: [child.didConnect, child.didRead, child.didDisconnect]",
      "3:10 impossible-callback"),
    Row("subject: [connect: { timeout: 1s, error: any }]\nexpect: [didConnect]", "2:10 impossible-callback"),
    Row(
      "peer: [accept, after: didSecure]\nreactions: [{ when: didSecure, do: [read] }]", "1:16 impossible-callback",
      "2:13 impossible-callback"),
    Row(
      "expect: [oneOf: [[didConnect], { profile: upstream, events: [didSecure] }, [didSecure]]]",
      "1:77 impossible-callback"),
    Row("subject: [connect, read: { through: \"ab\", limit: 1B, tag: 1 }]", "1:20 limit-below-delimiter"),
    Row("subject: [connect, read: { through: \"ab\", limit: 1B, tag: 2 }, read: { tag: 1 }]"),
    Row("expect: [didDisconnect]\nending: open", "2:9 contradicting-ending"),
    Row("expect: [anyOrder: [didDisconnect]]\nending: open", "2:9 contradicting-ending"),
    Row("expect: [didDisconnect: { optional: true }]\nending: open"),
    Row("subject: [connect, disconnect, connect]\nexpect: [didDisconnect]\nending: open"),
    Row("ending: never connected", "1:9 contradicting-ending"),
    Row("ending: peer fin", "1:9 contradicting-ending"),
    Row("peer: [accept, finish]\nending: peer rst", "2:9 contradicting-ending"),
    Row("\(bare)canary: true", "5:1 empty-canary"),
    Row("\(bare)canary: true\nending: open"),
    Row("\(bare)canary: true\nexpect: []"),
    Row(bare, "1:1 judges-nothing"),
    Row("\(bare)expect: []"),
    Row("\(bare)ending: open"),
    Row("title: A\nrequirements: [A-01]\nsubject: [disconnect, check: { isConnected: false }]"),
    Row("subject: [connect, read: { tag: 1 }, blockDelegateQueue]", "1:38 blocked-to-the-end"),
    Row("subject: [connect, read: { tag: 1 }, blockDelegateQueue, unblockDelegateQueue]"),
    Row(
      "subject: [connect, read: { tag: 1 }, blockDelegateQueue, unblockDelegateQueue, blockDelegateQueue]",
      "1:80 blocked-to-the-end"),
    Row("subject: [set: { linger: 1s }, connect, read: { tag: 1 }]", "1:18 lacking-world"),
    Row(
      "subject: [set: { keepAlive: 1s }, set: { userTimeout: 1s }, connect, read: { tag: 1 }]", "1:18 lacking-world",
      "1:42 lacking-world"),
    Row("worlds: { only: loopback, because: x }\nsubject: [set: { linger: 1s }, connect, read: { tag: 1 }]"),
    Row("subject: [connect, read: { tag: 1 }, exhaustDescriptors]", "1:38 lacking-world"),
    Row(
      "worlds: { only: loopback, because: x }\nsubject: [connect, read: { tag: 1 }, exhaustDescriptors]",
      "2:38 lacking-world"),
    Row("peer: [accept, send: \"x\", sendUrgent: 0x21]", "1:27 lacking-world"),
    Row("peer: [accept, repeat: { times: 2, steps: [sendUrgent: 0x21] }]", "1:44 lacking-world"),
    Row("worlds: { only: simulated, because: x }\npeer: [accept, sendUrgent: 0x21]", "2:16 lacking-world"),
    Row("worlds: { only: loopback, because: x }\npeer: [accept, sendUrgent: 0x21]"),
    Row("worlds: { only: loopback, because: x }\nschedule: quiet", "2:1 conflicting-keys"),
    Row("network: []\nschedule: { seed: 7 }", "2:1 conflicting-keys"),
    Row("worlds: { only: simulated, because: x }\nschedule: quiet"),
    Row("schedule: { seed: 7, draws: [delivery.0.3, dispatch.1.0, delivery.0.3] }", "1:58 duplicate-name"),
    Row("peer: [accept, stall, expectSilence: 1s]", "1:23 unreachable-step"),
    Row("peer: [accept, repeat: { times: 2, steps: [after: didConnect, send: x] }]", "1:44 misplaced-step"),
    Row("peer: [accept, repeat: { times: 1, steps: [after: didConnect, send: x] }]"),
    Row(
      "peer: [accept, repeat: { times: 2, steps: [repeat: { times: 1, steps: [after: didConnect] }] }]",
      "1:72 misplaced-step"),
    Row(
      "subject: [connect, read: { tag: 1 }, repeat: { times: 2, steps: [after: didConnect] }]", "1:66 misplaced-step"),
    Row("peer: [accept, stall, drain, expectSilence: 1s]"),
    Row("peer: [accept, shutdownRead, expectSilence: 1s]", "1:30 unreachable-step"),
    Row("peer: [accept, shutdownRead, drain, expectSilence: 1s]", "1:37 unreachable-step"),
    Row("peer: [accept, shutdownRead, close, accept, expectSilence: 1s]"),
    Row("subject: [connect, read: { tag: 1 }, blockDelegateQueue, delegateQueue: other]"),
    Row("peer: [accept, stall, expectEnd: fin]", "1:23 unreachable-step"),
    Row("peer: [accept, drain: { chunk: 1B, every: 1s }, expectSilence: 1s]", "1:49 unreachable-step"),
    Row("peer: [accept, expectEnd: fin, expectSilence: 1s]", "1:32 unreachable-step"),
    Row(
      "subject: [connect, read: { tag: 1 }, enablePrebuffering, runMode: { mode: x, for: 1s }]",
      "1:38 lacking-subject", "1:58 lacking-subject"),
    Row(
      """
      matrix: { subject: [gcd, run-loop], queues: own, speed: plain }
      subject: [connect, perform: [read: { tag: 1 }], check: { unreadData: none, connectedURL: none }]
      expect: [didRead: { tag: 1, on: main }, oneOf: [[didCloseRead], []], oneOf: [[didSecure], [willConnect]]]
      """,
      "2:20 lacking-subject", "2:58 lacking-subject", "2:76 lacking-subject", "3:10 lacking-subject",
      "3:50 impossible-callback", "3:79 impossible-callback"),
    Row(
      """
      matrix: { subject: run-loop, family: unix }
      sockets: { socket: { queues: own } }
      subject: [set: { ipv4Enabled: true, userData: 7 }, connect: { via: lo, timeout: 1s }, read: { tag: 1 }]
      """,
      "1:1 lacking-subject", "2:1 lacking-subject", "3:18 lacking-subject", "3:52 lacking-subject"),
    Row(
      """
      matrix: { subject: run-loop }
      subject: [connect: { error: [BadParam, BadConfig] }, connect: { error: [BadParam, Misuse] }, connect, read]
      expect: [willDisconnect: { error: [ECONNRESET, Canceled] }]
      """,
      "2:11 lacking-subject"),
    Row(
      "matrix: { subject: [gcd, run-loop] }\nsubject: [listen]\npeer: [connect]\nexpect: [child.didConnect]",
      "4:10 lacking-subject"),
    Row("canary: true\nsubject: [connect, read: { tag: 1 }, enablePrebuffering]"),
    Row("tgas: []\npeer: [accept, close, send: x]", "1:1 unknown-key", "2:23 unreachable-step"),
  ]
}
