import ScenarioModel

extension Writing {
  mutating func write(_ expectation: Expectation, _ indent: Int) {
    switch expectation {
    case .event(let event):
      let fields = FlowText.fields(event.pattern) + fields(event)
      let name = prefix(event.socket, fallback: defaultSocket) + event.pattern.kind.rawValue
      item(indent, name + (fields.isEmpty ? "" : ": " + FlowText.mapping(fields)))
    case .stream(let stream):
      let name = prefix(stream.socket, fallback: defaultSocket) + "stream: "
      item(indent, name + FlowText.payload(stream.payload))
    case .nothing(let duration, let socket, _):
      let name = prefix(socket, fallback: defaultSocket) + "nothing: "
      item(indent, name + FlowText.mapping([("for", DurationText.text(duration))]))
    case .anyOrder(let inner, _):
      item(indent, "anyOrder:")
      for expectation in inner { write(expectation, indent + 2) }
    case .oneOf(let alternatives, _):
      if let event = Self.connected(alternatives) {
        let fields = FlowText.fields(event.pattern) + fields(event)
        let name = prefix(event.socket, fallback: defaultSocket) + "connected"
        return item(indent, name + (fields.isEmpty ? "" : ": " + FlowText.mapping(fields)))
      }
      item(indent, "oneOf:")
      for alternative in alternatives { write(alternative, indent + 2) }
    }
  }

  /// The event of `connected`, if the alternatives are what that word stands for.
  private static func connected(_ alternatives: [Alternative]) -> EventExpectation? {
    let events = alternatives.compactMap { alternative -> EventExpectation? in
      guard alternative.grade == .pass, alternative.profile == nil, alternative.expectations.count == 1,
        case .event(let event)? = alternative.expectations.first
      else { return nil }
      return event
    }
    guard events.count == 2, alternatives.count == 2, var path = events.last, let host = events.first,
      host.pattern.kind == .didConnect, path.pattern.kind == .didConnectToURL
    else { return nil }
    path.pattern.kind = .didConnect
    path.position = host.position
    var plain = CallbackPattern(kind: .didConnect)
    plain.delegate = host.pattern.delegate
    return path == host && host.pattern == plain ? host : nil
  }

  private mutating func write(_ alternative: Alternative, _ indent: Int) {
    item(indent, "grade: \(alternative.grade.rawValue)")
    if let profile = alternative.profile { line(indent + 1, "profile: \(profile.rawValue)") }
    line(indent + 1, alternative.expectations.isEmpty ? "events: []" : "events:")
    for expectation in alternative.expectations { write(expectation, indent + 2) }
  }

  private func fields(_ event: EventExpectation) -> [(String, String?)] {
    var fields: [(String, String?)] = []
    if event.times != 1 { fields.append(("times", "\(event.times)")) }
    if event.optional { fields.append(("optional", "true")) }
    guard let window = event.window else { return fields }
    if let latest = window.latest, window.earliest == latest {
      fields.append(("at", DurationText.text(latest)))
    } else {
      if let earliest = window.earliest { fields.append(("notBefore", DurationText.text(earliest))) }
      if let latest = window.latest { fields.append(("within", DurationText.text(latest))) }
    }
    switch window.origin {
    case .previous: break
    case .start: fields.append(("from", "start"))
    case .point(let name): fields.append(("from", name))
    }
    return fields
  }
}
