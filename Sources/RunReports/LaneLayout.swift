import ScenarioModel

/// Where a diagram's lanes stand, from left to right: the clock, the peers, the wire, the subject's sockets. Units are
/// CSS pixels.
struct LaneLayout {
  /// Lifelines by lane, in the order of their first event.
  let peers: [(name: String, x: Int)]
  let sockets: [(name: String, x: Int)]
  /// The wire's left and right edge.
  let wire: (left: Int, right: Int)
  let width: Int

  /// Right edge of the clock's column.
  static let clock = 92
  /// Width of one character of a label.
  static let character = 7
  private static let peerLabel = 178
  /// Where handshakes are told.
  private static let securedPeerLabel = 340
  private static let peerStep = 104
  private static let socketStep = 132
  private static let socketLabel = 340
  private static let arrow = 168
  private static let band = 12
  /// Width of a case on the page; a diagram is never narrower.
  private static let page = 1_160
  /// More lanes share the last one.
  private static let maxPeers = 4
  private static let maxSockets = 5

  init(_ rows: [DiagramRow]) {
    var peerNames: [String] = []
    var socketNames: [String] = []
    for row in rows {
      guard case .event(let words) = row.content else { continue }
      switch words.lane {
      case .peer(let name): if !peerNames.contains(name) { peerNames.append(name) }
      case .socket(let name): if !socketNames.contains(name) { socketNames.append(name) }
      case .wire, .all: break
      }
    }
    if socketNames.isEmpty { socketNames = ["socket"] }
    let isSecured = rows.contains { row in
      if case .event(let words) = row.content { words.kind == .tls || words.records != nil } else { false }
    }
    let firstPeer = Self.clock + (isSecured ? Self.securedPeerLabel : Self.peerLabel)
    let lastPeer = firstPeer + Self.peerStep * max(0, min(peerNames.count, Self.maxPeers) - 1)
    peers = peerNames.enumerated().map {
      ($1, firstPeer + Self.peerStep * min($0, Self.maxPeers - 1))
    }
    let left = (peerNames.isEmpty ? Self.clock + 40 : lastPeer + Self.arrow)
    wire = (left, left + Self.band)
    let firstSocket = left + Self.band + Self.arrow
    sockets = socketNames.enumerated().map {
      ($1, firstSocket + Self.socketStep * min($0, Self.maxSockets - 1))
    }
    let natural = firstSocket + Self.socketStep * (min(socketNames.count, Self.maxSockets) - 1) + Self.socketLabel
    width = max(natural, Self.page)
  }

  /// The lifeline of an event; nil for what concerns the whole case.
  func x(of lane: EventWords.Lane) -> Int? {
    switch lane {
    case .peer(let name): peers.first { $0.name == name }?.x
    case .socket(let name): sockets.first { $0.name == name }?.x
    case .wire: (wire.left + wire.right) / 2
    case .all: nil
    }
  }

  /// Lifelines with the text of their heads; lanes that share a lifeline are counted.
  func heads(_ lanes: [(name: String, x: Int)]) -> [(text: String, x: Int)] {
    var heads: [(text: String, x: Int)] = []
    for lane in lanes where heads.last?.x != lane.x {
      let sharing = lanes.count { $0.x == lane.x } - 1
      heads.append((sharing > 0 ? "\(lane.name) +\(sharing)" : lane.name, lane.x))
    }
    return heads
  }

  /// Whether several lanes share this event's lifeline, so that its label must name the lane.
  func isShared(_ lane: EventWords.Lane) -> Bool {
    guard let x = x(of: lane) else { return false }
    return (peers + sockets).count { $0.x == x } > 1
  }
}
