import ScenarioModel

extension ScenarioCheck {
  /// A lane, or a reaction, whose waits alone take longer than the case may: what stands behind them never happens.
  mutating func checkWaits() {
    if clean.contains(.peers) {
      for lane in scenario.peers { report(Self.late(Self.durations(of: lane.steps), limit: scenario.limit)) }
    }
    if clean.contains(.subjects) {
      for lane in scenario.subjects { report(Self.late(lane.steps.map { Waiting($0) }, limit: scenario.limit)) }
    }
    if clean.contains(.reactions) {
      for reaction in scenario.reactions {
        report(Self.late(reaction.steps.map { Waiting($0) }, limit: scenario.limit))
      }
    }
  }

  /// An `after` that is repeated: what it waits for has come when the second round begins, and is not waited for again.
  mutating func checkRepeatedWaits() {
    var places: [SourcePosition] = []
    if clean.contains(.peers) { for lane in scenario.peers { places += Self.waits(in: lane.steps) } }
    if clean.contains(.subjects) { for lane in scenario.subjects { places += Self.waits(in: lane.steps) } }
    for place in places {
      report(
        .misplacedStep, at: place, "`after` waits in the first round of a `repeat` only",
        help: "write the rounds one by one, each with its own `occurrence`")
    }
  }

  private static func waits(in steps: [Located<PeerStep>], isRepeated: Bool = false) -> [SourcePosition] {
    steps.flatMap { step -> [SourcePosition] in
      switch step.value {
      case .after: isRepeated ? [step.position] : []
      case .repeated(let times, let inner): waits(in: inner, isRepeated: isRepeated || times > 1)
      default: []
      }
    }
  }

  private static func waits(in steps: [LocatedStep], isRepeated: Bool = false) -> [SourcePosition] {
    steps.flatMap { step -> [SourcePosition] in
      switch step.step {
      case .after: isRepeated ? [step.position] : []
      case .repeated(let times, let inner): waits(in: inner, isRepeated: isRepeated || times > 1)
      default: []
      }
    }
  }

  private mutating func report(_ late: (at: SourcePosition, waited: Duration)?) {
    guard let late else { return }
    report(
      .impossibleWindow, at: late.at,
      "the case is over before this step is: its limit is \(DurationText.text(scenario.limit)), and up to here the "
        + "steps take \(DurationText.text(late.waited))", help: "take less time, or raise `limit`")
  }

  /// The first wait that can't come to its end.
  private static func late(_ steps: [Waiting], limit: Duration) -> (at: SourcePosition, waited: Duration)? {
    var waited = Duration.zero
    for step in steps {
      waited += step.time
      if waited >= limit, let wait = step.lastWait { return (wait, waited) }
    }
    return nil
  }

  /// A subject that does not put up with a drip cuts it off, and then the peer sees the end: only a drip behind which
  /// the lane has more to do must come to its own end.
  private static func durations(of steps: [Located<PeerStep>]) -> [Waiting] {
    let last = steps.lastIndex { if case .expectEnd = $0.value { false } else { true } }
    return steps.indices.map { Waiting(steps[$0], isLast: $0 == last) }
  }

  /// How long a step of a lane or of a reaction takes in any case.
  private struct Waiting {
    var time = Duration.zero
    var lastWait: SourcePosition?

    init(_ step: Located<PeerStep>, isLast: Bool = false) {
      switch step.value {
      case .wait(let time), .expectSilence(let time): add(Waiting(time, step.position))
      case .drip(let payload, let chunk, let every) where !isLast:
        // A day is beyond every limit, and a sum of days no trouble.
        let time = min(every * (max(payload.count - 1, 0) / chunk), Reading.longestDuration)
        if time > .zero { add(Waiting(time, step.position)) }
      case .repeated(let times, let inner):
        let isDripAlone = isLast && inner.count == 1
        for step in inner { add(Waiting(step, isLast: isDripAlone), times: times) }
      default: break
      }
    }

    init(_ step: LocatedStep) {
      switch step.step {
      case .wait(let time), .hold(let time): add(Waiting(time, step.position))
      case .repeated(let times, let inner): for step in inner { add(Waiting(step), times: times) }
      default: break
      }
    }

    private init(_ time: Duration, _ position: SourcePosition) { (self.time, lastWait) = (time, position) }

    private mutating func add(_ other: Waiting, times: Int = 1) {
      time += other.time * times
      lastWait = other.lastWait ?? lastWait
    }
  }
}
