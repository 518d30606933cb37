import ScenarioModel

extension Writing {
  /// A subject step; `lane` is the socket that steps without prefix call.
  mutating func write(_ step: SubjectStep, _ indent: Int, lane: String?) {
    switch step {
    case .command(let command, let socket, let refusal):
      write(command, refusal: refusal, prefix: prefix(socket, fallback: lane), indent)
    case .check(let checks, let socket):
      let fields = checks.map { check -> (String, String?) in
        (check.name.map { "buffer.\($0)" } ?? check.property.rawValue, expected(check))
      }
      item(indent, prefix(socket, fallback: lane) + "check: " + FlowText.mapping(fields))
    case .wait(let duration): item(indent, "wait: \(DurationText.text(duration))")
    case .hold(let duration): item(indent, "hold: \(DurationText.text(duration))")
    case .answer(let value): item(indent, "answer: \(DurationText.text(seconds: value.seconds))")
    case .decide(.connect(let isWanted)): item(indent, "answer: \(isWanted)")
    case .decide(.runLoop(let name)): item(indent, "answer: { runLoop: \(name ?? "none") }")
    case .after(let syncPoint):
      item(indent, "after: " + FlowText.syncPoint(syncPoint) { prefix($0, fallback: lane) })
    case .reach(let point): item(indent, "reach: \(point)")
    case .network(let action): item(indent, FlowText.network(action))
    case .repeated(let times, let steps):
      writeRepetition(times, indent)
      for step in steps { write(step.step, indent + 3, lane: lane) }
    }
  }

  private mutating func writeRepetition(_ times: Int, _ indent: Int) {
    item(indent, "repeat:")
    line(indent + 2, "times: \(times)")
    line(indent + 2, "steps:")
  }

  private mutating func write(_ command: SubjectCommand, refusal: ErrorPattern?, prefix: String, _ indent: Int) {
    let error = refusal.map(FlowText.error)
    switch command {
    case .perform(let commands):
      item(indent, prefix + "perform:")
      for command in commands { write(command, refusal: nil, prefix: "", indent + 2) }
    case .connect(let connect): item(indent, prefix + text(connect, error: error))
    case .listen(let listen): item(indent, prefix + text(listen, error: error))
    case .read(let read):
      let fields = fields(read)
      item(indent, prefix + "read" + (fields.isEmpty ? "" : ": " + FlowText.mapping(fields)))
    case .write(let write):
      let payload = FlowText.payload(write.payload)
      let common = common(timeout: write.timeout, tag: write.tag)
      item(indent, prefix + "write: " + (common.isEmpty ? payload : FlowText.mapping([("bytes", payload)] + common)))
    case .answerTrust(let isTrusted): item(indent, prefix + "trust: \(isTrusted)")
    case .startTLS(let command): item(indent, prefix + FlowText.startTLS(command, error: error))
    case .setDelegate(let name): item(indent, prefix + "delegate: \(name ?? "none")")
    case .setDelegateQueue(let name): item(indent, prefix + "delegateQueue: \(name ?? "none")")
    case .set(let setting): item(indent, prefix + "set: { \(text(setting)) }")
    case .disconnect: item(indent, prefix + "disconnect")
    case .disconnectAfterReading: item(indent, prefix + "disconnectAfterReading")
    case .disconnectAfterWriting: item(indent, prefix + "disconnectAfterWriting")
    case .disconnectAfterReadingAndWriting: item(indent, prefix + "disconnectAfterReadingAndWriting")
    case .blockDelegateQueue: item(indent, prefix + "blockDelegateQueue")
    case .unblockDelegateQueue: item(indent, prefix + "unblockDelegateQueue")
    case .exhaustDescriptors: item(indent, prefix + "exhaustDescriptors")
    case .freeDescriptors: item(indent, prefix + "freeDescriptors")
    case .release: item(indent, prefix + "release")
    case .runLoop(let command): item(indent, prefix + FlowText.runLoop(command))
    }
  }

