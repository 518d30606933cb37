import ScenarioModel
import ScenarioRunner
import ScenarioYAML
import Simulation
import SubjectAdapters
import Testing

@testable import CaptureImport
@testable import Conversations

/// Plays scenarios against the reference.
enum Played {
  /// Over the kernel again, while the host itself was late.
  private static let tries = 5

  static func result(_ scenario: Scenario, in name: WorldName) throws -> CaseResult {
    let variant = try #require(scenario.variants.first { $0.subject == .gcd } ?? scenario.variants.first)
    let script = CaseScript(scenario, profile: .documented)
    guard name == .loopback else {
      var world = SimulatedWorld()
      return CaseRunner.run(script, variant: variant, seed: 1, in: &world, tolerance: .simulated)
    }
    func once() -> CaseResult {
      var world = LoopbackWorld()
      return CaseRunner.run(
        script, variant: variant, seed: 1, in: &world, tolerance: .loopback(jitter: HostProbe.jitter()))
    }
    var result = once()
    for _ in 1..<tries where result.verdict == .inconclusive { result = once() }
    return result
  }

  /// nil: all is as expected.
  static func fault(of result: CaseResult) -> String? {
    guard !result.isAsExpected else { return nil }
    return "\(result.verdict): \(result.deviations.map { "\($0.kind) \($0.expected) / \($0.actual)" })"
  }
}

/// What a capture makes of odd conversations runs green against the reference, in both worlds.
@Suite struct ImportedPlayTests {
  /// Two ends that talk, packet by packet; each acknowledges all that it has got.
  private struct Talk {
    private let maker = WireMaker()
    private var next: (client: UInt32, server: UInt32) = (99, 999)
    private(set) var packets: [[UInt8]] = []

    init() {
      say(.client, flags: 2)
      say(.server, flags: 18)
      say(.client)
    }

    mutating func say(
      _ side: Conversation.Side, _ text: String = "", flags: UInt8 = 16, window: Int = 1_000, urgent: Int = 0
    ) {
      let isClient = side == .client
      let segment = maker.segment(
        fromClient: isClient, isClient ? next.client : next.server, text, flags: flags,
        acknowledged: flags & 16 == 0 ? 0 : isClient ? next.server : next.client, window: window, urgent: urgent)
      packets.append(maker.packet(fromClient: isClient, segment))
      let count = UInt32(text.utf8.count) + (flags & 3 == 0 ? 0 : 1)
      if isClient { next.client += count } else { next.server += count }
    }

    mutating func finish(_ first: Conversation.Side) {
      say(first, flags: 17)
      say(first.other, flags: 17)
      say(first)
    }

    var capture: [UInt8] { maker.pcap(packets) }
  }

  private struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var talk: @Sendable (inout Talk) -> Void

    init(_ name: String, _ talk: @escaping @Sendable (inout Talk) -> Void) {
      self.name = name
      self.talk = talk
    }

    var testDescription: String { name }
  }

  private static let rows = windows + ends + turns

  private static let windows = [
    Row("a byte that asks for the window is taken") { talk in
      talk.say(.client, "hello\r\n")
      talk.say(.server, window: 0)
      talk.say(.client, "X")
      talk.say(.server, window: 0)
      talk.say(.server, window: 900)
      talk.say(.client, "rest\r\n")
      talk.say(.server, "ok\r\n")
      talk.finish(.client)
    },
    Row("a FIN while the window is shut") { talk in
      talk.say(.client, "hello\r\n")
      talk.say(.server, window: 0)
      talk.finish(.client)
    },
  ]

  private static let ends = [
    Row("nothing but an urgent byte") { talk in
      talk.say(.server, "!", flags: 48, urgent: 1)
      talk.finish(.server)
    },
    Row("urgent bytes among others, and last") { talk in
      talk.say(.server, "!?", flags: 48, urgent: 1)
      talk.say(.server, "!!", flags: 48, urgent: 2)
      talk.finish(.server)
    },
    Row("an urgent byte behind data, and the client ends") { talk in
      talk.say(.server, "data")
      talk.say(.server, "!", flags: 48, urgent: 1)
      talk.finish(.client)
    },
    Row("a reset of the server's at once") { $0.say(.server, flags: 20) },
    Row("a reset of the client's at once") { $0.say(.client, flags: 20) },
  ]

  private static let turns = [
    Row("rounds of four turns, the client first") { talk in
      let turns: [(Conversation.Side, String)] = [
        (.client, "SET"), (.server, "OK"), (.client, "GET"), (.server, "$1"),
      ]
      for _ in 0..<5 { for (side, text) in turns { talk.say(side, text) } }
      talk.finish(.client)
    },
    Row("rounds of six turns, the server first, and of two") { talk in
      for number in 0..<24 { talk.say(number % 2 == 0 ? .server : .client, "turn \(number % 6)") }
      for number in 0..<9 { talk.say(number % 2 == 0 ? .server : .client, "next \(number % 2)") }
      talk.finish(.server)
    },
    Row("rounds, and the server goes on with its window shut") { talk in
      for _ in 0..<4 {
        talk.say(.client, "q")
        talk.say(.server, "r")
      }
      talk.say(.server, window: 0)
      talk.say(.server, "a")
      talk.say(.server, "b")
      talk.finish(.client)
    },
    Row("long turns, compared with their files") { talk in
      let page = String((0..<400).map { "line \($0)\n" }.joined().prefix(3_000))
      talk.say(.client, page)
      talk.say(.server, page + "!")
      talk.say(.server, page)
      talk.finish(.server)
    },
  ]

  @Test("odd conversations are green against the reference, on either side", arguments: rows)
  private func green(_ row: Row) throws {
    var talk = Talk()
    row.talk(&talk)
    let conversation = try #require(Imported(talk.capture).conversations.first)
    for peer in Conversation.Side.allCases {
      let draft = ScenarioDraft(conversation, ScenarioDraft.Settings(peer: peer, name: "talk", source: "a test"))
      let files = Dictionary(uniqueKeysWithValues: draft.files.map { ($0.path, $0.bytes) })
      let read = ScenarioReader.read(bytes: Array(draft.text.utf8), id: "talk") { files[$0] }
      let scenario = try #require(read.scenario, "\(read.diagnostics)\n\(draft.text)")
      for world in [WorldName.simulated, .loopback] where scenario.worlds.contains(world) {
        let fault = try Played.fault(of: Played.result(scenario, in: world))
        #expect(fault == nil, "the peer is the \(peer), \(world): \(fault ?? "")\n\(draft.text)")
      }
    }
  }
}
