import ScenarioModel

extension SubjectMessage {
  /// Understands a line. What it means in its place is for `SubjectSession` to say.
  package init(line: [UInt8]) throws(ProtocolViolation) {
    let fields = try MessageFields(line)
    switch fields.type {
    case "hello":
      // The version first: everything else may be another in another version.
      let version = try fields.integer("protocol")
      guard version == LabMessage.version else { throw .wrongVersion(version) }
      self = .hello(version: version, try Self.claims(fields))
    case "ready": self = .ready(number: try fields.integer("case"))
    case "result": self = .result(try Self.answer(fields))
    case "value":
      let instant = fields.has("at") ? try fields.instant() : nil
      self = .value(id: try fields.integer("id"), at: instant, try fields.value())
    case "reached": self = .reached(id: try fields.integer("id"), at: try fields.instant())
    case "callback":
      self = .callback(socket: try fields.text("socket"), try Self.callback(fields), at: try fields.instant())
    case "ended": self = .ended(number: try fields.integer("case"), open: try fields.texts("open"))
    case "note": self = .note(try fields.text("text"))
    default: throw .unknownMessage(MessageFields.shown(Array(fields.type.utf8)))
    }
  }

  /// The word after `"type":`.
  var type: String {
    switch self {
    case .hello: "hello"
    case .ready: "ready"
    case .result: "result"
    case .value: "value"
    case .reached: "reached"
    case .callback(_, let callback, _): callback.kind.rawValue
    case .ended: "ended"
    case .note: "note"
    }
  }

  private static func claims(_ fields: MessageFields) throws(ProtocolViolation) -> SubjectClaims {
    let name = try fields.label("name", most: 60)
    guard !name.isEmpty else { throw fields.wrong("its `name` is empty") }
    let version = fields.has("version") ? try fields.label("version", most: 80) : ""
    var claims = SubjectClaims(name: name, version: version, calls: Set(try fields.words("calls")))
    claims.callbacks = try fields.names("callbacks", unknown: &claims.unknown)
    claims.properties = try fields.names("properties", unknown: &claims.unknown)
    claims.features = try fields.names("features", unknown: &claims.unknown)
    claims.flavours = try fields.names("flavours", unknown: &claims.unknown)
    for call in claims.calls.subtracting(SubjectClaims.knownCalls).sorted() {
      claims.unknown.append(UnknownWord(list: "calls", word: call, known: SubjectClaims.knownCalls))
    }
    return claims
  }

  private static func answer(_ fields: MessageFields) throws(ProtocolViolation) -> CallAnswer {
    let result: CommandResult
    switch try fields.text("result") {
    case "done": result = .done
    case "true": result = .returned(true)
    case "false": result = .returned(false)
    case "refused":
      guard let error = try error(fields) else { throw fields.wrong("a refusal must name its `error`") }
      result = .refused(error)
    case "unsupported": result = .unsupported(try fields.optionalText("message") ?? "")
    case let other:
      let shown = MessageFields.shown(Array(other.utf8))
      throw fields.wrong("its `result` is `\(shown)`, and not done, true, false, refused or unsupported")
    }
    return CallAnswer(
      id: try fields.integer("id"), at: fields.has("at") ? try fields.instant() : nil, result: result,
      port: fields.has("port") ? try fields.port() : nil, host: try fields.optionalText("host"))
  }

  private static func error(_ fields: MessageFields) throws(ProtocolViolation) -> SubjectError? {
    guard let word = try fields.optionalText("error") else { return nil }
    return ErrorWord.error(
      word, message: try fields.optionalText("message") ?? "", reason: try fields.optionalText("reason"))
  }

  private static func callback(_ fields: MessageFields) throws(ProtocolViolation) -> Callback {
    let name = try fields.text("callback")
    guard let kind = CallbackKind(rawValue: name) else {
      throw fields.wrong("there is no callback of the name `\(MessageFields.shown(Array(name.utf8)))`")
    }
    switch kind {
    case .didConnect: return .didConnect(host: try fields.text("host"), port: try fields.port())
    case .didConnectToURL: return .didConnectToURL(path: try fields.text("path"))
    case .didAccept: return .didAccept(child: try fields.text("child"))
    case .didRead: return .didRead(bytes: try fields.bytes("data"), tag: try fields.integer("tag"))
    case .didReadPartial: return .didReadPartial(count: try fields.integer("count"), tag: try fields.integer("tag"))
    case .didWrite: return .didWrite(tag: try fields.integer("tag"))
    case .didWritePartial: return .didWritePartial(count: try fields.integer("count"), tag: try fields.integer("tag"))
    case .shouldTimeoutRead:
      return .shouldTimeoutRead(
        tag: try fields.integer("tag"), elapsed: try fields.number("elapsed"), bytesDone: try fields.integer("count"))
    case .shouldTimeoutWrite:
      return .shouldTimeoutWrite(
        tag: try fields.integer("tag"), elapsed: try fields.number("elapsed"), bytesDone: try fields.integer("count"))
    case .didDisconnect: return .didDisconnect(try error(fields))
    case .willDisconnect: return .willDisconnect(try error(fields))
    case .newSocketQueue: return .newSocketQueue
    case .didCloseRead: return .didCloseRead
    case .didSecure: return .didSecure
    case .didReceiveTrust: return .didReceiveTrust
    case .willConnect: return .willConnect
    case .wantsRunLoop: return .wantsRunLoop
    }
  }
}
