import ScenarioModel

/// Looks for nonsense in a scenario that is well-formed: what can never happen, and what is said for nothing.
///
/// A check runs only if the parts of the file it draws conclusions from had no errors, so that one fault does not set
/// off a chain of others.
struct ScenarioCheck {
  /// The parts of a file whose soundness checks depend on.
  enum Section: Hashable, CaseIterable { case peers, subjects, sockets, reactions, expectations }

  let scenario: Scenario
  /// Whether the file says which classes it is played with; otherwise its requirements do.
  let saysSubjects: Bool
  /// The file's top-level keys, for positions.
  let keys: Fields
  let clean: Set<Section>
  /// Every call on a socket that the file makes anywhere.
  let calls: [LocatedCall]
  /// The same, socket by socket.
  let uses: [String: SocketUse]
  /// Delegates that some step sets.
  let delegates: Set<String>
  var log: DiagnosticLog

  init(
    _ scenario: Scenario, saysSubjects: Bool, keys: Fields, clean: Set<Section>, log: DiagnosticLog
  ) {
    self.scenario = scenario
    self.saysSubjects = saysSubjects
    self.keys = keys
    self.clean = clean
    self.log = log
    let calls =
      scenario.subjects.flatMap { LocatedCall.all(in: $0.steps) }
      + scenario.reactions.flatMap { LocatedCall.all(in: $0.steps) }
    self.calls = calls
    uses = calls.reduce(into: [:]) { $0[$1.socket, default: SocketUse()].add($1) }
    delegates = Set(calls.compactMap { if case .setDelegate(let name) = $0.command { name } else { nil } })
  }

  mutating func run() {
    checkQuiet()
    checkWaits()
    checkRepeatedWaits()
    checkSchedule()
    if clean.contains(.peers) {
      checkPeerLanes()
      checkWorldsOfPeers()
    }
    if clean.isSuperset(of: [.subjects, .peers, .reactions]) { checkTLS() }
    if clean.contains(.subjects) { checkReleases() }
    if clean.isSuperset(of: [.subjects, .reactions]) {
      checkWorlds()
      checkBlockedQueues()
    }
    if clean.isSuperset(of: [.peers, .subjects, .reactions]) { checkProgress() }
    if clean.count == Section.allCases.count { checkSubjects() }
    if clean.isSuperset(of: [.subjects, .sockets, .reactions]) {
      checkCallbacks()
      if clean.contains(.expectations) {
        checkLimits()
        checkOffsets()
      }
    }
    if clean.count == Section.allCases.count {
      checkEnding()
      checkMatrix()
      checkPurpose()
    }
  }

  mutating func report(_ code: LintCode, at position: SourcePosition, _ message: String, help: String? = nil) {
    log.report(code, at: position, message, help: help)
  }

  /// A case that is cut off at its limit before it has been quiet for long enough is not watched as the file says.
  private mutating func checkQuiet() {
    guard scenario.settle >= scenario.limit, let entry = keys.entry("settle") ?? keys.entry("limit") else { return }
    report(
      .impossibleWindow, at: entry.value.position,
      "the case is over before it has been quiet for \(DurationText.text(scenario.settle)): its limit is "
        + DurationText.text(scenario.limit),
      help: "make `limit` longer than `settle`")
  }

  /// A matrix that makes no case.
  private mutating func checkMatrix() {
    guard scenario.matrix.segmentations == [.everySplit], scenario.splitPoints.isEmpty,
      let entry = keys.entry("matrix")
    else { return }
    report(
      .emptyMatrix, at: entry.position, "`everySplit` alone makes no case: no peer has a `send` or `raw` of two bytes",
      help: "add `whole`, or let the peer `send` more")
  }

  private mutating func checkPurpose() {
    // A list that was written and is empty says that no callback may come.
    let judges =
      scenario.expectsNothing || !scenario.expectations.isEmpty || scenario.ending != nil
      || calls.contains { $0.refusal != nil }
      || scenario.subjects.contains { Self.hasCheck($0.steps) }
      || scenario.reactions.contains { !$0.isOptional || Self.hasCheck($0.steps) }
      || scenario.peers.contains { Self.expects($0.steps) }
    guard !judges else { return }
    if scenario.canary {
      report(
        .emptyCanary, at: keys.entry("canary")?.position ?? keys.position,
        "a canary must fail, but this one expects nothing that could fail",
        help: "expect something that does not happen")
    } else {
      report(
        .judgesNothing, at: keys.position, "nothing in this scenario can fail",
        help: "add `expect`, `ending` or a `check`")
    }
  }

  private static func hasCheck(_ steps: [LocatedStep]) -> Bool {
    steps.contains { step in
      switch step.step {
      case .check: true
      case .repeated(_, let inner): hasCheck(inner)
      default: false
      }
    }
  }

  private static func expects(_ steps: [Located<PeerStep>]) -> Bool {
    steps.contains { step in
      switch step.value {
      case .expect, .expectCount, .expectEnd, .expectSilence, .expectTLS, .expectAlert, .expectKeyUpdate:
        true
      case .echo(let count): count != nil
      case .tls(let tls): tls.failure != nil
      case .repeated(_, let inner): expects(inner)
      default: false
      }
    }
  }

