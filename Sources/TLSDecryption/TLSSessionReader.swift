import Conversations
import ScenarioModel

/// One TLS session, from its ClientHello on: what is on the wire in, what was said out.
struct TLSSessionReader {
  /// What one side sends.
  struct Direction {
    private(set) var rest: [UInt8] = []
    private var used = 0
    /// A message of the handshake that is not complete yet.
    var message: [UInt8] = []
    var opener: RecordOpener?
    /// From its change of ciphers on (TLS 1.2).
    var next: RecordOpener?
    /// It has sent its Finished.
    var isFinished = false
    /// It has sent close_notify.
    var isClosed = false
    /// Its stream is over.
    var hasEnded = false
    /// From some place on it was only counted.
    var isLost = false

    /// Bytes that are no whole record.
    var count: Int { rest.count - used }

    mutating func append(_ bytes: [UInt8]) {
      if used > 0 { rest.removeFirst(used) }
      used = 0
      rest += bytes
    }

    /// The next record that is complete.
    mutating func record() throws(Undecrypted) -> TLSRecord? {
      guard count >= TLSRecord.headerCount else { return nil }
      let header = Array(rest[used..<used + TLSRecord.headerCount])
      let length = Int(header[3]) << 8 | Int(header[4])
      guard header[1] == 3, (20...23).contains(header[0]), length <= TLSRecord.maxLength else {
        throw Undecrypted(reason: "something else than a record of TLS stands where one should begin")
      }
      guard count >= TLSRecord.headerCount + length else { return nil }
      let start = used + TLSRecord.headerCount
      used = start + length
      return TLSRecord(type: header[0], header: header, body: Array(rest[start..<used]))
    }
  }

  private static let newest = 0x0304, classic = 0x0303
  /// Alerts that say that the other side does not speak TLS as it should.
  private static let objections = Set(
    [
      "unexpected_message", "bad_record_mac", "decryption_failed", "record_overflow", "decompression_failure",
      "illegal_parameter", "decode_error", "decrypt_error", "protocol_version", "missing_extension",
      "unsupported_extension",
    ].compactMap { TLSAlert.number(of: $0) })

  private let keyLog: TLSKeyLog
  private var directions: (client: Direction, server: Direction) = (Direction(), Direction())
  private var events: [Conversation.Event] = []
  private var hello: ClientHello?
  private var secrets: [TLSKeyLog.Label: [UInt8]] = [:]
  private var version: Int?
  private var suite: SuiteFacts?
  private var handshake = Conversation.Handshake()
  /// Of the handshake's event: when the ClientHello was complete.
  private var began: Duration?
  private var alert: (side: Conversation.Side, alert: TLSAlert)?
  /// What is to be said of the session, in sentences.
  private(set) var notes: [String] = []

  init(_ keyLog: TLSKeyLog) { self.keyLog = keyLog }

  private subscript(side: Conversation.Side) -> Direction {
    get { side == .client ? directions.client : directions.server }
    _modify { if side == .client { yield &directions.client } else { yield &directions.server } }
  }

  private var isEstablished: Bool { directions.client.isFinished && directions.server.isFinished }
  private var isModern: Bool { version == Self.newest }

  mutating func take(_ event: Conversation.Event) throws(Undecrypted) {
    switch event.act {
    case .bytes(let bytes):
      self[event.side].append(bytes)
      while let record = try self[event.side].record() { try take(record, event) }
    case .missing(let count, .tooMany) where isEstablished:
      // Nothing of it is kept behind this but its end.
      self[event.side].isLost = true
      events.append(event)
      let size = QuantityText.size(count)
      notes.append("Of the \(event.side.rawValue), the last \(size) are counted with what TLS puts around them.")
    case .missing(let count, let lack):
      let what = "\(QuantityText.count(count, "byte")) of the \(event.side.rawValue)"
      throw Undecrypted(reason: "\(what) \(count == 1 ? "is" : "are") missing, which \(lack.text)")
    case .urgent: throw Undecrypted(reason: "the \(event.side.rawValue) sent urgent data among its records")
    case .finish, .reset:
      guard isEstablished else { throw brokenOff }
      self[event.side].hasEnded = true
      // Whether it said so was not kept; most do.
      if self[event.side].isLost, event.act == .finish { tell(.closeNotify, event) }
      events.append(event)
    default: events.append(event)
    }
  }

