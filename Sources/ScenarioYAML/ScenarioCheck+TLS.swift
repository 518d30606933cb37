import ScenarioModel

extension ScenarioCheck {
  /// Answers about trust that is never asked for, and TLS inside TLS.
  mutating func checkTLS() {
    for call in calls {
      guard case .answerTrust = call.command, uses[call.socket]?.asksForTrust != true else { continue }
      report(
        .unreachableStep, at: call.position, "`\(call.socket)` never asks for trust",
        help: "write `startTLS: { manualTrust: true }`")
    }
    checkVersions()
  }

  /// The matrix's securities, where TLS is in the steps.
  private mutating func checkVersions() {
    guard scenario.matrix.securities != [.plain] else { return }
    let starts = calls.filter { if case .startTLS = $0.command { true } else { false } }.map(\.position)
    let handshakes = scenario.peers.flatMap { Self.handshakes($0.steps) }
    if scenario.matrix.securities.contains(.plain) {
      for position in starts + handshakes.map(\.position) {
        report(
          .conflictingKeys, at: position, "`security` in the matrix wraps the connections in TLS already",
          help: "leave out this step, or `plain` in the matrix: other versions are those that the peers' `tls` speak")
      }
      return
    }
    if handshakes.isEmpty, let start = starts.first {
      report(
        .conflictingKeys, at: start, "`security` in the matrix is the version that peers speak, and no peer has `tls`",
        help: "leave `security` out, and write `version` here")
    }
    for handshake in handshakes where handshake.value {
      report(
        .conflictingKeys, at: handshake.position, "`security` in the matrix says the version already",
        help: "leave out the version of this step, or `security`")
    }
  }

  /// The peers' `tls` steps, and whether they say a version.
  private static func handshakes(_ steps: [Located<PeerStep>]) -> [Located<Bool>] {
    steps.flatMap { step -> [Located<Bool>] in
      switch step.value {
      case .tls(let tls): [Located(tls.minimumVersion != nil || tls.maximumVersion != nil, at: step.position)]
      case .repeated(_, let inner): handshakes(inner)
      default: []
      }
    }
  }
}