  /// A read whose limit is smaller than its delimiter does nothing, which is fine unless its completion is expected.
  private mutating func checkLimits() {
    let expected = Set(scenario.expectations.flatMap(\.expectedReads))
    for call in calls {
      guard case .read(let read) = call.command, case .through(let delimiter, let limit) = read.boundary,
        limit > 0, limit < delimiter.count, expected.contains(ExpectedRead(socket: call.socket, tag: read.tag))
      else { continue }
      report(
        .limitBelowDelimiter, at: call.position,
        "a limit of \(SizeText.text(limit)) leaves no room for a delimiter of \(SizeText.text(delimiter.count)): "
          + "this read does nothing, but tag \(read.tag) is expected",
        help: "raise `limit`, or expect nothing of it")
    }
  }
}

extension ScenarioCheck {
  /// A read whose offset lies beyond its buffer is ignored, which is fine unless its completion is expected. Reads that
  /// share a buffer make it longer for each other.
  private mutating func checkOffsets() {
    let expected = Set(scenario.expectations.flatMap(\.expectedReads))
    let named = calls.compactMap(\.buffer?.name)
    for call in calls {
      guard case .read(let read) = call.command, let buffer = call.buffer, let size = buffer.size,
        buffer.offset > size, expected.contains(ExpectedRead(socket: call.socket, tag: read.tag)),
        named.count(where: { $0 == buffer.name }) == 1
      else { continue }
      report(
        .offsetBeyondBuffer, at: call.position,
        "an offset of \(SizeText.text(buffer.offset)) lies beyond a buffer of \(SizeText.text(size)): "
          + "this read is ignored, but tag \(read.tag) is expected",
        help: "make `offset` smaller or `size` larger, or expect nothing of it")
    }
  }
}

/// A call on a socket, wherever it stands.
struct LocatedCall {
  var command: SubjectCommand
  var socket: String
  var refusal: ErrorPattern?
  var position: SourcePosition
  /// Whether a `repeat` makes it several times.
  var isRepeated: Bool

  /// The caller's buffer, of a read.
  var buffer: ReadCommand.Buffer? { if case .read(let read) = command { read.buffer } else { nil } }

  static func all(in steps: [LocatedStep], isRepeated: Bool = false) -> [LocatedCall] {
    steps.flatMap { step -> [LocatedCall] in
      switch step.step {
      case .command(let command, let socket, let refusal):
        return flat(command).map {
          LocatedCall(command: $0, socket: socket, refusal: refusal, position: step.position, isRepeated: isRepeated)
        }
      case .repeated(let times, let inner): return all(in: inner, isRepeated: isRepeated || times > 1)
      default: return []
      }
    }
  }

  private static func flat(_ command: SubjectCommand) -> [SubjectCommand] {
    if case .perform(let inner) = command { return inner.flatMap(flat) }
    return [command]
  }
}

/// A completed read that is expected with its tag.
private struct ExpectedRead: Hashable {
  var socket: String
  var tag: Int
}

extension Expectation {
  fileprivate var expectedReads: [ExpectedRead] {
    switch self {
    case .event(let event):
      guard event.pattern.kind == .didRead, let tag = event.pattern.tag else { return [] }
      return [ExpectedRead(socket: event.socket, tag: tag)]
    case .anyOrder(let inner, _): return inner.flatMap(\.expectedReads)
    case .oneOf(let alternatives, _): return alternatives.flatMap { $0.expectations.flatMap(\.expectedReads) }
    case .stream, .nothing: return []
    }
  }
}

/// What a file does with one socket, all in all.
struct SocketUse {
  /// Calls that must succeed.
  var connects = false
  /// Some call of connect may be refused.
  var triesToConnect = false
  var listens = false
  var startsTLS = false
  /// Some startTLS of its own asks the user for trust, as far as one can see.
  var asksForTrust = false
  /// Some startTLS can succeed: it is a client's, or has a certificate.
  var canBeSecured = false
  /// It sets autoDisconnectOnClosedReadStream to false.
  var staysAfterEnd = false
  var readTags: Set<Int> = []
  var writeTags: Set<Int> = []

  mutating func add(_ call: LocatedCall) {
    switch call.command {
    case .connect:
      connects = connects || call.refusal == nil
      triesToConnect = true
    case .listen: listens = listens || call.refusal == nil
    case .read(let read): readTags.insert(read.tag)
    case .write(let write): writeTags.insert(write.tag)
    case .startTLS(let tls):
      startsTLS = true
      // Settings passed by key may say anything.
      asksForTrust = asksForTrust || tls.manualTrust == true || !tls.extra.isEmpty
      canBeSecured = canBeSecured || tls.role != .server || tls.certificate != nil || !tls.extra.isEmpty
    case .set(.autoDisconnectOnClosedReadStream(false)): staysAfterEnd = true
    default: break
    }
  }
}
