import CaseReduction
import ScenarioModel
import ScenarioYAML
import Testing

/// The rules by which parts of a scenario go together, one by one: what is left of a part that goes alone.
@Suite struct UnitRulesTests {
  private static func units(_ peer: String, _ subject: String, _ expect: String, _ rest: String = "") throws
    -> ScenarioUnits
  {
    let text =
      "title: t\nrequirements: [INV-01]\npeer: [\(peer)]\nsubject: [\(subject)]\nexpect: [\(expect)]\n\(rest)"
    let result = ScenarioReader.read(text, id: "test")
    return ScenarioUnits(try #require(result.scenario, "\(result.diagnostics)\n\(text)"))
  }

  /// What is left by each unit that goes alone.
  private static func rests(_ units: ScenarioUnits) -> [String] {
    units.removable.map { ScenarioWriter.yaml(units.scenario(without: [$0])) }
  }

  struct Rule: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var peer: String
    var subject: String
    var expect: String
    var rest = ""
    /// Where the first of these goes, the others go.
    var together: [String]
  }

  private static let two = "read: { length: 1B, tag: 1 }, read: { length: 1B, tag: 2 }"
  private static let both = "didConnect, didRead: { tag: 1 }, didRead: { tag: 2 }"

  static let rules = [
    Rule(
      testDescription: "reads that an end waits for go with it", peer: "accept, send: ab, expectEnd: fin",
      subject: "connect, \(two), disconnectAfterReading", expect: "\(both), didDisconnect: { error: none }",
      together: ["tag: 1", "tag: 2", "disconnectAfterReading", "didDisconnect"]),
    Rule(
      testDescription: "a read over its limit goes with the end that it makes", peer: "accept, send: abc",
      subject: "connect, read: { through: \"\\n\", limit: 2B, tag: 1 }",
      expect: "didConnect, didDisconnect: { error: ReadMaxedOut }", together: ["tag: 1", "ReadMaxedOut"]),
    Rule(
      testDescription: "a read that never completes goes with the end", peer: "accept, send: a, close",
      subject: "connect, read: { length: 1B, tag: 1 }, read: { length: 5B, tag: 2 }",
      expect: "didConnect, didRead: { tag: 1 }, didDisconnect: { error: Closed }", together: ["tag: 2", "close"]),
    Rule(
      testDescription: "so does a write that nobody reports", peer: "accept, close",
      subject: "connect, write: { bytes: xyz, tag: 3 }", expect: "didConnect, didDisconnect: { error: Closed }",
      together: ["tag: 3", "close"]),
    Rule(
      testDescription: "reads that are told as one stream stay together", peer: "accept, send: ab",
      subject: "connect, \(two)", expect: "didConnect, stream: ab", together: ["tag: 1", "tag: 2", "stream"]),
    Rule(
      testDescription: "so do reads whose progress somebody looks at", peer: "accept, send: ab",
      subject: "connect, \(two), after: { didRead: { tag: 2 } }, check: { progressOfRead: none }", expect: both,
      together: ["tag: 1", "tag: 2"]),
    Rule(
      testDescription: "a time that counts from another expectation goes with it", peer: "accept, send: ab",
      subject: "connect, \(two)", expect: "didConnect, didRead: { tag: 1 }, didRead: { tag: 2, within: 1s }",
      together: ["tag: 1", "tag: 2"]),
    Rule(
      testDescription: "a silence goes with what it follows", peer: "accept, send: ab", subject: "connect, \(two)",
      expect: "\(both), nothing: { for: 50ms }", together: ["tag: 2", "nothing"]),
    Rule(
      testDescription: "a reaction goes with the callback that it answers", peer: "accept, send: ab, expect: x",
      subject: "connect, \(two)", expect: "\(both), didWrite: { tag: 3 }",
      rest: "reactions: [{ when: { didRead: { tag: 2 } }, do: [write: { bytes: x, tag: 3 }] }]\n",
      together: ["didRead: { tag: 2 }", "tag: 3"]),
  ]

