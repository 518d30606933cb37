import ScenarioModel
import Testing

@Suite struct PayloadTests {
  @Test(
    arguments: [
      (Payload.bytes([1, 2, 3]), [1, 2, 3]),
      (.repeated(unit: .bytes([7]), times: 4), [7, 7, 7, 7]),
      (.repeated(unit: .joined([.bytes([1]), .bytes([2])]), times: 2), [1, 2, 1, 2]),
      (.joined([.bytes([1]), .repeated(unit: .bytes([9]), times: 0), .bytes([2])]), [1, 2]),
    ] as [(Payload, [UInt8])])
  func countAndBytesAgree(_ payload: Payload, _ bytes: [UInt8]) {
    #expect(payload.materialised == bytes)
    #expect(payload.count == bytes.count)
  }

  @Test func aPatternDependsOnSeedAndPositionOnly() {
    let long = PatternBytes.make(seed: 5, count: 100)
    for count in [0, 1, 7, 8, 9, 99] { #expect(PatternBytes.make(seed: 5, count: count) == Array(long.prefix(count))) }
    #expect(PatternBytes.make(seed: 6, count: 100) != long)
    // Any shift shows.
    for shift in 1...32 { #expect(Array(long.dropFirst(shift)) != Array(long.dropLast(shift))) }
  }

  @Test(arguments: [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")])
  func theContentHashIsFNV1a(_ text: String, _ hash: String) {
    #expect(ContentHash(of: Array(text.utf8)).text == hash)
  }

  @Test func theContentHashIsTheSameInPieces() {
    var pieces = ContentHash()
    for byte in "foobar".utf8 { pieces.update([byte]) }
    #expect(pieces == ContentHash(of: Array("foobar".utf8)))
  }
}
