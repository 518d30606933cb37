import ScenarioModel
import ScriptedPeer

/// Checks what must hold in every case, whatever its scenario expects, while the trace grows.
///
/// A socket's life is counted in generations: a successful connect or listen starts one, and so does `didAccept` for
/// the child; its didDisconnect ends it. Callbacks belong to the oldest generation that has not ended, commands to the
/// newest, because a reconnect may be called before the earlier didDisconnect was delivered.
///
/// - INV-01: at most one didDisconnect for each successful start, none without one.
/// - INV-02: nothing of a generation after its didDisconnect.
/// - INV-04: completions come in the order of the accepted operations that are not no-ops.
/// - INV-05, INV-06: bytes are conserved; see `Conservation`.
/// - RD-ANY-02, RD-ANY-04, RD-LEN-01, RD-DELIM-01, RD-MAX-03: a read has what was asked for; see
///   `InvariantChecker+Reads`.
/// - INV-15, INV-16, RDQ-10, TMO-09, DIAG-11, DIAG-13: whatever tells of progress tells of the operation under way, and
///   never more than it can have; see `InvariantChecker+Progress`.
/// - INV-13: callbacks come on the delegate queue; see `InvariantChecker+Queues`.
/// - TLS-21: nothing is secured between a question about trust and a yes.
/// - ERR-09: no socket is closed by the other side unless a peer or another socket has ended something.
/// - ERR-03, ERR-12: NoError is never delivered, and errors have words.
/// - RL-01, RL-04, RL-22, THR-16, DIS-02 and others of the run-loop class; see `InvariantChecker+RunLoop`.
///
/// Where the lab cannot know, it says nothing: without a delegate or queue completions may be lost (then order is
/// checked among those that come), after a change of delegate queue two queues run side by side, a socket that is
/// started again after callbacks were lost is only counted, and what a reaction calls while a lane closes the socket
/// may have been accepted or ignored.
package struct InvariantChecker: Sendable {
  /// In the order in which they were seen.
  package internal(set) var deviations: [Deviation] = []
  var sockets: [SocketRecord]
  private(set) var conservation: Conservation
  var ends = EndEvidence()
  /// Until another socket's own reason to end explains them.
  var unexplained: [UnexplainedEnd] = []
  let subject: SubjectKind
  var places: RunLoopPlaces
  var queues: DelegateQueues
  /// How many delegate queues are blocked.
  var blockedQueues = 0
  /// The socket, by its index, whose disconnect a lane has called and that has not returned.
  var disconnecting: Int?
  /// The socket, by its index, that a lane has started, closed or let trust by a call that has not returned.
  var called: (place: Int, until: WritableKeyPath<Generation, Duration?> & Sendable)?

  /// Looks only at the sockets and peers of the scenario, and at what its reactions answer, never at what it expects.
  package init(scenario: Scenario, subject: SubjectKind = .gcd) {
    self.subject = subject
    places = RunLoopPlaces(scenario: scenario)
    queues = DelegateQueues(scenario: scenario)
    sockets = scenario.sockets.map {
      SocketRecord(name: $0.name, isMuted: !$0.hasDelegate || !$0.hasDelegateQueue)
    }
    conservation = Conservation(scenario: scenario)
  }

  /// Takes the trace's next event, whose index is `index`.
  package mutating func observe(_ event: TraceEvent, index: Int) {
    ends.observe(event.kind)
    switch event.kind {
    case .command(let command, let socket, let result, let inCallback):
      if inCallback { checkEndInCall(on: socket, index: index) }
      take(command, on: socket, result: result, at: event.at, inCallback: inCallback, index: index)
    case .callback(let delivered): take(delivered, at: event.at, index: index)
    case .peerAction, .peerSaw, .tls: conservation.observe(event.kind)
    case .checked(let check, let socket, let actual, _):
      take(actual, of: check.property, on: socket, index: index)
      if subject == .runLoop { takeRunLoop(actual, of: check.property, on: socket, index: index) }
    case .network, .packet, .point, .note: break
    }
  }

  /// The case is over: says what can only be said of the whole.
  ///
  /// - Parameter isCut: whether the subject was of no use any more. What it told then is no stray: the call that set it
  ///   off may be the one that did not return.
  package mutating func finish(isCut: Bool = false) {
    if !isCut {
      for socket in sockets { deviations += socket.strays + [socket.strayQuestion].compactMap(\.self) }
      deviations += objectionsToEnds
    }
    // Sockets may share a queue.
    if blockedQueues > 0 { for place in sockets.indices { sockets[place].isUnheard = true } }
    deviations += conservation.deviations(sockets)
  }

  // MARK: - Commands

  private mutating func take(
    _ command: SubjectCommand, on socket: String, result: CommandResult, at instant: Duration, inCallback: Bool,
    index: Int
  ) {
    if case .refused(let error) = result { check(error, index: index) }
    if case .connect = command { sockets[record(of: socket)].strayQuestion = nil }
    guard result == .done || result == .returned(true) else { return }
    let place = record(of: socket)
    switch command {
    case .perform(let commands):
      for command in commands {
        // What a command inside the block answered is not known apart; starts among them count as successful.
        take(command, on: socket, result: .done, at: instant, inCallback: inCallback, index: index)
      }
    case .connect(let connect):
      start(place, Generation.Origin(connect.target), at: instant, inCallback: inCallback)
    case .listen: start(place, .listening, at: instant, inCallback: inCallback)
    case .read(let read): sockets[place].accept(read, at: instant, inCallback: inCallback)
    case .write(let write): sockets[place].accept(write, at: instant, inCallback: inCallback)
    case .disconnect:
      if subject == .runLoop { takeDisconnect(place: place, inCallback: inCallback, index: index) }
      close(place, at: instant, inCallback: inCallback)
    case .disconnectAfterReading, .disconnectAfterWriting, .disconnectAfterReadingAndWriting:
      close(place, at: instant, inCallback: inCallback)
    case .setDelegate(nil), .setDelegateQueue(nil), .release: sockets[place].mute()
    case .setDelegateQueue: sockets[place].loseOrder()
    case .startTLS: sockets[place].usesTLS = true
    case .answerTrust(true):
      sockets[place].updateNewest {
        $0.openTrustQuestions = 0
        if !inCallback { $0.trustedUntil = instant }
      }
      if !inCallback { called = (place, \.trustedUntil) }
    case .runLoop(let command): places.take(command.call, on: socket, inCallback: inCallback)
    case .blockDelegateQueue: blockedQueues += 1
    case .unblockDelegateQueue: blockedQueues -= 1
    case .setDelegate, .set, .answerTrust(false), .exhaustDescriptors, .freeDescriptors: break
    }
  }

  private mutating func start(_ place: Int, _ origin: Generation.Origin, at instant: Duration, inCallback: Bool) {
    sockets[place].start(origin, at: inCallback ? nil : instant, inCallback: inCallback)
    if !inCallback { called = (place, \.startedUntil) }
  }

  private mutating func close(_ place: Int, at instant: Duration, inCallback: Bool) {
    guard sockets[place].close(at: instant, inCallback: inCallback), !inCallback else { return }
    called = (place, \.closedUntil)
  }

  private mutating func record(of name: String) -> Int {
    if let place = sockets.firstIndex(where: { $0.name == name }) { return place }
    sockets.append(SocketRecord(name: name, isMuted: false))
    return sockets.count - 1
  }

  // MARK: - Callbacks

  private mutating func take(_ delivered: DeliveredCallback, at instant: Duration, index: Int) {
    let place = record(of: delivered.socket)
    checkQueue(of: delivered, index: index)
    if subject == .runLoop {
      checkPlace(of: delivered, at: instant, index: index)
      guard delivered.callback.kind != .willConnect else { return takeQuestion(delivered, place: place, index: index) }
      checkEnding(delivered, at: instant, place: place, index: index)
    }
    if case .didDisconnect(let error) = delivered.callback {
      check(error, index: index)
      checkReason(error, of: delivered.socket, index: index)
    }
    guard sockets[place].current != nil else { return takeStray(delivered, place: place, index: index) }
    switch delivered.callback {
    case .didDisconnect: sockets[place].end()
    case .willDisconnect(let error): takeWillDisconnect(error, place: place, index: index)
    case .didConnect, .didConnectToURL:
      sockets[place].update {
        $0.isConnected = true
        $0.isToldSo = true
      }
    case .didAccept(let child):
      let childPlace = record(of: child)
      sockets[childPlace].start(.accepted, at: nil, inCallback: false)
      sockets[childPlace].update { $0.isConnected = true }
      places.accept(child, of: delivered.socket)
      queues.accept(child, of: delivered.socket)
    case .didRead(let bytes, let tag): takeRead(bytes, tag: tag, place: place, index: index)
    case .didWrite(let tag): takeWrite(tag: tag, place: place, index: index)
    case .didReadPartial(let count, let tag): takePartial(count, .read, tag: tag, place: place, index: index)
    case .didWritePartial(let count, let tag): takePartial(count, .write, tag: tag, place: place, index: index)
    case .shouldTimeoutRead(let tag, _, let done): takeQuestion(done, .read, tag: tag, place: place, index: index)
    case .shouldTimeoutWrite(let tag, _, let done): takeQuestion(done, .write, tag: tag, place: place, index: index)
    case .didReceiveTrust:
      // A lane's call is recorded where it begins; a `perform` waits for the socket queue before it answers.
      sockets[place].update {
        let isAnswered = $0.trustedUntil.map { instant <= $0 } ?? false
        if !isAnswered { $0.openTrustQuestions += 1 }
      }
    case .didSecure:
      checkTrust(place: place, index: index)
      sockets[place].update { $0.deliveredInClear = $0.deliveredInClear ?? $0.delivered.count }
    default: break
    }
  }

  /// willConnect: the call that it belongs to is recorded when it has returned, and a no leaves nothing behind.
  private mutating func takeQuestion(_ delivered: DeliveredCallback, place: Int, index: Int) {
    guard sockets[place].current == nil, sockets[place].starts > 0, !sockets[place].isOrderless else { return }
    sockets[place].strayQuestion = strayDeviation(delivered, place: place, index: index)
  }

  /// A callback while no generation lives.
  private mutating func takeStray(_ delivered: DeliveredCallback, place: Int, index: Int) {
    let isEnd = delivered.callback.kind == .didDisconnect
    guard isEnd || !sockets[place].isOrderless else { return }
    // A start made inside a callback of another socket may be recorded after this: judged at the end.
    sockets[place].strays.append(strayDeviation(delivered, place: place, index: index))
  }

  private func strayDeviation(_ delivered: DeliveredCallback, place: Int, index: Int) -> Deviation {
    let isEnd = delivered.callback.kind == .didDisconnect
    let starts = sockets[place].starts
    return Deviation(
      kind: .invariant,
      expected: isEnd
        ? "at most one didDisconnect for each successful start of \(delivered.socket)"
        : "no callback of \(delivered.socket) after its didDisconnect",
      actual: "\(ExpectationText.text(delivered)) after \(starts == 1 ? "1 start" : "\(starts) starts"), all ended",
      requirement: isEnd ? "INV-01" : "INV-02", traceIndex: index)
  }

  private mutating func takeRead(_ bytes: [UInt8], tag: Int, place: Int, index: Int) {
    // Not the generation itself: while a copy of it is held, each change copies all that was delivered.
    let reported = sockets[place].current?.reads.progress?.reported
    checkBytes(bytes, tag: tag, place: place, index: index)
    let entry = complete(.didRead, tag: tag, place: place, index: index) { $0.reads.complete(tag, isLoose: $1) }
    sockets[place].update { $0.delivered.append(bytes) }
    guard let entry, !sockets[place].isOrderless, let reported, reported <= entry.maxProgress else { return }
    checkPartials(reported, below: bytes.count, .didRead, tag: tag, index: index)
  }

  private mutating func takeWrite(tag: Int, place: Int, index: Int) {
    let reported = sockets[place].current?.writes.progress?.reported
    let entry = complete(.didWrite, tag: tag, place: place, index: index) { $0.writes.complete(tag, isLoose: $1) }
    guard let entry, !sockets[place].isOrderless, let reported, reported <= entry.maxProgress else { return }
    checkPartials(reported, below: entry.count, .didWrite, tag: tag, index: index)
  }

  private mutating func complete(
    _ kind: CallbackKind, tag: Int, place: Int, index: Int,
    _ body: (inout Generation, Bool) -> OperationQueue.Entry?
  ) -> OperationQueue.Entry? {
    var entry: OperationQueue.Entry?
    let isLoose = sockets[place].isMuted
    sockets[place].update { entry = body(&$0, isLoose) }
    guard entry == nil, !sockets[place].isOrderless, let generation = sockets[place].current else { return entry }
    let queue = kind == .didRead ? generation.reads : generation.writes
    deviations.append(
      Deviation(
        kind: .invariant, expected: "\(kind.rawValue) of \(sockets[place].name) for \(queue.next)",
        actual: "tag \(tag)", requirement: "INV-04", traceIndex: index))
    return nil
  }

  // MARK: - Single facts

  private mutating func checkPartials(_ sum: Int, below total: Int, _ kind: CallbackKind, tag: Int, index: Int) {
    guard sum > 0, sum >= total else { return }
    deviations.append(
      Deviation(
        kind: .invariant,
        expected:
          "the progress reported before \(kind.rawValue) of tag \(tag) is less than its \(Wording.count(total))",
        actual: "\(Wording.count(sum)) in all", requirement: "INV-16", traceIndex: index))
  }

  mutating func check(_ error: SubjectError?, index: Int) {
    guard let error else { return }
    if error.domain == .library || error.domain == .runLoop, error.code == 0 {
      deviations.append(
        Deviation(
          kind: .invariant, expected: "NoError is never delivered", actual: ExpectationText.text(error),
          requirement: "ERR-03", traceIndex: index))
    }
    if error.message.isEmpty {
      deviations.append(
        Deviation(
          kind: .invariant, expected: "every error has a description", actual: "\(error.name) has none",
          requirement: "ERR-12", traceIndex: index))
    }
  }
}
