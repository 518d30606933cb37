import ScenarioModel

/// Holds every didConnect to what the sockets of a scenario connect to (CON-02, DIAG-04), whatever it expects: numeric
/// hosts, and the port of a peer that the socket was sent to.
struct ConnectedPeers: Sendable {
  /// By socket: the peers that it is ever sent to. A socket that goes anywhere else as well, or to whom it was sent by
  /// nobody, such as a child, may name any port.
  private var targets: [String: Set<String>] = [:]
  private var strangers: Set<String> = []

  init(scenario: Scenario) {
    for case (.connect(let connect), let socket) in scenario.calls {
      switch connect.target {
      case .peer(let name), .host(_, port: .peer(let name)): targets[socket, default: []].insert(name)
      case .host, .address, .path: strangers.insert(socket)
      }
    }
  }

  /// What is wrong with it; nil: nothing, or nobody can tell.
  func fault(of delivered: DeliveredCallback, port: (PortReference) -> UInt16?) -> Deviation? {
    guard case .didConnect(let host, let told) = delivered.callback else { return nil }
    let actual = ExpectationText.text(delivered)
    guard Self.isNumeric(host) else {
      return Deviation(
        kind: .invariant, expected: "didConnect of \(delivered.socket) tells a numeric host without a scope",
        actual: actual, requirement: "DIAG-04")
    }
    guard !strangers.contains(delivered.socket), let peers = targets[delivered.socket] else { return nil }
    let ports = peers.sorted().map { ($0, port(.peer($0))) }
    guard !ports.contains(where: { $0.1 == nil || Int($0.1 ?? 0) == Int(told) }) else { return nil }
    let wanted = ports.map { "\($0.1 ?? 0) of \($0.0)" }.joined(separator: " or ")
    return Deviation(
      kind: .invariant, expected: "didConnect of \(delivered.socket) tells the port \(wanted)", actual: actual,
      requirement: "CON-02")
  }

  private static func isNumeric(_ host: String) -> Bool {
    let allowed = host.contains(":") ? "0123456789abcdefABCDEF:." : "0123456789."
    return !host.isEmpty && host.utf8.allSatisfy(allowed.utf8.contains)
  }
}
