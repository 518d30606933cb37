import ScenarioYAML
import Testing

@testable import Conversations

/// Rounds that are alike.
@Suite struct SceneTests {
  private struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    /// Of one round: what is said in turn, the client first.
    var round: [String]
    var times = 8
    /// Before each turn, in milliseconds; again from the first when there are no more.
    var pauses = [0]
    /// The steps of the repeat; nil: there is none.
    var steps: [String]?

    var testDescription: String { name }
  }

  private static let rows = [
    Row(
      name: "two turns", round: ["a", "b"],
      steps: ["- expect: \"a\"", "- send: \"b\""]),
    Row(
      name: "four turns", round: ["set", "ok", "get", "one"],
      steps: ["- expect: \"set\"", "- send: \"ok\"", "- expect: \"get\"", "- send: \"one\""]),
    Row(
      name: "six turns", round: ["a", "b", "c", "d", "e", "f"], times: 3,
      steps: [
        "- expect: \"a\"", "- send: \"b\"", "- expect: \"c\"", "- send: \"d\"", "- expect: \"e\"", "- send: \"f\"",
      ]),
    Row(name: "too few", round: ["a", "b", "c", "d"], times: 2),
    Row(
      name: "pauses about alike of the peer's", round: ["a", "b"], pauses: [0, 11, 0, 30, 0, 20],
      steps: ["- expect: \"a\"", "- wait: 20ms", "- send: \"b\""]),
    Row(
      name: "pauses about alike of the subject's, which the peer makes", round: ["a", "b"],
      pauses: [11, 0, 30, 0, 20, 0],
      steps: ["- expect: \"a\"", "- wait: 20ms", "- send: \"b\""]),
    Row(
      name: "pauses of both", round: ["a", "b"], pauses: [20, 50],
      steps: ["- expect: \"a\"", "- wait: 70ms", "- send: \"b\""]),
    Row(name: "pauses that are not alike", round: ["a", "b"], pauses: [0, 10, 0, 100, 0, 1_000]),
  ]

  @Test("rounds of two, four and six turns, with pauses that are about alike", arguments: rows)
  private func rounds(_ row: Row) throws {
    var at = 0
    var events: [Conversation.Event] = []
    for index in 0..<row.times * row.round.count {
      at += row.pauses[index % row.pauses.count]
      let act = Conversation.Act.bytes(Array(row.round[index % row.round.count].utf8))
      let side: Conversation.Side = index % 2 == 0 ? .client : .server
      events.append(Conversation.Event(at: .milliseconds(at), side: side, act: act))
    }
    let conversation = Conversation(client: "a:1", server: "b:2", events: events)
    for peer in Conversation.Side.allCases {
      let draft = ScenarioDraft(conversation, ScenarioDraft.Settings(peer: peer, name: "talk", source: "a test"))
      let read = ScenarioReader.read(draft.text, id: "talk")
      #expect(read.scenario != nil, "\(read.diagnostics)\n\(draft.text)")
      #expect(draft.text.contains("- repeat:") == (row.steps != nil), "\(draft.text)")
      guard peer == .server, let steps = row.steps else { continue }
      let lines = ["- repeat:", "    times: \(row.times)", "    steps:"] + steps.map { "      " + $0 }
      #expect(draft.text.contains(lines.map { "  " + $0 + "\n" }.joined()), "\(draft.text)")
      #expect(draft.text.split(separator: "\n").count < 55)
    }
  }

  @Test("the pause before the first words is the subject's own, however long the others are")
  func lead() {
    var events: [Conversation.Event] = []
    for index in 0..<6 {
      let act = Conversation.Act.bytes([UInt8(index % 2)])
      let instant = Duration.milliseconds(1_000 + 20 * index)
      events.append(Conversation.Event(at: instant, side: index % 2 == 0 ? .client : .server, act: act))
    }
    let draft = ScenarioDraft(
      Conversation(client: "a:1", server: "b:2", events: events), ScenarioDraft.Settings(name: "talk", source: "a test")
    )
    #expect(draft.text.contains("  - wait: 1s\n  - write:"), "\(draft.text)")
    #expect(draft.text.contains("        - wait: 40ms\n"), "\(draft.text)")
  }
}
