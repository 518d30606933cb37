import Testing

/// Parts of files that are right, one for each thing the language can say.
enum Samples {
  struct Sample: Sendable, CustomTestStringConvertible {
    var name: String
    var fragment: String
    var testDescription: String { name }
  }

  static let all: [Sample] =
    header + payloads + peers + subjects + children + reactions + expectations + endings + tls + runLoops + networks

  private static let header = [
    Sample(name: "tags", fragment: "tags: [slow, big-data]"),
    Sample(name: "no tags", fragment: "tags: []"),
    Sample(name: "one world", fragment: "worlds: { only: simulated, because: \"needs virtual time\" }"),
    Sample(
      name: "whole matrix",
      fragment: """
        matrix:
          family: [ipv4, ipv6, unix]
          segmentation: [whole, bytes, everySplit, random]
          queues: [separate, shared, own]
        """),
    Sample(name: "matrix of words", fragment: "matrix: { family: ipv6, segmentation: bytes, queues: own }"),
    Sample(name: "a quiet schedule", fragment: "schedule: quiet"),
    Sample(name: "a schedule", fragment: "schedule: { seed: 7, draws: [delivery.0.3, dispatch.12.0] }"),
    Sample(name: "another seed's schedule", fragment: "schedule: { seed: 7 }"),
    Sample(name: "times of the case", fragment: "limit: 2min\nsettle: 0ms"),
    Sample(name: "control", fragment: "control: read/plain-echo"),
    Sample(name: "canary", fragment: "canary: true\nexpect:\n  - didSecure\n  - didRead: { tag: 99 }"),
    Sample(
      name: "odd title",
      fragment: "title: \"a: b # c \\u00e9 \\t\"\nrequirements: [CON-01]\nsubject: [disconnect]\nending: open"),
    Sample(
      name: "no peer",
      fragment: "title: Nothing\nrequirements: [LIFE-15]\nsubject:\n  - disconnect\n  - check: { isConnected: false }"),
    Sample(
      name: "hosts",
      fragment: """
        hosts:
          both.example: { addresses: ["127.0.0.1", "::1"], delay: 400ms }
          one.example: ["fe80::1:2"]
          none.example: []
        subject:
          - connect: { host: both.example, port: peer, timeout: 2s }
          - connect: { host: one.example, port: 80, error: any }
          - read: { tag: 1 }
        """),
    Sample(
      name: "sockets",
      fragment: """
        sockets:
          socket: { queues: shared }
          other: { delegate: none }
          third: { delegateQueue: none, queues: own }
          fourth: { delegateQueue: concurrent }
          plain: {}
        subject:
          - connect
          - read: { tag: 1 }
          - other.check: { isConnected: false }
          - wait: 1ms
        reactions: [{ when: third.didConnect, optional: true, do: [fourth.disconnect, third.connect] }]
        expect: [didConnect, didRead: { tag: 1 }, plain.nothing: { for: 1ms }]
        """),
  ]

