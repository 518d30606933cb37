import ScenarioModel
import ScriptedPeer

/// How the connection of a case ended, from the wire's view.
///
/// The ending of a case is that of the last connection of its first peer lane (or of the connection that the subject
/// reported, if that lane has none). It is decided by the first of: the peer finishes, closes or resets; the peer sees
/// the subject's FIN or RST. What the peer sees after it ended the connection itself is the subject's answer; after
/// `close` and `reset` it can see none. A send that fails with ECONNRESET or EPIPE counts as having seen RST. FIN and
/// RST are never taken for each other.
struct EndingObserver: Sendable {
  private let peer: String?
  private var isConnected = false
  private var first: First?
  private var answer: StreamEnd?
  /// When they came about.
  private var firstAt = Duration.zero
  private var answerAt = Duration.zero
  private var now = Duration.zero
  /// The peer closed or reset: it sees nothing any more.
  private var isBlind = false

  private enum First: Sendable {
    case subject(StreamEnd)
    case peer(StreamEnd)
  }

  /// How what was seen stands to what was expected.
  enum Standing: Sendable { case asExpected, mayStillCome, contradicted }

  init(scenario: Scenario) { peer = scenario.peers.first?.name }

  mutating func observe(_ event: TraceEvent) {
    now = event.at
    switch event.kind {
    case .peerAction(let action, let name): if name == peer { take(action) }
    case .peerSaw(let observation, let name): if name == peer { take(observation) }
    case .callback(let delivered):
      switch delivered.callback {
      case .didConnect, .didConnectToURL, .didAccept: isConnected = true
      default: break
      }
    case .command, .checked, .tls, .network, .packet, .point, .note: break
    }
  }

  /// Connections wait at these peers that no step accepts; the subject has made them all the same.
  mutating func note(uninvited peers: [String]) { if let peer, peers.contains(peer) { isConnected = true } }

  private mutating func take(_ action: PeerAction) {
    switch action {
    case .finish: end(.peer(.fin))
    case .close:
      end(.peer(.fin))
      isBlind = true
    case .reset:
      end(.peer(.rst))
      isBlind = true
    default: break
    }
  }

  private mutating func take(_ observation: PeerObservation) {
    switch observation {
    case .connected:
      self = EndingObserver(peer: peer)
    case .endOfStream: see(.fin)
    case .broken: see(.rst)
    case .sendFailed(let errno): if errno == 104 || errno == 32 { see(.rst) }
    case .connectFailed, .sent, .received: break
    }
  }

  private init(peer: String?) {
    self.peer = peer
    isConnected = true
  }

  private mutating func end(_ how: First) {
    guard first == nil else { return }
    (first, firstAt) = (how, now)
  }

  private mutating func see(_ end: StreamEnd) {
    switch first {
    case nil: (first, firstAt) = (.subject(end), now)
    case .peer: if !isBlind, answer == nil { (answer, answerAt) = (end, now) }
    case .subject: break
    }
  }

  func standing(_ expected: EndingExpectation) -> Standing {
    switch (expected, first) {
    case (.neverConnected, _): isConnected ? .contradicted : .asExpected
    case (.open, nil): isConnected ? .asExpected : .mayStillCome
    case (.bySubject, nil), (.byPeer, nil): .mayStillCome
    case (.bySubject(let wanted), .subject(let seen)): Self.agree(wanted, seen) ? .asExpected : .contradicted
    case (.byPeer(let wanted, nil), .peer(let seen)): Self.agree(wanted, seen) ? .asExpected : .contradicted
    case (.byPeer(let wanted, let answer?), .peer(let seen)): standing(wanted, seen, answer: answer)
    default: .contradicted
    }
  }

  private func standing(_ wanted: StreamEnd, _ seen: StreamEnd, answer wantedAnswer: StreamEnd) -> Standing {
    guard Self.agree(wanted, seen) else { return .contradicted }
    guard let answer else { return isBlind ? .contradicted : .mayStillCome }
    return Self.agree(wantedAnswer, answer) ? .asExpected : .contradicted
  }

  private static func agree(_ wanted: StreamEnd, _ seen: StreamEnd) -> Bool { wanted == .either || wanted == seen }

  /// In the words a scenario file uses.
  var text: String {
    switch first {
    case nil: isConnected ? "open" : "never connected"
    case .subject(let end): "subject \(end.rawValue)"
    case .peer(let end):
      "peer \(end.rawValue)" + (answer.map { ", subject \($0.rawValue)" } ?? (isBlind ? "" : ", subject still open"))
    }
  }
  /// The same with the instants.
  var story: String {
    guard first != nil else { return text }
    return "\(text) (at \(Wording.duration(firstAt))" + (answer == nil ? ")" : " and \(Wording.duration(answerAt)))")
  }
}
