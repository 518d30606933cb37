import FuzzHarness
import Testing

@testable import CampaignRunner

/// Who fuzzes what: pure functions.
@Suite struct FuzzPlanTests {
  private let all = FuzzTarget.all

  private func plan(_ targets: [FuzzTarget], repetitions: Int = 1, shard: String = "1/1") throws -> [FuzzUnit] {
    let shard = try #require(FuzzShard(shard))
    return FuzzPlan(
      targets, lane: .asan, budget: .time(.seconds(1)), seed: 1, repetitions: repetitions, shard: shard
    ).units
  }

  @Test func everyTargetRunsOnceWithEachSeed() throws {
    let units = try plan(all, repetitions: 3)
    #expect(units.count == 3 * all.count)
    #expect(Set(units).count == units.count)
    #expect(Set(units.map(\.seed)) == [1, 1001, 2001])
  }

  @Test func shardsShareTheWorkAndNothingIsDoneTwice() throws {
    for count in [1, 2, 3, 5, 12, 13, 40] {
      let parts = try (1...count).map { try plan(all, repetitions: 2, shard: "\($0)/\(count)") }
      let units = parts.flatMap(\.self)
      #expect(Set(units).count == units.count, "\(count) shards")
      #expect(units.count >= 2 * all.count)
      #expect(parts.allSatisfy { !$0.isEmpty }, "\(count) shards, and one has nothing to do")
      #expect(Set(units.map(\.target)) == Set(all))
    }
  }

  @Test func aTargetWithoutTheLaneIsLeftOut() {
    let plan = FuzzPlan(all, lane: .tsan, budget: .executions(1), seed: 1, repetitions: 1)
    #expect(plan.units.map(\.target.name) == all.filter { $0.lanes.contains(.tsan) }.map(\.name))
    #expect(!plan.units.isEmpty)
  }

