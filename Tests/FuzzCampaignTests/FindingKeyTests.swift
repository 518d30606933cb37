import Testing

@testable import FuzzCampaign

@Suite struct FindingKeyTests {
  private func key(_ name: String) throws -> FindingKey {
    FindingKey(
      target: "probe", try #require(try RecordedLog.read(name).crashes.first), demangle: RecordedLog.demangle)
  }

  @Test(arguments: [
    ("one-trap", "probe crash deadly signal at Machine.trap(_:) < body(_:) < fzOne(_:_:)"),
    ("crash", "probe crash deadly signal at Machine.trap(_:) < body(_:) < fzOne(_:_:)"),
    ("one-vio", "probe violation probe/vio"),
    ("one-overflow", "probe memory heap-buffer-overflow at Machine.overflow(_:) < body(_:) < fzOne(_:_:)"),
    ("one-loop", "probe timeout timeout at Machine.spin(_:) < body(_:) < fzOne(_:_:)"),
  ])
  func saysWhatAndWhere(log: String, text: String) throws {
    #expect(try key(log).text == text)
  }

  /// One lane prints what the runtime says and one does not; the bug is the same.
  @Test func isTheSameInEachLane() throws {
    #expect(try key("one-trap").id == key("crash").id)
  }

  @Test func differsByEachPart() {
    let base = FindingKey(target: "a", kind: .crash, subject: "s", symbols: ["f", "g", "h", "i"])
    #expect(base.frames == ["f", "g", "h"])
    #expect(base == FindingKey(target: "a", kind: .crash, subject: "s", symbols: ["f", "g", "h", "j"]))
    let others = [
      FindingKey(target: "b", kind: .crash, subject: "s", symbols: ["f", "g", "h"]),
      FindingKey(target: "a", kind: .memory, subject: "s", symbols: ["f", "g", "h"]),
      FindingKey(target: "a", kind: .crash, subject: "t", symbols: ["f", "g", "h"]),
      FindingKey(target: "a", kind: .crash, subject: "s", symbols: ["f", "g"]),
    ]
    #expect(Set(others.map(\.id) + [base.id]).count == 5)
  }

  /// Where a slow input is interrupted is chance.
  @Test func aTimeoutIsKnownByWhereItCameFrom() {
    let one = FindingKey(target: "a", kind: .timeout, subject: "timeout", symbols: ["x", "y", "scan", "body", "test"])
    let other = FindingKey(target: "a", kind: .timeout, subject: "timeout", symbols: ["z", "scan", "body", "test"])
    #expect(one == other)
    #expect(one.frames == ["scan", "body", "test"])
  }

  /// Every input comes through the body: two loops in what it calls are two findings.
  @Test func aTimeoutIsKnownByWhatTheBodyCalled() {
    let outer = ["$s12ChainFuzzing4bodyyyF", "$s11FuzzHarness0A0V4bodyyyF"]
    let key = { (symbols: [String]) in
      FindingKey(target: "a", kind: .timeout, subject: "timeout", symbols: symbols + outer)
    }
    #expect(key(["x", "walk", "count", "load"]).frames == ["walk", "count", "load"])
    #expect(key(["y", "walk", "count", "load"]) == key(["x", "walk", "count", "load"]))
    #expect(key(["open"]) != key(["walk"]))
    #expect(key([]).frames == outer)
  }

  /// So is where the memory ran out.
  @Test func anExhaustionIsKnownByWhereItCameFrom() {
    let symbols = ["grow", "append", "scan", "body", "test"]
    let key = FindingKey(target: "a", kind: .oom, subject: "out-of-memory", symbols: symbols)
    #expect(key.frames == ["scan", "body", "test"])
  }

  @Test func strangersAreDropped() {
    let strangers = [
      "", "fuzzer::Fuzzer::RunOne(unsigned char const*, unsigned long)", "__sanitizer_print_stack_trace",
      "__asan_memset",
      "swift_allocObject", "$sSa6appendyyxnF", "$ss17_assertionFailure", "LLVMFuzzerTestOneInput", "main", "_start",
      "$s11FuzzHarness11FuzzProcessO4testF", "__interceptor_malloc", "Swift runtime failure: arithmetic overflow",
      "__swift_instantiateConcreteTypeFromMangledName", "_dispatch_worker_thread2", "start_thread",
    ]
    for stranger in strangers { #expect(!StackFrame.isOurs(stranger), "\(stranger)") }
    for ours in [
      "$s10SocketCore9PrebufferV5writeyySWF", "Prebuffer.write(_:)", "$s11CoreFuzzing14ScannerFuzzingO4body",
    ] {
      #expect(StackFrame.isOurs(ours), "\(ours)")
    }
    #expect(
      FindingKey(target: "t", kind: .memory, subject: "s", symbols: strangers + ["$s10SocketCore1f"]).frames == [
        "$s10SocketCore1f"
      ])
  }

  @Test func theIdIsFitForAFile() throws {
    let id = try key("one-overflow").id
    #expect(id.wholeMatch(of: /probe-memory-[0-9a-f]{8}/) != nil, "\(id)")
  }
}
