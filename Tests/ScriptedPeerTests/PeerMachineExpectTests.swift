import ScenarioModel
import ScriptedPeer
import Testing

/// The chunking law: what a peer makes of the bytes does not depend on the chunks they came in.
@Suite struct PeerMachineExpectTests {
  /// What a lane came to: finished or stuck, and what it said.
  private struct Outcome: Equatable {
    var deviation: Deviation?
    var isFinished: Bool
    var waitingFor: String
    var echoed: [UInt8]
  }

  private static func outcome(_ steps: [PeerStep], _ chunks: [ArraySlice<UInt8>], ends: Bool) -> Outcome {
    var bench = MachineBench(steps)
    var echoed: [UInt8] = []
    func settle() {
      for entry in bench.run() {
        if case .send(let bytes) = entry.action { echoed += bytes }
      }
    }
    settle()
    for chunk in chunks {
      bench.see(.received(Array(chunk)))
      settle()
    }
    if ends { bench.see(.endOfStream) }
    settle()
    // How much more there was when the mismatch was seen depends on the chunks, and only that.
    var deviation = bench.machine.deviation
    if let actual = deviation?.actual.range(of: ", then") { deviation?.actual.removeSubrange(actual.lowerBound...) }
    return Outcome(
      deviation: deviation, isFinished: bench.machine.isFinished, waitingFor: bench.machine.waitingFor, echoed: echoed)
  }

  private static func cuts(_ bytes: [UInt8], _ random: inout SplitMix64) -> [ArraySlice<UInt8>] {
    var chunks: [ArraySlice<UInt8>] = []
    var start = 0
    while start < bytes.count {
      let end = start + 1 + random.below(bytes.count - start)
      chunks.append(bytes[start..<end])
      start = end
    }
    return chunks
  }

  enum Fate { case met, deviating, waiting }

  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var steps: [PeerStep]
    var bytes: [UInt8]
    var ends = true
    /// What it must come to: nothing said and finished, something said, or still waiting.
    var fate = Fate.met
    var testDescription: String { name }
  }

  private static let long = PatternBytes.make(seed: 3, count: 700)
  static let rows: [Row] = [
    Row(name: "as expected", steps: [.expect(payload("HELLO")), .expectEnd(.fin)], bytes: Array("HELLO".utf8)),
    Row(
      name: "in several expectations",
      steps: [.expect(payload("HE")), .expect(payload("LL")), .expectCount(1, hash: nil), .expectEnd(.fin)],
      bytes: Array("HELLO".utf8)),
    Row(name: "a byte wrong", steps: [.expect(payload("HELLO"))], bytes: Array("HELxO".utf8), fate: .deviating),
    Row(name: "the last byte wrong", steps: [.expect(payload("HELLO"))], bytes: Array("HELLx".utf8), fate: .deviating),
    Row(name: "one missing", steps: [.expect(payload("HELLO"))], bytes: Array("HELL".utf8), fate: .deviating),
    Row(
      name: "one missing and no end", steps: [.expect(payload("HELLO"))], bytes: Array("HELL".utf8), ends: false,
      fate: .waiting),
    Row(
      name: "one too many", steps: [.expect(payload("HELL")), .expectEnd(.fin)], bytes: Array("HELLO".utf8),
      fate: .deviating),
    Row(
      name: "long", steps: [.expect(.pattern(seed: 3, count: 700)), .expectEnd(.fin)], bytes: long),
    Row(
      name: "hashed", steps: [.expectCount(700, hash: ContentHash(of: long).text), .expectEnd(.fin)], bytes: long),
    Row(name: "hashed wrongly", steps: [.expectCount(700, hash: "0000000000000000")], bytes: long, fate: .deviating),
    Row(name: "counted short", steps: [.expectCount(701, hash: nil)], bytes: long, fate: .deviating),
    Row(name: "echoed", steps: [.echo(count: 300), .expectCount(100, hash: nil), .echo(count: nil)], bytes: long),
  ]

  @Test(arguments: rows) func holds(_ row: Row) {
    let whole = Self.outcome(row.steps, [row.bytes[...]], ends: row.ends)
    let single = Self.outcome(row.steps, row.bytes.indices.map { row.bytes[$0...$0] }, ends: row.ends)
    #expect(single == whole)
    #expect((whole.deviation != nil) == (row.fate == .deviating))
    #expect(whole.isFinished == (row.fate != .waiting))
    if row.name == "echoed" { #expect(whole.echoed == Array(row.bytes[..<300] + row.bytes[400...])) }
    var random = SplitMix64(seed: 7)
    for _ in 0..<50 {
      #expect(Self.outcome(row.steps, Self.cuts(row.bytes, &random), ends: row.ends) == whole)
    }
  }

  @Test func aMismatchIsSaidWithBothBytes() {
    let outcome = Self.outcome(
      [.expect(payload("ab")), .expect(payload("HELLO"))], [Array("abHELxO".utf8)[...]], ends: false)
    #expect(outcome.deviation?.expected == "peer: 0x4c ('L') at offset 3 of \"HELLO\"")
    #expect(outcome.deviation?.actual == "peer: 0x78 ('x') (byte 5 of the stream)")
    #expect(outcome.deviation?.position == MachineBench.line(1))
    #expect(outcome.deviation?.kind == .peer)
  }

  @Test func whatIsMissingIsSaid() {
    #expect(
      Self.outcome([.expect(payload("0123456789"))], [Array("0123".utf8)[...]], ends: false).waitingFor
        == "peer waits for 10 bytes, has 4")
    #expect(
      Self.outcome([.expect(payload("0123456789"))], [Array("0123".utf8)[...]], ends: true).deviation?.actual
        == "peer: the subject's stream ended (fin) after 4 of them")
  }
}

extension String {
  /// Where a short text begins in this one.
  fileprivate func range(of text: String) -> Range<String.Index>? {
    indices.first { self[$0...].hasPrefix(text) }.map { $0..<endIndex }
  }
}
