import ScenarioModel
import Testing

@testable import KnownDeviations

/// What a ledger makes of results, and which entries it finds wrong.
@Suite struct DeviationLedgerTests {
  private static func result(
    _ id: String = "read/line", _ verdict: Verdict = .failed, kind: Deviation.Kind = .late, seed: UInt64 = 1,
    subject: SubjectKind = .gcd, canary: Bool = false
  ) -> CaseResult {
    var scenario = Scenario(id: id, title: id)
    scenario.canary = canary
    var result = CaseResult(
      scenario: scenario, variant: Variant(subject: subject, family: .ipv4, cut: .whole, queues: .separate),
      world: .simulated, seed: seed)
    result.verdict = verdict
    if !verdict.isAsExpected {
      result.deviations = [Deviation(kind: kind, expected: "didRead within 1s", actual: "didRead at 2s")]
    }
    return result
  }

  /// One entry: `read/line` is late until the end of January.
  private static func ledger(_ pattern: String = "read/line", today: String = "2027-01-31") throws -> DeviationLedger {
    let text = """
      library: Mine
      deviations:
        - { cases: "\(pattern)", subject: gcd, reason: slow, evidence: { kind: late, text: 2s }, expires: 2027-01-31 }

      """
    let file = DeviationFile(path: "d.yaml", bytes: Array(text.utf8), library: "Mine")
    #expect(file.diagnostics.isEmpty, "\(file.diagnostics)")
    return DeviationLedger(file, today: try #require(CalendarDate(today)))
  }

  private static let scenarios = [Scenario(id: "read/line", title: "t"), Scenario(id: "read/other", title: "t")]

  private static func faults(_ ledger: DeviationLedger, _ results: [CaseResult] = []) -> [DeviationFault.Kind] {
    ledger.faults(results, scenarios: scenarios).map(\.kind)
  }

  @Test func whatIsOnRecordCountsAsExpectedAndKeepsItsVerdict() throws {
    var ledger = try Self.ledger()
    let judged = ledger.judged(Self.result())
    #expect(judged.isAsExpected && judged.verdict == .failed && judged.deviations.count == 1)
    #expect(judged.known?.place == "d.yaml:3:5" && judged.known?.reason == "slow")
    #expect(judged.known?.evidence == "late, \"2s\"" && judged.known?.expires == "2027-01-31")
    #expect(Self.faults(ledger) == [])
  }

  @Test func theWordsOfTheEvidenceMustBeThere() throws {
    var result = Self.result()
    result.deviations[0].actual = "didRead at 3s"
    var ledger = try Self.ledger()
    #expect(ledger.judged(result).known == nil)
    #expect(Self.faults(ledger) == [.otherEvidence])
  }

  @Test func anotherProgramIsNotExcused() throws {
    var result = Self.result()
    result.variant = result.variant.of(program: "other")
    var ledger = try Self.ledger()
    #expect(ledger.judged(result).known == nil)
    #expect(!ledger.isOnRecord(result, of: "read/line"))
  }

  @Test func aChangedScenarioIsHeldToTheRecordOfItsOrigin() throws {
    let changed = Self.result("explored-7")
    let ledger = try Self.ledger()
    #expect(ledger.isOnRecord(changed, of: "read/line"))
    #expect(!ledger.isOnRecord(changed, of: "read/other"))
    #expect(!ledger.isOnRecord(Self.result("explored-7", kind: .missing), of: "read/line"), "other evidence")
    #expect(!ledger.isOnRecord(Self.result("explored-7", .error), of: "read/line"), "the lab's own")
    #expect(!ledger.isOnRecord(Self.result("explored-7", subject: .runLoop), of: "read/line"), "the other class")
    #expect(try !Self.ledger(today: "2027-02-01").isOnRecord(changed, of: "read/line"), "its last day is over")
  }

  private static let rows: [(String, [CaseResult], [DeviationFault.Kind])] = [
    ("passes", [result("read/line", .passed)], [.unexpectedPass]),
    ("passes, not strictly", [result("read/line", .passedNonStrict)], [.unexpectedPass]),
    ("with one seed of two", [result("read/line", .passed), result(seed: 2)], []),
    ("other evidence", [result(kind: .missing)], [.otherEvidence]),
    ("other evidence with one seed", [result(), result(kind: .missing, seed: 2)], [.otherEvidence]),
    ("skipped", [result("read/line", .skipped)], []), ("unsupported", [result("read/line", .unsupported)], []),
    ("the lab's own", [result("read/line", .error)], []),
    ("the lab was late", [result("read/line", .inconclusive)], []),
    ("another case", [result("read/other")], []), ("not played", [], []),
  ]

  @Test(arguments: rows.indices) func whatARunShowsOfAnEntry(row: Int) throws {
    let (name, results, kinds) = Self.rows[row]
    var ledger = try Self.ledger()
    for result in results {
      let judged = ledger.judged(result)
      #expect((judged.known == nil) == (result != Self.result(seed: result.seed)), "\(name)")
    }
    #expect(Self.faults(ledger) == kinds, "\(name)")
  }

  @Test func noPassIsHeldAgainstWhatIsIntermittentAndOtherEvidenceIs() throws {
    let text = """
      library: Mine
      deviations:
        - cases: read
          subject: gcd
          reason: a race
          intermittent: true
          link: https://example.org/7
          evidence: [{ kind: late }, { kind: peer, text: 2s }]
          expires: 2027-01-31

      """
    let file = DeviationFile(path: "d.yaml", bytes: Array(text.utf8), library: "Mine")
    var ledger = DeviationLedger(file, today: try #require(CalendarDate("2027-01-31")))
    #expect(ledger.judged(Self.result("read/line", .passed)).known == nil)
    #expect(Self.faults(ledger) == [])
    #expect(ledger.judged(Self.result("read/other")).known?.reason == "a race (https://example.org/7)")
    #expect(ledger.judged(Self.result("read/other", kind: .peer)).known?.evidence == "late; or peer, \"2s\"")
    #expect(ledger.judged(Self.result(kind: .missing)).known == nil)
    #expect(Self.faults(ledger) == [.otherEvidence])
  }

  @Test func anotherClassAndACanaryAreNotExcused() throws {
    var ledger = try Self.ledger()
    #expect(ledger.judged(Self.result(subject: .runLoop)).known == nil)
    #expect(ledger.judged(Self.result(canary: true)).known == nil)
  }

  @Test func anExpiredEntryExcusesNothingAndIsAFaultWhateverIsPlayed() throws {
    var ledger = try Self.ledger(today: "2027-02-01")
    #expect(ledger.judged(Self.result()).known == nil)
    let fault = try #require(ledger.faults([], scenarios: Self.scenarios).first)
    #expect(fault.kind == .expired && fault.place == "d.yaml:3:100" && fault.message.contains("today is 2027-02-01"))
  }

  @Test(arguments: ["read/lime", "read/line [ipv9, *]", "read/line [*, loopback] "]) func anEntryThatNothingFitsIsStale(
    pattern: String
  ) throws {
    var simulated = Scenario(id: "read/line", title: "t")
    simulated.worlds = [.simulated]
    #expect(try Self.ledger(pattern.trimmed).faults([], scenarios: [simulated]).map(\.kind) == [.unmatched])
  }

  /// Canaries are excused by no entry: one that fits them alone fits nothing.
  @Test func anEntryForCanariesIsStale() throws {
    var canary = Scenario(id: "read/line", title: "t")
    canary.canary = true
    #expect(try Self.ledger().faults([], scenarios: [canary]).map(\.kind) == [.unmatched])
    #expect(try Self.ledger().faults([], scenarios: [canary, Self.scenarios[0]]) == [])
  }

  /// What a case shows is its first deviation; what follows from that may be anything.
  @Test func theFirstDeviationIsTheEvidence() throws {
    var result = Self.result()
    result.deviations.insert(Deviation(kind: .missing, expected: "didConnect", actual: "not seen by 2s"), at: 0)
    var ledger = try Self.ledger()
    #expect(ledger.judged(result).known == nil)
    result.deviations.reverse()
    #expect(ledger.judged(result).known != nil)
  }

  @Test func aProgramIsAskedScenariosOfTheRunLoopToo() throws {
    var scenario = Scenario(id: "run-loop/line", title: "t")
    scenario.matrix.subjects = [.runLoop]
    let text = """
      library: mine
      deviations: [{ cases: run-loop/line, reason: slow, evidence: { kind: late }, expires: 2027-01-31 }]

      """
    let file = DeviationFile(path: "d.yaml", bytes: Array(text.utf8), library: "mine", isProgram: true)
    #expect(file.entries.count == 1, "\(file.diagnostics)")
    let today = try #require(CalendarDate("2026-01-01"))
    #expect(DeviationLedger(file, today: today, program: "mine").faults([], scenarios: [scenario]) == [])
  }

  @Test func whatItsControlDoesNotVouchForSaysNothing() throws {
    var ledger = try Self.ledger()
    var voided = ledger.judged(Self.result("read/line", .passed))
    voided.voided = VoidedCase(control: "c", controlVerdict: .failed, verdict: .passed)
    #expect(Self.faults(ledger, [voided]) == [])
  }

  @Test("a subject that is gone is not excused by what else the case shows", arguments: Verdict.allCases)
  func endsAreExcusedOnlyAsSuch(_ verdict: Verdict) throws {
    let ends: [Verdict: Deviation.Kind] = [.crash: .crash, .hang: .hang, .violation: .violation]
    let late = DeviationEntry.Evidence(kind: .late)
    let text = DeviationEntry.Evidence(text: "didRead")
    for (kind, first) in [(Deviation.Kind.late, Deviation.Kind.late), (.crash, .crash), (.hang, .late)] {
      let result = Self.result("read/line", verdict, kind: first)
      let evidence = DeviationEntry.Evidence(kind: kind)
      if verdict.isAsExpected { continue }
      if let end = ends[verdict] {
        #expect(!late.fits(result) && !text.fits(result))
        #expect(evidence.fits(result) == (kind == end))
      } else {
        #expect(evidence.fits(result) == (verdict != .error && kind == first))
      }
    }
  }

  @Test func aSecondEntryMayHaveTheEvidence() throws {
    let text = """
      library: Mine
      deviations:
        - { cases: read, subject: gcd, reason: slow, evidence: { kind: late }, expires: 2027-01-31 }
        - { cases: read/line, subject: gcd, reason: lost, evidence: { kind: missing }, expires: 2027-01-31 }

      """
    let file = DeviationFile(path: "d.yaml", bytes: Array(text.utf8), library: "Mine")
    var ledger = DeviationLedger(file, today: try #require(CalendarDate("2026-01-01")))
    #expect(ledger.judged(Self.result(kind: .missing)).known?.reason == "lost")
    #expect(Self.faults(ledger) == [])
  }
}

extension String {
  fileprivate var trimmed: String { hasSuffix(" ") ? String(dropLast()) : self }
}
