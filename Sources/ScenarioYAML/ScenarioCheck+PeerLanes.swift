import ScenarioModel

extension ScenarioCheck {
  /// Steps of a peer that can never do what they say, because of the steps before them.
  mutating func checkPeerLanes() {
    for lane in scenario.peers {
      var course = PeerCourse(lane)
      course.follow(lane.steps)
      for fault in course.faults { report(fault.code, at: fault.position, fault.message, help: fault.help) }
      if let other = lane.samePortAs.flatMap({ name in scenario.peers.first { $0.name == name } }),
        lane.family == other.family, let step = lane.steps.first
      {
        report(
          .conflictingKeys, at: step.position,
          "`\(lane.name)` and `\(other.name)` cannot share a port: both are of the same family",
          help: "give each its own `family`")
      }
      if let step = lane.steps.first, sharesItsPortWithItself(lane) {
        report(
          .conflictingKeys, at: step.position,
          "`samePortAs` of `\(lane.name)` leads back to it: none of these peers chooses the port",
          help: "leave `samePortAs` out of one of them")
      }
    }
  }

  private func sharesItsPortWithItself(_ lane: PeerLane) -> Bool {
    var next = lane.samePortAs
    // As many steps as there are peers lead anywhere; more only go round.
    for _ in scenario.peers {
      if next == lane.name { return true }
      next = next.flatMap { name in scenario.peers.first { $0.name == name } }?.samePortAs
    }
    return false
  }
}

/// What a peer's lane has at hand from step to step.
private struct PeerCourse {
  struct Fault: Hashable {
    var code: LintCode
    var position: SourcePosition
    var message: String
    var help: String?
  }

  private enum Connection {
    case none
    case open
    /// Ended by the step with this word.
    case ended(String)
  }

  /// How far the connection's TLS is. `begun`: a `tls` step stopped at its `until`.
  private enum Security { case plain, begun, established }

  /// Why nothing can be seen of what the subject sends now; nil: all of it is read as it comes.
  private enum Reading {
    case asItComes, slow
    /// By the step with this word.
    case stopped(String)
  }

  private(set) var faults: [Fault] = []
  private var reading = Reading.asItComes
  private var connection = Connection.none
  /// The step that ended the peer's own stream.
  private var finishingWord: String?
  private var security = Security.plain
  private var sawEnd = false
  private var hasListener: Bool
  private var listens: Bool
  private var isFirst = true
  private var isRefusing = false
  /// A repeated step is followed twice, but not twice within the second time.
  private var isSecondTime = false
  private var known: Set<Fault> = []

  init(_ lane: PeerLane) {
    hasListener = lane.listens
    listens = lane.listens
  }

  mutating func follow(_ steps: [Located<PeerStep>]) {
    for step in steps {
      if isRefusing {
        fault(step, "nothing can happen after `refuse`: nothing listens", help: "let another peer do it")
        return
      }
      follow(step)
    }
  }

  private mutating func follow(_ step: Located<PeerStep>) {
    defer { isFirst = false }
    switch step.value {
    case .refuse, .blackhole:
      if case .refuse = step.value { isRefusing = true }
      if !isFirst {
        isRefusing = false
        add(
          Fault(
            code: .misplacedStep, position: step.position, message: "this is possible only as the first step of a lane",
            help: "the peer has begun to listen already; write a peer of its own"))
      }
    case .accept:
      if !hasListener {
        fault(step, "this peer does not listen: its lane begins with `connect`")
      } else if !listens {
        fault(step, "the peer has stopped listening", help: "write `listenAgain` before")
      }
      open()
    case .connect: open()
    case .stopListening, .listenAgain:
      if !hasListener { fault(step, "this peer does not listen: its lane begins with `connect`") }
      if case .listenAgain = step.value { listens = true } else { listens = false }
    case .repeated(let times, let inner):
      follow(inner)
      if times > 1, !isSecondTime {
        isSecondTime = true
        follow(inner)
        isSecondTime = false
      }
    case .wait, .after, .reach: break
    case .send, .sendUrgent, .drip, .finish, .expect, .expectCount, .echo, .expectEnd, .expectSilence, .close, .reset,
      .shutdownRead, .stall, .drain, .raw:
      followOnConnection(step)
    case .tls, .expectTLS, .expectAlert, .expectKeyUpdate, .closeNotify, .truncate, .keyUpdate, .tickets, .alert,
      .record:
      followOnConnection(step)
      followTLS(step)
    }
  }

