import ScenarioModel

extension ScenarioCheck {
  /// Trust that nobody asks for, and TLS inside TLS.
  mutating func checkTLS() {
    for call in calls {
      guard case .answerTrust = call.command, uses[call.socket]?.asksForTrust != true else { continue }
      report(
        .unreachableStep, at: call.position, "`\(call.socket)` never asks for trust",
        help: "write `startTLS: { manualTrust: true }`")
    }
    guard scenario.matrix.securities != [.plain] else { return }
    let starts = calls.filter { if case .startTLS = $0.command { true } else { false } }.map(\.position)
    for position in starts + scenario.peers.flatMap({ Self.handshakes($0.steps) }) {
      report(
        .conflictingKeys, at: position, "`security` in the matrix wraps the connections in TLS already",
        help: "leave out this step, or `security`")
    }
  }

  private static func handshakes(_ steps: [Located<PeerStep>]) -> [SourcePosition] {
    steps.flatMap { step -> [SourcePosition] in
      switch step.value {
      case .tls: [step.position]
      case .repeated(_, let inner): handshakes(inner)
      default: []
      }
    }
  }
}
