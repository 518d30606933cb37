import BenchmarkModel
import Testing

/// What the tables promise.
@Suite struct TableTests {
  /// What the project asks of the subject, said once more.
  static let asked: [(String, String, String?, Double, Double)] = [
    ("echo-1", "gcd-same", "c", 0.85, 0.95), ("echo-50", "gcd-same", "c", 0.75, 0.9),
    ("echo-1", "gcd-same", "nio", 1.1, 1.4), ("echo-50", "gcd-same", "nio", 1.1, 1.4),
    ("echo-1", "gcd-separate", "nio", 0.75, 0.9), ("echo-50", "gcd-separate", "nio", 1.0, 1.2),
    ("answer-1", "gcd-separate", "c", 0.5, 0.8), ("answer-1", "gcd-separate", "nio", 0.75, 1.0),
    ("lines", "gcd-same", "nio", 1.0, 2.0), ("lines", "gcd-separate", "nio", 0.5, 1.2),
    ("bulk-read", "gcd-same", "c", 0.9, 1.0), ("bulk-write", "gcd-same", "c", 0.9, 1.0),
    ("small-write", "gcd-same", "c", 0.5, 1.0), ("small-write", "gcd-separate", "c", 2.0, 4.0),
    ("search-1", "subject", "memchr", 0.7, 1.0),
    ("search-2", "subject", "memmem", 3, 8), ("search-4", "subject", "memmem", 3, 8),
    ("tls-write", "gcd-same", "c", 0.85, 0.95), ("tls-read", "gcd-same", "c", 0.85, 0.95),
    ("tls-write", "gcd-same", "nio", 1.0, 1.3), ("tls-read", "gcd-same", "nio", 1.0, 1.3),
    ("idle-memory", "gcd-separate", "nio", 1.0, 0.5), ("simulated", "subject", nil, 5000, 20000),
  ]

  @Test(arguments: asked.indices)
  func everyBarIsInTheTable(_ index: Int) throws {
    let (id, subject, rival, bar, aim) = Self.asked[index]
    let workload = try #require(WorkloadTable.all.first { $0.id == id })
    #expect(workload.comparisons.contains(Comparison(subject, rival, bar: bar, aim: aim)))
  }

  @Test func anIdleRunLoopSocketMayTakeHalfAKibibyteMore() throws {
    let workload = try #require(WorkloadTable.all.first { $0.id == "idle-memory" })
    let comparison = Comparison("run-loop", "gcd-separate", allowance: 512, bar: 1.0, aim: 0.9)
    #expect(workload.comparisons.contains(comparison))
    #expect(comparison.against == " against gcd-separate + 512")
    func verdict(_ bytes: Double) -> Verdict? {
      let samples = ["run-loop": [Sample(value: bytes)], "gcd-separate": [Sample(value: 1000)]]
      return WorkloadResult(workload, samples: samples).comparisons.last?.verdict
    }
    #expect(verdict(1300) == .aim && verdict(1512) == .bar && verdict(1520) == .missed)
  }

  @Test(arguments: WorkloadTable.all.map(\.id))
  func aWorkloadIsWhole(_ id: String) throws {
    let workload = try #require(WorkloadTable.all.first { $0.id == id })
    #expect(!workload.title.isEmpty && !workload.reason.isEmpty && !workload.unit.isEmpty)
    let entries = Set(workload.entries.map(\.id))
    #expect(entries.count == workload.entries.count)
    #expect(!workload.comparisons.isEmpty)
    for comparison in workload.comparisons {
      #expect(entries.contains(comparison.subject))
      if let rival = comparison.rival { #expect(entries.contains(rival) && rival != comparison.subject) }
      if let bar = comparison.bar { #expect(workload.direction.reaches(comparison.aim ?? bar, bar)) }
    }
    // Rivals do the same: they differ in who does it, not in what.
    let kinds = Set(workload.entries.map { kind(of: $0.trial) })
    #expect(kinds.count == 1, "\(kinds)")
  }

  private func kind(of trial: Trial) -> String {
    switch trial {
    case .serve(let role, let connections, let message):
      "\(role.kind) \(role.size) \(role.depth) \(role.acknowledge) \(connections) \(message)"
    case .search(let search): "\(search.content) \(search.size) \(search.delimiter)"
    case .idle(let role, let connections): "\(role.kind) \(connections)"
    case .scenarios(let batch): "\(batch)"
    case .command(let verb, let files): "\(verb) \(files)"
    }
  }

  /// The two differ in the shortcut alone.
  @Test(arguments: Shortcut.allCases)
  func everyShortcutIsWeighed(_ shortcut: Shortcut) throws {
    let workload = try #require(WorkloadTable.all.first { $0.id == "worth-\(shortcut.rawValue)" })
    var roles = workload.entries.map { entry -> ServerRole? in
      if case .serve(let role, _, _) = entry.trial { role } else { nil }
    }
    #expect(roles.map { $0?.without } == [nil, shortcut])
    roles[1]?.without = nil
    #expect(roles[0] == roles[1] && roles[0]?.contestant.isSubject == true)
  }

  @Test(arguments: GrowthTable.all.map(\.id))
  func aSeriesIsWhole(_ id: String) throws {
    let series = try #require(GrowthTable.all.first { $0.id == id })
    #expect(!series.title.isEmpty && !series.reason.isEmpty)
    #expect(series.sizes == series.sizes.sorted() && series.sizes.count >= 5)
    #expect(Set(series.quickSizes).isSubset(of: series.sizes) && series.quickSizes.count >= 3)
    #expect(series.lines.contains { $0.isSubject })
    #expect(Set(series.lines.map(\.id)).count == series.lines.count)
  }

  /// What is measured of the lab's growth is what a person types, up to as many files as are promised.
  @Test(arguments: [("scenario-count", LabVerb.run), ("check-count", .check)])
  func theLabIsMeasuredByItsCommands(_ id: String, _ verb: LabVerb) throws {
    let series = try #require(GrowthTable.all.first { $0.id == id })
    #expect(series.sizes.last == 20_000)
    for size in series.sizes {
      #expect(series.lines.map { $0.trial(size) } == [.command(verb, files: size)])
    }
  }

  @Test func idsAreUnique() {
    let ids = WorkloadTable.all.map(\.id) + GrowthTable.all.map(\.id) + ["idle"]
    #expect(Set(ids).count == ids.count)
  }

  @Test func everyGrowthThatIsAskedForIsMeasured() {
    let sizes = GrowthTable.all.map(\.size).joined(separator: ", ")
    for word in ["bytes", "writes", "reads", "connections", "delimiter", "drips", "cases"] {
      #expect(sizes.contains(word), "\(word)")
    }
    #expect(GrowthTable.all.first { $0.id == "connections" }?.sizes.last == 10_000)
  }
}