  @Test(arguments: ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1/20000"])
  func shardsThatAreNoneAreRefused(_ text: String) { #expect(FuzzShard(text) == nil) }

  @Test func noSeedIsZero() throws {
    let plan = FuzzPlan(all, lane: .asan, budget: .executions(1), seed: 0, repetitions: 1)
    #expect(plan.units.allSatisfy { $0.seed != 0 })
    let wrapping = FuzzPlan(all, lane: .asan, budget: .executions(1), seed: .max - 999, repetitions: 2)
    #expect(wrapping.units.allSatisfy { $0.seed != 0 })
  }

  @Test func theSanitizersStandInOneFlagThatComesAfterSwiftPMsOwn() throws {
    for (lane, joined) in [(FuzzTarget.Lane.asan, "fuzzer,address"), (.tsan, "fuzzer,thread")] {
      let arguments = FuzzBuilder.arguments(FuzzTarget.canary, lane, scratch: "x")
      let own = try #require(arguments.firstIndex(of: "--sanitize"))
      let flag = try #require(arguments.firstIndex(of: "-sanitize=\(joined)"))
      #expect(flag > own)
      #expect(arguments.filter { $0 == "--sanitize" }.count == 1, "SwiftPM orders several by chance")
    }
    #expect(!FuzzBuilder.arguments(FuzzTarget.canary, .cov, scratch: "x").contains { $0.contains("address") })
  }

  @Test func theSearchHasTheFlagsOfItsLaneAndTarget() throws {
    let lifecycle = try #require(FuzzTarget.named("lifecycle"))
    let scanner = try #require(FuzzTarget.named("scanner"))
    func flags(_ target: FuzzTarget, _ lane: FuzzTarget.Lane, _ budget: FuzzBudget) -> [String] {
      LibFuzzer.search(
        FuzzUnit(target: target, lane: lane, seed: 7, budget: budget, repetition: 0), seed: 9, remaining: budget,
        folders: ["corpus", "seeds"], dictionary: "x.dict", artifacts: "out")
    }
    let search = flags(scanner, .asan, .time(.milliseconds(1500)))
    for flag in [
      "-seed=9", "-max_total_time=2", "-dict=x.dict", "-artifact_prefix=out/",
      "-print_final_stats=1", "-max_len=4096",
    ] { #expect(search.contains(flag), "\(flag)") }
    #expect(search.suffix(2) == ["corpus", "seeds"], "new inputs go to the first folder")
    #expect(!search.contains("-detect_leaks=0"))
    #expect(flags(lifecycle, .asan, .executions(5)).contains("-detect_leaks=0"))
    #expect(flags(lifecycle, .asan, .executions(5)).contains("-runs=5"))
    for lane in FuzzTarget.Lane.allCases {
      // There is no call at a comparison that could feed them.
      #expect(!flags(scanner, lane, .executions(5)).contains("-use_value_profile=1"))
    }
  }

  @Test func aReplayLooksMoreCarefullyThanASearch() throws {
    let search = try #require(LibFuzzer.environment(.asan, .search, parent: [:])["ASAN_OPTIONS"])
    let replay = try #require(LibFuzzer.environment(.asan, .replay, parent: [:])["ASAN_OPTIONS"])
    #expect(search.contains("detect_stack_use_after_return=0"))
    #expect(replay.contains("detect_stack_use_after_return=1"))
    #expect(search.contains("detect_leaks=1") && replay.contains("detect_leaks=1"))
  }

  @Test func everyLaneCountsEdgesAndTellsTheManifest() {
    for lane in FuzzTarget.Lane.allCases {
      let arguments = FuzzBuilder.arguments(FuzzTarget.canary, lane, scratch: "x")
      #expect(arguments.contains("-sanitize-coverage=edge,inline-8bit-counters,pc-table"))
    }
    #expect(FuzzBuilder.environment["SOCKETLAB_FUZZ_BUILD"] == "1")
  }

  @Test func furtherArgumentsOfABuildStandBeforeTheSanitizers() throws {
    for lane in FuzzTarget.Lane.allCases {
      let plain = FuzzBuilder.arguments(FuzzTarget.canary, lane, scratch: "x", further: [])
      var more = FuzzBuilder.arguments(FuzzTarget.canary, lane, scratch: "x", further: ["-Xswiftc", "-Onone"])
      let place = try #require(more.firstIndex(of: "-Onone"))
      #expect(more[..<place].contains("--sanitize") && !more[..<place].contains { $0.hasPrefix("-sanitize=") })
      more.removeSubrange(place - 1...place)
      #expect(more == plain)
    }
  }

  @Test func severalTargetsAreAllOfAPackageThatHasNoMore() throws {
    let targets = try ["scanner", "tls"].map { try #require(FuzzTarget.named($0)) }
    var alone = FuzzBuilder.arguments(targets[0], .asan, scratch: "x")
    let place = try #require(alone.firstIndex(of: "--product"))
    alone.removeSubrange(place...place + 1)
    #expect(FuzzBuilder.arguments(nil, .asan, scratch: "x") == alone, "with other flags all would be built again")
    #expect(FuzzBuilder.environment(for: targets)["SOCKETLAB_FUZZ_BUILD"] == "fuzz_scanner,fuzz_tls")
  }
}

/// The proof that a program sees the library, from what `size` and `nm` print.
@Suite struct InstrumentationProofTests {
  private func proof(
    counters: Int = 10, calls: Int = 3, isFuzzer: Bool = true, _ lane: FuzzTarget.Lane = .asan
  ) -> InstrumentationProof {
    let modules = [
      InstrumentationProof.Module(name: "SocketCore", counters: counters, sanitizerCalls: calls, isOwn: true),
      InstrumentationProof.Module(name: "CYaml", counters: 0, sanitizerCalls: 0, isOwn: false),
    ]
    return InstrumentationProof(modules: modules, isFuzzer: isFuzzer, FuzzTarget.canary, lane)
  }

  @Test func holdsWhenEveryModuleOfOursIsSeen() {
    #expect(proof().faults.isEmpty)
    #expect(proof(calls: 0, .cov).faults.isEmpty)
  }

  @Test func failsForEachWayToBeBlind() {
    #expect(proof(counters: 0).faults == ["SocketCore has no coverage counters"])
    #expect(proof(calls: 0).faults == ["SocketCore makes no call of the asan sanitizer"])
    #expect(proof(calls: 0, .tsan).faults == ["SocketCore makes no call of the tsan sanitizer"])
    #expect(proof(.cov).faults.count == 1)
    #expect(proof(isFuzzer: false).faults.count == 1)
  }

  @Test func readsWhatTheToolsPrint() {
    let sections = [
      "Mailbox.swift.o  :", "section                size   addr", "__sancov_cntrs          188      0",
      "__sancov_pcs   3008 0", "Other.o:", "__sancov_cntrs 12 0", "Total 4000",
    ]
    #expect(InstrumentationProof.counters(in: sections) == 200)
    let symbols = [
      "", "x.o:", "  U __asan_report_load8", "  U __asan_report_load8", "  U __asan_init", "  U swift_retain",
    ]
    #expect(InstrumentationProof.sanitizerCalls(in: symbols, .asan) == 2)
    #expect(InstrumentationProof.sanitizerCalls(in: symbols, .tsan) == 0)
    #expect(InstrumentationProof.sanitizerCalls(in: symbols, .cov) == 2)
    let list = "/a/SocketCore.build/Mailbox.swift.o\n'/a/Deque.build/Two words.o'\n/a/x.swiftmodule\n"
    let objects = InstrumentationProof.objectFiles(in: list)
    #expect(objects == ["/a/SocketCore.build/Mailbox.swift.o", "/a/Deque.build/Two words.o"])
    #expect(objects.map(InstrumentationProof.moduleName) == ["SocketCore", "Deque"])
  }
}
