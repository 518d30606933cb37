import ScenarioModel
import Testing

@Suite struct DidYouMeanTests {
  @Test(
    arguments: [
      ("didRaed", "didRead"), ("didread", "didRead"), ("didReads", "didRead"), ("tga", "tag"),
      ("diddisconect", "didDisconnect"), ("x", nil), ("", nil), ("subscribe", nil), ("didConnct", "didConnect"),
      ("tag", nil), ("connected", "didConnect"), ("Disconnected", "didDisconnect"), ("secured", "didSecure"),
      ("read", "didRead"), ("did", nil), ("ed", nil), ("d", nil),
    ] as [(String, String?)])
  func guesses(word: String, expected: String?) {
    let words = ["tag", "didRead", "didConnect", "didDisconnect", "didSecure"]
    #expect(DidYouMean.suggestion(for: word, among: words) == expected)
  }

  @Test func longWordsAreNotCompared() {
    let long = String(repeating: "a", count: 100_000)
    #expect(DidYouMean.suggestion(for: long, among: [long + "b"]) == nil)
    #expect(DidYouMean.suggestion(for: "abc", among: [long]) == nil)
  }

  @Test func firstOfEqualsWins() {
    #expect(DidYouMean.suggestion(for: "bat", among: ["cat", "rat"]) == "cat")
  }
}
