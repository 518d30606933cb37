import Foundation
import Requirements
import ScenarioFiles
import ScenarioModel
import SubjectProtocol
import Testing

/// How much of the suite is about any stream socket, and not about the classes of one library.
@Suite struct AnyStreamSocketTests {
  /// What a library with blocking or event-driven sockets and no callbacks of its own can claim.
  private static let claims = SubjectClaims(
    name: "plain", version: "",
    calls: [
      "connect", "listen", "read", "write", "disconnect", "disconnectAfterReading", "disconnectAfterWriting",
      "disconnectAfterReadingAndWriting", "startTLS", "perform",
    ],
    callbacks: [.didConnect, .didConnectToURL, .didAccept, .didRead, .didWrite, .didDisconnect, .didSecure],
    properties: [
      .isConnected, .isDisconnected, .isSecure, .connectedHost, .connectedPort, .localHost, .localPort,
    ],
    features: Set(SubjectClaim.allCases))

  @Test func aQuarterThousandScenariosCanBeAskedOfAnyStreamSocket() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let register = try RequirementRegister(folder: root.appendingPathComponent(RequirementRegister.folder).path)
    let citations = register.citations
    let scenarios = try ScenarioLibrary(folder: root.appendingPathComponent("Scenarios").path).scenarios
    let asked = scenarios.filter { scenario in
      !scenario.canary && scenario.worlds.contains(.loopback)
        && scenario.variants.contains {
          Self.claims.missing(for: scenario, $0.of(program: "plain"), scope: citations.scope) == nil
        }
    }
    #expect(asked.count >= 250, "\(asked.count) of \(scenarios.count)")
    let withoutTLS = asked.filter { !$0.tags.contains("tls") }
    #expect(withoutTLS.count >= 100, "\(withoutTLS.count) of \(asked.count)")
  }
}
