import CaseReduction
import Testing

@Suite struct DeltaDebuggingTests {
  struct Need: Sendable, CustomTestStringConvertible {
    var name: String
    var count: Int
    var needed: Set<Int>
    var testDescription: String { name }
  }

  static let needs = [
    Need(name: "nothing of nothing", count: 0, needed: []), Need(name: "nothing of many", count: 100, needed: []),
    Need(name: "the first", count: 64, needed: [0]), Need(name: "the last", count: 65, needed: [64]),
    Need(name: "two far apart", count: 500, needed: [3, 497]), Need(name: "all", count: 9, needed: Set(0..<9)),
    Need(name: "every third", count: 60, needed: Set(stride(from: 0, to: 60, by: 3))),
  ]

  @Test("what is needed is left, and nothing else", arguments: needs) func finds(need: Need) {
    var rounds = 0
    var last = Array(0..<need.count)
    let kept = DeltaDebugging.minimise(
      need.count,
      test: { candidates in
        rounds += 1
        return candidates.map { need.needed.isSubset(of: Set($0)) }
      }, accepted: { last = $0 })
    #expect(kept == need.needed.sorted())
    #expect(last == kept)
    #expect(rounds < 40 + 12 * need.needed.count, "\(rounds) rounds")
  }

  @Test("of things that are only needed together, one way is found") func either() {
    // Either half will do, but not both may go.
    let kept = DeltaDebugging.minimise(
      20, test: { $0.map { Set($0).isSuperset(of: [4]) || Set($0).isSuperset(of: [11]) } })
    #expect(kept == [4] || kept == [11])
  }

  @Test("a test that accepts nothing ends the search with all") func refuses() {
    var asked = 0
    let kept = DeltaDebugging.minimise(
      100,
      test: { candidates in
        asked += candidates.count
        return candidates.map { _ in false }
      })
    #expect(kept == Array(0..<100))
    #expect(asked < 300)
  }
}
