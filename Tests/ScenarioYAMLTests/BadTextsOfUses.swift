/// Parts that are read, but hardly as they are meant: misleading bytes, choices that are none, names without use, waits
/// without an end.
extension BadTexts {
  static let uses = spelling + windows + choices + unused + endless

  private static let spelling = [
    // An escape of a byte is a character; what only looks like one is none.
    Row("peer:\n  - accept\n  - send: \"\\xca\\xfe\"", "3:11 byte-escape"),
    Row(#"peer: [accept, send: { text: "é\xFF" }]"#, "1:30 byte-escape"),
    Row(#"peer: [accept, send: "\x80"]"#, "1:22 byte-escape"),
    Row(#"subject: [connect, read: { through: ["\r", "\xff"], tag: 1 }]"#, "1:44 byte-escape"),
    Row(#"peer: [accept, send: "é\x7f\u00ff", send: "é\\xff", send: 'é']"#),
    Row("# ééééééé\n" + #"peer: [accept, send: "é\\xff", send: "\xfe"]"#, "2:38 byte-escape"),
    // A backslash without double quotes.
    Row(
      #"peer: [accept, send: 'HELLO\r\n', send: HELLO\r\n, send: "a\\b"]"#, "1:22 misleading-payload",
      "1:41 misleading-payload"),
    Row(#"subject: [connect, read: { through: '\r\n', tag: 1 }]"#, "1:37 misleading-payload"),
    // A comment cuts what has no quotes.
    Row(
      "peer:\n  - accept\n  - send: PASS #1\n  - send: \"a\" # said\n  - send: a#b\n  - wait: 1ms # long",
      "3:11 misleading-payload"),
    // Quotes of a typesetter.
    Row("peer: [accept, send: “a”, send: \"“a”\"]", "1:22 misleading-payload"),
    // A blank that is missing is missing there, not in the next line.
    Row("title:t\nrequirements: [A-01]", "1:7 syntax"),
    Row("title: A\n\nlimit:1s\n# more\n\nrequirements: [A-01]", "3:7 syntax"),
  ]

  private static let windows = [
    Row(
      "worlds: { only: loopback, because: x }\nexpect:\n  - didConnect\n  - didRead: { tag: 1, notBefore: 15ms }",
      "4:35 idle-window"),
    Row("worlds: { only: loopback, because: x }\nexpect:\n  - didConnect\n  - didRead: { tag: 1, notBefore: 16ms }"),
    Row("network: []\nexpect:\n  - didConnect\n  - didRead: { tag: 1, at: 14ms }", "4:28 idle-window"),
    Row("network: []\nexpect:\n  - didConnect\n  - didRead: { tag: 1, notBefore: 5ms, from: start }"),
    Row("expect:\n  - didConnect\n  - didRead: { tag: 1, notBefore: 5ms }"),
    // One case plays in simulated time, where the window counts.
    Row(
      """
      columns: { text: required }
      cases: { both: { text: A }, real: { text: B, worlds: { only: loopback, because: x } } }
      peer: [accept, send: $text]
      expect: [didConnect, didRead: { tag: 1, notBefore: 10ms }]
      """),
    Row(
      """
      columns: { text: required }
      cases: { one: { text: A }, two: { text: B } }
      worlds: { only: loopback, because: x }
      peer: [accept, send: $text]
      expect: [didConnect, didRead: { tag: 1, notBefore: 10ms }]
      """, "5:52 idle-window"),
    Row("expect: [didConnect, didRead: { bytes: \"abcd\", length: 5B }]", "1:48 conflicting-keys"),
    Row("expect: [didConnect, didRead: { bytes: \"abcd\", length: 4B..5B }]"),
  ]

  private static let choices = [
    Row("expect: [didConnect, oneOf: [[didRead: { tag: 1 }]]]", "1:22 idle-choice"),
    Row("expect: [didConnect, oneOf: [[didRead], [], [didRead]]]", "1:45 idle-choice"),
    Row("expect: [didConnect, oneOf: [{ grade: nonStrict, events: [didRead] }]]"),
    Row("expect: [didConnect, didRead, didDisconnect: { error: [none, Closed, none] }]", "1:70 idle-choice"),
    // One case leaves the choice that another one has not.
    Row(
      """
      columns: { more: optional }
      cases: { one: {}, two: { more: [didRead] } }
      expect: [didConnect, oneOf: [[didRead: { tag: 1 }], $more]]
      """),
    // A title makes no other case, a limit does.
    Row(
      """
      columns: { text: required, tag: 1 }
      cases:
        one: { text: A }
        two: { text: A, tag: 1, title: So }
        three: { text: A, limit: 5s }
      peer: [accept, send: $text]
      expect: [didConnect, didRead: { tag: $tag }]
      """, "4:3 duplicate-case"),
  ]

  private static let unused = [
    // A host that does not exist, a peer that refuses and one at another's port may be there for nobody.
    Row(
      """
      hosts: { a.b: ["::1"], none.b: [] }
      sockets: { lonely: {}, socket: {} }
      peers: { one: [accept, send: a], two: [accept], three: { samePortAs: one, steps: [accept], family: ipv6 }, \
      four: [refuse] }
      """, "1:10 unused-name", "2:12 unused-name", "3:34 unused-name"),
    Row("peer: [accept]\nsubject: [connect: { host: \"::1\", port: 80 }, read: { tag: 1 }]", "1:1 unused-name"),
    // Each case uses another one.
    Row(
      """
      columns: { to: required }
      cases: { one: { to: first }, two: { to: second } }
      peers: { first: [accept, send: a], second: [accept, send: a] }
      subject: [connect: $to, read: { tag: 1 }]
      """),
    Row(
      "subject: [connect, read: { tag: 1, buffer: { name: page, size: 9B } }, check: { buffer.pge: none, buffer.page: "
        + "none }]", "1:81 unknown-buffer"),
    Row(
      "subject: [connect, read: { tag: 1, buffer: { name: page, size: 9B, offset: 10B } }]",
      "1:20 offset-beyond-buffer"),
    Row(
      """
      subject:
        - connect
        - read: { tag: 1, buffer: { name: page, size: 9B } }
        - read: { tag: 2, buffer: { name: page, size: 9B, offset: 10B } }
      expect: [didConnect, didRead, didRead: { tag: 2 }]
      """),
  ]

  private static let endless = [
    Row(
      "limit: 2s\nreactions: [{ when: didConnect, do: [hold: 1s, hold: 1s] }]", "2:48 impossible-window"),
    Row("limit: 2s\nreactions: [{ when: didConnect, do: [hold: 1s, hold: 999ms] }]"),
    Row("limit: 2s\nexpect: [didConnect, didRead, nothing: { for: 2s }]", "2:47 impossible-window"),
    Row("peer: [accept, send: a, expectSilence: 10s]", "1:25 impossible-window"),
    Row("peer: [accept, drip: { bytes: \"abc\", chunk: 1B, every: 5s }, send: d]", "1:16 impossible-window"),
    // The subject may cut it off; nothing else ends a silence.
    Row("peer: [accept, drip: { bytes: \"abc\", chunk: 1B, every: 5s }]"),
    Row("peer: [accept, repeat: { times: 9, steps: [drip: { bytes: \"abc\", chunk: 1B, every: 5s }] }]"),
    Row("peer: [accept, drip: { bytes: \"abc\", chunk: 2B, every: 5s }]"),
  ]
}
