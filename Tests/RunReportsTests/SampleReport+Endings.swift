import ScenarioModel

/// Runs in which processes ended, resources leaked, somebody interrupted, or a control failed.
extension SampleReport {
  static let endings: [(name: String, report: RunReport)] = [
    ("trap", report(with: trap)), ("stack-overflow", report(with: overflow)), ("hang", report(with: hang)),
    ("out-of-memory", report(with: outOfMemory)), ("resources", report(with: resources)),
    ("interrupted", interrupted), ("failed-control", failedControl(dependants: 2_000)),
  ]

  /// The case among others that went well.
  private static func report(with result: CaseResult) -> RunReport {
    let cases = [result] + reading.filter(\.isAsExpected)
    var report = report(cases, sources: sources(of: cases))
    report.duration = .milliseconds(2_340)
    return report
  }

  private static var opened: [TraceEvent] {
    var trace = TraceBuilder()
    trace.open()
    trace.call(.read(ReadCommand(boundary: .through(.bytes(bytes("\r\n")), limit: 64), tag: 7)))
    trace.send(bytes("HELLO\r"), after: 0.1)
    return trace.events
  }

  private static func ended(
    _ id: String, _ title: String, _ verdict: Verdict, reason: String, actual: String, backtrace: [String]
  ) -> CaseResult {
    var result = result(
      scenario(id, title, ["RD-DELIM-04"]), verdict, milliseconds: 44, trace: opened, met: [3: 14],
      deviations: [
        deviation(
          verdict == .hang ? .hang : .crash, expected: "the process outlives the case", actual: actual)
      ], reason: reason)
    result.backtrace = backtrace
    return result
  }

  static let trap = ended(
    "read/delimiter-split-across-two-segments", "A delimiter split across two segments is found once", .crash,
    reason: "the process ended on signal 4 (SIGILL)", actual: "it ended on signal 4 (SIGILL)",
    backtrace: trapLines)

  /// As Swift's own backtraces read, with the sources' lines.
  static let trapLines =
    [
      "SocketCore/Prebuffer.swift:88: Fatal error: Index out of range", "",
      "*** Program crashed: Illegal instruction at 0x00007f1d2c4e8a10 ***", "",
      "Thread 3 \"socketlab-2\" crashed:", "",
      "0 [inlined] [system] 0x00007f1d2c4e8a10 Swift runtime failure: Index out of range in libswiftCore.so",
      "1 0x000055d0c01b2f44 Prebuffer.drop(_:) + 212 in socketlab at /src/Sources/SocketCore/Prebuffer.swift:88:5",
      "", "    86│     let count = count + head", "    87│     let rest = count - blocks[0].count",
      "    88│     blocks.removeFirst(rest)", "      │     ▲",
    ]
    + (2...30).map {
      "\($0) [ra] 0x000055d0c01b\($0 + 0x3000) StreamMachine.pass\($0)() + \($0 * 8) in socketlab at "
        + "/src/Sources/SocketCore/StreamMachine+Pass.swift:\(100 + $0):7"
    } + [
      "31 [ra] [system] 0x00007f1d2be94ac3 start_thread + 755 in libc.so.6", "", "Registers:", "",
      "rax 0x0000000000000001  1", "rdx 0x00007f1d28001f90  40 00 00 00 00 00 00 00  @·······",
    ]

  static let overflow = ended(
    "write/ten-thousand-writes-at-once", "Ten thousand writes at once go out in order", .crash,
    reason: "the process ended on signal 11 (SIGSEGV)", actual: "it ended on signal 11 (SIGSEGV): stack overflow",
    backtrace: ["*** Program crashed: Bad pointer dereference at 0x00007ffcf2dfffe8 (stack overflow) ***", ""]
      + (0..<1_200).map {
        "\($0) 0x000055d0c01b2f44 StreamMachine.serve(_:) + 64 in socketlab at "
          + "/src/Sources/SocketCore/StreamMachine+Pass.swift:61:9"
      })