  private func text(_ connect: ConnectCommand, error: String?) -> String {
    let extra: [(String, String?)] = [
      ("timeout", connect.timeout == .never ? nil : DurationText.text(seconds: connect.timeout.seconds)),
      ("via", connect.interface.map(ScalarText.quoted)), ("error", error),
    ]
    let isPlain = extra.allSatisfy { $0.1 == nil }
    let target: [(String, String?)] =
      switch connect.target {
      case .peer(let name): [("peer", name)]
      case .host(let host, let port): [("host", ScalarText.quoted(host)), ("port", FlowText.port(port))]
      case .address(let bytes): [("address", "\"\(HexText.text(bytes))\"")]
      case .path(let path): [("path", ScalarText.quoted(path))]
      }
    if isPlain, case .peer(let name) = connect.target {
      return scenario.peers.first(where: \.listens)?.name == name ? "connect" : "connect: \(name)"
    }
    return "connect: " + FlowText.mapping(target + extra)
  }

  private func text(_ listen: ListenCommand, error: String?) -> String {
    let place: [(String, String?)] =
      switch listen.place {
      case .anywhere(let port): [("port", text(port))]
      case .interface(let name, let port): [("interface", ScalarText.quoted(name)), ("port", text(port))]
      case .path(let path): [("path", ScalarText.quoted(path))]
      }
    let fields = (place + [("error", error)]).filter { $0.1 != nil }
    return fields.isEmpty ? "listen" : "listen: " + FlowText.mapping(fields)
  }

  private func text(_ port: ListenCommand.ListenPort) -> String? {
    switch port {
    case .free: nil
    case .number(let number): "\(number)"
    case .of(let name): "{ of: \(name) }"
    }
  }

  private func fields(_ read: ReadCommand) -> [(String, String?)] {
    var fields: [(String, String?)] =
      switch read.boundary {
      case .available(let limit): [("limit", limit == 0 ? nil : SizeText.text(limit))]
      case .exactly(let length): [("length", SizeText.text(length))]
      case .through(let delimiter, let limit):
        [("through", FlowText.payload(delimiter)), ("limit", limit == 0 ? nil : SizeText.text(limit))]
      }
    fields += common(timeout: read.timeout, tag: read.tag)
    if let buffer = read.buffer {
      let size = buffer.size.map(SizeText.text) ?? "none"
      let parts: [(String, String?)] = [
        ("name", buffer.name), ("size", size), ("offset", SizeText.text(buffer.offset)), ("fill", "\(buffer.fill)"),
      ]
      fields.append(("buffer", FlowText.mapping(parts)))
    }
    return fields.filter { $0.1 != nil }
  }

  private func common(timeout: TimeoutValue, tag: Int) -> [(String, String?)] {
    var fields: [(String, String?)] = []
    if timeout != .never { fields.append(("timeout", DurationText.text(seconds: timeout.seconds))) }
    if tag != 0 { fields.append(("tag", "\(tag)")) }
    return fields
  }

  private func text(_ setting: SubjectSetting) -> String {
    switch setting {
    case .ipv4Enabled(let flag): "ipv4Enabled: \(flag)"
    case .ipv6Enabled(let flag): "ipv6Enabled: \(flag)"
    case .ipv4Preferred(let flag): "ipv4Preferred: \(flag)"
    case .autoDisconnectOnClosedReadStream(let flag): "autoDisconnectOnClosedReadStream: \(flag)"
    case .notifiesDisconnectBeforeReturning(let flag): "notifiesDisconnectBeforeReturning: \(flag)"
    case .alternateAddressDelay(let seconds): "alternateAddressDelay: \(DurationText.plain(seconds: seconds))"
    case .userData(let text): "userData: " + (text.map(ScalarText.quoted) ?? "none")
    case .userNumber(let number): "userData: \(number)"
    case .keepAlive(let seconds): "keepAlive: \(DurationText.plain(seconds: seconds))"
    case .userTimeout(let seconds): "userTimeout: \(DurationText.plain(seconds: seconds))"
    case .linger(let seconds): "linger: \(DurationText.plain(seconds: seconds))"
    }
  }

  private func expected(_ check: PropertyCheck) -> String {
    switch check.expected {
    case .present: return "present"
    case .port(let port): return FlowText.port(port)
    case .mentions(let texts): return FlowText.list(texts.map(ScalarText.quoted))
    case .progress(let tag, let done, let total, let active):
      guard active else { return "none" }
      let fields: [(String, String?)] = [
        ("tag", tag.map(String.init)), ("done", done.map(FlowText.range)), ("total", total.map(SizeText.text)),
      ]
      return fields.allSatisfy { $0.1 == nil } ? "present" : FlowText.mapping(fields)
    case .value(let value): return text(value, of: check.property)
    case .payload(let payload): return FlowText.payload(payload)
    }
  }

