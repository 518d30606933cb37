import Testing

/// Parts of files that are wrong, and the remarks they earn: `line:column code`, lines counted in the part.
enum BadTexts {
  struct Row: Sendable, CustomTestStringConvertible {
    var fragment: String
    var remarks: [String]
    var testDescription: String { fragment.replacing("\n", with: " ⏎ ") }

    init(_ fragment: String, _ remarks: String...) {
      self.fragment = fragment
      self.remarks = remarks
    }
  }

  static let text = [
    Row("tags: [a\n", "2:1 syntax"),
    Row("tags: [a]]", "1:10 syntax"),
    Row("tags: \"a", "1:9 syntax"),
    Row("tags:\n\t- a", "2:1 syntax"),
    Row("limit: 1s: 2s", "1:10 syntax"),
    Row("expect:\n  - didConnect\n - didRead", "3:2 syntax"),
    Row("tags: [\"\\q\"]", "1:9 syntax"),
    Row("tags: [@a]", "1:8 syntax"),
    Row("tags: [a]\n---\ntitle: B", "2:1 several-documents"),
    Row("tags: &t [a]", "1:7 anchor"),
    Row("tags: [*t]", "1:8 anchor"),
    Row("? *t : x", "1:3 anchor"),
    Row("tags: &a [&b x, *b]\nlimit: *a", "1:7 anchor", "1:11 anchor", "1:17 anchor", "2:8 anchor"),
    Row("tags: !!seq [a]", "1:7 explicit-tag"),
    Row("tags: [! a]", "1:8 explicit-tag"),
    Row("tags: [\"a\u{7}\"]", "1:10 bad-character"),
    Row("tags: [é, \u{7F}]", "1:11 bad-character"),
    Row("tags: [\"\u{FEFF}\"]", "1:9 bad-character"),
    Row("tags: [a]\u{0}", "1:10 bad-character"),
  ]

