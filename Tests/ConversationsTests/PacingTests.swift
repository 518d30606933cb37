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
    let seen = Duration.microseconds(row.pause)
    let pause = pacing.pause(seen)
    #expect(pause.length == .microseconds(row.rounded))
    #expect(pause.seen == (seen > pacing.longest ? seen : pause.length))
    #expect(pacing.pause(pause.length) == RecordedPause(length: pause.length, seen: pause.length))
  }

  private struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var events: [Conversation.Event]
    var waits: Set<String>

    var testDescription: String { name }
  }

  private static let rows = [
    Row(
      name: "of either side",
      events: [
        .init(at: .zero, side: .client, act: .bytes([97])), .init(at: .seconds(20), side: .server, act: .bytes([98])),
        .init(at: .seconds(22), side: .client, act: .bytes([99])), .init(at: .seconds(97), side: .client, act: .finish),
      ],
      waits: ["- wait: 2s  # it was 20 s", "- wait: 2s", "- wait: 2s  # it was 1 min 15 s"]),
    Row(
      name: "at an end, the sum of those before the close_notify and behind it",
      events: [
        .init(at: .zero, side: .client, act: .handshake(Conversation.Handshake())),
        .init(at: .seconds(20), side: .server, act: .closeNotify),
        .init(at: .seconds(21), side: .server, act: .finish),
      ],
      waits: ["- wait: 3s  # it was 21 s"]),
    Row(
      name: "at an end, where only that behind the close_notify is cut",
      events: [
        .init(at: .zero, side: .client, act: .handshake(Conversation.Handshake())),
        .init(at: .seconds(1), side: .server, act: .closeNotify),
        .init(at: .seconds(21), side: .server, act: .finish),
      ],
      waits: ["- wait: 3s  # it was 21 s"]),
    Row(
      name: "at an end, where neither is cut",
      events: [
        .init(at: .zero, side: .client, act: .handshake(Conversation.Handshake())),
        .init(at: .seconds(1), side: .server, act: .closeNotify),
        .init(at: .milliseconds(2_900), side: .server, act: .finish),
      ],
      waits: ["- wait: 3s"]),
  ]

  @Test("where a pause is cut, how long it was stands beside it", arguments: rows)
  private func cutPauses(_ row: Row) {
    let text = ScenarioDraft(
      Conversation(client: "a:1", server: "b:2", events: row.events),
      ScenarioDraft.Settings(peer: .server, name: "t", source: "a test")
    ).text
    let waits = text.split(separator: "\n").filter { $0.contains("- wait:") }.map { String($0.drop { $0 == " " }) }
    #expect(Set(waits) == row.waits, "\(text)")
  }
}
