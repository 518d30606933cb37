import ScenarioModel
import Testing

@testable import RunReports

struct TextTests {
  @Test(arguments: [
    ("read/line", "read/line"), ("it's", "'it'\\''s'"), ("a b", "'a b'"), ("$(id)", "'$(id)'"), ("", "''"),
  ])
  func commandsAreQuotedForTheShell(id: String, expected: String) {
    let command = ReproCommand.text(scenario: id, variant: "ipv4-bytes", world: .simulated, seed: 7)
    #expect(command == "./lab run \(expected) --world simulated --seed 7 --variant ipv4-bytes")
  }

  @Test func headsOfPayloadsAreMadeWithoutTheRest() {
    let huge = Payload.joined([
      .bytes([1, 2]), .repeated(unit: .pattern(seed: 5, count: .max), times: .max),
      .repeated(unit: .bytes([]), times: .max),
    ])
    let head = PayloadHead(huge)
    #expect(head.total == .max)
    #expect(head.bytes == [1, 2] + PatternBytes.make(seed: 5, count: 254))
    for payload in [
      Payload.repeated(unit: .bytes([1, 2, 3]), times: 200), .pattern(seed: 1, count: 300), .bytes([9]),
      .joined([.bytes([1]), .repeated(unit: .joined([.bytes([2]), .pattern(seed: 3, count: 5)]), times: 3)]),
    ] {
      #expect(PayloadHead(payload).bytes == Array(payload.materialised.prefix(256)))
      #expect(PayloadHead(payload).total == payload.count)
    }
  }

  @Test func wrappingKeepsEveryWordThatFits() {
    let text = "the quick brown fox jumps over the lazy dog"
    #expect(TextWrap.lines(text, width: 12, most: 9).joined(separator: " ") == text)
    #expect(TextWrap.lines(String(repeating: "x", count: 30), width: 10, most: 9).map(\.count) == [10, 10, 10])
    #expect(TextWrap.lines(text, width: 10, most: 2).last?.hasSuffix("…") == true)
    #expect(TextWrap.lines("", width: 10, most: 2) == [""])
  }

  @Test(arguments: [Int.min, -1, 0, 3, .max]) func linesThatAreNotThereAreNone(number: Int) {
    #expect(SourceLines("a\nb\n")[number] == nil)
    #expect(SourceLines("a\nb\n")[2] == "b")
  }
}