  @Test("what goes together", arguments: rules) func together(rule: Rule) throws {
    for rest in Self.rests(try Self.units(rule.peer, rule.subject, rule.expect, rule.rest))
    where !rest.contains(rule.together[0]) {
      for other in rule.together.dropFirst() { #expect(!rest.contains(other), "\(other)\n\(rest)") }
    }
  }

  @Test("what two reads have in common keeps neither of them") func apart() throws {
    let rests = Self.rests(try Self.units("accept, send: ab", "connect, \(Self.two)", Self.both))
    #expect(rests.contains { !$0.contains("tag: 1") && $0.contains("tag: 2") && $0.contains("send: \"b\"") })
    #expect(rests.contains { $0.contains("tag: 1") && !$0.contains("tag: 2") && $0.contains("send: \"a\"") })
  }

  @Test("bytes that no read takes go") func surplus() throws {
    let units = try Self.units("accept, send: aXYZ", "connect, read: { length: 1B, tag: 1 }", "didConnect, didRead")
    #expect(Self.rests(units).contains { $0.contains("send: \"a\"") && $0.contains("tag: 1") })
  }

  @Test("a reaction to something that nobody expects stays") func reaction() throws {
    let units = try Self.units(
      "accept, send: ab", "connect, \(Self.two), write: { bytes: x, tag: 3 }", Self.both,
      "reactions: [{ when: didWrite, do: [write: { bytes: y, tag: 4 }] }]\n")
    let rests = Self.rests(units)
    #expect(!rests.isEmpty && rests.allSatisfy { $0.contains("tag: 4") })
  }

  @Test("a wait goes where nothing depends on time, and stays where something does") func time() throws {
    func goes(_ peer: String, _ subject: String, _ expect: String) throws -> Bool {
      let units = try Self.units(peer, subject, expect)
      let wait = try #require(
        units.removable.first { !ScenarioWriter.yaml(units.scenario(without: [$0])).contains("wait") })
      return units.admits(without: [wait])
    }
    let read = "read: { length: 1B, tag: 1 }"
    let told = "didConnect, didRead: { tag: 1 }"
    #expect(try goes("accept, send: a", "connect, wait: 5ms, \(read)", told))
    #expect(try !goes("accept, send: a", "connect, wait: 5ms, read: { length: 1B, tag: 1, timeout: 1s }", told))
    #expect(try !goes("accept, send: a", "connect, wait: 5ms, \(read), check: { isConnected: true }", told))
    #expect(try !goes("accept, send: a", "connect, wait: 5ms, \(read)", "\(told), nothing: { for: 50ms }"))
    let early = "didConnect, didRead: { tag: 1, notBefore: 5ms, from: start }"
    #expect(try !goes("accept, send: a", "connect, wait: 5ms, \(read)", early))
    let drip = "accept, drip: { bytes: a, chunk: 1B, every: 20ms }"
    #expect(try !goes(drip, "connect, wait: 5ms, \(read)", told))
  }

  @Test("who waited for a callback that goes waits for the one before it") func moments() throws {
    let units = try Self.units(
      "accept, send: ab, expect: x",
      "connect, \(Self.two), after: { didRead: { tag: 2 } }, write: { bytes: x, tag: 3 }",
      "\(Self.both), didWrite: { tag: 3 }")
    let rests = Self.rests(units).filter { !$0.contains("tag: 2") && $0.contains("tag: 3") }
    #expect(!rests.isEmpty && rests.allSatisfy { $0.contains("after: { didRead: { tag: 1 } }") }, "\(rests)")
    let kept = Self.rests(units).filter { $0.contains("tag: 2") && !$0.contains("tag: 1") && $0.contains("tag: 3") }
    #expect(!kept.isEmpty && kept.allSatisfy { $0.contains("after: { didRead: { tag: 2 } }") }, "\(kept)")
  }

  // MARK: Shorter

  @Test("a delimiter stays at the end, and only there") func delimiter() throws {
    let units = try Self.units(
      "accept, send: aXaa", "connect, read: { through: aa, tag: 1 }", "didConnect, didRead: { tag: 1, bytes: aXaa }")
    let shortening = try #require(units.shortenings.first)
    #expect(shortening.count == 4 && shortening.least == 2)
    #expect(units.scenario(shortening, keeping: 3) == nil)
    #expect(ScenarioWriter.yaml(try #require(units.scenario(shortening, keeping: 2))).contains("send: \"aa\""))
  }

  @Test("what is expected of a shorter read is shorter; a hash and a caller's buffer hold it") func shorter() throws {
    let subject = "connect, read: { length: 4B, tag: 1 }"
    let units = try Self.units("accept, send: abcd", subject, "didConnect, didRead: { tag: 1, length: 4B }")
    let shortening = try #require(units.shortenings.first)
    let text = ScenarioWriter.yaml(try #require(units.scenario(shortening, keeping: 2)))
    #expect(text.split(separator: "length: 2B").count == 3 && text.contains("send: \"ab\""), "\(text)")
    let hashed = "didConnect, didRead: { tag: 1, hash: \"0123456789abcdef\" }"
    #expect(try Self.units("accept, send: abcd", subject, hashed).shortenings.isEmpty)
    let buffered = "connect, read: { length: 4B, tag: 1, buffer: { name: page, size: 10B } }"
    #expect(try Self.units("accept, send: abcd", buffered, "didConnect, didRead: { tag: 1 }").shortenings.isEmpty)
  }
}
