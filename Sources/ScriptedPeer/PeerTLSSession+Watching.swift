import COpenSSL
import ScenarioModel

extension PeerTLSSession {
  /// A message that OpenSSL has made, and how many of its records carry it.
  struct Captured {
    var type: TLSRecordType
    var message: HandshakeMessage?
    var content: [UInt8]
    var records: Int
    var epoch: OutgoingMessage.Epoch?
  }

  /// The kinds of callback that carry no message: a record's header and its inner type.
  private static let headerKind: Int32 = 0x100
  private static let innerTypeKind: Int32 = 0x101

  /// The random number by which a ServerHello says that it is a HelloRetryRequest: its first bytes (RFC 8446, 4.1.3).
  private static let retryRandom: [UInt8] = [0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11]

  /// Has OpenSSL report messages and secrets.
  func watch() {
    let argument = Unmanaged.passUnretained(self).toOpaque()
    SSL_set_ex_data(ssl, 0, argument)
    lab_peer_set_argument(ssl, argument)
    SSL_set_msg_callback(ssl) { isSent, _, kind, bytes, count, _, argument in
      guard let argument else { return }
      let session = Unmanaged<PeerTLSSession>.fromOpaque(argument).takeUnretainedValue()
      session.take(kind, Array(UnsafeRawBufferPointer(start: bytes, count: count)), isSent: isSent == 1)
    }
    SSL_CTX_set_keylog_callback(context.raw) { ssl, line in
      guard let ssl, let line, let argument = SSL_get_ex_data(ssl, 0) else { return }
      Unmanaged<PeerTLSSession>.fromOpaque(argument).takeUnretainedValue().take(secret: String(cString: line))
    }
  }

  private func take(_ kind: Int32, _ bytes: [UInt8], isSent: Bool) {
    switch kind {
    case Self.headerKind:
      if isSent {
        recordsMade += 1
        break
      }
      hasRefusedAlert = bytes.starts(with: [TLSRecordType.alert.rawValue, 3]) && bytes.suffix(2) == [0, 2]
      // OpenSSL reports it as a record only.
      if bytes.first == TLSRecordType.changeCipherSpec.rawValue { receive(.changeCipherSpec, bytes) }
    case Self.innerTypeKind: if isSent { sawInnerType = true }
    default:
      guard let type = UInt8(exactly: kind).map(TLSRecordType.init(rawValue:)) else { return }
      if isSent { capture(type, bytes) } else { receive(type, bytes) }
    }
  }

  private func capture(_ type: TLSRecordType, _ bytes: [UInt8]) {
    let message = Self.message(type, bytes)
    captured.append(
      Captured(type: type, message: message, content: bytes, records: recordsMade, epoch: sendingEpoch))
    recordsMade = 0
    sawInnerType = false
    switch message {
    case .changeCipherSpec: hasSentCiphers = true
    case .finished: hasSentFinished = true
    case .keyUpdate: keyUpdatesSent += 1
    default: break
    }
  }

  /// The key of the record that OpenSSL has just made.
  var sendingEpoch: OutgoingMessage.Epoch? {
    guard isTLS13 else { return hasSentCiphers ? .classic : nil }
    guard sawInnerType else { return nil }
    return hasSentFinished ? .application(keyUpdatesSent) : .handshake
  }

  func receive(_ type: TLSRecordType, _ bytes: [UInt8]) {
    if type == .alert {
      hasRefusedAlert = false
      guard bytes.count == 2 else { return }
      let alert = TLSAlert(level: bytes[0], description: bytes[1])
      alerts.append(alert)
      if alert.level != 1 { wasAlerted = true }
      tlsEvents.append(.alertReceived(alert))
    } else if type == .handshake || type == .changeCipherSpec {
      tlsEvents.append(.messageReceived(Self.name(type, bytes)))
      if Self.message(type, bytes) == .keyUpdate { newKeys += 1 }
      if let until = settings.until, Self.message(type, bytes) == until { isHolding = true }
    }
  }

