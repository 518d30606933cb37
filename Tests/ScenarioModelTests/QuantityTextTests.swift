import ScenarioModel
import Testing

@Suite struct QuantityTextTests {
  @Test(arguments: [
    (Duration.zero, "0 ms"), (.microseconds(250), "250 µs"), (.microseconds(1_240), "1.2 ms"),
    (.milliseconds(120), "120 ms"), (.milliseconds(1_250), "1.25 s"), (.seconds(125), "2 min 5 s"),
    (.milliseconds(-20), "-20 ms"), (.nanoseconds(999_999_999), "1 s"),
    (.seconds(Int64.max), "153722867280912930 min 7 s"),
  ])
  func durations(duration: Duration, expected: String) { #expect(QuantityText.duration(duration) == expected) }

  @Test(arguments: [(0, "0 B"), (7, "7 B"), (4096, "4 KiB"), (1536, "1.5 KiB"), (8 << 30, "8 GiB")])
  func sizes(count: Int, expected: String) { #expect(QuantityText.size(count) == expected) }

  @Test(arguments: [(1.5, 2, "1.50"), (0.0, 1, "0.0"), (12.345, 2, "12.35"), (3.0, 0, "3"), (-0.5, 1, "-0.5")])
  func fixedDecimals(value: Double, decimals: Int, expected: String) {
    #expect(QuantityText.fixed(value, decimals: decimals) == expected)
  }

  @Test func absurdNumbersStayText() {
    for value in [Double.nan, .infinity, -.infinity, 1e300, .leastNonzeroMagnitude] {
      #expect(!QuantityText.fraction(value, digits: 3).isEmpty)
      #expect(!QuantityText.fixed(value, decimals: 2).isEmpty)
    }
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678"), (-123, "-123"), (-1_234, "-1,234"),
    (.min, "-9,223,372,036,854,775,808"),
  ])
  func counts(number: Int, expected: String) { #expect(QuantityText.count(number) == expected) }

  @Test func countsOfThings() {
    #expect([0, 1, 2_097].map { QuantityText.count($0, "case") } == ["0 cases", "1 case", "2,097 cases"])
  }
}