  private static let payloads = [
    ("text", #""a\r\n\x00\u00e9\"""#), ("plain text", "hello there"), ("empty text", #""""#),
    ("single quotes", "'it''s'"), ("text form", "{ text: \"10\" }"), ("hex", "{ hex: \"0d 0A ff\" }"),
    ("empty hex", "{ hex: \"\" }"), ("base64", "{ base64: \"SEVMTE8=\" }"),
    ("base64 without padding", "{ base64: \"QUJD\" }"),
    ("repeat", "{ repeat: \"AB\", times: 3 }"),
    ("repeat of repeat", "{ repeat: { repeat: { hex: \"00\" }, times: 2 }, times: 3 }"),
    ("pattern", "{ pattern: { seed: 18446744073709551615, size: 4KiB } }"),
    ("hex seed", "{ pattern: { seed: 0xff, size: 0B } }"), ("file", "{ file: data/bytes.bin }"),
    ("list", "[\"a\", { hex: \"ff\" }, { pattern: { seed: 1, size: 3B } }]"), ("list of one", "[\"a\"]"),
    ("characters that nobody sees", #""\u0085\u00a0é""#),
    ("yes is text", "yes"), ("no is text", "no"), ("1e3 in quotes", "\"1e3\""),
  ].map { Sample(name: "payload: \($0.0)", fragment: "peer:\n  - accept\n  - send: \($0.1)") }

  private static let peers = [
    Sample(
      name: "every peer step",
      fragment: """
        worlds: { only: loopback, because: "urgent data is not simulated" }
        peer:
          - accept
          - send: "HELLO"
          - sendUrgent: 0x21
          - drip: { bytes: "abc", chunk: 1B, every: 20ms }
          - expectSilence: 100ms
          - expect: "abc"
          - expect: { length: 10B }
          - expect: { length: 10B, hash: "0123456789abcdef" }
          - echo: { length: 100B }
          - echo
          - stall
          - drain: { chunk: 1KiB, every: 5ms }
          - drain
          - wait: 1.5ms
          - after: didConnect
          - after: { didRead: { tag: 1 }, occurrence: 1 }
          - stopListening
          - listenAgain
          - repeat:
              times: 2
              steps:
                - send: "x"
                - repeat: { times: 3, steps: [wait: 1us] }
          - finish
          - expectEnd: fin
          - close
          - accept
          - shutdownRead
          - reset
          - accept
          - expectEnd: either
        """),
    Sample(
      name: "refuse",
      fragment: "peer: [refuse]\nexpect:\n  - didDisconnect: { error: ECONNREFUSED }\nending: never connected"),
    Sample(name: "blackhole", fragment: "peer:\n  - blackhole\n  - wait: 1s\n  - accept\n  - send: \"HELLO\""),
    Sample(name: "empty peer", fragment: "peer: []\nexpect: [didConnect]"),
    Sample(
      name: "several peers",
      fragment: """
        peers:
          four: { family: ipv4, receiveBuffer: 4KiB, steps: [accept, after: sent, close] }
          six: { family: ipv6, samePortAs: four, steps: [accept, { send: "x" }, { reach: sent }] }
          idle: []
        subject:
          - connect: six
          - read: { tag: 1 }
        ending: peer fin, subject either
        """),
  ]

  private static let subjects = [
    Sample(
      name: "connects",
      fragment: """
        subject:
          - connect: { timeout: 500ms }
          - read: { tag: 1 }
          - connect: { peer: peer, via: "lo", error: BadConfig }
          - connect: { host: "127.0.0.1", port: 80, error: [BadConfig, BadParam] }
          - connect: { host: "", port: { peer: peer }, timeout: -1s, error: any }
          - connect: { host: "::1", port: { listener: server }, timeout: nan, error: any }
          - connect: { address: "02 00", timeout: inf, error: BadParam }
          - connect: { address: "", timeout: 1e18s, error: BadParam }
          - connect: { path: "/tmp/x", timeout: 0s, error: any }
          - connect: peer
          - server.listen
        """),
    Sample(
      name: "listens",
      fragment: """
        subject:
          - connect
          - read: { tag: 1 }
          - a.listen
          - b.listen: { interface: "lo", port: 65535, error: EADDRINUSE }
          - c.listen: { port: { of: a }, error: EADDRINUSE }
          - d.listen: { port: { of: peer }, error: EADDRINUSE }
          - e.listen: { path: "x.sock" }
          - f.listen: { port: free }
          - g.listen: { interface: "nosuch0", error: BadParam }
        """),
    Sample(
      name: "reads",
      fragment: """
        subject:
          - connect
          - read
          - read: { limit: 4B, timeout: 1s, tag: 1 }
          - read: { length: 10B, tag: -2 }
          - read: { length: max, tag: 9223372036854775807 }
          - read: { through: { hex: "0d 0a" }, limit: 8GiB, timeout: never }
          - read: { through: "", tag: 4 }
          - read: { length: 2B, tag: 5, buffer: { name: page, size: 10B, offset: 4B, fill: 0xEE } }
          - read: { length: 2B, tag: 6, buffer: { name: page, size: 10B, offset: 6B, fill: 0xEE } }
          - read: { tag: 7, buffer: { name: gone, size: none } }
          - read: {}
        """),
    Sample(
      name: "writes",
      fragment: """
        subject:
          - connect
          - read: { tag: 1 }
          - write: "text"
          - write: { hex: "00" }
          - write: ["a", "b"]
          - write: { bytes: "x", timeout: 0.25s, tag: 3 }
          - write: { bytes: { pattern: { seed: 1, size: 1MiB } }, timeout: -0.001s }
        expect:
          - didConnect
          - didRead: { tag: 1 }
          - didWrite: { tag: 3 }
          - didWritePartial: { length: 1B..max, optional: true }
        """),
    Sample(
      name: "calls that one world has",
      fragment: """
        worlds: { only: simulated, because: "the lab needs its own descriptors" }
        subject: [connect, read: { tag: 1 }, exhaustDescriptors, freeDescriptors]
        """),
    Sample(
      name: "other calls",
      fragment: """
        subject:
          - set: { ipv4Enabled: true, ipv6Enabled: false, ipv4Preferred: true, alternateAddressDelay: 300ms }
          - set: { autoDisconnectOnClosedReadStream: false, notifiesDisconnectBeforeReturning: true }
          - set: { userData: "none" }
          - set: { userData: none }
          - delegate: second
          - delegate: none
          - delegateQueue: other
          - delegateQueue: none
          - connect
          - read: { tag: 1 }
          - startTLS: { manualTrust: true }
          - startTLS: { error: BadConfig }
          - trust: false
          - blockDelegateQueue
          - unblockDelegateQueue
          - perform: [read, { write: "x" }, { set: { ipv4Enabled: false, ipv6Enabled: true } }, perform: [read]]
          - disconnectAfterReading
          - disconnectAfterWriting
          - disconnectAfterReadingAndWriting
          - disconnect
          - release
        expect: [didConnect, didSecure, didReceiveTrust, didCloseRead, didRead: { tag: 1, delegate: second }]
        """),
    Sample(
      name: "checks",
      fragment: """
        subject:
          - check:
              isConnected: true
              isDisconnected: false
              isSecure: false
              isIPv4: true
              isIPv6: false
              connectedHost: "127.0.0.1"
              connectedPort: { peer: peer }
              localHost: none
              localPort: { listener: socket }
              connectedURL: present
              connectedAddress: { hex: "02 00" }
              localAddress: none
              ipv4Enabled: true
              ipv6Enabled: true
              ipv4Preferred: false
              autoDisconnectOnClosedReadStream: true
              alternateAddressDelay: 300ms
              userData: "none"
              progressOfRead: { tag: 1, done: 4B..5B, total: 10B }
              progressOfWrite: none
              buffer.page: "abc"
          - check: { connectedPort: 80, localPort: present, progressOfRead: present, progressOfWrite: {} }
          - check: { userData: none }
          - connect
          - read: { tag: 1, buffer: { name: page, size: 3B } }
        """),
    Sample(
      name: "waiting",
      fragment: """
        subject:
          - wait: 20ms
          - wait: 1.5s
          - wait: 0.000001us
          - connect
          - after: didConnect
          - after: { didRead: { bytes: "x" }, occurrence: 2 }
          - after: { socket.didConnect: { host: "::1", port: 80 } }
          - after: socket.didConnect
          - repeat: { times: 3, steps: [{ read: { tag: 1 } }, { wait: 1ms }] }
          - repeat: { times: 1000, steps: [repeat: { times: 1000, steps: [write: "x"] }] }
        """),
  ]

  private static let children = [
    Sample(
      name: "a server",
      fragment: """
        peers:
          one: [connect, { expect: "hi" }, close]
          two: [{ wait: 5ms }, { connect: server }, { after: child.didDisconnect }, { after: done }, reset]
        subjects:
          server:
            - listen
            - after: { didAccept: { child: child2 } }
            - check: { localPort: present }
          child:
            - after: { server.didAccept: {} }
            - write: { bytes: "hi", tag: 5 }
            - read: { tag: 4 }
            - reach: done
          extra: []
        reactions:
          - when: server.didAccept
            times: always
            do:
              - child.read: { tag: 6 }
              - check: { isConnected: false }
        expect:
          - server.newSocketQueue
          - server.didAccept: { child: child }
          - child.didWrite: { tag: 5 }
          - child.stream: "abc"
          - child.nothing: { for: 5ms }
          - child.didDisconnect: { error: [Closed, ECONNRESET] }
        """)
  ]

  private static let reactions = [
    Sample(
      name: "reactions",
      fragment: """
        reactions:
          - when: didConnect
            do: [read, { write: "x" }]
          - when: { socket.didRead: { tag: 1, length: 5B } }
            times: 3
            do:
              - hold: 300ms
              - disconnect
              - check: { isConnected: false }
              - reach: gone
              - repeat: { times: 2, steps: [{ write: "y" }] }
          - when: shouldTimeoutRead
            times: always
            do: [answer: 300ms]
          - when: shouldTimeoutWrite
            do: [answer: never]
        peer: [accept, { send: "HELLO" }, { after: gone }, close]
        """)
  ]

  private static let expectations = [
    Sample(
      name: "fields",
      fragment: """
        subject: [connect, read: { tag: 1 }, write: { bytes: "x", tag: 2 }, connect: { path: "x", error: any }]
        expect:
          - didConnect: { host: "127.0.0.1", port: 80 }
          - didConnectToURL: { path: "/tmp/x", optional: true }
          - didRead: { tag: 1, bytes: "HELLO", length: 5B, hash: "0123456789abcdef", delegate: delegate }
          - didReadPartial: { tag: 1, length: 1B..5B, times: 2 }
          - didWrite: { tag: 2 }
          - shouldTimeoutRead: { tag: 1, elapsed: 0.2s, bytesDone: 4B }
          - shouldTimeoutWrite: { bytesDone: 0B..max, elapsed: 200ms }
          - didDisconnect: { error: [none, ReadTimeout, ECONNRESET, EAI_NONAME, NetDB] }
          - didDisconnect: { error: [SSL, errno 71, NetDB -7, SSL -9806] }
        """),
    Sample(
      name: "windows",
      fragment: """
        peer: [accept, { reach: sent }, { send: "HELLO" }]
        expect:
          - didConnect: { within: 1s }
          - didRead: { tag: 1, at: 500ms, from: start }
          - didRead: { notBefore: 300ms }
          - didRead: { notBefore: 300ms, within: 400ms, from: previous }
          - didRead: { at: 1us, from: sent }
        """),
    Sample(
      name: "connected",
      fragment: """
        sockets: { second: {} }
        subject: [connect, read: { tag: 1 }, second.connect]
        expect:
          - connected
          - didRead: { tag: 1 }
          - second.connected: { within: 1s, from: start }
          - oneOf: [[didConnect: { port: 1 }], [didConnectToURL]]
          - oneOf: [[didConnectToURL], [didConnect]]
        """),
    Sample(
      name: "cases",
      fragment: """
        columns: { text: required, tag: 1, more: optional, kind: required }
        cases:
          only: { text: { hex: "00" }, more: "x", kind: short, tags: [slow] }
        peer: [accept, send: [$text, $more], $kind: { short: [] }]
        expect: [connected, didRead: { tag: $tag }]
        ending: { $kind: { otherwise: open } }
        """),
    Sample(
      name: "groups",
      fragment: """
        subject: [connect, { read: { tag: 1 } }, { write: "x" }]
        expect:
          - stream: { pattern: { seed: 1, size: 1MiB } }
          - anyOrder:
              - didRead
              - didWrite: { times: 2 }
              - oneOf: [[didRead], []]
          - oneOf:
              - [didDisconnect: { error: none }]
              - { grade: nonStrict, profile: upstream, events: [didSecure] }
              - { profile: documented, events: [] }
              - grade: nonStrict
                events: [nothing: { for: 1s }]
        """),
  ]

  private static let endings =
    ["open", "never connected", "subject fin", "subject rst", "subject either"].map {
      Sample(name: $0, fragment: "peer: [accept]\nexpect: []\nending: \($0)")
    }
    + [
      "peer fin", "peer rst", "peer either", "peer fin, subject fin", "peer rst, subject either",
      "peer either, subject rst",
    ].map { Sample(name: $0, fragment: "peer: [accept, finish, close, accept, reset]\nending: \($0)") }
}
