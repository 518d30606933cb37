import ReportMarkup
import ScenarioModel

/// A trace event in words: what every report says of it, and where a diagram puts it.
struct EventWords: Hashable {
  enum Lane: Hashable {
    case peer(String)
    case socket(String)
    /// What goes over the wire itself.
    case wire
    /// Concerns the whole case.
    case all
  }

  enum Kind: String, CaseIterable {
    case call, callback, check, action, sight, tls, network, packet, point, note
  }

  /// Direction in which bytes or flags moved between the lane and the wire.
  enum Flow: Hashable {
    case none
    case toWire
    case fromWire
    /// A packet, by the host that it is meant for.
    case toSubject
    case toPeer
  }

  var lane: Lane
  var kind: Kind
  /// The event's name: `didRead`, `send`, `isConnected`.
  var word: String
  /// The rest: `tag 7, 7 B`; empty when there is none.
  var detail = ""
  var flow = Flow.none
  /// The label of the arrow when it carries no bytes: `FIN`, `RST`, `24 B of TLS`; empty for none.
  var wire = ""
  var payload: PayloadHead?
  /// Content of the payload if it is TLS records; nil: it is not, or that is not known.
  var records: RecordContent?
  /// A call that was refused or hung, a property that does not hold, a connection that broke.
  var isTrouble = false
  /// Whether a reaction inside a callback made the call.
  var isNested = false

  /// `didRead tag 7, 7 B`.
  var text: String { detail.isEmpty ? word : "\(word) \(detail)" }

  init(_ kind: TraceKind) {
    switch kind {
    case .command(let command, let socket, let result, let inCallback):
      self.init(command, socket: socket, result: result)
      isNested = inCallback
    case .checked(let check, let socket, let actual, let holds):
      self.init(lane: .socket(socket), kind: .check, word: check.property.rawValue)
      if let name = check.name { word += ".\(name)" }
      detail = "= \(actual.words)"
      isTrouble = !holds
    case .callback(let delivered): self.init(delivered)
    case .peerAction(let action, let peer): self.init(action, peer: peer)
    case .peerSaw(let observation, let peer): self.init(observation, peer: peer)
    case .tls(let remark, let peer): self.init(remark, peer: peer)
    case .network(let action):
      let words = action.words(duration: QuantityText.duration, size: QuantityText.size)
      self.init(lane: .wire, kind: .network, word: words.word)
      detail = words.detail
    case .packet(let sight): self.init(sight)
    case .point(let name): self.init(lane: .all, kind: .point, word: name)
    case .note(let text): self.init(lane: .all, kind: .note, word: text)
    }
  }

  init(lane: Lane, kind: Kind, word: String) {
    self.lane = lane
    self.kind = kind
    self.word = word
  }

  private init(_ sight: PacketSight) {
    self.init(lane: .wire, kind: .packet, word: sight.to == .subject ? "→" : "←")
    detail = sight.text + (sight.isTouched ? ", \(sight.fate)" : "")
    flow = sight.to == .subject ? .toSubject : .toPeer
    isTrouble = sight.isTouched
  }

  private init(_ action: PeerAction, peer: String) {
    self.init(lane: .peer(peer), kind: .action, word: "")
    switch action {
    case .accept: word = "accept"
    case .connect(let socket):
      (word, detail, flow, wire) = ("connect", "to \(socket)", .toWire, "SYN")
    case .send(let bytes):
      (word, detail, flow) = ("send", QuantityText.size(bytes.count), .toWire)
      payload = PayloadHead(bytes)
    case .sendUrgent(let byte):
      (word, detail, flow, wire) = ("sendUrgent", "0x\(VisibleText.hexPair(byte))", .toWire, "URG")
    case .finish: (word, flow, wire) = ("finish", .toWire, "FIN")
    case .close: (word, flow, wire) = ("close", .toWire, "close")
    case .reset: (word, flow, wire) = ("reset", .toWire, "RST")
    case .shutdownRead: word = "shutdownRead"
    case .setReading(.everything): word = "drain"
    case .setReading(.paused): word = "stall"
    case .setReading(.atMost(let count)): (word, detail) = ("drain", "at most \(QuantityText.size(count))")
    case .stopListening: word = "stopListening"
    case .listenAgain: word = "listenAgain"
    }
  }

