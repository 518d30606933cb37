import ScenarioModel

extension SampleReport {
  /// Handshakes: one that comes to its end, and one that the subject breaks off over the certificate.
  static var securing: [CaseResult] {
    let good = scenario(
      "tls/a-line-over-tls", "A line goes both ways over TLS, and both sides say goodbye", ["TLS-01", "TLS-31"],
      tags: ["tls"])
    let refused = scenario(
      "tls/an-expired-certificate-is-refused", "An expired certificate is refused, with a reason",
      ["TLS-21", "ERR-07"],
      tags: ["tls"])
    var secured = result(
      good, .passed, milliseconds: 9.4, trace: handshake, met: [3: 12, 25: 13, 34: 14], deviations: [])
    secured.trace.keyLog = [secret]
    secured.capture = "captures/tls-a-line-over-tls-ipv4-loopback-1.pcapng"
    var broken = result(
      refused, .failed, world: .simulated, milliseconds: 1.2, trace: refusal, met: [3: 11],
      deviations: [
        deviation(
          .wrongContent, expected: "didDisconnect error errSSLCertExpired",
          actual: "didDisconnect error errSSLPeerCertExpired", line: 12, requirement: "TLS-21", at: 17)
      ])
    broken.trace.keyLog = [secret]
    var toBeRefused = result(refused, .passed, milliseconds: 6.1, trace: refusal, met: [3: 11, 17: 12])
    toBeRefused.trace.keyLog = [secret]
    return [secured, toBeRefused, broken]
  }

  /// A line of a key log, which no report may show.
  static let secret = "CLIENT_TRAFFIC_SECRET_0 5ec2e7 5ec2e75ec2e75ec2e7"

  /// Records with a body that means nothing.
  static func records(_ types: [(TLSRecordType, count: Int)]) -> [UInt8] {
    types.flatMap { type, count in
      [type.rawValue, 3, 3, UInt8(count >> 8), UInt8(count & 255)]
        + PatternBytes.make(seed: UInt64(count), count: count)
    }
  }

  private static let certificate =
    "CN=good.example, DNS:good.example, 2029-12-02 to 2030-01-31, signed by CN=SocketLab Test Intermediate"
  private static let expired =
    "CN=good.example, DNS:good.example, 2029-11-02 to 2029-12-02, signed by CN=SocketLab Test Intermediate"

  /// Up to the server's flight; the next event has index 10.
  private static func greeting(_ name: CertificateName, _ summary: String) -> TraceBuilder {
    var trace = TraceBuilder()
    trace.open(port: 47_001)
    trace.call(.startTLS(TLSCommand()), after: 0.05)
    trace.see(.received(records([(.handshake, 289)])), after: 0.4)
    trace.tls(.began(.server))
    trace.tls(.presents(name, summary))
    trace.tls(.messageReceived("client-hello"))
    for message in ["server-hello", "change-cipher-spec", "encrypted-extensions", "certificate", "certificate-verify"] {
      trace.tls(.messageSent(message))
    }
    trace.tls(.messageSent("finished"))
    trace.send(
      records([
        (.handshake, 122), (.changeCipherSpec, 1), (.applicationData, 27), (.applicationData, 921),
        (.applicationData, 98), (.applicationData, 53),
      ]), after: 0.02)
    return trace
  }

  private static var handshake: [TraceEvent] {
    var trace = greeting(.leaf, certificate)
    trace.see(.received(records([(.changeCipherSpec, 1), (.applicationData, 53)])), after: 1.9)
    trace.tls(.messageReceived("change-cipher-spec"))
    trace.tls(.messageReceived("finished"))
    trace.tls(
      .established(
        TLSFacts(
          version: .tls13, cipher: "TLS_AES_128_GCM_SHA256", serverName: "good.example", alpn: "line/1",
          isResumed: false)))
    trace.tls(.messageSent("new-session-ticket"))
    trace.tls(.messageSent("new-session-ticket"))
    trace.send(records([(.applicationData, 250), (.applicationData, 250)]), after: 0.01)
    trace.back(.didSecure, after: 0.2)
    trace.call(.write(WriteCommand(payload: .bytes(bytes("HELLO\r\n")), tag: 1)), inCallback: true)
    trace.see(.received(records([(.applicationData, 24)])), after: 0.3)
    trace.tls(.plainReceived(bytes("HELLO\r\n")))
    trace.back(.didWrite(tag: 1), after: 0.02)
    trace.call(.read(ReadCommand(boundary: .through(.bytes(bytes("\r\n")), limit: 0), tag: 2)))
    trace.tls(.plainSent(bytes("WELCOME <good.example>\r\n")), after: 0.1)
    trace.send(records([(.applicationData, 41)]))
    trace.back(.didRead(bytes: bytes("WELCOME <good.example>\r\n"), tag: 2), after: 0.08)
    trace.tls(.alertSent(TLSAlert(level: 1, description: 0)), after: 2)
    trace.send(records([(.applicationData, 19)]))
    trace.act(.finish)
    trace.back(
      .didDisconnect(
        SubjectError(domain: .ssl, code: -9805, message: "The peer closed the TLS session with close_notify.")),
      after: 0.1)
    trace.see(.received(records([(.applicationData, 19)])), after: 0.1)
    trace.tls(.alertReceived(TLSAlert(level: 1, description: 0)))
    trace.see(.endOfStream, after: 0.02)
    return trace.events
  }

  private static var refusal: [TraceEvent] {
    var trace = greeting(.expiredLeaf, expired)
    trace.back(
      .didDisconnect(
        SubjectError(
          domain: .ssl, code: -9814,
          message: "The peer's certificate was refused: certificate has expired (CN=good.example, 2029-12-02).")),
      after: 1.4)
    trace.see(.received(records([(.applicationData, 19)])), after: 0.1)
    trace.tls(.alertReceived(TLSAlert(level: 2, description: 45)))
    trace.tls(.failed("the subject's alert: certificate_expired"))
    trace.see(.endOfStream, after: 0.03)
    return trace.events
  }
}
