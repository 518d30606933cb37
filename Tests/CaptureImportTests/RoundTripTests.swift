import Foundation
import RunReports
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import ScenarioYAML
import Simulation
import Testing

@testable import CaptureImport
@testable import Conversations

/// The law of the importer: what a scenario puts on the wire, captured by the lab and imported, makes a scenario that
/// puts the same on the wire, as one and the same file when imported again. Told for every scenario of the suite that
/// runs in simulated time and has one connection, and for some of them over the kernel.
@Suite struct RoundTripTests {
  /// What became of a scenario.
  private enum Outcome: Sendable {
    case holds
    /// No part of the law, or of this test.
    case outside(String)
    case broken(String)
  }

  /// Of a side. Built for debugging, the test would take minutes for the few scenarios with more; an optimised build
  /// (`-c release -Xswiftc -enable-testing`) takes them all with `SOCKETLAB_ROUND_TRIP_BYTES=1000000000`.
  private static let maxBytes =
    ProcessInfo.processInfo.environment["SOCKETLAB_ROUND_TRIP_BYTES"].flatMap { Int($0) } ?? 256 << 10
  /// Whether the scenario is played over the kernel, where time is real: one in twenty, and one in ten of those of TLS,
  /// most of which tell nothing that can be opened. By its name, so that a new one does not change who else is.
  private static func isPlayedOverTheKernel(_ scenario: Scenario) -> Bool {
    let number = SplitMix64.mix(ContentHash(of: scenario.id.utf8).value)
    return number % (scenario.id.hasPrefix("tls/") ? 10 : 20) == 0
  }

  private static let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { place, _ in
    place.deletingLastPathComponent()
  }.appending(path: "Scenarios").path

  private static func play(_ scenario: Scenario, in world: WorldName) throws -> (result: CaseResult, capture: [UInt8]) {
    let result = try Played.result(scenario, in: world)
    let capture = PacketCapture.make(result, start: 0, version: "1", system: "test", maxBytes: 256 << 20)
    return (result, capture ?? [])
  }

  private static func draft(_ conversation: Conversation, peer: Conversation.Side) -> ScenarioDraft {
    ScenarioDraft(conversation, ScenarioDraft.Settings(peer: peer, name: "trip", source: "a test"))
  }

  private static func outcome(
    of scenario: Scenario, _ capture: [UInt8], opensTLS: Bool, in world: WorldName
  ) throws -> Outcome {
    let seen = Imported(capture, opensTLS: opensTLS).conversations
    guard let first = seen.first else { return .outside("no connection") }
    if opensTLS, !first.isOpened { return .outside("no TLS, or none that can be opened") }
    guard seen.count == 1 else { return .outside("several connections") }
    guard first.opening == .seen else { return .outside("a connection that did not come about") }
    guard Conversation.Side.allCases.allSatisfy({ first.count(of: $0) <= Self.maxBytes }) else {
      return .outside("too long")
    }
    // The lab's captures show whose scripted peer it is: it plays its side again.
    let peer: Conversation.Side = scenario.peers.contains(where: \.listens) ? .server : .client
    let draft = draft(first, peer: peer)
    let files = Dictionary(uniqueKeysWithValues: draft.files.map { ($0.path, $0.bytes) })
    let read = ScenarioReader.read(bytes: Array(draft.text.utf8), id: "trip") { files[$0] }
    guard let imported = read.scenario else { return .broken("\(read.diagnostics)\n\(draft.text)") }
    guard imported.worlds.contains(world) else { return .outside("only in the other world") }
    let (result, capture) = try play(imported, in: world)
    let deviations = result.deviations.map { "\($0.kind) \($0.expected) / \($0.actual)" }
    guard result.isAsExpected else { return .broken("\(deviations)\n\(draft.text)") }
    // The library has no call that resets: where the subject did so over bytes that nobody saw, it disconnects.
    let reset = "\(peer.other) rst"
    let again = Imported(capture, opensTLS: opensTLS).conversations.first
    // Over the kernel, how much of what the peer sends into the subject's end is captured is a matter of chance.
    let isCut = world == .loopback && (first.goesOn(past: peer.other) || again?.goesOn(past: peer.other) == true)
    let sides = isCut ? [peer.other] : Conversation.Side.allCases
    let wanted = told(first, subject: peer.other, in: world, sides).map { $0 == reset ? "\(peer.other) fin" : $0 }
    let came = again.map { told($0, subject: peer.other, in: world, sides) } ?? []
    guard came == wanted else {
      return .broken("\(wanted)\n\(came)\n\(draft.text)")
    }
    return .holds
  }