  static let shape = [
    Row("tgas: [a]", "1:1 unknown-key"),
    Row(
      "expect:\n  - didRead: { tag: 1, lenght: 5B }\n  - didConnect: { tag: 1 }", "2:24 unknown-key", "3:19 unknown-key"
    ),
    Row("tags: [a]\ntags: [b]", "2:1 duplicate-key"),
    Row("matrix: { family: ipv4, family: ipv6 }\ntags: [a, a]", "1:25 duplicate-key", "2:11 duplicate-name"),
    Row("hosts:\n  \"a\": []\n  'a': []\n  a: []", "3:3 duplicate-key", "4:3 duplicate-key"),
    Row("hosts:\n  \"\": []\n  \"\": []\nlimit: 1", "3:3 duplicate-key", "4:8 missing-unit"),
    Row("? [a]\n: b", "1:3 key-not-text"),
    Row("? {a: b}\n: c", "1:3 key-not-text"),
    Row("matrix: {? : b}", "1:12 empty-value"),
    Row("~: b", "1:1 empty-value"),
    Row("worlds: { only: loopback }", "1:9 missing-key"),
    Row("worlds: { because: why }", "1:9 missing-key"),
    Row("worlds: { only: loopback, because: ~ }", "1:36 empty-value"),
    Row("worlds: { only: loopback, because: \"\" }", "1:36 empty-value"),
    Row("worlds: { only: loopback, because: null }", "1:36 empty-value"),
    Row("subjects: {}", "1:11 no-subject-steps"),
    Row("subject: [connect]\nsubjects: { a: [connect] }\nexpect: [didConnect]", "2:1 conflicting-keys"),
    Row("peer: []\npeers: {}", "2:1 conflicting-keys"),
    Row("subject:\n  - connect\npeers: {}\nexpect: [didConnect]", "2:5 unclear-target"),
    Row("title: [a]\nrequirements: [A-01]\nsubject: [disconnect]\nending: open", "1:8 wrong-type"),
    Row("title: \"\"\nrequirements: [A-01]\nsubject: [disconnect]\nending: open", "1:8 empty-value"),
    Row(
      "title:\nrequirements: ~\nsubject:\nending:", "1:7 empty-value", "2:15 empty-value", "3:9 empty-value",
      "4:8 empty-value"),
    Row("title: x", "1:1 missing-key", "1:1 no-subject-steps"),
    Row("requirements: {}", "1:15 wrong-type"),
    Row("tags: a", "1:7 wrong-type"),
    Row("tags: {}", "1:7 wrong-type"),
    Row("matrix: [ipv4]", "1:9 wrong-type"),
    Row("matrix: { family: [] }", "1:19 empty-list"),
    Row("matrix: { family: { a: b } }", "1:19 wrong-type"),
    Row("hosts: [a]", "1:8 wrong-type"),
    Row("hosts: { a: b }", "1:13 wrong-type"),
    Row("hosts: { a: { delay: 1s } }", "1:13 missing-key"),
    Row("hosts: { a: { addresses: x } }", "1:26 wrong-type"),
    Row("sockets: [a]", "1:10 wrong-type"),
    Row("sockets: { a: none }", "1:15 wrong-type"),
    Row("sockets: { a: { delegate: x } }", "1:27 unknown-word"),
    Row("reactions: []", "1:12 empty-list"),
    Row("reactions: [{ when: didConnect, do: [] }]", "1:37 empty-list"),
    Row("reactions: [{ when: didConnect }]", "1:13 missing-key"),
    Row("reactions: [{ do: [read] }]", "1:13 missing-key"),
    Row("reactions: [didConnect]", "1:13 wrong-type"),
    Row("expect: didConnect", "1:9 wrong-type"),
    Row("expect: [[didConnect]]", "1:10 wrong-type"),
    Row("expect:\n  -\n  - ~\n  - {}", "2:4 empty-value", "3:5 empty-value", "4:5 wrong-type"),
    Row("expect:\n  - didConnect:\n  - didRead: { tag: 1 }", "2:5 empty-value"),
    Row("expect:\n  - didRead: 1", "2:14 wrong-type"),
    Row("expect:\n  - didConnect\n    didRead: { tag: 1 }", "3:12 syntax"),
    Row("expect:\n  - didConnect: {}\n    didRead: { tag: 1 }", "3:5 wrong-type"),
    Row("subject: []", "1:10 no-subject-steps"),
    Row("subject: {}", "1:10 wrong-type"),
    Row("subject: connect", "1:10 wrong-type"),
    Row("subjects: { a: [] }\nexpect: []", "1:11 no-subject-steps"),
    Row("subjects: [connect]", "1:11 wrong-type"),
    Row("canary: yes", "1:9 unknown-word"),
    Row("canary: \"true\"", "1:9 unknown-word"),
    Row("canary: ~", "1:9 empty-value"),
    Row("canary: []", "1:9 wrong-type"),
  ]

