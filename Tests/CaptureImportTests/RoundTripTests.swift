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
/// puts the same on the wire. Told for every scenario of the suite that has one connection and is not about TLS, whose
/// bytes are never the same twice, in the simulated world.
@Suite struct RoundTripTests {
  struct Trip: CustomTestStringConvertible {
    var scenario: Scenario
    var testDescription: String { scenario.id }
  }

  /// Of a side: built for debugging, the test would take minutes for the few scenarios with more.
  private static let mostBytes = 64 << 10

  private static let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { place, _ in
    place.deletingLastPathComponent()
  }.appending(path: "Scenarios").path

  private static let trips: [Trip] = {
    let scenarios = (try? ScenarioLibrary(folder: root))?.scenarios ?? []
    return scenarios.filter { $0.worlds.contains(.simulated) && !$0.canary && !speaksTLS($0) }
      .map { Trip(scenario: $0) }
  }()

  private static func speaksTLS(_ scenario: Scenario) -> Bool {
    scenario.peers.contains { lane in lane.steps.contains { if case .tls = $0.value { true } else { false } } }
  }

  static func play(_ scenario: Scenario) throws -> (result: CaseResult, conversations: [Conversation]) {
    var world = SimulatedWorld()
    let variant = try #require(scenario.variants.first { $0.subject == .gcd } ?? scenario.variants.first)
    let script = CaseScript(scenario, profile: .documented)
    let result = CaseRunner.run(script, variant: variant, seed: 1, in: &world, tolerance: .simulated)
    let capture = PacketCapture.make(result, start: 0, version: "1", system: "test", mostBytes: 256 << 20)
    return (result, capture.map { Imported($0).conversations } ?? [])
  }

  /// What the scenario of it puts on the wire again, and how it was judged.
  static func again(
    _ conversation: Conversation, peer: Conversation.Side
  ) throws -> (result: CaseResult, conversations: [Conversation], text: String) {
    let draft = ScenarioDraft(
      conversation, ScenarioDraft.Settings(peer: peer, name: "trip", source: "a test"))
    let files = Dictionary(uniqueKeysWithValues: draft.files.map { ($0.path, $0.bytes) })
    let read = ScenarioReader.read(bytes: Array(draft.text.utf8), id: "trip") { files[$0] }
    let scenario = try #require(read.scenario, "\(read.diagnostics)\n\(draft.text)")
    let (result, conversations) = try play(scenario)
    return (result, conversations, draft.text)
  }

  @Test("a scenario's capture, imported, makes the same capture again", arguments: trips)
  func law(_ trip: Trip) throws {
    let (_, seen) = try Self.play(trip.scenario)
    guard seen.count == 1, let first = seen.first, first.opening == .seen else { return }
    guard Conversation.Side.allCases.allSatisfy({ first.count(of: $0) <= Self.mostBytes }) else { return }
    // The lab's captures show whose scripted peer it is: it plays its side again.
    let peer: Conversation.Side = trip.scenario.peers.contains(where: \.listens) ? .server : .client
    let (result, conversations, text) = try Self.again(first, peer: peer)
    let deviations = result.deviations.map { "\($0.kind) \($0.expected) / \($0.actual)" }
    #expect(result.isAsExpected, "\(deviations)\n\(text)")
    // The library has no call that resets: where the subject did so over bytes that nobody saw, it disconnects.
    let reset = "\(peer.other) rst"
    let wanted = first.told.map { $0 == reset ? "\(peer.other) fin" : $0 }
    #expect(conversations.first?.told == wanted, "\(text)")
  }

  @Test("most of the suite takes part in the law")
  func coverage() throws {
    let plain = Self.trips.filter { $0.scenario.peers.count == 1 && $0.scenario.network == nil }
    #expect(plain.count > 200)
  }
}
