import ScenarioModel

extension Scenario {
  /// Whether a timeout is what the scenario is about; otherwise its timeouts only keep it from waiting for ever, and a
  /// subject without any can be asked all the same.
  var isAboutTimeouts: Bool {
    tags.contains("timeout") || reactions.contains { $0.pattern.isAboutTimeouts }
      || expectations.contains { $0.isAboutTimeouts }
  }
}

extension Expectation {
  fileprivate var isAboutTimeouts: Bool {
    switch self {
    case .event(let event): event.pattern.isAboutTimeouts
    case .anyOrder(let items, _): items.contains { $0.isAboutTimeouts }
    case .oneOf(let alternatives, _): alternatives.flatMap(\.expectations).contains { $0.isAboutTimeouts }
    case .stream, .nothing: false
    }
  }
}

extension CallbackPattern {
  fileprivate var isAboutTimeouts: Bool {
    if kind == .shouldTimeoutRead || kind == .shouldTimeoutWrite { return true }
    guard case .oneOf(let names)? = error else { return false }
    return names.contains {
      [.library(.connectTimeout), .library(.readTimeout), .library(.writeTimeout)].contains($0)
    }
  }
}