  static let values = [
    Row(
      "matrix: { family: ipv5, segmentation: [hole], queues: shred }", "1:19 unknown-word", "1:40 unknown-word",
      "1:55 unknown-word"),
    Row("matrix: { family: [ipv4, ipv4] }", "1:26 duplicate-name"),
    Row("worlds: { only: both, because: x }", "1:17 unknown-word"),
    Row("limit: 10", "1:8 missing-unit"),
    Row("limit: 1.5", "1:8 missing-unit"),
    Row("limit: 10sec", "1:8 bad-quantity"),
    Row("limit: 1.s", "1:8 bad-quantity"),
    Row("limit: .5s", "1:8 bad-quantity"),
    Row("limit: 1e3s", "1:8 bad-quantity"),
    Row("limit: 10 s", "1:8 bad-quantity"),
    Row("limit: soon", "1:8 bad-quantity"),
    Row("limit: \"10s\"", "1:8 wrong-type"),
    Row("limit: [10s]", "1:8 wrong-type"),
    Row("limit: -10s", "1:8 out-of-range"),
    Row("limit: 86401s", "1:8 out-of-range"),
    Row("limit: 99999999999999999999999999999999999999999min", "1:8 out-of-range"),
    Row("limit: 0.0000000000000000001s", "1:8 out-of-range"),
    Row("limit: 0s", "1:8 zero-duration"),
    Row("limit: ١s", "1:8 bad-quantity"),
    Row("subject:\n  - connect\n  - read: { length: 10, tag: 1 }", "3:21 missing-unit"),
    Row("subject:\n  - connect\n  - read: { length: 10KB, tag: 1 }", "3:21 bad-quantity"),
    Row("subject:\n  - connect\n  - read: { length: 1.5KiB, tag: 1 }", "3:21 bad-quantity"),
    Row("subject:\n  - connect\n  - read: { length: -1B, tag: 1 }", "3:21 bad-quantity"),
    Row("subject:\n  - connect\n  - read: { length: 9223372036854775807KiB, tag: 1 }", "3:21 out-of-range"),
    Row("subject:\n  - connect\n  - read: { length: 99999999999999999999B, tag: 1 }", "3:21 out-of-range"),
    Row("subject:\n  - connect\n  - read: { length: ten, tag: x }", "3:21 bad-quantity", "3:31 bad-number"),
    Row(
      "subject:\n  - connect\n  - read: { tag: 9223372036854775808, timeout: 1 }", "3:18 out-of-range",
      "3:48 missing-unit"),
    Row("subject:\n  - connect\n  - read: { tag: \"1\", timeout: forever }", "3:18 wrong-type", "3:32 bad-quantity"),
    Row("subject:\n  - connect: { timeout: 1e999s }\n  - read: { tag: 1 }", "2:25 out-of-range"),
    Row("expect:\n  - didRead: { length: 5B..4B }", "2:24 out-of-range"),
    Row("expect:\n  - didRead: { length: 5..6B }", "2:24 missing-unit"),
    Row("expect:\n  - didRead: { length: ..6B }", "2:24 bad-quantity"),
    Row("expect:\n  - didConnect: { port: 65536 }", "2:25 out-of-range"),
    Row(
      "expect:\n  - didRead: { times: 0 }\n  - didRead: { times: 100001 }\n  - didRead: { times: 1e3 }",
      "2:23 out-of-range", "3:23 too-many", "4:23 bad-number"),
    Row("expect:\n  - didRead: { times: 99999999999999999999 }", "2:23 too-many"),
    Row(
      "peer:\n  - accept\n  - sendUrgent: 256\n  - sendUrgent: 0x\n  - sendUrgent: +1", "3:17 out-of-range",
      "4:17 bad-number", "5:17 bad-number"),
    Row(
      "tags: [\"a b\", 1a, none, didRead, \"\", é]", "1:8 bad-name", "1:15 bad-name", "1:19 bad-name", "1:25 bad-name",
      "1:34 bad-name", "1:38 bad-name"),
    Row("sockets: { child: {}, none: {} }", "1:12 bad-name", "1:23 bad-name"),
    Row("control: ../x\n", "1:10 bad-name"),
    Row("control: area/sample", "1:10 bad-name"),
    Row("control: read/x.yaml", "1:10 bad-name"),
    Row(
      "requirements: [rd-01, RD-1, RD-001, RD--01, RD-A-B-01, RD, A1-01, RD-01, RD-01]", "1:16 bad-requirement",
      "1:23 bad-requirement", "1:29 bad-requirement", "1:37 bad-requirement", "1:45 bad-requirement",
      "1:56 bad-requirement", "1:60 bad-requirement", "1:74 duplicate-name"),
    Row(
      "hosts: { a: [\"1.2.3\", \"1.2.3.256\", \"::1::\", \"1:2:3:4:5:6:7\", \"12345::\", \"localhost\", \"\"] }",
      "1:14 bad-address", "1:23 bad-address", "1:36 bad-address", "1:45 bad-address", "1:62 bad-address",
      "1:73 bad-address", "1:86 bad-address"),
    Row(
      """
      peer:
        - accept
        - send: { hex: "0d0" }
        - send: { hex: "0 d" }
        - send: { base64: "abc" }
        - send: { base64: "a=bc" }
        - send: { base64: "====" }
      """,
      "3:18 bad-payload", "4:18 bad-payload", "5:21 bad-payload", "6:21 bad-payload", "7:21 bad-payload"),
    Row(
      "expect:\n  - didRead: { hash: \"0123456789ABCDEF\" }\n  - didRead: { hash: 12 }", "2:22 bad-payload",
      "3:22 bad-payload"),
    Row(
      """
      peer:
        - accept
        - send: 10
        - send: 4KiB
        - send: -1
        - send: max
        - send: true
      """, "3:11 ambiguous-payload",
      "4:11 ambiguous-payload", "5:11 ambiguous-payload", "6:11 ambiguous-payload", "7:11 ambiguous-payload"),
    Row(
      "peer:\n  - accept\n  - send: []\n  - send: {}\n  - send:\n  - send: ~\n  - send", "3:11 empty-list",
      "4:11 missing-key", "5:5 empty-value", "6:5 empty-value", "7:5 empty-value"),
    Row(
      """
      peer:
        - accept
        - send: { hex: "00", text: "a" }
        - send: { hex: "00", times: 3 }
        - send: { repeat: "a" }
        - send: { times: 3 }
        - send: { txt: "a" }
      """,
      "3:24 conflicting-keys", "4:24 conflicting-keys", "5:11 missing-key", "6:11 missing-key", "7:13 unknown-key"),
    Row(
      """
      peer:
        - accept
        - send: { pattern: { seed: 1 } }
        - send: { pattern: { size: 1B } }
        - send: { pattern: 4KiB }
        - send: { pattern: { seed: -1, size: 1B } }
      """,
      "3:22 missing-key", "4:22 missing-key", "5:22 wrong-type", "6:30 out-of-range"),
    Row(
      """
      peer:
        - accept
        - send: { file: nothing.bin }
        - send: { file: ../data/bytes.bin }
        - send: { file: /etc/passwd }
        - send: { file: data//bytes.bin }
      """,
      "3:19 missing-file", "4:19 missing-file", "5:19 missing-file", "6:19 missing-file"),
    Row(
      """
      peer:
        - accept
        - send: { repeat: { repeat: { repeat: { pattern: { seed: 1, size: max } }, times: 100000 }, times: \
      100000 }, times: 100000 }
      """,
      "3:52 payload-too-large"),
    Row(
      """
      peer:
        - accept
        - send: { repeat: { repeat: { repeat: "aaaaaaaaaa", times: 100000 }, times: 100000 }, times: 100000 }
      """,
      "3:31 payload-too-large"),
    Row(
      """
      peer:
        - accept
        - send: { pattern: { seed: 1, size: 40MiB } }
        - send: { pattern: { seed: 1, size: 40MiB } }
      """,
      "4:11 payload-too-large"),
    Row(
      "peer:\n  - accept\n  - send: { repeat: \"a\", times: 67108865 }\n  - send: { repeat: \"a\", times: -1 }",
      "3:33 too-many", "4:33 out-of-range"),
    Row(
      """
      subject:
        - connect
        - read: { tag: 1 }
        - repeat: { times: 1001, steps: [repeat: { times: 1000, steps: [write: x] }] }
      """,
      "4:44 too-many"),
    Row(
      """
      expect:
        - didDisconnect: { error: Timeout }
        - didDisconnect: { error: [ECONREST] }
        - didDisconnect: { error: [] }
        - didDisconnect: { error: {} }
        - didDisconnect: { error: errno x }
      """,
      "2:29 unknown-error", "3:30 unknown-error", "4:29 empty-list", "5:29 wrong-type", "6:29 unknown-error"),
    Row("ending: close", "1:9 unknown-ending"),
    Row("ending: peer fin,subject fin", "1:9 unknown-ending"),
  ]
}
