import Exploration
import ScenarioModel
import ScenarioYAML
import Testing

@Suite("Changes of committed scenarios")
struct ScenarioChangeTests {
  private static let seeds: [UInt64] = [1, 2]

  @Test(
    "what comes of a change is a file that check accepts, or it is discarded",
    arguments: ScenarioChange.Kind.allCases)
  func stays(kind: ScenarioChange.Kind) throws {
    var made = 0
    for scenario in try Committed.scenarios.get() {
      for seed in Self.seeds {
        let change = ScenarioChange(kind, seed: seed)
        let changed = TrialDrawing.changed(scenario, by: [change], isFaithful: kind.isFaithful, id: "explore/1")
        guard let (changed, effective) = changed else { continue }
        made += 1
        #expect(effective == [change])
        let read = ScenarioReader.read(ScenarioWriter.yaml(changed), id: changed.id)
        #expect(!read.diagnostics.contains { $0.severity == .error } && read.scenarios.count == 1)
        #expect(change.applied(to: scenario) == change.applied(to: scenario))
      }
    }
    #expect(made > 0)
  }

  @Test(
    "after a faithful change the sound subject does what the scenario expects",
    arguments: ScenarioChange.Kind.allCases.filter(\.isFaithful))
  func faithful(kind: ScenarioChange.Kind) throws {
    for scenario in try Committed.scenarios.get() {
      for seed in Self.seeds {
        let change = ScenarioChange(kind, seed: seed)
        guard
          let (changed, _) = TrialDrawing.changed(scenario, by: [change], isFaithful: true, id: "explore/1"),
          let variant = changed.variants.last
        else { continue }
        let result = Committed.play(changed, variant, seed: seed)
        let first = result.deviations.first.map { "\($0.kind) \($0.expected); \($0.actual)" } ?? ""
        #expect(result.isAsExpected, "\(kind.rawValue) \(seed) of \(scenario.id) [\(variant.name)]: \(first)")
      }
    }
  }

  @Test("a call that does nothing is added only where it does not wait for a callback that takes its time")
  func idle() throws {
    let busy = try #require(try Committed.scenario("write/a-write-in-a-callback-after-a-reset-ends-the-connection"))
    var made = 0
    for seed in 0..<UInt64(30) {
      let change = ScenarioChange(.idleCalls, seed: seed)
      guard let (changed, _) = TrialDrawing.changed(busy, by: [change], isFaithful: true, id: "explore/1") else {
        continue
      }
      for variant in changed.variants where variant.family == .ipv4 && variant.security == .plain {
        made += 1
        let result = Committed.play(changed, variant, seed: seed)
        #expect(result.isAsExpected, "\(variant.name): \(result.deviations)\n\(ScenarioWriter.yaml(changed))")
      }
    }
    #expect(made > 30)
  }

  @Test("a faithful change leaves every expectation there is; any other leaves none")
  func judging() throws {
    for scenario in try Committed.scenarios.get() {
      let tags = ScenarioChange(.tags, seed: 5)
      if let (changed, _) = TrialDrawing.changed(scenario, by: [tags], isFaithful: true, id: "explore/1") {
        #expect(changed.expectations.count == scenario.expectations.count && changed.ending == scenario.ending)
      }
      let call = ScenarioChange(.calls, seed: 5)
      if let (changed, _) = TrialDrawing.changed(scenario, by: [call], isFaithful: false, id: "explore/1") {
        #expect(changed.expectations.isEmpty && changed.ending == nil)
      }
    }
  }

  private static func scenario(_ rest: String) throws -> Scenario {
    let result = ScenarioReader.read("title: t\nrequirements: [INV-01]\n" + rest, id: "t")
    return try #require(result.scenario, "\(result.diagnostics)")
  }

  @Test("another tag and another byte are others wherever they stand") func everywhere() throws {
    let scenario = try Self.scenario(
      """
      worlds: { only: loopback, because: urgent data is not simulated }
      peer: [accept, after: { didWrite: { tag: 71 } }, send: "QQ", sendUrgent: 0x51]
      subject:
        - connect
        - perform: [write: { bytes: "QQ", tag: 71 }, read: { length: 2B, tag: 72 }]
      expect:
        - didConnect
        - didWrite: { tag: 71 }
        - oneOf:
          - [didRead: { tag: 72, bytes: "QQ" }]
          - [didRead: { tag: 72, bytes: "QQQ" }]

      """)
    for seed in 0..<UInt64(20) {
      let tags = try #require(ScenarioChange(.tags, seed: seed).applied(to: scenario))
      #expect(!ScenarioWriter.yaml(tags).contains(#/tag: 7[12]\b/#), "\(ScenarioWriter.yaml(tags))")
      let bytes = try #require(ScenarioChange(.bytes, seed: seed).applied(to: scenario))
      let text = ScenarioWriter.yaml(bytes)
      #expect(!text.contains("QQ") && !text.contains("0x51") && !text.contains("sendUrgent: 81"), "\(text)")
    }
  }

  @Test("bytes that a hash stands for can't be others, and what is not to be cut is not cut") func refused() throws {
    let plain = "matrix: { segmentation: [whole, bytes] }\npeer: [accept, send: abcd]\n"
    let calls =
      "subject: [connect, read: { length: 4B }]\nexpect: [didConnect, didRead: { hash: \"0123456789abcdef\" }]\n"
    let hashed = try Self.scenario(plain + calls)
    let whole = try Self.scenario(plain.replacing("[whole, bytes]", with: "whole") + calls)
    var secured = hashed
    secured.matrix.securities = [.plain, .tls13]
    for seed in 0..<UInt64(20) {
      #expect(ScenarioChange(.bytes, seed: seed).applied(to: hashed) == nil)
      #expect(ScenarioChange(.cuts, seed: seed).applied(to: whole) == nil)
      // Records are not cut as the bytes in them are.
      #expect(try #require(ScenarioChange(.cuts, seed: seed).applied(to: secured)).matrix.securities == [.plain])
    }
  }
}