  private var brokenOff: Undecrypted {
    let said = alert.map { ": the \($0.side.rawValue) sent the \($0.alert.text)" } ?? ""
    return Undecrypted(reason: "its handshake was not completed\(said)")
  }

  /// Everything, when no more comes.
  mutating func finished() throws(Undecrypted) -> [Conversation.Event] {
    guard isEstablished, let place = events.firstIndex(where: Self.isHandshake) else {
      throw brokenOff
    }
    events[place].act = .handshake(handshake)
    for side in Conversation.Side.allCases where self[side].count > 0 && !self[side].isLost {
      let count = QuantityText.count(self[side].count, "byte")
      notes.append("The \(side.rawValue)'s last \(count) are a part of a record, which is left out.")
    }
    return events
  }

  private static func isHandshake(_ event: Conversation.Event) -> Bool {
    if case .handshake = event.act { true } else { false }
  }

  private mutating func tell(_ act: Conversation.Act, _ event: Conversation.Event) {
    events.append(Conversation.Event(at: event.at, side: event.side, act: act))
  }

  // MARK: - Records

  private mutating func take(_ record: TLSRecord, _ event: Conversation.Event) throws(Undecrypted) {
    let side = event.side
    guard !self[side].isClosed else {
      throw Undecrypted(reason: "the \(side.rawValue) went on behind its close_notify")
    }
    if record.type == TLSRecordType.changeCipherSpec.rawValue {
      // TLS 1.3 sends it to please old proxies, behind a HelloRetryRequest, too.
      guard !isModern, version != nil else { return }
      guard let next = self[side].next else { throw Undecrypted(reason: "a change-cipher-spec comes out of turn") }
      self[side].opener = next
      self[side].next = nil
      return
    }
    guard let opener = self[side].opener, !isModern || record.type == TLSRecordType.applicationData.rawValue else {
      return try take(record.type, record.body, event)
    }
    guard let (type, content) = opener.open(record) else {
      throw Undecrypted(
        reason: "a record of the \(side.rawValue), \(QuantityText.size(record.body.count)) long, fails its "
          + "authentication, as it does with a wrong secret or a damaged byte")
    }
    try take(type, content, event)
  }

  private mutating func take(_ type: UInt8, _ content: [UInt8], _ event: Conversation.Event) throws(Undecrypted) {
    let side = event.side
    switch TLSRecordType(rawValue: type) {
    case .handshake:
      self[side].message += content
      while let message = self[side].nextMessage() { try take(message.type, message.body, event) }
    case .alert:
      guard content.count == 2 else { throw Undecrypted(reason: "an alert of the \(side.rawValue) is none") }
      try take(TLSAlert(level: content[0], description: content[1]), event)
    case .applicationData:
      guard self[side].opener != nil else {
        throw Undecrypted(reason: "the \(side.rawValue) sent data before the handshake (0-RTT)")
      }
      if !content.isEmpty { tell(.bytes(content), event) }
    default: throw Undecrypted(reason: "the \(side.rawValue) sent a record of the unknown type \(type)")
    }
  }

  private mutating func take(_ alert: TLSAlert, _ event: Conversation.Event) throws(Undecrypted) {
    self.alert = (event.side, alert)
    guard isEstablished || alert.level == 1 else { throw brokenOff }
    // A peer that objects to a stream without close_notify may send the same alert.
    if Self.objections.contains(alert.description), !self[event.side.other].hasEnded {
      let what = "the \(event.side.rawValue) objected to something with the \(alert.text)"
      throw Undecrypted(reason: "\(what), and what that was only the records show")
    }
    guard alert.description == TLSAlert.closeNotify, alert.level == 1 else { return tell(.alert(alert), event) }
    self[event.side].isClosed = true
    tell(.closeNotify, event)
  }

  // MARK: - Messages

  private mutating func take(
    _ type: UInt8, _ body: ArraySlice<UInt8>, _ event: Conversation.Event
  ) throws(Undecrypted) {
    switch HandshakeMessage(number: type) {
    case .clientHello where event.side == .client: try takeHello(body, event)
    case .serverHello where event.side == .server: try answer(body)
    case .helloRequest: throw Undecrypted(reason: "the server asked for another handshake (renegotiation)")
    case .encryptedExtensions:
      var fields = FieldReader(body, of: "list of encrypted extensions")
      for (number, content) in try HelloExtension.all(&fields) where number == HelloExtension.protocols {
        handshake.chosen = try HelloExtension.names(content).first
      }
    case .certificateRequest:
      guard !isEstablished else { throw Undecrypted(reason: "the server asked for a certificate after the handshake") }
      handshake.asksForCertificate = true
    case .certificate: try takeCertificate(body, event.side)
    case .newSessionTicket: handshake.tickets += 1
    case .finished: try finish(event)
    case .keyUpdate:
      guard isEstablished, let next = try self[event.side].opener?.updated() else {
        throw Undecrypted(reason: "the \(event.side.rawValue) changed its keys where that cannot be")
      }
      self[event.side].opener = next
      tell(.keyUpdate(requested: body.first == 1), event)
    default: break
    }
  }

