import RunReports
import ScenarioModel
import Testing

@testable import RunComparison

/// What counts as a change between two runs, and which change is a regression.
@Suite struct RunComparisonTests {
  private static let witness = SampleRuns.result("z/witness")

  private static func kinds(_ old: [CaseResult], _ new: [CaseResult]) throws -> [CaseChange.Kind] {
    try SampleRuns.compare(old + [witness], new + [witness]).changes.map(\.kind)
  }

  @Test func aRunComparedWithItselfHasNoChange() throws {
    let cases = [
      SampleRuns.result("a/one"), SampleRuns.result("a/two", .failed), SampleRuns.result("a/three", .unsupported),
      SampleRuns.result("a/bird", .failed, canary: true),
    ]
    let comparison = try SampleRuns.compare(cases, cases)
    #expect(comparison.changes.isEmpty && !comparison.isRegression)
    #expect(comparison.unchanged == 3 && comparison.stillFailing == 1)
    #expect(comparison.headline == "No regressions")
  }

  @Test(arguments: [
    (Verdict.passed, Verdict.failed, CaseChange.Kind.newFailure), (.passed, .crash, .newFailure),
    (.passed, .inconclusive, .newFailure), (.unsupported, .failed, .newFailure), (.failed, .passed, .fixed),
    (.failed, .unsupported, .nowUnsupported), (.failed, .skipped, .nowSkipped), (.failed, .timeout, .changedFailure),
    (.passed, .unsupported, .nowUnsupported),
    (.passedNonStrict, .unsupported, .nowUnsupported), (.passed, .skipped, .nowSkipped),
  ])
  func aVerdictThatChanges(old: Verdict, new: Verdict, kind: CaseChange.Kind) throws {
    #expect(try Self.kinds([SampleRuns.result("a/b", old)], [SampleRuns.result("a/b", new)]) == [kind])
  }

  @Test(arguments: [
    (Verdict.skipped, Verdict.unsupported), (.unsupported, .skipped), (.passed, .passedNonStrict), (.skipped, .passed),
  ])
  func aVerdictThatMakesNoDifference(old: Verdict, new: Verdict) throws {
    #expect(try Self.kinds([SampleRuns.result("a/b", old)], [SampleRuns.result("a/b", new)]) == [])
  }

  /// Of two seeds that failed in two ways, one is gone, or one has come.
  @Test func aFindingThatComesIsAChangeAndOneThatGoesIsNone() throws {
    let one = SampleRuns.result("a/b", .failed, saw: "one", line: 3)
    let both = [one, SampleRuns.result("a/b", .failed, seed: 2, saw: "two", line: 4)]
    #expect(try Self.kinds([one], both) == [.changedFailure])
    #expect(try Self.kinds(both, [one]) == [])
  }

  @Test func aSeedThatFailsBehindOneThatPassesIsAFailure() throws {
    let mixed = [SampleRuns.result("a/b"), SampleRuns.result("a/b", .failed, seed: 2)]
    #expect(try Self.kinds([SampleRuns.result("a/b")], mixed) == [.newFailure])
    #expect(try Self.kinds(mixed, [SampleRuns.result("a/b")]) == [.fixed])
  }