  private func text(_ value: PropertyValue, of property: SubjectProperty) -> String {
    switch value {
    case .none: "none"
    case .flag(let flag): "\(flag)"
    case .text(let text): ScalarText.quoted(text)
    case .bytes(let bytes): FlowText.bytes(bytes)
    case .names(let names): FlowText.list(names)
    case .number(let number):
      property == .alternateAddressDelay ? DurationText.plain(seconds: number) : "\(Int(exactly: number) ?? 0)"
    case .progress(let tag, let done, let total, _):
      FlowText.mapping([
        ("tag", "\(tag)"), ("done", SizeText.text(done)), ("total", SizeText.text(total)),
      ])
    }
  }

  mutating func write(_ step: PeerStep, _ indent: Int) {
    switch step {
    case .repeated(let times, let steps):
      writeRepetition(times, indent)
      for step in steps { write(step.value, indent + 3) }
    case .accept: item(indent, "accept")
    case .refuse: item(indent, "refuse")
    case .blackhole: item(indent, "blackhole")
    case .finish: item(indent, "finish")
    case .close: item(indent, "close")
    case .reset: item(indent, "reset")
    case .closeNotify: item(indent, "closeNotify")
    case .expectKeyUpdate: item(indent, "expectKeyUpdate")
    case .truncate: item(indent, "truncate")
    case .tls(let tls): item(indent, FlowText.tls(tls))
    case .expectTLS(let expected): item(indent, FlowText.expectTLS(expected))
    case .expectAlert(let pattern): item(indent, "expectAlert: " + FlowText.alerts(pattern))
    case .keyUpdate(let requested): item(indent, "keyUpdate" + (requested ? ": { requested: true }" : ""))
    case .tickets(let count): item(indent, "tickets: \(count)")
    case .alert(let alert): item(indent, FlowText.alert(alert))
    case .record(let record): item(indent, FlowText.record(record))
    case .raw(let payload): item(indent, "raw: " + FlowText.payload(payload))
    case .shutdownRead: item(indent, "shutdownRead")
    case .stall: item(indent, "stall")
    case .stopListening: item(indent, "stopListening")
    case .listenAgain: item(indent, "listenAgain")
    case .connect(let socket): item(indent, "connect: \(socket)")
    case .send(let payload): item(indent, "send: " + FlowText.payload(payload))
    case .sendUrgent(let byte): item(indent, "sendUrgent: \(byte)")
    case .expect(let payload): item(indent, "expect: " + FlowText.payload(payload))
    case .expectEnd(let end): item(indent, "expectEnd: \(end.rawValue)")
    case .wait(let duration): item(indent, "wait: \(DurationText.text(duration))")
    case .reach(let point): item(indent, "reach: \(point)")
    case .drip(let payload, let chunk, let every):
      let fields: [(String, String?)] = [
        ("bytes", FlowText.payload(payload)), ("chunk", SizeText.text(chunk)), ("every", DurationText.text(every)),
      ]
      item(indent, "drip: " + FlowText.mapping(fields))
    case .expectCount(let count, let hash):
      let fields = [("length", SizeText.text(count)), ("hash", hash.map(ScalarText.quoted))]
      item(indent, "expect: " + FlowText.mapping(fields))
    case .expectSilence(let duration): item(indent, "expectSilence: \(DurationText.text(duration))")
    case .echo(let count): item(indent, "echo" + (count.map { ": { length: \(SizeText.text($0)) }" } ?? ""))
    case .drain(let chunk, let every):
      let fields = [("chunk", chunk.map(SizeText.text)), ("every", every.map(DurationText.text(_:)))]
      item(indent, "drain" + (chunk == nil && every == nil ? "" : ": " + FlowText.mapping(fields)))
    case .after(let syncPoint):
      item(indent, "after: " + FlowText.syncPoint(syncPoint) { prefix($0, fallback: defaultSocket) })
    }
  }
}
