import ScenarioModel
import ScriptedPeer

/// How the connection of a case ended, from the wire's view.
///
/// The ending of a case is that of the last connection of its first peer lane that has any; if no lane has one, all
/// that is known is what the subject reported. It is decided by the first of: the peer finishes, closes or resets; the
/// peer sees the subject's FIN or RST. What the peer sees after it ended the connection itself is the subject's answer;
/// after `close` and `reset` it can see none. A send that fails with ECONNRESET or EPIPE counts as having seen RST. FIN
/// and RST are never taken for each other. No connection is open when the subject has told the end of each that it
/// reported, whether or not a peer looks.
struct EndingObserver: Sendable {
  /// In the order of the lanes.
  private var peers: [(name: String, ending: PeerEnding)]
  /// Connections that the subject reported, by sockets; and those of them whose end it has not told.
  private var reported: Set<String> = []
  private var open: Set<String> = []
  private var hasUninvited = false
  /// Some socket's end is told to nobody.
  private var isSilent: Bool

  /// How what was seen stands to what was expected.
  enum Standing: Sendable { case asExpected, mayStillCome, contradicted }

  init(scenario: Scenario) {
    peers = scenario.peers.map { ($0.name, PeerEnding()) }
    isSilent = scenario.sockets.contains { !$0.hasDelegate || !$0.hasDelegateQueue }
  }

  mutating func observe(_ event: TraceEvent) {
    switch event.kind {
    case .peerAction(let action, let name): change(name) { $0.take(action, at: event.at) }
    case .peerSaw(let observation, let name): change(name) { $0.take(observation, at: event.at) }
    case .callback(let delivered):
      switch delivered.callback {
      case .didConnect, .didConnectToURL: report(delivered.socket)
      case .didAccept(let child): report(child)
      case .didDisconnect: open.remove(delivered.socket)
      default: break
      }
    case .command(let command, _, _, _): if Self.mutes(command) { isSilent = true }
    case .checked, .tls, .network, .packet, .point, .note: break
    }
  }

  /// Whether the end of a socket may not be told any more.
  private static func mutes(_ command: SubjectCommand) -> Bool {
    switch command {
    case .setDelegate(nil), .setDelegateQueue(nil), .release: true
    case .perform(let commands): commands.contains(where: mutes)
    default: false
    }
  }

  private mutating func change(_ name: String, _ body: (inout PeerEnding) -> Void) {
    guard let index = peers.firstIndex(where: { $0.name == name }) else { return }
    body(&peers[index].ending)
  }

  private mutating func report(_ socket: String) {
    reported.insert(socket)
    open.insert(socket)
  }

  /// Connections wait at these peers that no step accepts; the subject has made them all the same.
  mutating func note(uninvited names: [String]) {
    if peers.contains(where: { names.contains($0.name) }) { hasUninvited = true }
  }

  /// What is known of the connection that counts.
  private var ending: PeerEnding { peers.first { $0.ending.isConnected }?.ending ?? PeerEnding() }

  private var isConnected: Bool { hasUninvited || !reported.isEmpty || ending.isConnected }

  /// The subject has told the end of every connection.
  private var hasToldEnds: Bool { !isSilent && !reported.isEmpty && open.isEmpty }

  func standing(_ expected: EndingExpectation) -> Standing {
    let ending = ending
    return switch (expected, ending.first) {
    case (.neverConnected, _): isConnected ? .contradicted : .asExpected
    case (.open, nil): hasToldEnds ? .contradicted : isConnected ? .asExpected : .mayStillCome
    case (.bySubject, nil), (.byPeer, nil): .mayStillCome
    case (.bySubject(let wanted), .subject(let seen)): Self.agree(wanted, seen) ? .asExpected : .contradicted
    case (.byPeer(let wanted, nil), .peer(let seen)): Self.agree(wanted, seen) ? .asExpected : .contradicted
    case (.byPeer(let wanted, let answer?), .peer(let seen)): standing(ending, wanted, seen, answer: answer)
    default: .contradicted
    }
  }

  private func standing(
    _ ending: PeerEnding, _ wanted: StreamEnd, _ seen: StreamEnd, answer wantedAnswer: StreamEnd
  ) -> Standing {
    guard Self.agree(wanted, seen) else { return .contradicted }
    guard let answer = ending.answer else { return ending.isBlind ? .contradicted : .mayStillCome }
    return Self.agree(wantedAnswer, answer) ? .asExpected : .contradicted
  }

  private static func agree(_ wanted: StreamEnd, _ seen: StreamEnd) -> Bool { wanted == .either || wanted == seen }

  /// In the words a scenario file uses.
  var text: String {
    let ending = ending
    switch ending.first {
    case nil:
      guard isConnected else { return "never connected" }
      return hasToldEnds ? "open for all that a peer has seen, but didDisconnect was told" : "open"
    case .subject(let end): return "subject \(end.rawValue)"
    case .peer(let end):
      let answer = ending.answer.map { ", subject \($0.rawValue)" }
      return "peer \(end.rawValue)" + (answer ?? (ending.isBlind ? "" : ", subject still open"))
    }
  }

  /// The same with the instants.
  var story: String {
    let ending = ending
    guard ending.first != nil else { return text }
    let answer = ending.answer == nil ? "" : " and \(Wording.duration(ending.answerAt))"
    return "\(text) (at \(Wording.duration(ending.firstAt))\(answer))"
  }
}

/// What is known of how the last connection of a peer ended.
private struct PeerEnding: Sendable {
  enum First: Sendable {
    case subject(StreamEnd)
    case peer(StreamEnd)
  }

  private(set) var isConnected = false
  private(set) var first: First?
  private(set) var answer: StreamEnd?
  /// When they came about.
  private(set) var firstAt = Duration.zero
  private(set) var answerAt = Duration.zero
  /// The peer closed or reset: it sees nothing any more.
  private(set) var isBlind = false

  mutating func take(_ action: PeerAction, at instant: Duration) {
    switch action {
    case .finish: end(.peer(.fin), at: instant)
    case .close:
      end(.peer(.fin), at: instant)
      isBlind = true
    case .reset:
      end(.peer(.rst), at: instant)
      isBlind = true
    default: break
    }
  }

  mutating func take(_ observation: PeerObservation, at instant: Duration) {
    switch observation {
    case .connected:
      self = PeerEnding()
      isConnected = true
    case .endOfStream: see(.fin, at: instant)
    case .broken: see(.rst, at: instant)
    case .sendFailed(let errno): if errno == 104 || errno == 32 { see(.rst, at: instant) }
    case .connectFailed, .sent, .received: break
    }
  }

  private mutating func end(_ how: First, at instant: Duration) {
    guard first == nil else { return }
    (first, firstAt) = (how, instant)
  }

  private mutating func see(_ end: StreamEnd, at instant: Duration) {
    switch first {
    case nil: (first, firstAt) = (.subject(end), instant)
    case .peer: if !isBlind, answer == nil { (answer, answerAt) = (end, instant) }
    case .subject: break
    }
  }
}
