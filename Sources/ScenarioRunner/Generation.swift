import ScenarioModel

/// One life of a socket, from a successful start to its didDisconnect.
struct Generation: Sendable {
  /// How it came about.
  enum Origin: Hashable, Sendable {
    case listening, accepted
    /// To a peer that is known by its name, to an unknown one of the peers, or perhaps to none of them: to a socket of
    /// the subject's own.
    case connecting(to: String), connectingToAPeer, connectingAnywhere
  }

  let origin: Origin
  /// Until when the call that started it was under way, if it was a lane's; nil: it was none.
  var startedUntil: Duration?
  var isConnected = false
  /// A disconnect of some kind was called, or willDisconnect came.
  var isClosing = false
  /// Until when that call of a lane's was under way; nil: it was none of a lane's.
  var closedUntil: Duration?
  /// Some of `written` may have been ignored, or have gone to the life before.
  var mayLackWrites = false
  /// Its didConnect has come.
  var isToldSo = false
  /// Of a run-loop socket: its willDisconnect has come.
  var isEnding = false
  /// … and had no error: the peer had ended its stream in order.
  var isEndedByPeer = false
  /// Of a run-loop socket: disconnect was called by a lane, and had returned by then; its didDisconnect came inside.
  var mustEndBy: Duration?
  /// … was called by a reaction, and its didDisconnect has not come.
  var endsInCall = false
  /// What unreadData told in willDisconnect, and how many didReads had come before.
  var unread: (reads: Int, bytes: [UInt8])?
  var reads = OperationQueue()
  var writes = OperationQueue()
  /// The payloads of the accepted writes, in order.
  var written: [Payload] = []
  /// The bytes of its didReads, in order.
  var delivered: [[UInt8]] = []
  /// How many of those had come when its didSecure came; nil: that has not come.
  var deliveredInClear: Int?
  /// Questions about trust that no `trust: true` has answered yet.
  var openTrustQuestions = 0
  /// Until when a lane's call with such a yes was under way; nil: there was none.
  var trustedUntil: Duration?
}

extension Generation.Origin {
  init(_ target: ConnectCommand.Target) {
    switch target {
    case .peer(let name): self = .connecting(to: name)
    // A name may be resolved to any of the hosts.
    case .host(_, port: .peer): self = .connectingToAPeer
    case .host, .address, .path: self = .connectingAnywhere
    }
  }
}
