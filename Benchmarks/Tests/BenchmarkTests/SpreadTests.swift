import BenchmarkModel
import Testing

@Suite struct SpreadTests {
  @Test func ofNothingThereIsNone() { #expect(Spread([]) == nil) }

  @Test func ofOneValueIsThatValue() {
    let spread = Spread([3])
    #expect(spread?.lowest == 3 && spread?.lowerQuartile == 3 && spread?.median == 3 && spread?.upperQuartile == 3)
  }

  /// What R's quantile(type = 7) says.
  @Test func quartilesAreInterpolated() throws {
    let spread = try #require(Spread([7, 1, 4, 2]))
    #expect(spread.lowest == 1 && spread.highest == 7)
    #expect(abs(spread.lowerQuartile - 1.75) < 1e-12)
    #expect(abs(spread.median - 3) < 1e-12)
    #expect(abs(spread.upperQuartile - 4.75) < 1e-12)
  }

  @Test func oneOutlierMovesNeitherMedianNorQuartiles() throws {
    let calm = try #require(Spread([1, 2, 3, 4, 5, 6, 7]))
    let wild = try #require(Spread([1, 2, 3, 4, 5, 6, 7000]))
    #expect(calm.median == wild.median && calm.upperQuartile == wild.upperQuartile)
  }
}

@Suite struct GrowthTests {
  static let sizes = [1.0, 4, 16, 64, 256, 1024]

  @Test(arguments: [(0.0, "constant"), (1, "linear"), (2, "quadratic"), (-0.5, "falling")])
  func findsTheExponentOfAPowerLaw(exponent: Double, name: String) throws {
    let slope = try #require(Growth.slope(of: Self.sizes.map { ($0, 3e-6 * power($0, exponent)) }))
    #expect(abs(slope - exponent) < 1e-9, "\(name)")
  }

  /// A fixed cost hides in the lower half what grows.
  @Test func aFixedCostDoesNotHideQuadraticGrowth() throws {
    let slope = try #require(Growth.slope(of: Self.sizes.map { ($0, 1000 + $0 * $0) }))
    #expect(slope > GrowthSeries.steepestInQuickRuns)
  }

  @Test func linearWithALogarithmIsNotCalledADefect() throws {
    let slope = try #require(Growth.slope(of: [1000.0, 10_000, 100_000].map { ($0, $0) }))
    #expect(slope < GrowthSeries.steepest)
  }

  @Test func needsTwoPoints() {
    #expect(Growth.slope(of: []) == nil)
    #expect(Growth.slope(of: [(10, 1)]) == nil)
    #expect(Growth.slope(of: [(10, 1), (10, 2)]) == nil)
    #expect(Growth.slope(of: [(0, 1), (-1, 2), (10, 0)]) == nil)
  }

  private func power(_ base: Double, _ exponent: Double) -> Double {
    var result = 1.0
    // Powers of a half are enough here.
    for _ in 0..<Int(abs(exponent) * 2) { result *= base.squareRoot() }
    return exponent < 0 ? 1 / result : result
  }
}

@Suite struct VerdictTests {
  @Test(arguments: [
    (1.0, Verdict.aim), (0.95, .aim), (0.94, .bar), (0.85, .bar), (0.84, .missed), (0.425, .missed), (0.42, .underHalf),
  ])
  func higherIsBetter(median: Double, verdict: Verdict) {
    #expect(Verdict(median, bar: 0.85, aim: 0.95, direction: .higher) == verdict)
  }

  @Test(arguments: [
    (0.4, Verdict.aim), (0.5, .aim), (0.6, .bar), (1.0, .bar), (1.1, .missed), (2.0, .missed), (2.1, .underHalf),
  ])
  func lowerIsBetter(median: Double, verdict: Verdict) {
    #expect(Verdict(median, bar: 1, aim: 0.5, direction: .lower) == verdict)
  }

  @Test func withoutABarNothingIsJudged() {
    #expect(Verdict(0.01, bar: nil, aim: nil, direction: .higher) == .unjudged)
  }

  /// A division by nothing must not pass for a result.
  @Test func whatIsNoNumberReachesNothing() {
    #expect(Verdict(.nan, bar: 1, aim: 2, direction: .higher) == .underHalf)
    #expect(Verdict(.nan, bar: 1, aim: 0.5, direction: .lower) == .underHalf)
  }
}
