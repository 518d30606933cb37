import ScenarioModel

/// The names a file declares, gathered from its nodes before they are read, so that a reference may stand before what
/// it refers to. Anything ill-formed is passed over here; reading reports it.
struct Outline {
  struct Peer {
    var name: String
    /// Whether it waits for connections, as `PeerLane.listens`.
    var listens: Bool
  }

  struct Point {
    var name: String
    var position: SourcePosition
  }

  /// Subject sockets that exist from the start: those of `sockets`, then `socket`, then the lanes', then those that a
  /// prefix of `connect` or `listen` brings in; each once.
  private(set) var sockets: [String] = []
  private var socketNames: Set<String> = []
  private var peerNameSet: Set<String> = []
  private var pointNames: Set<String> = []
  /// Sockets with a `listen` step, in the order of the file.
  private(set) var listeningSockets: [String] = []
  private(set) var peers: [Peer] = []
  /// All `reach` steps.
  private(set) var points: [Point] = []
  /// Whether anything is done with the socket called `socket`, so that leaving a prefix out means something.
  private(set) var usesDefaultSocket = false

  init(_ root: YAMLNode) {
    let entries = root.entries ?? []
    for entry in entries where entry.key == "sockets" {
      for setup in entry.value.entries ?? [] { declare(setup.key) }
      usesDefaultSocket = socketNames.contains("socket")
    }
    declare("socket")
    for entry in entries {
      switch entry.key {
      case "subject":
        usesDefaultSocket = true
        gatherSubject(entry.value, socket: "socket")
      case "subjects":
        // Nothing in it is a fault of its own; do not complain of what else lacks a socket then.
        if entry.value.entries?.isEmpty ?? true { usesDefaultSocket = true }
        for lane in entry.value.entries ?? [] {
          if lane.key == "socket" { usesDefaultSocket = true }
          if !SocketNames.isChild(lane.key) { declare(lane.key) }
          gatherSubject(lane.value, socket: lane.key)
        }
      case "reactions": gatherReactions(entry.value)
      case "network":
        gatherPeerPoints(entry.value.entries?.first { $0.key == "steps" }?.value ?? entry.value)
      case "peer": gatherPeer("peer", entry.value)
      case "peers":
        for lane in entry.value.entries ?? [] {
          gatherPeer(lane.key, lane.value.entries?.first { $0.key == "steps" }?.value ?? lane.value)
        }
      default: break
      }
    }
  }

  var peerNames: [String] { peers.map(\.name) }

  func hasPeer(_ name: String) -> Bool { peerNameSet.contains(name) }

  func hasSocket(_ name: String) -> Bool { socketNames.contains(name) }

  func hasPoint(_ name: String) -> Bool { pointNames.contains(name) }

  var hasListener: Bool { !listeningSockets.isEmpty }

  private mutating func declare(_ name: String) {
    if socketNames.insert(name).inserted { sockets.append(name) }
  }

  private mutating func gatherReactions(_ node: YAMLNode) {
    for reaction in node.items ?? [] {
      let entries = reaction.entries ?? []
      let when = entries.first { $0.key == "when" }?.value
      let pattern = when?.word ?? when?.entries?.first?.key ?? ""
      let socket = PrefixedWord(pattern).socket ?? "socket"
      if let steps = entries.first(where: { $0.key == "do" })?.value { gatherSubject(steps, socket: socket) }
    }
  }

  private mutating func gatherSubject(_ node: YAMLNode, socket: String) {
    for step in node.items ?? [] {
      let entry = step.entries?.first
      let key = PrefixedWord(step.word ?? entry?.key ?? "")
      let target = key.socket ?? socket
      if key.socket == "socket" { usesDefaultSocket = true }
      switch key.word {
      case "connect", "listen":
        if !SocketNames.isChild(target) { declare(target) }
        if key.word == "listen", !listeningSockets.contains(target) { listeningSockets.append(target) }
      case "perform":
        if let inner = entry?.value { gatherSubject(inner, socket: target) }
      case "repeat":
        if let inner = entry?.value.entries?.first(where: { $0.key == "steps" }) {
          gatherSubject(inner.value, socket: socket)
        }
      case "reach": gatherPoint(entry?.value)
      default: break
      }
    }
  }

  private mutating func gatherPeer(_ name: String, _ node: YAMLNode) {
    peerNameSet.insert(name)
    peers.append(Peer(name: name, listens: Self.opening(node) != "connect"))
    gatherPeerPoints(node)
  }

  private mutating func gatherPeerPoints(_ node: YAMLNode) {
    for step in node.items ?? [] {
      guard let entry = step.entries?.first else { continue }
      if entry.key == "reach" { gatherPoint(entry.value) }
      if entry.key == "repeat", let inner = entry.value.entries?.first(where: { $0.key == "steps" }) {
        gatherPeerPoints(inner.value)
      }
    }
  }

  /// The first of the words that make a lane listen or connect.
  private static func opening(_ node: YAMLNode) -> String? {
    for step in node.items ?? [] {
      let word = step.word ?? step.entries?.first?.key ?? ""
      if ["connect", "accept", "refuse", "blackhole"].contains(word) { return word }
      if word == "repeat", let inner = step.entries?.first?.value.entries?.first(where: { $0.key == "steps" }) {
        return opening(inner.value)
      }
    }
    return nil
  }

  private mutating func gatherPoint(_ node: YAMLNode?) {
    guard let node, let name = node.word else { return }
    pointNames.insert(name)
    points.append(Point(name: name, position: node.position))
  }
}

/// A step or callback word with the socket in front of it, if there is one: `child.read`.
struct PrefixedWord {
  var socket: String?
  var word: String

  init(_ text: String) {
    if let dot = text.firstIndex(of: ".") {
      socket = String(text[..<dot])
      word = String(text[text.index(after: dot)...])
    } else {
      word = text
    }
  }
}

/// How sockets are called.
enum SocketNames {
  /// `child`, `child2`, `child3`…: sockets that a listener accepted, in order.
  static func isChild(_ name: String) -> Bool { ChildName.isChild(name) }
}
