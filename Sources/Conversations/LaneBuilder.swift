import ScenarioModel
import ScenarioYAML

/// Writes the lanes of a draft, scene by scene.
struct LaneBuilder {
  let conversation: Conversation
  let peerSide: Conversation.Side
  /// The subject is the server: it is the accepted socket that speaks.
  let isChild: Bool
  /// The subject sends after the peer has ended its stream.
  let isHalfOpen: Bool

  /// From the client's first bytes on.
  let speaksTLS: Bool
  var payloads: PayloadText
  /// Lines, without the indentation of the list they stand in.
  var peer: [String] = []
  var subject: [String] = []
  var reactions: [String] = []
  var expectations: [String] = []
  var ending = "open"
  private(set) var remarks: [String] = []
  var requirements = ["INV-04", "INV-05", "INV-06"]
  var onlyLoopback: String?
  var pauses = Duration.zero

  /// Of the newest read or write.
  var tag = 0
  /// What the subject waits for before its next step.
  var awaited: String?
  /// The moment of the subject's that a reset must not overtake.
  var lastRead: String?
  var peerHasFinished = false
  /// The subject's connection is over, or will be without another step.
  var subjectHasEnded = false
  var subjectEndWasSeen = false
  var peerIsGone = false
  /// The two speak TLS, which was opened.
  var isSecured = false
  /// The peer has sent close_notify.
  var peerHasNotified = false
  /// The peer's close_notify, as long as it may be a part of the end of its stream.
  var heldNotify: Move?
  /// Key updates that the peer has asked the subject for.
  var owedUpdates = 0
  /// The peer takes nothing: its window is shut.
  var isStalled = false
  /// An urgent byte came last: who closes over it resets.
  var urgentIsUnread = false
  /// Only the end is still written.
  private var isFull = false
  private var room = PayloadBudget()
  /// Of what is compared by its bytes.
  var comparedCount = 0

  private static let maxLines = 7_000

  init(_ conversation: Conversation, peer: Conversation.Side, folder: String) {
    self.conversation = conversation
    peerSide = peer
    isChild = peer == .client
    isHalfOpen = conversation.outlasts(peer.other)
    payloads = PayloadText(folder: folder)
    speaksTLS = conversation.showsRecords
    if speaksTLS {
      remark(
        "The connection speaks TLS, which was not opened: its records are played as they were, to a subject that "
          + "knows nothing of TLS.")
    }
    begin()
  }

  /// The prefix of callbacks of the socket that speaks, outside of its lane.
  var prefix: String { isChild ? "child." : "" }

  private mutating func begin() {
    let setting = "- set: { autoDisconnectOnClosedReadStream: false }"
    if isHalfOpen { requirements.append("HALF-02") }
    guard !isChild else {
      peer.append("- connect: socket")
      subject.append("- after: socket.didAccept")
      expectations.append("- socket.didAccept")
      lastRead = "socket.didAccept"
      guard isHalfOpen else { return }
      // Over the kernel the peer's end could come before the setting otherwise.
      peer.append("- after: ready")
      subject += [setting, "- reach: ready"]
      return
    }
    if isHalfOpen { subject.append(setting) }
    switch conversation.opening {
    case .seen, .unseen:
      peer.append("- accept")
      subject.append("- connect")
      expectations.append("- didConnect")
      awaited = "didConnect"
      lastRead = "didConnect"
    case .refused:
      peer.append("- refuse")
      subject.append("- connect")
      expectations.append("- didDisconnect: { error: ECONNREFUSED }")
      ending = "never connected"
    case .unanswered:
      peer.append("- blackhole")
      subject.append("- connect: { peer: peer, timeout: 1s }")
      expectations.append("- didDisconnect: { error: ConnectTimeout }")
      ending = "never connected"
    }
  }

  /// Whether there never was a connection on which something could be said.
  private var hasNone: Bool {
    switch conversation.opening {
    case .refused, .unanswered: true
    case .seen, .unseen: false
    }
  }

  mutating func take(_ scene: Scene) {
    guard !hasNone else { return }
    if !isFull, peer.count + subject.count + expectations.count >= Self.maxLines { fill() }
    switch scene {
    case .once(let move):
      guard !isFull || move.isEnd, let move = fitting(move) else { return }
      take(move)
    case .rounds(let times, let lead, let moves):
      guard let moves = fitting(moves) else { return }
      tellHeldNotify()
      repeatRounds(times, lead: lead, moves)
    case .keyChanges(let times, let moves):
      guard let moves = fitting(moves) else { return }
      tellHeldNotify()
      repeatKeyChanges(times, moves)
    }
  }

