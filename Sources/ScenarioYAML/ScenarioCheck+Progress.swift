import ScenarioModel

extension ScenarioCheck {
  /// Steps on a socket that the same lane has released before.
  mutating func checkReleases() {
    for lane in scenario.subjects {
      var course = ReleaseCourse()
      course.follow(lane.steps)
      for step in course.faults {
        report(
          .unreachableStep, at: step, "the socket has been released: nothing can be done with it any more",
          help: "move `release` to the end of the lane")
      }
    }
  }

  /// Lanes that wait for points which only come after their own waiting.
  ///
  /// All lanes are played at once, every callback coming when it is waited for and every reaction having run; a lane
  /// that still does not get to its end never will.
  mutating func checkProgress() {
    var lanes = scenario.subjects.map { Self.acts($0.steps) } + scenario.peers.map { Self.acts($0.steps) }
    if let network = scenario.network { lanes.append(Self.acts(network.steps)) }
    var places = [Int](repeating: 0, count: lanes.count)
    var reached = Set(scenario.reactions.flatMap { Self.acts($0.steps) }.compactMap(\.reached))
    var waiting: [String: [Int]] = [:]
    var ready = Array(lanes.indices)
    while let lane = ready.popLast() {
      while places[lane] < lanes[lane].count {
        let act = lanes[lane][places[lane]]
        if let point = act.awaited, !reached.contains(point) {
          waiting[point, default: []].append(lane)
          break
        }
        places[lane] += 1
        if let point = act.reached, reached.insert(point).inserted { ready += waiting.removeValue(forKey: point) ?? [] }
      }
    }
    for (lane, place) in zip(lanes, places) where place < lane.count {
      guard let point = lane[place].awaited else { continue }
      let isOwn = lane[place...].contains { $0.reached == point }
      report(
        .neverReached, at: lane[place].position,
        isOwn
          ? "this lane waits here for `\(point)`, which it reaches only later itself"
          : "`\(point)` is never reached: the lanes wait for each other",
        help: isOwn ? "let another lane reach it" : "follow the points from lane to lane and break the circle")
    }
  }

  private struct Act {
    var awaited: String?
    var reached: String?
    var position: SourcePosition
  }

  private static func acts(_ steps: [LocatedStep]) -> [Act] {
    steps.flatMap { step -> [Act] in
      switch step.step {
      case .after(.point(let name)): [Act(awaited: name, position: step.position)]
      case .reach(let name): [Act(reached: name, position: step.position)]
      case .repeated(_, let inner): acts(inner)
      default: []
      }
    }
  }

  private static func acts(_ steps: [Located<PeerStep>]) -> [Act] {
    steps.flatMap { step -> [Act] in
      switch step.value {
      case .after(.point(let name)): [Act(awaited: name, position: step.position)]
      case .reach(let name): [Act(reached: name, position: step.position)]
      case .repeated(_, let inner): acts(inner)
      default: []
      }
    }
  }
}

/// What a lane has released, from step to step.
private struct ReleaseCourse {
  private(set) var faults: [SourcePosition] = []
  private var released: Set<String> = []
  private var known: Set<SourcePosition> = []
  private var isSecondTime = false

  mutating func follow(_ steps: [LocatedStep]) {
    for step in steps {
      switch step.step {
      case .command(_, let socket, _), .check(_, let socket):
        if released.contains(socket), known.insert(step.position).inserted { faults.append(step.position) }
        if case .command(.release, _, _) = step.step { released.insert(socket) }
      case .repeated(let times, let inner):
        follow(inner)
        guard times > 1, !isSecondTime else { continue }
        isSecondTime = true
        follow(inner)
        isSecondTime = false
      case .wait, .after, .reach, .hold, .answer, .decide, .network: break
      }
    }
  }
}
