import ScenarioModel

extension SampleReport {
  /// Verdicts that come with a reason rather than with deviations.
  static var unjudged: [CaseResult] {
    var stalled = TraceBuilder()
    stalled.open()
    stalled.act(.setReading(.paused), after: 0.1)
    stalled.call(
      .write(
        WriteCommand(payload: .pattern(seed: 3, count: 8 << 20), timeout: TimeoutValue(seconds: 30), tag: 11)))
    stalled.back(.didWritePartial(count: 2_539_008, tag: 11), after: 0.9)
    stalled.add(.note("limit of 10 s reached"), after: 10_000)
    var hung = TraceBuilder()
    hung.open()
    hung.call(.blockDelegateQueue)
    hung.call(.disconnect, .hung, after: 2_000)
    let stall = scenario("write/a-stalled-peer-holds-the-write", "A stalled peer holds the write", ["WR-09"])
    let blocked = scenario("ending/disconnect-does-not-wait-for-callbacks", "disconnect does not wait", ["DIS-09"])
    let tls = scenario("tls/trust-is-asked-once", "Trust is asked once", ["TLS-12"], tags: ["tls"])
    let racing = scenario("connect/two-families-race", "Two families race, the first wins", ["CON-21"])
    return [
      result(
        stall, .timeout, milliseconds: 10_004, trace: stalled.events, met: [3: 1],
        deviations: [
          deviation(.missing, expected: "didWrite tag 11", actual: "nothing until the case's limit of 10 s", line: 1)
        ], reason: "the case was not over by its limit of 10 s"),
      result(
        blocked, .hang, milliseconds: 2_007, trace: hung.events,
        deviations: [
          deviation(
            .hang, expected: "disconnect returns", actual: "disconnect did not return within 2 s", line: 2,
            requirement: "THR-02", at: 5)
        ]),
      result(
        blocked, .crash, world: .simulated, milliseconds: 0.1, trace: hung.events,
        reason: "the process ended on signal 4 (illegal instruction)"),
      result(tls, .unsupported, reason: "the subject does not offer startTLS"),
      result(tls, .unsupported, world: .simulated, reason: "the subject does not offer startTLS"),
      result(racing, .skipped, family: .ipv6, reason: "the host has no IPv6 loopback"),
      result(
        racing, .error, milliseconds: 12,
        reason: "the resolver thread of the lab ended without an answer"),
      result(racing, .passed, world: .simulated, family: .ipv6, milliseconds: 0.3),
    ]
  }

  static var canaries: [CaseResult] {
    var seen = scenario("canary/a-lost-byte-is-seen", "A lost byte is seen", ["LAB-01"], tags: ["canary"])
    seen.canary = true
    var blind = scenario("canary/a-late-callback-is-seen", "A late callback is seen", ["LAB-02"], tags: ["canary"])
    blind.canary = true
    var trace = TraceBuilder()
    trace.open()
    trace.call(.read(ReadCommand(boundary: .available(limit: 0), tag: 0)))
    trace.send(bytes("ABC"), after: 0.3)
    trace.back(.didRead(bytes: bytes("AB"), tag: 0), after: 0.1)
    let lost = deviation(
      .wrongContent, expected: #"didRead tag 0, "ABC" (3 B)"#, actual: #"didRead tag 0, "AB" (2 B)"#, line: 2,
      requirement: "LAB-01", at: 7)
    return [
      result(seen, .failed, milliseconds: 3, trace: trace.events, deviations: [lost]),
      result(seen, .failed, world: .simulated, milliseconds: 0.2, trace: trace.events, deviations: [lost]),
      result(blind, .passed, milliseconds: 31, trace: trace.events),
    ]
  }
}