  private func take(secret line: String) {
    tlsEvents.append(.secret(line))
    // As bytes: a scenario may change its keys a thousand times, and to cut at characters takes longer than to change.
    let parts = line.utf8.split(separator: UInt8(ascii: " "))
    guard parts.count == 3 else { return }
    secrets[String(decoding: parts[0], as: UTF8.self)] = Self.bytes(parts[2])
  }

  private static func bytes(_ digits: Substring.UTF8View) -> [UInt8] {
    let values = digits.map { $0 < UInt8(ascii: "A") ? $0 & 0xF : ($0 & 0xF) + 9 }
    return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  static func message(_ type: TLSRecordType, _ bytes: [UInt8]) -> HandshakeMessage? {
    if type == .changeCipherSpec { return .changeCipherSpec }
    guard type == .handshake, let number = bytes.first else { return nil }
    return HandshakeMessage(number: number)
  }

  static func name(_ type: TLSRecordType, _ bytes: [UInt8]) -> String {
    guard let message = message(type, bytes) else { return "handshake \(bytes.first ?? 0)" }
    if message == .serverHello, bytes.dropFirst(6).prefix(8).elementsEqual(retryRandom) { return "hello-retry-request" }
    return message.rawValue
  }

  /// Cuts the bytes OpenSSL has written into the messages it has reported, as far as they are there.
  func assemble(from bytes: inout [UInt8]) {
    while let next = captured.first {
      var end = 0
      var version: UInt16 = 0x0303
      for _ in 0..<next.records {
        guard bytes.count >= end + 5 else { return }
        version = UInt16(bytes[end + 1]) << 8 | UInt16(bytes[end + 2])
        end += 5 + (Int(bytes[end + 3]) << 8 | Int(bytes[end + 4]))
      }
      guard bytes.count >= end else { return }
      heap.append(
        OutgoingMessage(
          type: next.type, version: version, message: next.message, content: next.content, raw: Array(bytes[..<end]),
          epoch: next.epoch))
      bytes.removeFirst(end)
      captured.removeFirst()
    }
  }

  // MARK: - Facts

  var facts: TLSFacts {
    let cipher = SSL_get_current_cipher(ssl).flatMap { SSL_CIPHER_get_name($0) }.map { String(cString: $0) }
    var name = settings.serverName ?? ""
    if context.role == .server { name = SSL_get_servername(ssl, 0).map { String(cString: $0) } ?? "" }
    var bytes: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &bytes, &count)
    let alpn = bytes.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self) } ?? ""
    return TLSFacts(
      version: TLSVersion(number: SSL_version(ssl)), cipher: cipher ?? "", serverName: name, alpn: alpn,
      isResumed: SSL_session_reused(ssl) == 1)
  }

  /// The other side's certificate; nil if it showed none.
  var shownCertificate: [UInt8]? {
    guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
    defer { X509_free(certificate) }
    return PeerTLSContext.der(of: certificate)
  }

  /// Tells of what the other side showed, once it is known.
  func tellCertificates() {
    guard state == .shaking, let own = SSL_get1_peer_certificate(ssl) else { return }
    defer { X509_free(own) }
    var lines = [Self.line(own)]
    let chain = SSL_get_peer_cert_chain(ssl)
    // A server's view of the chain leaves out the certificate itself.
    let first: Int32 = context.role == .server ? 0 : 1
    let count = lab_peer_stack_count(chain)
    if first < count {
      for index in first..<count { lines.append(lab_peer_stack_at(chain, index).map(Self.line) ?? "?") }
    }
    tlsEvents.append(.certificates(lines))
  }

  private static func line(_ certificate: OpaquePointer) -> String {
    guard let name = X509_get_subject_name(certificate), let text = X509_NAME_oneline(name, nil, 0) else { return "?" }
    defer { CRYPTO_free(text, "PeerTLSSession", 0) }
    return String(cString: text)
  }
}
