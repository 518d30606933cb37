/// Wrong parts about TLS.
extension BadTexts {
  static let tls = [
    Row(
      "peer: [accept, tls: { rle: server, certificate: lief, role: both, tickets: many, recordSize: 0B, until: hi }]",
      "1:23 unknown-key", "1:49 unknown-word", "1:61 unknown-word", "1:76 bad-number", "1:94 out-of-range",
      "1:105 unknown-word"),
    Row(
      "peer: [accept, tls: { version: tls1.4, trust: nobody, coalesce: yes, fails: [], clientCertificate: no }]",
      "1:32 unknown-word", "1:47 unknown-word", "1:65 unknown-word", "1:77 empty-list", "1:100 unknown-word"),
    Row("peer: [accept, tls: { minVersion: tls1.3, maxVersion: tls1.2 }]", "1:43 out-of-range"),
    Row("peer: [accept, tls: { version: tls1.3, maxVersion: tls1.2 }]", "1:40 conflicting-keys"),
    Row("peer: [accept, tls: { edit: [] }]", "1:29 empty-list"),
    Row(
      """
      peer:
        - accept
        - tls:
            edit:
              - { message: server-hello }
              - { message: server-hello, do: dorp }
              - { message: server-hello, do: drop, by: 1B }
              - { message: server-hello, do: overwrite, at: 1B }
              - { message: server-hello, do: reframe }
              - { do: drop }
      """,
      "5:11 missing-key", "6:40 unknown-word", "7:46 unknown-key", "8:11 missing-key", "9:11 missing-key",
      "10:11 missing-key"),
    Row(
      "peer: [accept, tls, keyUpdate: { wanted: true }, tickets: 0, alert: no_such, alert: { level: 1 }, record: 5]",
      "1:34 unknown-key", "1:59 out-of-range", "1:69 unknown-word", "1:85 missing-key", "1:107 wrong-type"),
    Row(
      "peer: [accept, tls, record: { type: hello, version: 99999, corrupt: all, encrypted: false, padding: 1B }]",
      "1:37 unknown-word", "1:53 out-of-range", "1:69 unknown-word", "1:92 conflicting-keys"),
    Row(
      "peer: [accept, tls, expectTLS: {}, expectTLS: { certificate: any }, expectAlert: bye, closeNotify: now]",
      "1:32 empty-list", "1:62 unknown-word", "1:82 unknown-word", "1:100 wrong-type"),
    Row(
      "peer: [accept, expectAlert: any, closeNotify, record: { encrypted: true }, tls, tls, truncate, send: x]",
      "1:16 unreachable-step", "1:34 unreachable-step", "1:47 unreachable-step", "1:81 unreachable-step",
      "1:96 unreachable-step"),
    Row(
      "subject: [connect, startTLS: { certificate: lief, settings: 5, alpn: [], manualTrust: 1 }, read: { tag: 1 }]",
      "1:45 unknown-word", "1:61 wrong-type", "1:70 empty-list", "1:87 unknown-word"),
    Row(
      "subject: [connect, startTLS: { settings: nil, role: client }, read: { tag: 1 }]", "1:47 conflicting-keys"),
    Row("subject: [connect, startTLS, trust: true, read: { tag: 1 }]", "1:30 unreachable-step"),
    Row("subject: [connect, startTLS: { manualTrust: true }, trust: maybe, read: { tag: 1 }]", "1:60 unknown-word"),
    Row("subject: [connect, startTLS, read: { tag: 1 }]\nexpect: [didReceiveTrust]", "2:10 impossible-callback"),
    Row(
      "subject: [connect, startTLS: { role: server }, read: { tag: 1 }]\nexpect: [didSecure]",
      "2:10 impossible-callback"),
    Row("matrix: { security: [plain, tls1.1, plain] }", "1:29 unknown-word", "1:37 duplicate-name"),
    Row(
      "matrix: { security: [plain, tls1.3] }\npeer: [accept, tls, send: \"HELLO\"]\n"
        + "subject: [connect, startTLS, read: { tag: 1 }]",
      "2:16 conflicting-keys", "3:20 conflicting-keys"),
    Row(
      "matrix: { security: [tls1.2, tls1.3] }\npeers: { one: [accept, tls: { version: tls1.3 }], two: [accept, tls] }\n"
        + "subject: [connect, startTLS, read: { tag: 1 }]",
      "2:24 conflicting-keys"),
    Row(
      "matrix: { security: tls1.2 }\nsubject: [connect, startTLS, read: { tag: 1 }, perform: [startTLS]]",
      "2:20 conflicting-keys"),
  ]
}
