import COpenSSL
import ScenarioModel

extension PeerTLSSession {
  private static let largestRecord = 16_384

  /// Releases the held messages, with the settings of the step that asks for it.
  func resume(_ settings: PeerTLS) {
    var settings = settings
    settings.serverName = self.settings.serverName
    self.settings = settings
    isHolding = false
    release()
  }

  /// Moves messages to the wire until one of them is the `until`.
  func release() {
    while !isHolding, !heap.isEmpty {
      var messages = [heap.removeFirst()]
      if settings.coalesces {
        while let next = heap.first, next.type == .handshake, messages[0].type == .handshake,
          next.epoch == messages[0].epoch, messages.last?.message != settings.until
        {
          messages.append(heap.removeFirst())
        }
      }
      if let until = settings.until, messages.contains(where: { $0.message == until }) { isHolding = true }
      let before = messages.count
      let edited = edit(messages)
      put(edited, isPacked: before > 1)
      for message in messages { note(message) }
    }
  }

  /// The messages as they shall go out.
  private func edit(_ messages: [OutgoingMessage]) -> [OutgoingMessage] {
    var edited: [OutgoingMessage] = []
    var pending = messages
    while !pending.isEmpty {
      var message = pending.removeFirst()
      if message.message == .certificate, let chain = context.replacedChain {
        message.setCertificates(chain, isTLS13: isTLS13)
      }
      var copies = 1
      for edit in settings.edits where edit.message == message.message {
        switch edit.change {
        case .drop: copies = 0
        case .double: copies = 2
        case .swapWithNext:
          if pending.isEmpty, !heap.isEmpty {
            let next = heap.removeFirst()
            note(next)
            pending.append(next)
          }
          guard !pending.isEmpty else { continue }
          edited.append(pending.removeFirst())
          edited.append(message)
          tlsEvents.append(.forged("\(edit.message.rawValue) sent after the message behind it"))
          copies = 0
          continue
        default:
          tlsEvents.append(.forged("\(edit.message.rawValue) \(message.edit(edit.change))"))
          continue
        }
        tlsEvents.append(.forged("\(edit.message.rawValue) \(copies == 0 ? "dropped" : "sent twice")"))
      }
      for copy in 0..<copies {
        if copy > 0 { message.isEdited = true }
        edited.append(message)
      }
    }
    return edited
  }

  /// Puts messages on the wire, together if they are packed.
  private func put(_ messages: [OutgoingMessage], isPacked: Bool) {
    guard let first = messages.first else { return }
    for message in messages { tell(message) }
    guard isPacked else {
      for message in messages { put(message) }
      return
    }
    var packed = first
    packed.content = messages.flatMap(\.content)
    packed.raw = messages.flatMap(\.raw)
    packed.isEdited = true
    put(packed)
  }

  private func put(_ message: OutgoingMessage) {
    let size = settings.recordSize ?? Self.largestRecord
    let isCut = message.content.count > size && message.type == .handshake && message.epoch == nil
    if let epoch = message.epoch {
      guard forges, var forge = forge(for: epoch) else {
        if message.isEdited { tlsEvents.append(.forged("nothing: the suite is not one that can be made by hand")) }
        wire += message.raw
        return
      }
      for piece in Self.pieces(message.content, of: min(size, Self.largestRecord)) {
        wire += sealed(piece, message, &forge)
      }
      forgesByEpoch[epoch] = forge
    } else if message.isEdited || isCut {
      for piece in Self.pieces(message.content, of: size) {
        let header = RecordForge.header(
          message.outerType ?? message.type, message.outerVersion ?? message.version,
          message.outerLength ?? piece.count)
        wire += header + piece
      }
    } else {
      wire += message.raw
    }
  }

  private func sealed(_ piece: [UInt8], _ message: OutgoingMessage, _ forge: inout RecordForge) -> [UInt8] {
    let inner = forge.isTLS13 ? message.type : nil
    var record = HandMadeRecord(type: message.outerType ?? (forge.isTLS13 ? .applicationData : message.type))
    record.innerType = inner
    record.version = message.outerVersion ?? message.version
    record.length = message.outerLength
    return Self.finished(forge.seal(record, piece), record)
  }

  /// At least one piece, be it empty.
  private static func pieces(_ bytes: [UInt8], of size: Int) -> [[UInt8]] {
    guard bytes.count > size else { return [bytes] }
    return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
  }

