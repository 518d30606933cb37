import ScenarioModel

extension EventWords {
  /// A call on the subject, in the words of the scenario language.
  init(_ command: SubjectCommand, socket: String, result: CommandResult) {
    self.init(lane: .socket(socket), kind: .call, word: command.word)
    detail = command.detail
    switch command {
    case .connect(let connect): (flow, wire) = (.toWire, connect.wire)
    case .write(let write):
      flow = .toWire
      payload = PayloadHead(write.payload)
    default: break
    }
    switch result {
    case .done: break
    case .returned(let answer): append("returns \(answer)")
    case .refused(let error): append("refused: \(error.name)" + (error.origin.map { " (\($0))" } ?? ""))
    case .unsupported(let reason): append("unsupported: \(reason)")
    case .hung: append("did not return")
    }
    if !result.isAccepted { (isTrouble, flow, wire) = (true, .none, "") }
  }

  private mutating func append(_ answer: String) {
    detail += detail.isEmpty ? answer : " — \(answer)"
  }
}

extension SubjectCommand {
  fileprivate var word: String {
    guard case .answerTrust(let isTrusted) = self else { return name }
    return isTrusted ? "trust the peer" : "do not trust the peer"
  }

  fileprivate var detail: String {
    switch self {
    case .connect(let connect): connect.detail
    case .listen(let listen): listen.detail
    case .read(let read): read.detail
    case .write(let write):
      (["tag \(write.tag)", QuantityText.size(write.payload.saturatingCount)] + timeoutWords(write.timeout))
        .joined(separator: ", ")
    case .setDelegate(let name), .setDelegateQueue(let name): name ?? "none"
    case .set(let setting): setting.words
    case .perform(let commands): commands.map(\.word).joined(separator: ", ")
    case .disconnect, .disconnectAfterReading, .disconnectAfterWriting, .disconnectAfterReadingAndWriting, .startTLS,
      .answerTrust, .blockDelegateQueue, .unblockDelegateQueue, .exhaustDescriptors, .freeDescriptors, .release:
      ""
    case .runLoop(let command): command.call.detail
    }
  }
}

extension CommandResult {
  fileprivate var isAccepted: Bool {
    switch self {
    case .done, .returned: true
    case .refused, .unsupported, .hung: false
    }
  }
}

extension RunLoopCommand.Call {
  fileprivate var detail: String {
    switch self {
    case .move(let name), .addMode(let name), .removeMode(let name): name ?? "none"
    case .setModes(let modes): modes.isEmpty ? "no modes" : modes.joined(separator: ", ")
    case .enablePrebuffering: ""
    case .run(let mode, let duration): "\(mode) for \(QuantityText.fraction(duration / .seconds(1), digits: 6)) s"
    }
  }
}

/// The timeout as the last part of a call's detail; nothing when there is none.
private func timeoutWords(_ timeout: TimeoutValue) -> [String] {
  guard timeout != .never else { return [] }
  guard timeout.seconds.magnitude < 1e15 else { return ["timeout \(timeout.seconds) s"] }
  return ["timeout \(QuantityText.fraction(timeout.seconds, digits: 6)) s"]
}

extension ConnectCommand {
  fileprivate var detail: String {
    var parts: [String]
    switch target {
    case .peer(let peer): parts = ["to \(peer)"]
    case .host(let host, let port): parts = ["to \(host) port \(port.words)"]
    case .address(let bytes): parts = ["to address \(PayloadHead(bytes).preview(limit: 30))"]
    case .path(let path): parts = ["to path \(path.isEmpty ? "(empty)" : path)"]
    }
    if let interface { parts.append("via \(interface)") }
    return (parts + timeoutWords(timeout)).joined(separator: ", ")
  }

  fileprivate var wire: String {
    if case .path = target { return "connect" }
    return "SYN"
  }
}

extension PortReference {
  fileprivate var words: String {
    switch self {
    case .number(let number): "\(number)"
    case .peer(let peer): "of \(peer)"
    case .listener(let socket): "of \(socket)"
    }
  }
}

extension ListenCommand {
  fileprivate var detail: String {
    switch place {
    case .anywhere(let port): port.words
    case .interface(let interface, let port): "on \(interface), \(port.words)"
    case .path(let path): "at path \(path)"
    }
  }
}

extension ListenCommand.ListenPort {
  fileprivate var words: String {
    switch self {
    case .free: "free port"
    case .number(let number): "port \(number)"
    case .of(let name): "port of \(name)"
    }
  }
}

extension ReadCommand {
  fileprivate var detail: String {
    var parts: [String]
    switch boundary {
    case .available(let limit): parts = limit == 0 ? [] : ["at most \(QuantityText.size(limit))"]
    case .exactly(let length): parts = [QuantityText.size(length)]
    case .through(let delimiter, let limit):
      parts = ["through \(PayloadHead(delimiter).preview(limit: 24))"]
      if limit != 0 { parts.append("at most \(QuantityText.size(limit))") }
    }
    parts.append("tag \(tag)")
    if let buffer { parts.append("into \(buffer.name) at \(buffer.offset)") }
    return (parts + timeoutWords(timeout)).joined(separator: ", ")
  }
}

extension SubjectSetting {
  fileprivate var words: String {
    switch self {
    case .ipv4Enabled(let flag): "ipv4Enabled = \(flag)"
    case .ipv6Enabled(let flag): "ipv6Enabled = \(flag)"
    case .ipv4Preferred(let flag): "ipv4Preferred = \(flag)"
    case .autoDisconnectOnClosedReadStream(let flag): "autoDisconnectOnClosedReadStream = \(flag)"
    case .alternateAddressDelay(let seconds):
      "alternateAddressDelay = \(QuantityText.fraction(seconds, digits: 3)) s"
    case .notifiesDisconnectBeforeReturning(let flag): "notifiesDisconnectBeforeReturning = \(flag)"
    case .userData(let text): "userData = \(text ?? "none")"
    case .userNumber(let number): "userData = \(number)"
    case .keepAlive(let seconds): "keepAlive = \(QuantityText.fraction(seconds, digits: 3)) s"
    case .userTimeout(let seconds): "userTimeout = \(QuantityText.fraction(seconds, digits: 3)) s"
    case .linger(let seconds): "linger = \(QuantityText.fraction(seconds, digits: 3)) s"
    }
  }
}