  private mutating func open() {
    connection = .open
    finishingWord = nil
    sawEnd = false
    security = .plain
    reading = .asItComes
  }

  private mutating func followTLS(_ step: Located<PeerStep>) {
    switch step.value {
    case .tls(let tls):
      if security == .established {
        fault(step, "the connection speaks TLS already", help: "write `accept` or `connect` for a new one")
      }
      security = tls.until != nil ? .begun : .established
    case .record(let record):
      if security == .plain, record.encrypts == true { reportPlain(step) }
    case .alert: break
    default: if security == .plain { reportPlain(step) }
    }
  }

  private mutating func reportPlain(_ step: Located<PeerStep>) {
    fault(step, "the connection does not speak TLS", help: "write `tls` before")
  }

  private mutating func followOnConnection(_ step: Located<PeerStep>) {
    switch connection {
    case .open: break
    case .none:
      fault(step, "the peer has no connection yet", help: "write `accept` or `connect` before")
      open()
    case .ended(let word):
      fault(step, "the connection is gone after `\(word)`", help: "write `accept` or `connect` for a new one")
      open()
    }
    switch step.value {
    case .send, .sendUrgent, .drip, .finish, .echo, .raw, .record, .alert, .truncate, .closeNotify, .keyUpdate,
      .tickets:
      if let word = finishingWord {
        fault(step, "nothing can be sent after `\(word)`", help: "move `\(word)` behind it")
      }
      if case .finish = step.value { finishingWord = "finish" }
      if case .truncate = step.value { finishingWord = "truncate" }
      if sawEnd, case .echo = step.value { fault(step, "the subject's stream has ended: nothing comes to be echoed") }
    case .expect, .expectCount:
      if sawEnd { fault(step, "nothing more can come after `expectEnd`", help: "move `expectEnd` behind it") }
    case .expectEnd:
      if sawEnd { fault(step, "the stream ends only once") }
      if case .stopped(let word) = reading {
        fault(
          step, "no end is seen after `\(word)`: nothing is read",
          help: "see it before, or write `drain` after a `stall`")
      }
      sawEnd = true
    case .expectSilence:
      switch reading {
      case .asItComes: if sawEnd { fault(step, "nothing more can come after `expectEnd`", help: "leave it out") }
      case .slow:
        fault(step, "a peer that reads slowly proves no silence", help: "write `drain` without a pace before")
      case .stopped(let word):
        fault(
          step, "silence is not proved after `\(word)`: nothing is read",
          help: "prove it before, or write `drain` after a `stall`")
      }
    case .stall: reading = .stopped("stall")
    case .shutdownRead: reading = .stopped("shutdownRead")
    case .drain(let chunk, let every):
      // What is shut stays so.
      if case .stopped("shutdownRead") = reading { break }
      reading = chunk == nil && every == nil ? .asItComes : .slow
    case .close: connection = .ended("close")
    case .reset: connection = .ended("reset")
    default: break
    }
  }

  private mutating func fault(_ step: Located<PeerStep>, _ message: String, help: String? = nil) {
    add(Fault(code: .unreachableStep, position: step.position, message: message, help: help))
  }

  /// Each once: a repeated step is followed twice.
  private mutating func add(_ fault: Fault) {
    if known.insert(fault).inserted { faults.append(fault) }
  }
}