  private mutating func fill() {
    isFull = true
    remark("The file would be too long: what was said after this is left out.")
  }

  /// The move as far as a file has room for it; nil: there is none.
  private mutating func fitting(_ move: Move) -> Move? {
    guard case .turn = move.kind else { return move }
    guard let fitting = room.take(move) else {
      fill()
      return nil
    }
    return fitting.pieces.isEmpty ? nil : fitting
  }

  /// The moves that are repeated together, each as far as a file has room for it; nil: there is none for one of them.
  private mutating func fitting(_ moves: [Move]) -> [Move]? {
    guard !isFull else { return nil }
    let fitting = moves.compactMap { self.fitting($0) }
    return fitting.count == moves.count ? fitting : nil
  }

  /// To be called when there are no more scenes.
  mutating func finish() {
    tellHeldNotify()
    if isChild, conversation.opening == .unseen || conversation.opening == .seen, expectations.isEmpty {
      expectations.append("- socket.didAccept")
    }
    for (side, count) in room.leftOut.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      remark(
        "\(QuantityText.count(count, "byte")) of the \(side.rawValue) that are not known are left out besides: no file "
          + "has room for so many.")
    }
    if conversation.opening == .unseen { remark("The beginning of the connection was not seen.") }
    if ending == "open", !isFull { remark("Nobody was seen to end the connection.") }
  }

  private mutating func take(_ move: Move) {
    let isPeer = move.side == peerSide
    if move.kind != .finish || !isPeer { tellHeldNotify() }
    switch move.kind {
    case .turn(let pieces): if isPeer { peerSays(move, pieces) } else { subjectSays(move, pieces) }
    case .finish: if isPeer { peerFinishes(move) } else { subjectFinishes(move) }
    case .reset: if isPeer { peerResets(move) } else { subjectResets(move) }
    case .urgent(let byte): sayUrgent(byte, move, isPeer: isPeer)
    case .window(let isOpen): changeWindow(isOpen, move, isPeer: isPeer)
    case .handshake(let handshake): shakeHands(handshake, move)
    case .closeNotify: if isPeer { heldNotify = move } else { subjectFinishes(move) }
    case .alert(let alert): if isPeer { peerAlerts(alert, move) } else { remarkAlert(alert, move) }
    case .keyUpdate(let requested): changeKeys(move, requested: requested, isPeer: isPeer)
    }
  }

  /// Says it once in the head of the file.
  mutating func remark(_ sentence: String) {
    if !remarks.contains(sentence) { remarks.append(sentence) }
  }

  mutating func wait(_ pause: RecordedPause, in lane: WritableKeyPath<LaneBuilder, [String]>) {
    guard pause > .zero else { return }
    pauses += pause.length
    self[keyPath: lane].append(Self.waiting(pause))
  }

  /// Says how long the pause was where it was cut.
  static func waiting(_ pause: RecordedPause) -> String {
    let step = "- wait: \(ScenarioWriter.duration(pause.length))"
    return pause.isCut ? "\(step)  # it was \(QuantityText.duration(pause.seen))" : step
  }

  /// The subject goes on when it has seen what it had seen by then.
  mutating func catchUp() {
    guard let awaited else { return }
    subject.append("- after: \(awaited)")
    self.awaited = nil
  }

  private mutating func sayUrgent(_ byte: UInt8, _ move: Move, isPeer: Bool) {
    guard isPeer, !peerHasFinished, !subjectHasEnded else {
      return remark("The \(move.side.rawValue) sent urgent data here and there, which is left out.")
    }
    wait(move.pause, in: \.peer)
    peer.append("- sendUrgent: \(byte)")
    urgentIsUnread = true
    onlyLoopback = "the simulated wire knows no urgent data"
  }

  private mutating func changeWindow(_ isOpen: Bool, _ move: Move, isPeer: Bool) {
    guard isPeer, !subjectHasEnded, !peerIsGone else {
      let side = move.side.rawValue
      return remark("The \(side) promised no room at times (zero window); the subject reads when it likes.")
    }
    wait(move.pause, in: \.peer)
    // It may have taken something meanwhile, and reads already.
    guard isStalled == isOpen else { return }
    isStalled = !isOpen
    peer.append(isOpen ? "- drain" : "- stall")
  }

  /// The next event arrived although the window was shut: a probe byte, or the end.
  mutating func readAgain() {
    guard isStalled else { return }
    isStalled = false
    peer.append("- drain  # with its window still shut")
    remark(
      "The \(peerSide.rawValue) took something while it promised no room (zero window): the peer reads again before "
        + "that.")
  }
}
