import Testing

@testable import Conversations

@Suite struct PacingTests {
  @Test(
    "pauses are rounded to 1, 2, 5 and so on; short ones are none, long ones are cut",
    arguments: [
      (4_999, 0), (5_000, 5_000), (6_900, 5_000), (7_200, 10_000), (13_000, 10_000), (15_000, 20_000),
      (480_000, 500_000), (1_300_000, 1_000_000), (60_000_000, 2_000_000),
    ])
  func rounding(_ row: (pause: Int, rounded: Int)) {
    let pacing = Pacing()
    let rounded = pacing.rounded(.microseconds(row.pause))
    #expect(rounded == .microseconds(row.rounded))
    #expect(pacing.rounded(rounded) == rounded)
  }

  @Test("where a pause is cut, how long it was stands beside it, of either side")
  func cutPauses() {
    let events: [Conversation.Event] = [
      .init(at: .zero, side: .client, act: .bytes([97])), .init(at: .seconds(20), side: .server, act: .bytes([98])),
      .init(at: .seconds(22), side: .client, act: .bytes([99])), .init(at: .seconds(97), side: .client, act: .finish),
    ]
    let text = ScenarioDraft(
      Conversation(client: "a:1", server: "b:2", events: events), ScenarioDraft.Settings(name: "t", source: "a test")
    ).text
    let waits = text.split(separator: "\n").filter { $0.contains("- wait:") }.map { $0.drop { $0 == " " } }
    #expect(Set(waits) == ["- wait: 2s  # it was 20 s", "- wait: 2s", "- wait: 2s  # it was 1 min 15 s"])
  }
}