  /// Over the kernel each side for itself: which of two that act at once is captured first is a matter of chance there.
  ///
  /// Of the subject's changes of keys the number: all of them answer the peer's, and which of its records stand before
  /// an answer is for its TLS to say.
  private static func told(
    _ conversation: Conversation, subject: Conversation.Side, in world: WorldName, _ sides: [Conversation.Side]
  ) -> [String] {
    var shown = conversation
    shown.events.removeAll { $0.side == subject && $0.isKeyUpdate }
    let answers = "\(conversation.events.count - shown.events.count) new keys of the \(subject)"
    guard world == .loopback else { return shown.told + [answers] }
    return sides.flatMap { side in
      var alone = shown
      alone.events.removeAll { $0.side != side }
      return alone.told
    } + [answers]
  }

  /// With TLS as records, and opened.
  private static func outcomes(of scenario: Scenario, in world: WorldName) -> [Outcome] {
    guard scenario.worlds.contains(world) else {
      return [.outside("only in the other world"), .outside("only in the other world")]
    }
    do {
      let (_, capture) = try play(scenario, in: world)
      return try [false, true].map { try outcome(of: scenario, capture, opensTLS: $0, in: world) }
    } catch { return [.broken("\(error)")] }
  }

  @Test("a scenario's capture, imported, makes the same capture again, with TLS as records and opened")
  func law() async throws {
    let scenarios = try ScenarioLibrary(folder: Self.root).scenarios
    let outcomes = await withTaskGroup(of: (String, [Outcome]).self) { group in
      for scenario in scenarios { group.addTask { (scenario.id, Self.outcomes(of: scenario, in: .simulated)) } }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    var outside = [[String: Int](), [:]]
    var holding = [0, 0]
    for (id, both) in outcomes.sorted(by: { $0.key < $1.key }) {
      for (index, outcome) in both.enumerated() {
        switch outcome {
        case .holds: holding[index] += 1
        case .outside(let reason): outside[index][reason, default: 0] += 1
        case .broken(let how): Issue.record("\(id)\(index == 0 ? "" : ", opened"): \(how)")
        }
      }
    }
    // All of them but those are told here: the suite has no other reason.
    let known: Set = ["only in the other world", "no connection", "several connections", "too long"]
    #expect(Set(outside[0].keys).isSubset(of: known), "\(outside)")
    #expect(outside[0]["too long", default: 0] < holding[0] / 10, "\(outside)")
    #expect(Set(outside[1].keys).isSubset(of: known.union(["no TLS, or none that can be opened"])), "\(outside)")
    #expect(holding[1] > 100, "\(outside)")
  }

  @Test("the same over the kernel, of some scenarios")
  func lawOverTheKernel() throws {
    let scenarios = try ScenarioLibrary(folder: Self.root).scenarios
    var holding = [0, 0]
    for scenario in scenarios where Self.isPlayedOverTheKernel(scenario) {
      for (index, outcome) in Self.outcomes(of: scenario, in: .loopback).enumerated() {
        switch outcome {
        case .holds: holding[index] += 1
        case .outside: continue
        case .broken(let how): Issue.record("\(scenario.id)\(index == 0 ? "" : ", opened"): \(how)")
        }
      }
    }
    #expect(holding[0] > 20 && holding[1] > 2, "\(holding)")
  }
}

extension Conversation {
  fileprivate var isOpened: Bool {
    events.contains { if case .handshake = $0.act { true } else { false } }
  }

  /// Whether the other side says something after this one's end.
  fileprivate func goesOn(past side: Side) -> Bool {
    guard let end = events.firstIndex(where: { $0.side == side && $0.isEnd }) else { return false }
    return events[end...].contains { event in
      if case .bytes = event.act { event.side != side } else { false }
    }
  }
}

extension Conversation.Event {
  fileprivate var isEnd: Bool {
    switch act {
    case .finish, .reset: true
    default: false
    }
  }

  fileprivate var isKeyUpdate: Bool { if case .keyUpdate = act { true } else { false } }
}
