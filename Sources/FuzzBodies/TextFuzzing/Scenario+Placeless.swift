import ScenarioModel

extension Scenario {
  /// The scenario without the places in its file, for comparing what two texts say. Seconds that are not a number
  /// become a number that no text can say, so that they equal themselves.
  package var placeless: Scenario {
    var scenario = self
    scenario.endingPosition = nil
    scenario.controlPosition = nil
    for lane in peers.indices { scenario.peers[lane].steps = peers[lane].steps.map(\.placeless) }
    for lane in subjects.indices { scenario.subjects[lane].steps = subjects[lane].steps.map(\.placeless) }
    scenario.network?.steps = network?.steps.map(\.placeless) ?? []
    scenario.reactions = reactions.map { reaction in
      var reaction = reaction
      reaction.position = .nowhere
      reaction.pattern = reaction.pattern.comparable
      reaction.steps = reaction.steps.map(\.placeless)
      return reaction
    }
    scenario.expectations = expectations.map(\.placeless)
    return scenario
  }
}

extension SourcePosition {
  static let nowhere = SourcePosition(line: 0, column: 0)
}

extension Double {
  fileprivate var comparable: Double { isNaN ? -0x1p-1000 : self }
}

extension TimeoutValue {
  fileprivate var comparable: TimeoutValue { TimeoutValue(seconds: seconds.comparable) }
}

extension CallbackPattern {
  fileprivate var comparable: CallbackPattern {
    guard let elapsed, elapsed.isNaN else { return self }
    var pattern = self
    pattern.elapsed = elapsed.comparable
    return pattern
  }
}

extension SyncPoint {
  fileprivate var comparable: SyncPoint {
    guard case .callback(let pattern, let socket, let occurrence) = self else { return self }
    return .callback(pattern.comparable, socket: socket, occurrence: occurrence)
  }
}

extension Located<PeerStep> {
  fileprivate var placeless: Located<PeerStep> {
    let step: PeerStep =
      switch value {
      case .repeated(let times, let steps): .repeated(times: times, steps: steps.map(\.placeless))
      case .after(let syncPoint): .after(syncPoint.comparable)
      default: value
      }
    return Located(step, at: .nowhere)
  }
}

extension LocatedStep {
  fileprivate var placeless: LocatedStep {
    let placed: SubjectStep =
      switch step {
      case .command(let command, let socket, let refusal):
        .command(command.comparable, socket: socket, refusal: refusal)
      case .check(let checks, let socket): .check(checks.map(\.placeless), socket: socket)
      case .after(let syncPoint): .after(syncPoint.comparable)
      case .repeated(let times, let steps): .repeated(times: times, steps: steps.map(\.placeless))
      case .answer(let value): .answer(value.comparable)
      case .wait, .reach, .hold, .decide, .network: step
      }
    return LocatedStep(placed, at: .nowhere)
  }
}

extension SubjectCommand {
  fileprivate var comparable: SubjectCommand {
    switch self {
    case .connect(var connect):
      connect.timeout = connect.timeout.comparable
      return .connect(connect)
    case .read(var read):
      read.timeout = read.timeout.comparable
      return .read(read)
    case .write(var write):
      write.timeout = write.timeout.comparable
      return .write(write)
    case .set(.alternateAddressDelay(let seconds)): return .set(.alternateAddressDelay(seconds.comparable))
    case .perform(let commands): return .perform(commands.map(\.comparable))
    default: return self
    }
  }
}

extension PropertyCheck {
  fileprivate var placeless: PropertyCheck {
    var check = self
    check.position = .nowhere
    if case .value(.number(let number)) = expected { check.expected = .value(.number(number.comparable)) }
    return check
  }
}

extension Expectation {
  fileprivate var placeless: Expectation {
    switch self {
    case .event(var event):
      event.position = .nowhere
      event.pattern = event.pattern.comparable
      return .event(event)
    case .stream(var stream):
      stream.position = .nowhere
      return .stream(stream)
    case .anyOrder(let inner, _): return .anyOrder(inner.map(\.placeless), position: .nowhere)
    case .oneOf(let alternatives, _):
      let placeless = alternatives.map { alternative in
        var alternative = alternative
        alternative.expectations = alternative.expectations.map(\.placeless)
        return alternative
      }
      return .oneOf(placeless, position: .nowhere)
    case .nothing(let duration, let socket, _): return .nothing(duration, socket: socket, position: .nowhere)
    }
  }
}