  private init(_ observation: PeerObservation, peer: String) {
    self.init(lane: .peer(peer), kind: .sight, word: "")
    switch observation {
    case .connected: word = "connected"
    case .connectFailed(let number):
      (word, detail, isTrouble) = ("connect failed", Self.errno(number), true)
    case .sent(let count): (word, detail) = ("sent", QuantityText.size(count))
    case .sendFailed(let number): (word, detail, isTrouble) = ("send failed", Self.errno(number), true)
    case .received(let bytes):
      (word, detail, flow) = ("received", QuantityText.size(bytes.count), .fromWire)
      payload = PayloadHead(bytes)
    case .endOfStream: (word, flow, wire) = ("end of stream", .fromWire, "FIN")
    case .broken(let number):
      (word, detail, flow) = ("broken", Self.errno(number), .fromWire)
      wire = ErrnoName.name(of: number) == "ECONNRESET" ? "RST" : Self.errno(number)
    }
  }

  static func errno(_ number: Int32) -> String { ErrnoName.name(of: number) ?? "errno \(number)" }
}

extension EventWords {
  private init(_ delivered: DeliveredCallback) {
    self.init(lane: .socket(delivered.socket), kind: .callback, word: delivered.callback.kind.rawValue)
    var parts: [String] = []
    if let tag = delivered.callback.tag { parts.append("tag \(tag)") }
    switch delivered.callback {
    case .didConnect(let host, let port): parts.append("\(host) port \(port)")
    case .didConnectToURL(let path): parts.append(path)
    case .didAccept(let child): parts.append(child)
    case .didRead(let bytes, _):
      parts.append(QuantityText.size(bytes.count))
      flow = .fromWire
      payload = PayloadHead(bytes)
    case .didReadPartial(let count, _):
      parts.append("+\(QuantityText.size(count))")
      flow = .fromWire
    case .didWritePartial(let count, _): parts.append("+\(QuantityText.size(count))")
    case .shouldTimeoutRead(_, let elapsed, let done), .shouldTimeoutWrite(_, let elapsed, let done):
      parts.append("elapsed \(QuantityText.fraction(elapsed, digits: 3)) s")
      parts.append("\(QuantityText.size(done)) done")
    case .didCloseRead: (flow, wire) = (.fromWire, "FIN")
    case .didDisconnect(let error), .willDisconnect(let error):
      guard let error else { parts.append("no error"); break }
      let name = error.name + (error.origin.map { " (\($0))" } ?? "")
      parts.append(error.message.isEmpty ? name : "\(name): \(error.message)")
    case .newSocketQueue, .didWrite, .didSecure, .didReceiveTrust, .willConnect, .wantsRunLoop: break
    }
    if let loop = delivered.runLoop { parts.append("on \(loop)") }
    if let mode = delivered.mode, mode != RunLoopName.defaultMode { parts.append("in mode \(mode)") }
    if delivered.delegate != "delegate" { parts.append("to \(delivered.delegate)") }
    detail = parts.joined(separator: ", ")
  }
}

extension PropertyValue {
  /// As a reader wants it: `true`, `none`, `127.0.0.1`, `3 of 10 B`.
  var words: String {
    switch self {
    case .none: "none"
    case .flag(let flag): "\(flag)"
    case .number(let number): QuantityText.fraction(number, digits: 3)
    case .text(let text): text.isEmpty ? "empty" : text
    case .bytes(let bytes): PayloadHead(bytes).preview(limit: 40)
    case .names(let names): names.joined(separator: ", ")
    case .progress(let tag, let done, let total, let fraction):
      fraction.isNaN ? "nothing active" : "tag \(tag), \(done) of \(QuantityText.size(total))"
    }
  }
}
