import Foundation
import ScenarioModel
import Testing

@testable import SubjectProtocol

/// Whoever writes a subject has Subjects/README.md and nothing else: each word that a hello can have stands in it.
@Suite struct ProtocolDocumentTests {
  private static let words: [String] = {
    let properties = Set(SubjectProperty.allCases).subtracting([
      .buffer, .unreadData, .canSafelySetDelegate, .runLoopModes, .description,
    ])
    let callbacks = Set(CallbackKind.allCases).subtracting([
      .newSocketQueue, .willConnect, .willDisconnect, .wantsRunLoop,
    ])
    // The two between `tls1.0` and `tls1.3` go without saying.
    let features = Set(SubjectClaim.allCases).subtracting([.tls11, .tls12])
    return SubjectClaims.knownCalls + properties.map(\.rawValue) + callbacks.map(\.rawValue) + features.map(\.rawValue)
  }()

  @Test func everyWordIsExplained() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent("Subjects/README.md"), encoding: .utf8)
    let table = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.joined(separator: "\n")
    #expect(Self.words.filter { !table.contains("`\($0)`") }.sorted() == [])
  }
}
