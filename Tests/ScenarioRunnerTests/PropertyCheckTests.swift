import ScenarioModel
import Testing

@testable import ScenarioRunner

@Suite struct PropertyCheckTests {
  struct Row: Sendable {
    var property: SubjectProperty
    var expected: PropertyCheck.Expected
    var actual: PropertyValue
    var holds: Bool
  }

  private static let idle = PropertyValue.progress(tag: 0, done: 0, total: 0, fraction: .nan)
  private static let half = PropertyValue.progress(tag: 3, done: 5, total: 10, fraction: 0.5)
  static let rows: [Row] = [
    Row(property: .isConnected, expected: .value(.flag(true)), actual: .flag(true), holds: true),
    Row(property: .isConnected, expected: .value(.flag(true)), actual: .flag(false), holds: false),
    Row(property: .connectedHost, expected: .value(.none), actual: .none, holds: true),
    Row(property: .connectedHost, expected: .value(.none), actual: .text(""), holds: false),
    Row(property: .connectedPort, expected: .value(.none), actual: .number(0), holds: true),
    Row(property: .connectedPort, expected: .value(.none), actual: .number(1), holds: false),
    Row(property: .connectedHost, expected: .present, actual: .text("::1"), holds: true),
    Row(property: .connectedHost, expected: .present, actual: .none, holds: false),
    Row(property: .localPort, expected: .present, actual: .number(0), holds: false),
    Row(property: .localPort, expected: .port(.peer("peer")), actual: .number(4000), holds: true),
    Row(property: .localPort, expected: .port(.peer("peer")), actual: .number(4001), holds: false),
    Row(property: .buffer, expected: .value(.bytes([1, 2])), actual: .bytes([1, 2]), holds: true),
    Row(property: .buffer, expected: .value(.bytes([1, 2])), actual: .bytes([1, 3]), holds: false),
    Row(property: .buffer, expected: .payload(.bytes([1, 2])), actual: .bytes([1, 2]), holds: true),
    Row(property: .buffer, expected: .payload(.bytes([1, 2])), actual: .bytes([1, 3]), holds: false),
    Row(
      property: .buffer, expected: .payload(.repeated(unit: .bytes([7]), times: 2)), actual: .bytes([7]), holds: false),
    Row(property: .connectedAddress, expected: .payload(.bytes([])), actual: .none, holds: false),
    Row(property: .isConnected, expected: .present, actual: .flag(false), holds: false),
    Row(property: .description, expected: .mentions(["::1", "80"]), actual: .text("[::1]:80"), holds: true),
    Row(property: .description, expected: .mentions(["::1", "81"]), actual: .text("[::1]:80"), holds: false),
    Row(
      property: .progressOfRead, expected: .progress(tag: nil, done: nil, total: 11, active: true), actual: half,
      holds: false),
    Row(
      property: .progressOfRead, expected: .progress(tag: 3, done: 4...6, total: 10, active: true), actual: half,
      holds: true),
    Row(
      property: .progressOfRead, expected: .progress(tag: 4, done: nil, total: nil, active: true), actual: half,
      holds: false),
    Row(
      property: .progressOfRead, expected: .progress(tag: nil, done: 6...6, total: nil, active: true), actual: half,
      holds: false),
    Row(
      property: .progressOfRead, expected: .progress(tag: nil, done: nil, total: nil, active: true), actual: idle,
      holds: false),
    Row(
      property: .progressOfRead, expected: .progress(tag: nil, done: nil, total: nil, active: false), actual: idle,
      holds: true),
    Row(
      property: .progressOfRead, expected: .progress(tag: nil, done: nil, total: nil, active: false), actual: half,
      holds: false),
    Row(property: .progressOfWrite, expected: .value(.none), actual: idle, holds: true),
  ]

  @Test(arguments: rows) func compares(_ row: Row) {
    let check = PropertyCheck(property: row.property, expected: row.expected, position: line(1))
    #expect(check.holds(row.actual, port: 4000) == row.holds)
  }

  @Test func anUnknownPortHoldsNothing() {
    let check = PropertyCheck(property: .localPort, expected: .port(.peer("peer")), position: line(1))
    #expect(!check.holds(.number(0), port: nil))
  }

  @Test func saysItInWords() {
    let check = PropertyCheck(property: .buffer, name: "b", expected: .value(.bytes([65, 0])), position: line(1))
    #expect(check.text("child") == "child.buffer.b: \"A\\x00\"")
    #expect(PropertyValue.number(0.3).text == "0.3")
    #expect(PropertyValue.number(80).text == "80")
  }
}