  private mutating func takeHello(_ body: ArraySlice<UInt8>, _ event: Conversation.Event) throws(Undecrypted) {
    guard !directions.client.isFinished else {
      throw Undecrypted(reason: "the client began another handshake (renegotiation)")
    }
    let isFirst = hello == nil
    let hello = try ClientHello(body)
    self.hello = hello
    (handshake.serverName, handshake.offered) = (hello.serverName, hello.protocols)
    guard isFirst else { return }
    began = event.at
    tell(.handshake(handshake), event)
  }

  private mutating func answer(_ body: ArraySlice<UInt8>) throws(Undecrypted) {
    let answer = try ServerHello(body)
    guard let hello, version == nil else { throw Undecrypted(reason: "a ServerHello comes out of turn") }
    guard !answer.isRetry else {
      handshake.isRetried = true
      handshake.retryGroup = answer.group.flatMap(HelloExtension.group)
      return
    }
    guard answer.version >= Self.classic else {
      throw Undecrypted(reason: "its version is older than TLS 1.2, and is not read here")
    }
    guard answer.version <= Self.newest else {
      throw Undecrypted(reason: "its version is newer than TLS 1.3, and is not read here")
    }
    version = answer.version
    let suite = try SuiteTable.shared.facts(of: answer.suite)
    handshake.version = isModern ? .tls13 : .tls12
    (self.suite, handshake.suite) = (suite, suite.name)
    if !isModern { handshake.chosen = answer.chosen }
    secrets = keyLog.secrets(of: hello.random)
    guard !secrets.isEmpty else {
      let random = hello.random.prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      throw Undecrypted(reason: "the key log has no secret of this session, whose client random begins with \(random)")
    }
    if isModern {
      directions.client.opener = try .modern(suite, secret: secret(.clientHandshake))
      directions.server.opener = try .modern(suite, secret: secret(.serverHandshake))
    } else {
      (directions.client.next, directions.server.next) = try RecordOpener.classic(
        suite, masterSecret: secret(.masterSecret), clientRandom: hello.random, serverRandom: answer.random,
        encryptsFirst: answer.encryptsFirst)
    }
  }

  private func secret(_ label: TLSKeyLog.Label) throws(Undecrypted) -> [UInt8] {
    guard let secret = secrets[label] else {
      throw Undecrypted(reason: "the key log has no \(label.rawValue) of this session")
    }
    return secret
  }

  private mutating func finish(_ event: Conversation.Event) throws(Undecrypted) {
    guard !self[event.side].isFinished else {
      throw Undecrypted(reason: "the \(event.side.rawValue) finished a second handshake")
    }
    self[event.side].isFinished = true
    if isModern {
      guard let suite else { return }
      let secret = try secret(event.side == .client ? .clientTraffic : .serverTraffic)
      self[event.side].opener = try .modern(suite, secret: secret)
    }
    if isEstablished, let began { handshake.duration = event.at - began }
  }

  private mutating func takeCertificate(_ body: ArraySlice<UInt8>, _ side: Conversation.Side) throws(Undecrypted) {
    var fields = FieldReader(body, of: "list of certificates")
    if isModern { _ = try fields.vector(1) }
    var list = try fields.vector(3)
    guard !list.isEmpty else { return }
    let summary = CertificateSummary.read(try list.vector(3).rest)
    if side == .server { handshake.serverCertificate = summary } else { handshake.clientCertificate = summary }
  }
}

extension TLSSessionReader.Direction {
  /// The next message that is complete.
  fileprivate mutating func nextMessage() -> (type: UInt8, body: ArraySlice<UInt8>)? {
    guard message.count >= 4 else { return nil }
    let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
    guard message.count >= 4 + length else { return nil }
    defer { message.removeFirst(4 + length) }
    return (message[0], message[4..<4 + length])
  }
}
