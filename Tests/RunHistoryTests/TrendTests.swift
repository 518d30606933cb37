import Foundation
import ReportTestSupport
import Testing

@testable import RunHistory

/// What is called worse, by which rule, and what is never compared.
@Suite struct TrendTests {
  private typealias Row = (earlier: [Double], last: Double, change: TrendJudgement.Change)

  /// Times in milliseconds; less is better.
  private static let measured: [Row] = [
    ([100, 101, 99, 100, 100], 100, .same), ([100, 101, 99, 100, 100], 104, .same),
    ([100, 101, 99, 100, 100], 120, .worse), ([100, 101, 99, 100, 100], 80, .better),
    // No scatter at all: a twentieth is still allowed.
    ([100, 100, 100, 100, 100], 104.9, .same), ([100, 100, 100, 100, 100], 105.1, .worse),
    // What scatters much has to differ much.
    ([100, 150, 60, 120, 90], 180, .same), ([100, 150, 60, 120, 90], 300, .worse),
    // One that was far off does not widen the bound.
    ([100, 101, 99, 100, 100, 900], 120, .worse),
    // Fewer than five figures, and no samples.
    ([100, 100, 100, 100], 200, .unknown), ([100], 200, .unknown), ([], 200, .unknown),
  ]

  @Test(arguments: measured.indices) func measurementsByMedianAndDeviation(row: Int) {
    let (earlier, last, change) = Self.measured[row]
    let judgement = TrendJudgement(SampleHistory.measure(last), after: earlier.map { SampleHistory.measure($0) })
    #expect(judgement.change == change, "\(earlier) \(last): \(judgement.reason)")
    #expect(earlier.count < 5 || judgement.reason.contains("median of \(earlier.count) before"))
  }

  private static let ranked: [(before: [Double], last: [Double], change: TrendJudgement.Change)] = [
    ([1.00, 1.01, 0.99, 1.02, 0.98], [0.80, 0.81, 0.79, 0.82, 0.78], .worse),
    ([0.80, 0.81, 0.79, 0.82, 0.78], [1.00, 1.01, 0.99, 1.02, 0.98], .better),
    ([1.00, 1.01, 0.99, 1.02, 0.98], [0.97, 1.00, 1.01, 0.99, 0.98], .same),
    // Beyond chance, and within a twentieth.
    ([1.00, 1.001, 1.002, 1.003, 1.004], [0.98, 0.981, 0.982, 0.983, 0.984], .same),
    // Wide and overlapping.
    ([1.0, 0.5, 1.5, 0.7, 1.2], [0.8, 0.4, 1.4, 0.6, 1.1], .same),
    ([1.0, 1.0, 1.0, 1.0], [0.5, 0.5, 0.5, 0.5], .unknown), ([1, 1, 1, 1, 1], [0.5, 0.5, 0.5, 0.5, 0.5], .worse),
  ]

  @Test(arguments: ranked.indices) func samplesByRank(row: Int) throws {
    let (before, last, change) = Self.ranked[row]
    func measure(_ samples: [Double]) throws -> HistoryMeasure {
      SampleHistory.measure(try #require(SampleMath.median(samples)), higher: true, samples: samples)
    }
    let judgement = TrendJudgement(try measure(last), after: [try measure(before)])
    #expect(judgement.change == change, "\(before) \(last): \(judgement.reason)")
  }

  @Test func whatHasNoNoiseIsWorseAtOnce() {
    func change(_ before: Double, _ last: Double) -> TrendJudgement.Change {
      TrendJudgement(
        SampleHistory.measure(last, noise: .none, higher: true),
        after: [SampleHistory.measure(before, noise: .none, higher: true)]
      ).change
    }
    #expect(change(1_000, 999) == .worse && change(1_000, 1_001) == .better && change(1_000, 1_000) == .same)
  }

  @Test(arguments: [
    ((0, 1_000), (2, 1_000), "same"), ((0, 1_000), (40, 1_000), "worse"), ((40, 1_000), (0, 1_000), "better"),
  ])
  func sharesByTheirIntervals(before: (Int, Int), last: (Int, Int), change: String) {
    func measure(_ counted: (Int, Int)) -> HistoryMeasure {
      SampleHistory.measure(Double(counted.0) / Double(counted.1), noise: .counted, counted: counted)
    }
    #expect(TrendJudgement(measure(last), after: [measure(before)]).change.rawValue == change)
  }

  /// All orders of few values, each as likely as another.
  private static func exact(_ one: [Double], _ other: [Double]) -> Double {
    func wins(_ left: [Double], _ right: [Double]) -> Double {
      left.reduce(0) { sum, value in sum + right.reduce(0) { $0 + (value > $1 ? 1 : value == $1 ? 0.5 : 0) } }
    }
    let all = one + other
    let seen = wins(one, other)
    var (count, extreme) = (0.0, 0.0)
    for mask in 0..<(1 << all.count) where mask.nonzeroBitCount == one.count {
      let left = all.indices.filter { mask >> $0 & 1 == 1 }.map { all[$0] }
      let right = all.indices.filter { mask >> $0 & 1 == 0 }.map { all[$0] }
      count += 1
      if wins(left, right) >= seen { extreme += 1 }
    }
    return extreme / count
  }

  @Test(arguments: [
    ([1.0, 2, 3, 4, 5], [6.0, 7, 8, 9, 10]), ([6, 7, 8, 9, 10], [1, 2, 3, 4, 5]), ([1, 3, 5, 7, 9], [2, 4, 6, 8, 10]),
    ([5, 6, 7, 8, 3, 9], [1, 2, 4, 3, 5, 2]), ([2, 2, 3, 3, 4], [1, 2, 2, 3, 3]), ([1, 1, 1, 1, 1], [1, 1, 1, 1, 1]),
  ])
  func theRankTestComesCloseToAllOrders(one: [Double], other: [Double]) {
    #expect(
      abs(SampleMath.chanceOfBeingAbove(one, other) - Self.exact(one, other)) < 0.06 || Set(one + other).count == 1)
  }