  static let hang = ended(
    "ending/disconnect-does-not-wait-for-callbacks", "disconnect does not wait", .hang,
    reason: "the process came to no end within 10 s and was ended", actual: "no word of the case for 10 s",
    backtrace: [
      "Thread 1 \"socketlab-0\":", "0 [system] 0x00007f1d2be91117 __futex_abstimed_wait_common in libc.so.6",
      "1 [ra] 0x000055d0c01d9c20 GCDAsyncSocket.disconnect() + 88 in socketlab at "
        + "/src/Sources/CocoaAsyncSocket/GCDAsyncSocket.swift:204:5",
      "2 [ra] 0x000055d0c02a1140 SubjectStage.perform(_:) + 310 in socketlab at "
        + "/src/Sources/SubjectAdapters/SubjectStage.swift:88:7",
    ])

  static let outOfMemory = ended(
    "write/a-gigabyte-is-written", "A gigabyte is written", .crash,
    reason: "the process was killed (signal 9), as the kernel does when memory runs out",
    actual: "it was killed (signal 9)", backtrace: [])

  static let resources = result(
    scenario("accept/a-listener-is-closed-in-both-families", "A listener is closed in both families", ["ACC-09"]),
    .failed, milliseconds: 12, trace: opened, met: [3: 14],
    deviations: [
      deviation(
        .resource, expected: "as many descriptors after the case as before it",
        actual: "4 descriptors more than before: sockets to 127.0.0.1:40001, 127.0.0.1:40002, [::1]:40003 and 1 eventfd"
      ),
      deviation(
        .resource, expected: "at most 50 ms of processor time while everything is idle",
        actual: "1.02 s in 1.10 s of idleness, in thread socket-loop-1", requirement: "LOOP-07"),
    ])

  static var interrupted: RunReport {
    var report = report(reading.filter(\.isAsExpected), sources: sources(of: reading))
    report.casesNotJudged = 418
    return report
  }

  /// A control that fails in one world, scenarios that hang on it, a control of theirs among them, and one real
  /// deviation elsewhere in eight variants.
  static func failedControl(dependants count: Int) -> RunReport {
    let control = scenario("control/echo-as-client", "What is written comes back", ["WR-01"], tags: ["control"])
    let missing = deviation(
      .missing, expected: "didWrite { tag: 1 }", actual: "not seen by the limit of 5s", line: 12)
    var cases = [AddressFamily.ipv4, .ipv6].map { family in
      result(
        control, .failed, world: .simulated, family: family, milliseconds: 3, trace: opened, met: [3: 9],
        deviations: [missing])
    }
    for index in 0..<count {
      let scenario = scenario(
        "area\(index / 4 % 9)/hangs-on-the-control-\(index / 4)", "A scenario with a control, number \(index / 4)",
        ["RD-LEN-01"])
      var result = result(
        scenario, .error, world: .simulated, family: index % 2 == 0 ? .ipv4 : .ipv6,
        cut: index % 4 < 2 ? .whole : .bytes, milliseconds: 1, trace: index % 4 == 0 ? opened : [],
        reason: "its control control/echo-as-client did not pass (failed)")
      let deviates = index % 4 == 0
      if deviates { result.deviations = [missing] }
      result.voided = VoidedCase(
        control: "control/echo-as-client", controlVerdict: .failed, verdict: deviates ? .failed : .passed)
      cases.append(result)
    }
    let real = scenario("zone/a-real-deviation", "A deviation whose control passed", ["DIS-05"])
    for (index, cut) in [Variant.Cut.whole, .bytes, .random, .split(at: 3)].enumerated() {
      for family in [AddressFamily.ipv4, .ipv6] {
        cases.append(
          result(
            real, .failed, world: .simulated, family: family, cut: cut, milliseconds: 2, trace: opened, met: [3: 14],
            deviations: [
              deviation(
                .late, expected: "didRead { tag: 7 } within 100ms",
                actual: "didRead { tag: 7 } at \(238 + index)ms from \(family == .ipv4 ? "127.0.0.1" : "::1"):40001",
                line: 15)
            ]))
      }
    }
    return report(cases, sources: sources(of: cases))
  }
}