  @Test func regressionsAreWhatWasLost() {
    let regressions = CaseChange.Kind.allCases.filter(\.isRegression)
    #expect(
      regressions == [
        .newFailure, .changedFailure, .resourcesGrew, .addedFailing, .nowUnsupported, .failsMoreOften, .notVouchedFor,
        .lost,
      ])
  }

  @Test func casesThatComeAndGo() throws {
    #expect(try Self.kinds([], [SampleRuns.result("a/b")]) == [.added])
    #expect(try Self.kinds([], [SampleRuns.result("a/b", .failed)]) == [.addedFailing])
    #expect(try Self.kinds([SampleRuns.result("a/b", .failed)], []) == [.removed])
    let world = try Self.kinds([SampleRuns.result("a/b")], [SampleRuns.result("a/b", world: .simulated)])
    #expect(world == [.added, .removed])
  }

  @Test func anotherFindingIsAChangedFailureAndOtherNumbersAreNone() throws {
    let old = SampleRuns.result("a/b", .failed)
    #expect(try Self.kinds([old], [SampleRuns.result("a/b", .failed, saw: "didRead { tag: 77 }")]) == [])
    #expect(try Self.kinds([old], [SampleRuns.result("a/b", .failed, saw: "didWrite { tag: 2 }")]) == [.changedFailure])
    #expect(try Self.kinds([old], [SampleRuns.result("a/b", .failed, line: 9)]) == [.changedFailure])
  }

  @Test func aCanaryThatPassesIsANewFailure() throws {
    let old = SampleRuns.result("a/b", .failed, canary: true)
    #expect(try Self.kinds([old], [SampleRuns.result("a/b", canary: true)]) == [.newFailure])
  }

  @Test func grownResourcesAndLostControlsAreToldApart() throws {
    let grown = SampleRuns.result("a/b", .failed, kind: .resource)
    #expect(try Self.kinds([SampleRuns.result("a/b")], [grown]) == [.resourcesGrew])
    var voided = SampleRuns.result("a/b", .error)
    voided.voided = VoidedCase(control: "control/echo", controlVerdict: .failed, verdict: .passed)
    #expect(try Self.kinds([SampleRuns.result("a/b")], [voided]) == [.notVouchedFor])
    #expect(try Self.kinds([voided], [voided]) == [])
  }

  @Test func theContentHashSeparatesTestFromSubject() throws {
    let (old, new) = ([SampleRuns.result("a/b")], [SampleRuns.result("a/b", .failed)])
    let same = try SampleRuns.compare(old, new)
    #expect(same.changes.map(\.isTestChanged) == [false] && same.changes[0].remark == nil)
    let other = try RunComparison(
      old: SampleRuns.read(SampleRuns.report(old)), new: SampleRuns.read(SampleRuns.report(new, text: "title: u\n")))
    #expect(other.changes.map(\.isTestChanged) == [true])
    #expect(other.changes[0].remark == "the scenario changed, too")
    #expect(other.notes == ["Of the changes, 1 are of scenarios that changed, too."])
  }

  @Test func aRateThatLeavesItsIntervalIsAChange() throws {
    func run(_ failures: Int) throws -> ComparedRun {
      let cases = (1...max(1, failures)).map {
        SampleRuns.result("a/b", failures == 0 ? .passed : .failed, world: .simulated, seed: UInt64($0))
      }
      return try SampleRuns.read(SampleRuns.report(cases, seeds: 100))
    }
    func kinds(_ old: Int, _ new: Int) throws -> [CaseChange.Kind] {
      try RunComparison(old: run(old), new: run(new)).changes.map(\.kind)
    }
    #expect(try kinds(2, 40) == [.failsMoreOften])
    #expect(try kinds(40, 2) == [.failsLessOften])
    #expect(try kinds(20, 25) == [])
    #expect(try kinds(0, 1) == [.newFailure])
  }

  @Test func theIntervalIsWilsons() {
    let rate = FailureRate(failures: 3, runs: 100)
    #expect(abs(rate.interval.lowerBound - 0.0103) < 0.0005 && abs(rate.interval.upperBound - 0.0845) < 0.0005)
    #expect(rate.text == "3 of 100, 1–8 %")
    #expect(FailureRate(failures: 0, runs: 10).interval.lowerBound == 0)
    #expect(FailureRate(failures: 10, runs: 10).interval.upperBound == 1)
  }

  @Test func worldsThatNowDiffer() throws {
    func cases(_ simulated: Verdict) -> [CaseResult] {
      [SampleRuns.result("a/b"), SampleRuns.result("a/b", simulated, world: .simulated)]
    }
    let comparison = try SampleRuns.compare(cases(.passed), cases(.passedNonStrict))
    #expect(comparison.changes.isEmpty && comparison.divergences.map(\.scenario) == ["a/b"])
    #expect(!comparison.isRegression)
    #expect(try SampleRuns.compare(cases(.passedNonStrict), cases(.passedNonStrict)).divergences.isEmpty)
    #expect(try SampleRuns.compare(cases(.passed), cases(.skipped)).divergences.isEmpty)
  }

  /// A machine of half the speed is no drift of all scenarios; one of them that stands out is.
  @Test func timingDriftsAgainstTheMachineAndItsNoise() throws {
    let old = (0..<12).map { SampleRuns.result("a/\($0)", milliseconds: 1_000 + $0) }
    var new = (0..<12).map { SampleRuns.result("a/\($0)", milliseconds: 2_000 + 9 * $0) }
    #expect(try SampleRuns.compare(old, new).drifts.isEmpty)
    new[5].duration = .milliseconds(9_000)
    let drifts = try SampleRuns.compare(old, new).drifts
    #expect(drifts.map(\.scenario) == ["a/5"])
    #expect(drifts.first?.text == "1 s → 9 s (8.96×)")
    #expect(try SampleRuns.compare(Array(old.prefix(6)), Array(new.prefix(6))).drifts.isEmpty)
  }

  @Test func runsThatCannotBeComparedAreRefused() throws {
    func refusal(_ old: RunReport, _ new: RunReport) throws -> RunComparison.Refusal? {
      let (old, new) = try (SampleRuns.read(old), SampleRuns.read(new))
      do { _ = try RunComparison(old: old, new: new) } catch { return error }
      return nil
    }
    let one = SampleRuns.report([SampleRuns.result("a/b")])
    #expect(try refusal(one, one) == nil)
    #expect(
      try refusal(one, SampleRuns.report([SampleRuns.result("a/b")], subject: "Other"))
        == .subjects(old: "GCDAsyncSocket", new: "Other"))
    #expect(
      try refusal(one, SampleRuns.report([SampleRuns.result("a/b")], profile: .upstream))
        == .profiles(old: "documented", new: "upstream"))
    #expect(try refusal(one, SampleRuns.report([])) == .empty(isOld: false))
    #expect(try refusal(one, SampleRuns.report([SampleRuns.result("a/c")])) == .nothingInCommon)
    // Canaries go with every run, whatever it is of.
    let bird = SampleRuns.result("z/bird", .failed, canary: true)
    let (old, new) = ([SampleRuns.result("a/b"), bird], [SampleRuns.result("a/c"), bird])
    #expect(try refusal(SampleRuns.report(old), SampleRuns.report(new)) == .nothingInCommon)
    #expect(try refusal(one, SampleRuns.report([bird])) == .nothingInCommon)
    #expect(try refusal(SampleRuns.report([bird]), SampleRuns.report([bird])) == nil)
  }

  @Test func anInterruptedRunIsNotFreeOfRegressions() throws {
    let old = SampleRuns.report([SampleRuns.result("a/b"), SampleRuns.result("a/c")])
    var new = SampleRuns.report([SampleRuns.result("a/b")])
    new.casesNotJudged = 1
    for (one, other, isCut) in [(old, new, true), (new, old, false)] {
      let comparison = try RunComparison(old: SampleRuns.read(one), new: SampleRuns.read(other))
      #expect(comparison.isCut == isCut && !comparison.isRegression)
      #expect(comparison.headline == (isCut ? "No regressions in what was judged" : "No regressions"))
    }
  }

  /// What was not judged is not gone, whatever is asked for.
  @Test func casesOfAnInterruptedRunAreNotJudged() throws {
    let old = SampleRuns.report([SampleRuns.result("a/b"), SampleRuns.result("a/c")])
    var new = SampleRuns.report([SampleRuns.result("a/b")])
    new.casesNotJudged = 1
    for expectsAll in [false, true] {
      let comparison = try RunComparison(
        old: SampleRuns.read(old), new: SampleRuns.read(new), expectsAll: expectsAll)
      #expect(comparison.changes.map(\.kind) == [.notJudged] && !comparison.isRegression)
      #expect(comparison.changes[0].course == "passed → not judged")
      #expect(comparison.remainder == "1 not judged, 1 unchanged")
    }
  }

  @Test func missingCasesAreToldByScenarioAndManyByFolder() throws {
    func missing(_ count: Int) throws -> RunComparison {
      let gone = (0..<count).flatMap { place in
        [AddressFamily.ipv4, .ipv6].map { family in
          SampleRuns.result("\(place % 2 == 0 ? "a" : "b")/\(place)", place == 0 ? .failed : .passed, family: family)
        }
      }
      return try RunComparison(
        old: SampleRuns.read(SampleRuns.report(gone + [Self.witness])),
        new: SampleRuns.read(SampleRuns.report([Self.witness])), expectsAll: true)
    }
    let few = try missing(3).causes(.lost)
    #expect(few.map(\.title) == ["a/0", "a/2", "b/1"] && few.map(\.count) == [2, 2, 2])
    #expect(few[0].extent == "2 cases of 1 scenario")
    let first = few[0].findings[0].first
    #expect(first.words == "not in the new run" && first.course == "failed → –")
    #expect(first.again == nil && first.place == nil && first.finding == nil && first.shrinking == nil)
    let many = try missing(9).causes(.lost)
    #expect(many.map(\.title) == ["a/", "b/"])
    #expect(many.map(\.extent) == ["10 cases of 5 scenarios", "8 cases of 4 scenarios"])
    // The scenario is there, and lacks a variant.
    let variant = try RunComparison(
      old: SampleRuns.read(SampleRuns.report([Self.witness, SampleRuns.result("z/witness", family: .ipv6)])),
      new: SampleRuns.read(SampleRuns.report([Self.witness])), expectsAll: true)
    #expect(variant.changes[0].again?.contains(" run z/witness ") == true && variant.changes[0].place != nil)
  }

  /// Of its file the name changed, and no byte.
  @Test func aScenarioThatIsOnlyCalledOtherwiseIsTheSame() throws {
    func run(_ names: [String], _ verdict: Verdict) throws -> ComparedRun {
      // Nothing else: where every scenario was renamed, the runs have cases in common all the same.
      var report = SampleRuns.report(names.map { SampleRuns.result($0, verdict) })
      for name in names { report.sources[name]?.text = "title: one of \(names.count)\n" }
      return try SampleRuns.read(report)
    }
    let passed = try RunComparison(old: run(["a/old"], .passed), new: run(["b/new"], .passed), expectsAll: true)
    #expect(passed.changes.isEmpty && passed.unchanged == 1)
    #expect(passed.renamed == [RenamedScenario(old: "a/old", new: "b/new")])
    #expect(passed.notes == ["Renamed, otherwise unchanged: 1 scenario. a/old is b/new now."])
    let failing = try RunComparison(old: run(["a/old"], .failed), new: run(["b/new"], .failed))
    #expect(failing.changes.isEmpty && failing.failingAsBefore.map(\.key.scenario) == ["b/new"])
    let worse = try RunComparison(old: run(["a/old"], .passed), new: run(["b/new"], .failed))
    #expect(worse.changes.map(\.kind) == [.newFailure])
    #expect(worse.changes[0].remark == "the scenario was called a/old")
    let rows = try RunComparison(old: run(["a/t/x", "a/t/y"], .passed), new: run(["a/u/x", "a/u/z"], .passed))
    #expect(rows.renamed.map(\.new) == ["a/u/x"] && rows.changes.map(\.kind) == [.added, .removed])
  }

  @Test func otherMachinesAndAnOrderOfTimeThatIsTheWrongWayRoundAreTold() throws {
    let old = SampleRuns.report([Self.witness])
    var new = old
    new.host = HostFacts(system: "Linux arm64", processors: 8, jitter: .zero)
    new.startedAt = "2026-03-13T09:26:53Z"
    let comparison = try RunComparison(old: SampleRuns.read(old), new: SampleRuns.read(new))
    #expect(
      comparison.notes == [
        "The machines are different: Linux, 2 processors before, Linux arm64, 8 processors now. Times may differ for "
          + "that alone.", "The new run is older than the old one: it began at 2026-03-13T09:26:53Z.",
      ])
  }

  @Test func aVerdictHasOneWordingForPeople() throws {
    let comparison = try SampleRuns.compare(
      [SampleRuns.result("a/b", .passedNonStrict)], [SampleRuns.result("a/b", .failed)])
    #expect(comparison.changes[0].course == "passed, non-strict → failed")
    #expect(comparison.changes[0].shrinking?.contains(" shrink a/b ") == true)
  }

  @Test func changesAreGroupedByFindingTheLikeliestCauseFirst() throws {
    let ids = (0..<4).map { "a/\($0)" }
    let old = (ids + ["b/x"]).flatMap { id in [1, 2, 3].map { SampleRuns.result(id, cut: .split(at: $0)) } }
    let new =
      ids.flatMap { id in [1, 2, 3].map { SampleRuns.result(id, .failed, cut: .split(at: $0)) } }
      + [1, 2, 3].map { SampleRuns.result("b/x", .failed, cut: .split(at: $0), kind: .late) }
    let comparison = try SampleRuns.compare(old, new)
    #expect(comparison.headline == "15 regressions: 15 new failures")
    let causes = comparison.causes(.newFailure)
    #expect(causes.map(\.count) == [12, 3] && causes[0].findings.map(\.changes.count) == [3, 3, 3, 3])
    #expect(causes[0].title == "didRead comes with wrong content, after a read to a length")
    #expect(causes[0].extent == "12 cases of 4 scenarios, 4 findings")
    #expect(causes[1].findings[0].first.key.scenario == "b/x")
  }

  @Test func aSubjectIsTheSameWhateverItsVersion() throws {
    func run(_ version: String) throws -> ComparedRun {
      var report = SampleRuns.report([SampleRuns.result("a/b")], subject: "reference, mine")
      report.programs = [
        ProgramFacts(name: "mine", library: "thing", version: version), ProgramFacts(name: "gone", leftOut: "no cc"),
      ]
      return try SampleRuns.read(report)
    }
    let comparison = try RunComparison(old: run("2.0"), new: run("2.1"))
    #expect(comparison.notes == ["mine was mine (thing 2.0), and is mine (thing 2.1) now."])
    #expect(comparison.new.subjectTitle == "reference, mine (thing 2.1)")
    #expect(comparison.new.programs.map(\.leftOut) == [nil, "no cc"])
    #expect(try RunComparison(old: run("2.0"), new: run("2.0")).notes.isEmpty)
  }
}