  /// Equal values make ranks scatter less: two groups that are apart are so by chance in five of a million.
  @Test func theRankTestKnowsOfTies() {
    let (one, other) = ([Double](repeating: 2, count: 10), [Double](repeating: 1, count: 10))
    let chance = SampleMath.chanceOfBeingAbove(one, other)
    #expect(chance > 1e-6 && chance < 2e-5, "\(chance)")
  }

  @Test func medians() {
    #expect(SampleMath.median([]) == nil && SampleMath.median([3]) == 3 && SampleMath.median([4, 1, 3, 2]) == 2.5)
    #expect(SampleMath.deviation([1, 1, 2, 2, 4, 6, 9]) == 1)
  }

  @Test func onlyLikeIsComparedWithLike() throws {
    var history = SampleHistory.entries([100, 100, 100, 100, 100])
    history[0].size = 5
    history[1].measures[0].basis = "another host"
    history.append(SampleHistory.entry(6, [SampleHistory.measure(500)]))
    let course = try #require(Trend(history, most: 50).courses.first)
    #expect(course.points.map(\.isComparable) == [false, false, true, true, true, true])
    #expect(course.judgement.change == .unknown)
  }

  /// Runs of a tenth more or fewer cases are alike, and others are not.
  @Test func sizesMayDifferByATenth() throws {
    for (size, isComparable) in [(89, false), (90, true), (100, true), (111, true), (112, false), (0, false)] {
      let history =
        [SampleHistory.entry(1, [SampleHistory.measure(1)], size: size)]
        + [SampleHistory.entry(2, [SampleHistory.measure(1)])]
      let course = try #require(Trend(history, most: 9).courses.first)
      #expect(course.points.map(\.isComparable) == [isComparable, true], "\(size)")
    }
  }

  /// Lines are added as runs end; what counts is when they began.
  @Test func theLastEntryIsTheOneThatBeganLast() throws {
    let history = SampleHistory.entries([100, 100, 100, 100, 100, 180])
    for entries in [history, history.reversed(), Array(history[3...] + history[..<3])] {
      let trend = Trend(entries, most: 9)
      #expect(trend.regressions.map(\.last.value) == [180])
      #expect(trend.entries[.suite]?.map(\.name) == history.map(\.name))
    }
  }

  /// A measure that the last entry has not taken says nothing of it, however it went before.
  @Test func whatTheLastEntryHasNotTakenIsNotJudged() throws {
    let history = SampleHistory.entries([100, 100, 100, 100, 100, 180]) + [SampleHistory.entry(7, [])]
    let course = try #require(Trend(history, most: 9).courses.first)
    #expect(course.judgement.change == .unknown && course.judgement.reason == "not taken by the last entry")
  }

  @Test func aRegressionOfAnyKindIsOne() {
    var history = SampleHistory.entries([100, 100, 100, 100, 100, 100])
    for (number, edges) in [10.0, 10, 9].enumerated() {
      var measure = HistoryMeasure("scanner: edges of a replay", edges, .count, isHigherBetter: true, noise: .none)
      measure.basis = "40 edges"
      history.append(SampleHistory.entry(number + 1, [measure], kind: .fuzz))
    }
    let trend = Trend(history.shuffled(), most: 50)
    #expect(trend.regressions.map(\.name) == ["scanner: edges of a replay"])
    #expect(TrendWords.headline(trend) == "1 measure is worse than before")
    #expect(Trend(history, kinds: [.suite], most: 50).regressions.isEmpty)
    #expect(Trend(history, most: 2).entries[.suite]?.map(\.name) == ["2026-01-05T12-00-00Z", "2026-01-06T12-00-00Z"])
  }

