import ScenarioModel
import ScriptedPeer
import Testing

@Suite struct SegmentCutterTests {
  private static func sent(_ steps: [PeerStep], _ cut: Variant.Cut, seed: UInt64 = 1) -> [(at: Duration, text: String)]
  {
    var bench = MachineBench(steps, cut: cut, seed: seed)
    return bench.run().compactMap { entry in
      guard case .send(let bytes) = entry.action else { return nil }
      return (entry.at, String(decoding: bytes, as: UTF8.self))
    }
  }

  static let cuts: [(Variant.Cut, [String])] = [
    (.whole, ["ab", "cdef", "ghij"]),
    (.bytes, ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]),
    (.split(at: 1), ["a", "b", "c", "def", "g", "hij"]),
    (.split(at: 2), ["ab", "cd", "ef", "gh", "ij"]),
    (.split(at: 4), ["ab", "cdef", "ghij"]),
  ]

  @Test(arguments: cuts) func cutsSends(_ cut: Variant.Cut, _ expected: [String]) {
    let steps: [PeerStep] = ["ab", "cdef", "ghij"].map { .send(payload($0)) }
    #expect(Self.sent(steps, cut).map(\.text) == expected)
  }

  @Test func piecesOfOnePayloadAreApart() {
    let times = Self.sent([.send(payload("abc")), .send(payload("de"))], .bytes).map(\.at)
    #expect(times == [0, 1, 2, 2, 3].map { .milliseconds($0) })
  }

  @Test func dripsAndEchoesAreNotCut() {
    let drip = Self.sent([.drip(payload("abcd"), chunk: 3, every: .zero)], .bytes)
    #expect(drip.map(\.text) == ["abc", "d"])
  }

  @Test func longPayloadsRunOutOfGaps() {
    let times = Self.sent([.send(.pattern(seed: 1, count: 2000))], .bytes).map(\.at)
    #expect(times.count == 2000)
    #expect(times.last == .milliseconds(SegmentCutter.maxGaps))
  }

  @Test func randomCutsLoseNothingAndRepeat() {
    var seen: Set<[Int]> = []
    for seed in 0..<200 as Range<UInt64> {
      for count in [1, 2, 3, 10, 1000] {
        var cutter = SegmentCutter(cut: .random, seed: seed, lane: "peer")
        var again = SegmentCutter(cut: .random, seed: seed, lane: "peer")
        let pieces = cutter.pieces(of: count)
        #expect(again.pieces(of: count) == pieces)
        guard case .uneven(let lengths) = pieces else { continue }
        #expect(lengths.reduce(0, +) == count)
        #expect(lengths.allSatisfy { $0 > 0 })
        #expect(lengths.count <= SegmentCutter.maxRandomPieces)
        if count == 1000 { seen.insert(lengths) }
      }
    }
    #expect(seen.count > 150)
  }

  @Test func lanesAreCutApart() {
    var one = SegmentCutter(cut: .random, seed: 1, lane: "one")
    var two = SegmentCutter(cut: .random, seed: 1, lane: "two")
    let both = (0..<8).map { _ in (one.pieces(of: 1000), two.pieces(of: 1000)) }
    #expect(both.contains { $0.0 != $0.1 })
  }
}

@Suite struct WordingTests {
  static let durations: [(Duration, String)] = [
    (.zero, "0s"), (.seconds(2), "2s"), (.milliseconds(1500), "1.5s"), (.milliseconds(20), "20ms"),
    (.microseconds(1250), "1.25ms"), (.microseconds(500), "500us"), (.nanoseconds(1500), "1.5us"),
    (.milliseconds(-20), "-20ms"), (.milliseconds(1001), "1.001s"),
    (.microseconds(1_000_500), "1.0005s"), (.nanoseconds(1_000_001_999), "1.000001s"),
  ]

  @Test(arguments: durations) func saysDurations(_ duration: Duration, _ text: String) {
    #expect(Wording.duration(duration) == text)
  }

  @Test func saysBytes() {
    #expect(Wording.bytes(Array("a\"\\\r\n\t".utf8) + [0, 255]) == "\"a\\\"\\\\\\r\\n\\t\\x00\\xff\"")
    #expect(Wording.bytes([UInt8](repeating: 65, count: 50), limit: 2) == "\"AA\"… (50 bytes)")
    #expect(Wording.byte(10) == "0x0a")
    #expect(Wording.byte(65) == "0x41 ('A')")
    #expect(Wording.count(1) == "1 byte")
  }

  @Test func findsFirstDifferences() {
    let bytes = PatternBytes.make(seed: 1, count: 40)
    for offset in bytes.indices {
      var other = bytes
      other[offset] ^= 1
      #expect(ByteComparison.firstDifference(bytes, from: 0, other, from: 0, count: 40) == offset)
      #expect(ByteComparison.firstDifference(bytes, from: 0, other, from: 0, count: offset) == nil)
      #expect(ByteComparison.firstDifference(bytes, from: offset, other, from: offset, count: 40 - offset) == 0)
    }
  }
}
