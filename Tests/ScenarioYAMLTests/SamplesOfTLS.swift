/// Good parts about TLS.
extension Samples {
  static let tls = [
    Sample(
      name: "a peer's handshakes",
      fragment: """
        peer:
          - accept
          - tls: { until: client-hello }
          - tls: { until: 'server-hello', recordSize: 1B }
          - tls: { role: server, certificate: leaf-rsa, minVersion: tls1.0, ciphers: "DEFAULT", groups: [P-256] }
          - expectTLS: { version: tls1.3, cipher: "X", sni: none, alpn: none, certificate: none, resumed: false }
          - accept
          - tls: { version: tls1.2, alpn: [h2], clientCertificate: require, trust: unknown-root, tickets: 0 }
          - expectTLS: { sni: "a", alpn: "b", certificate: client }
          - accept
          - tls:
              coalesce: true
              fails: [bad_certificate, 99]
              edit: { message: certificate, do: double }
          - accept
          - tls:
              fails: any
              edit:
                - { message: server-hello, do: drop }
                - { message: server-hello, do: swap-with-next }
                - { message: server-hello, do: truncate }
                - { message: server-hello, do: extend }
                - { message: server-hello, do: flip }
                - { message: server-hello, do: overwrite, at: 2B, bytes: { hex: "ff" } }
                - { message: server-hello, do: retype, type: 3 }
                - { message: server-hello, do: empty }
                - { message: server-hello, do: wrong-length }
                - { message: server-hello, do: reframe, type: 99, version: 0x0300, length: 5B }
        """),
    Sample(
      name: "a peer's tools",
      fragment: """
        peer:
          - accept
          - alert: { level: 7, description: 200 }
          - record: { type: alert, bytes: "x" }
          - raw: { hex: "00" }
          - tls
          - keyUpdate
          - keyUpdate: { requested: true }
          - expectKeyUpdate
          - tickets: 3
          - alert: close_notify
          - alert: { description: bad_record_mac }
          - record: {}
          - record: { type: heartbeat, version: 0x0200, bytes: "x", corrupt: header, length: 5B, encrypted: true }
          - record: { innerType: 0, padding: 1KiB }
          - expectAlert: any
          - expectAlert: [close_notify, user_canceled]
          - closeNotify
          - record: { bytes: "late" }
          - truncate
        """),
    Sample(
      name: "a subject's settings",
      fragment: """
        subject:
          - connect
          - read: { tag: 1 }
          - startTLS:
              role: client
              peerName: "good.example"
              trust: self-signed
              certificate: client
              certificateFormat: pkcs12
              revocation: true
              manualTrust: true
              version: tls1.3
              ciphers: [TLS_AES_128_GCM_SHA256]
              alpn: "h2"
              allowsExpiredCertificates: true
              allowsExpiredRoots: false
              allowsAnyRoot: true
              validatesChain: false
              level: "kCFStreamSocketSecurityLevelNone"
              settings: { Other: [1, "1", true, null, { hex: "00 ff" }, word], Another: 1.5 }
          - startTLS: { settings: nil }
          - startTLS: { role: server, certificate: leaf }
          - perform: [startTLS: { minVersion: tls1.2 }, trust: true]
        expect: [didReceiveTrust, didSecure, didDisconnect: { error: [errSSLCertExpired, SSL -9999, SSL] }]
        """),
    Sample(
      name: "a matrix of securities",
      fragment: "matrix: { security: [plain, tls1.2, tls1.3] }\nending: open"),
    Sample(
      name: "a matrix of the peers' versions",
      fragment: """
        matrix: { security: [tls1.2, tls1.3] }
        peer: [accept, tls: { certificate: leaf }, send: "HELLO"]
        subject: [connect, startTLS: { minVersion: tls1.1 }, read: { tag: 1 }]
        """),
  ]
}