  @Test func sharesAreAddedUpOverTheEntries() throws {
    let history = [(1, 100), (3, 100)].enumerated().map { number, counted in
      SampleHistory.entry(
        number + 1, [SampleHistory.measure(Double(counted.0) / 100, noise: .counted, counted: counted)])
    }
    let course = try #require(Trend(history, most: 9).courses.first)
    let pooled = try #require(Trend.pooled(course))
    #expect(pooled.text == "4 of 200, 1–5 %")
  }
}

/// The trend as files.
@Suite struct TrendFilesTests {
  private static func trend(named text: String) -> Trend {
    var entries = SampleHistory.entries([100, 101, 99, 100, 100, 100, 180])
    for index in entries.indices {
      var measure = HistoryMeasure(text, 4, .count, isHigherBetter: true, noise: .unjudged)
      measure.samples = [3, 4, 5]
      entries[index].measures.append(measure)
      entries[index].measures.append(SampleHistory.measure(0.1, noise: .counted, counted: (1, 10)))
      entries[index].measures[2].name = "flakes"
      entries[index].slowest = [.init(name: text, milliseconds: 3)]
      entries[index].failing = [text]
      (entries[index].host, entries[index].commit) = (text, text)
    }
    return Trend(entries, most: 50)
  }

  @Test func thePageShowsWhatIsWorseFirst() {
    let page = String(decoding: TrendPage(Self.trend(named: "plain")).bytes, as: UTF8.self)
    #expect(page.contains("<h1>1 measure is worse than before</h1>"))
    #expect(page.ranges(of: "<svg class=\"trend\"").count == 3)
    let first = page.range(of: "<figure class=\"worse\">")?.lowerBound
    let other = page.range(of: "<figure class=\"unknown\">")?.lowerBound
    #expect(first != nil && other != nil && first! < other!)
    #expect(!page.contains("http") || !page.contains("src="))
  }

  /// A commit with changes is none without.
  @Test func theCommitIsNamedWithItsChanges() {
    for (commit, text) in [
      ("0123456789abcdef+changes", "0123456789ab+changes"), ("0123456789abcdef", "0123456789ab"),
      ("abc+changes", "abc+changes"),
    ] {
      var entry = SampleHistory.entry(1, [SampleHistory.measure(1)])
      entry.commit = commit
      #expect(entry.commitText == text)
      let page = String(decoding: TrendPage(Trend([entry], most: 9)).bytes, as: UTF8.self)
      #expect(page.contains("<code>\(text)</code>") && page.contains(">\(text)</dd>"), "\(commit)")
    }
  }

  /// One part in a hundred is less than one in a hundred of the plot's height.
  @Test func theScaleIsSaidAndASmallChangeLooksSmall() {
    let page = String(
      decoding: TrendPage(Trend(SampleHistory.entries([100, 101]), most: 9)).bytes, as: UTF8.self)
    let heights = page.matches(of: /cy="([0-9.]+)"/).compactMap { Double($0.output.1) }
    #expect(heights.count == 2 && abs(heights[0] - heights[1]) < 1.5, "\(heights)")
    let (zero, least, most) = (
      HistoryMeasure.text(0, .milliseconds), HistoryMeasure.text(100, .milliseconds),
      HistoryMeasure.text(101, .milliseconds)
    )
    for words in [">\(zero)</text>", ">\(most)</text>", ">\(least) to \(most)</text>"] {
      #expect(page.contains(words), "\(words)")
    }
  }

  @Test func hostileTextMakesNoElement() {
    let calm = StartTag.all(in: String(decoding: TrendPage(Self.trend(named: "plain")).bytes, as: UTF8.self))
    for text in HostileText.all {
      let tags = StartTag.all(in: String(decoding: TrendPage(Self.trend(named: text)).bytes, as: UTF8.self))
      #expect(tags.map(\.name) == calm.map(\.name), "\(text)")
    }
  }

  @Test func jsonFitsThePublishedSchema() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let schema = SchemaChecker(try ReadJSON(Data(contentsOf: root.appending(path: "trend.schema.json"))))
    for trend in [Self.trend(named: HostileText.all[0]), Trend([], most: 5)] {
      #expect(schema.problems(try ReadJSON(TrendJSON.make(trend))) == [])
    }
  }
}
