/// The texts of the sample's scenarios.
enum SampleSources {
  static let text: [String: String] = [
    "read/delimiter-split-across-two-segments": """
    # yaml-language-server: $schema=../schema.json
    title: A delimiter split across two segments is found once
    requirements: [RD-DELIM-04]
    matrix: { family: [ipv4, ipv6], segmentation: [whole, bytes] }
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
      - nothing: { for: 50ms }          # REST stays buffered: no read is queued
    ending: open

    """,
    "read/a-drip-fills-a-length": """
    # yaml-language-server: $schema=../schema.json
    title: A length is met one byte at a time
    requirements: [RD-LEN-01, RD-PART-02]
    tags: [slow]
    peer:
      - accept
      - drip: { bytes: { pattern: { seed: 9, size: 57B } }, chunk: 1B, every: 20ms }
      - send: { pattern: { seed: 4, size: 4KiB } }
    subject:
      - connect
      - read: { length: 57B, tag: 1 }
      - read: { length: 4KiB, tag: 2 }
    expect:
      - didConnect
      - didReadPartial: { tag: 1, times: 57 }
      - didRead: { tag: 1, bytes: { pattern: { seed: 9, size: 57B } } }
      - didRead: { tag: 2, length: 4KiB }
    ending: open

    """,
    "accept/children-speak-to-their-own-peers": """
    # yaml-language-server: $schema=../schema.json
    title: Two accepted children speak to their own peers
    requirements: [ACC-03, ACC-07]
    tags: [server]
    peers:
      alice:
        - connect
        - send: "from alice\\r\\n"
        - expect: "hello alice"
      bob:
        - after: didAccept
        - connect
        - send: "from bob\\r\\n"
        - expect: "hello bob"
    subject:
      - listen
    reactions:
      - when: { didAccept: { child: child } }
        do:
          - child.read: { through: "\\r\\n", tag: 1 }
      - when: { didAccept: { child: child2 } }
        do:
          - child2.read: { through: "\\r\\n", tag: 2 }
    expect:
      - didAccept: { child: child }
      - didAccept: { child: child2 }
      - child.didRead: { tag: 1, bytes: "from alice\\r\\n" }
      - child2.didRead: { tag: 2, bytes: "from bob\\r\\n" }
    ending: open

    """,
    "ending/a-reset-is-reported-as-such": """
    # yaml-language-server: $schema=../schema.json
    title: A reset is reported with its errno, after what was read
    requirements: [DIS-05, ERR-04]
    peer:
      - accept
      - send: "last words"
      - reset
    subject:
      - connect
      - read: { length: 100B, timeout: 2s, tag: 3 }
    expect:
      - didConnect
      - didDisconnect: { error: ECONNRESET, within: 200ms }
    ending: peer rst

    """,
    "tls/a-line-over-tls": """
    # yaml-language-server: $schema=../schema.json
    title: A line goes both ways over TLS, and both sides say goodbye
    requirements: [TLS-01, TLS-31]
    peer:
      - accept
      - tls: { alpn: [line/1] }
      - expect: "HELLO\\r\\n"
      - send: "WELCOME <good.example>\\r\\n"
      - finish
    subject: [connect, { startTLS: { peerName: good.example } }]
    expect:
      - didConnect
      - didSecure
      - didRead: "WELCOME <good.example>\\r\\n"

    """,
    "tls/an-expired-certificate-is-refused": """
    # yaml-language-server: $schema=../schema.json
    title: An expired certificate is refused, with a reason
    requirements: [TLS-21, ERR-07]
    peer:
      - accept
      - tls: { certificate: expired-leaf, fails: certificate_expired }
    subject:
      - connect
      - startTLS: { peerName: good.example }
    expect:
      - didConnect
      - didDisconnect: { error: errSSLCertExpired }

    """,
    "timing/a-read-timeout-can-be-extended": """
    # yaml-language-server: $schema=../schema.json
    title: A read timeout can be extended by the delegate
    requirements: [TMO-03, TMO-06]
    peer:
      - accept
      - wait: 600ms
      - send: "late"
    subject:
      - connect
      - read: { length: 4B, timeout: 200ms, tag: 5 }
    reactions:
      - when: { shouldTimeoutRead: { tag: 5 } }
        do: [{ answer: 300ms }]
    expect:
      - didConnect
      - shouldTimeoutRead: { tag: 5, elapsed: 0.2s, at: 200ms, from: start }
      - didRead: { tag: 5, bytes: "late", notBefore: 600ms, from: start }
    ending: open

    """,
  ]
}
