import SocketValues
import Testing

@Suite("Instants and timeouts")
struct InstantTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var seconds: Double
    /// Nanoseconds later; nil: never.
    var later: Int64?
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "zero is now", seconds: 0, later: 0),
    Row(name: "negative zero is zero", seconds: -0.0, later: 0),
    Row(name: "minus one is never", seconds: -1, later: nil),
    Row(name: "a little below zero is never", seconds: -0.001, later: nil),
    Row(name: "minus infinity is never", seconds: -.infinity, later: nil),
    Row(name: "NaN is never", seconds: .nan, later: nil),
    Row(name: "infinity is never", seconds: .infinity, later: nil),
    Row(name: "1e18 is never", seconds: 1e18, later: nil),
    Row(name: "the greatest number is never", seconds: .greatestFiniteMagnitude, later: nil),
    Row(name: "a tenth", seconds: 0.1, later: 100_000_000),
    Row(name: "three tenths", seconds: 0.3, later: 300_000_000),
    Row(name: "fractions of a nanosecond round up, never early", seconds: 1.5e-9, later: 2),
    Row(name: "the least positive number is a nanosecond", seconds: .leastNonzeroMagnitude, later: 1),
    Row(name: "ten years", seconds: 315_360_000, later: 315_360_000_000_000_000),
  ]

  @Test("a timeout becomes an instant, or never", arguments: rows)
  func table(row: Row) {
    for origin: Int64 in [0, 1, 12_345_678_901, 1 << 55] {
      #expect(Instant(nanoseconds: origin).after(seconds: row.seconds)?.nanoseconds == row.later.map { origin + $0 })
    }
  }
}