  /// Which key comes next on the wire.
  private func note(_ message: OutgoingMessage) {
    if let epoch = message.epoch { wireEpoch = epoch }
    switch message.message {
    case .serverHello: if isTLS13, secrets[handshakeLabel] != nil { wireEpoch = .handshake }
    case .changeCipherSpec: if !isTLS13 { wireEpoch = .classic }
    case .finished: if isTLS13 { wireEpoch = .application(0) }
    case .keyUpdate: if case .application(let number) = message.epoch { wireEpoch = .application(number + 1) }
    default: break
    }
  }

  private func tell(_ message: OutgoingMessage) {
    switch message.type {
    case .alert:
      guard message.content.count == 2 else { return }
      tlsEvents.append(.alertSent(TLSAlert(level: message.content[0], description: message.content[1])))
    case .applicationData: break
    default: tlsEvents.append(.messageSent(Self.name(message.type, message.content)))
    }
  }

  // MARK: - By hand

  private var handshakeLabel: String {
    context.role == .server ? "SERVER_HANDSHAKE_TRAFFIC_SECRET" : "CLIENT_HANDSHAKE_TRAFFIC_SECRET"
  }

  private var applicationLabel: String {
    context.role == .server ? "SERVER_TRAFFIC_SECRET_0" : "CLIENT_TRAFFIC_SECRET_0"
  }

  /// Why no encrypted record can be made by hand now; nil: it can. Makes the record.
  func make(_ record: HandMadeRecord, told: String? = nil) -> String? {
    let payload = record.payload.materialised
    let keyed = wireEpoch ?? (isTLS13 && secrets[handshakeLabel] != nil ? .handshake : nil)
    if record.encrypts ?? (wireEpoch != nil) {
      guard let epoch = keyed else { return "the peer has no keys yet" }
      guard forges, var forge = forge(for: epoch) else { return "records of \(facts.cipher) can't be made by hand" }
      wire += Self.finished(forge.seal(record, payload), record)
      forgesByEpoch[epoch] = forge
    } else {
      wire += Self.inClear(record)
    }
    tlsEvents.append(.forged(told ?? "a record of type \(record.type.text) with \(payload.count) bytes"))
    return nil
  }

  /// An alert under the key there is, in clear without one; why not, or nil.
  func make(_ alert: TLSAlert) -> String? {
    var record = HandMadeRecord(type: .alert, payload: .bytes([alert.level, alert.description]))
    if isTLS13, wireEpoch != nil { (record.type, record.innerType) = (.applicationData, .alert) }
    let reason = make(record, told: "an alert")
    if reason == nil { tlsEvents.append(.alertSent(alert)) }
    return reason
  }

  static func inClear(_ record: HandMadeRecord) -> [UInt8] {
    let payload = record.payload.materialised
    return finished(RecordForge.header(record.type, record.version, payload.count) + payload, record)
  }

  /// The record with its length and corruption as wished.
  private static func finished(_ bytes: [UInt8], _ record: HandMadeRecord) -> [UInt8] {
    var bytes = bytes
    if let length = record.length, bytes.count >= 5 {
      bytes[3] = UInt8(truncatingIfNeeded: length >> 8)
      bytes[4] = UInt8(truncatingIfNeeded: length)
    }
    switch record.corruption {
    case nil: break
    case .tag: bytes[bytes.count - 1] ^= 1
    case .body: if bytes.count > 5 { bytes[5] ^= 1 }
    case .header: bytes[2] ^= 1
    }
    return bytes
  }

  private func forge(for epoch: OutgoingMessage.Epoch) -> RecordForge? {
    if let known = forgesByEpoch[epoch] { return known }
    guard let cipher = SSL_get_current_cipher(ssl) ?? SSL_get_pending_cipher(ssl),
      SSL_CIPHER_get_cipher_nid(cipher) == NID_aes_128_gcm
    else { return nil }
    switch epoch {
    case .handshake: return secrets[handshakeLabel].map(RecordForge.init(trafficSecret:))
    case .application(0): return secrets[applicationLabel].map(RecordForge.init(trafficSecret:))
    case .application(let number): return number > 0 ? forge(for: .application(number - 1))?.updated : nil
    case .classic: return classicForge
    }
  }

  private var classicForge: RecordForge? {
    guard let session = SSL_get_session(ssl), SSL_version(ssl) == TLSVersion.tls12.number else { return nil }
    var master = [UInt8](repeating: 0, count: SSL_SESSION_get_master_key(session, nil, 0))
    SSL_SESSION_get_master_key(session, &master, master.count)
    var client = [UInt8](repeating: 0, count: 32)
    var server = client
    SSL_get_client_random(ssl, &client, client.count)
    SSL_get_server_random(ssl, &server, server.count)
    return RecordForge(masterSecret: master, clientRandom: client, serverRandom: server, role: context.role)
  }
}
