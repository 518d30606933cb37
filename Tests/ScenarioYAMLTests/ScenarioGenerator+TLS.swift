import ScenarioModel

extension ScenarioGenerator {
  mutating func tlsCommand() -> TLSCommand {
    var command = TLSCommand()
    if chance(6) {
      command.passesNil = true
      return command
    }
    command.role = pick([nil, .client, .server])
    command.peerName = chance(2) ? text() : nil
    command.anchors = pick([.testRoot, .host, .certificate(pick(CertificateName.allCases))])
    command.certificate = chance(2) ? pick(CertificateName.allCases) : nil
    command.certificateFormat = pick(TLSCommand.CertificateFormat.allCases)
    command.checksRevocation = chance(2)
    command.revocationIsOutdated = command.checksRevocation && chance(2)
    command.manualTrust = pick([nil, true, false])
    (command.minimumVersion, command.maximumVersion) = versions()
    command.ciphers = chance(2) ? [text(), "ECDHE"] : []
    command.alpn = chance(2) ? ["h2", text()] : []
    command.allowsExpiredCertificates = pick([nil, true, false])
    command.allowsExpiredRoots = pick([nil, true, false])
    command.allowsAnyRoot = pick([nil, true, false])
    command.validatesChain = pick([nil, true, false])
    command.level = chance(2) ? text() : nil
    let values: [TLSCommand.Value] = [
      .null, .flag(chance(2)), .number(Double(number(99)) / 4), .text(text()), .bytes(bytes()),
      .list([.null, .text("1"), .list([.flag(true)])]),
    ]
    command.extra = (0..<number(3)).map { TLSCommand.Extra(key: "Key\($0)", value: pick(values)) }
    return command
  }

  mutating func tlsSteps() -> [PeerStep] {
    let parts = [PeerStep.expectTLS(expectation()), .expectAlert(alerts()), .keyUpdate(requested: chance(2))]
    let more: [PeerStep] = [
      .tickets(1 + number(9)), .alert(TLSAlert(level: UInt8(number(4)), description: UInt8(number(256)))),
      .record(record()), .raw(payload(1)), .closeNotify, .expectAlert(.any), .expectKeyUpdate,
    ]
    return [.tls(peerTLS())] + parts + (0..<number(4)).map { _ in pick(more) } + (chance(2) ? [.truncate] : [.finish])
  }

  private mutating func peerTLS() -> PeerTLS {
    var tls = PeerTLS()
    guard chance(2) else { return tls }
    tls.role = pick([nil, .client, .server])
    tls.certificate = chance(2) ? pick(CertificateName.allCases) : nil
    (tls.minimumVersion, tls.maximumVersion) = versions()
    tls.ciphers = chance(2) ? [text(), "TLS_AES_128_GCM_SHA256"] : []
    tls.groups = chance(2) ? ["P-256"] : []
    tls.alpn = chance(2) ? ["h2", text()] : []
    tls.serverName = chance(2) ? text() : nil
    tls.clientCertificate = pick(PeerTLS.ClientCertificate.allCases)
    tls.anchors = pick([nil, .testRoot, .host, .certificate(.leaf)])
    tls.tickets = chance(2) ? number(5) : nil
    tls.recordSize = chance(2) ? 1 + number(16_384) : nil
    tls.until = chance(3) ? pick(HandshakeMessage.allCases) : nil
    tls.edits = (0..<number(3)).map { _ in HandshakeEdit(message: pick(HandshakeMessage.allCases), change: change()) }
    tls.coalesces = chance(2)
    tls.failure = chance(2) ? alerts() : nil
    return tls
  }

  private mutating func change() -> HandshakeEdit.Change {
    pick([
      .drop, .double, .swapWithNext, .empty, .truncate(1 + number(9)), .extend(payload(1)), .flip(at: nil),
      .flip(at: number(99)), .overwrite(at: number(99), payload(1)), .retype(UInt8(number(256))),
      .wrongLength(by: number(9) - 4), .reframe(type: .heartbeat, version: nil, length: nil),
      .reframe(type: nil, version: UInt16(number(65_536)), length: number(65_536)),
    ])
  }

  private mutating func record() -> HandMadeRecord {
    var record = HandMadeRecord(type: TLSRecordType(rawValue: UInt8(number(30))), payload: payload(1))
    record.version = chance(2) ? 0x0303 : UInt16(number(65_536))
    record.encrypts = pick([nil, true, false])
    record.corruption = pick([nil] + HandMadeRecord.Corruption.allCases)
    record.length = chance(2) ? number(65_536) : nil
    if record.encrypts != false {
      record.innerType = pick([nil, .handshake, TLSRecordType(rawValue: 0)])
      record.padding = number(99)
    }
    return record
  }

  private mutating func expectation() -> TLSExpectation {
    var expected = TLSExpectation()
    expected.version = pick([.tls12, .tls13])
    expected.cipher = chance(2) ? "TLS_AES_128_GCM_SHA256" : nil
    expected.serverName = pick([nil, "", "good.example"])
    expected.alpn = pick([nil, "", "h2"])
    expected.certificate = pick([nil, .nobody, .named(pick(CertificateName.allCases))])
    expected.isResumed = pick([nil, true, false])
    return expected
  }

  private mutating func alerts() -> AlertPattern {
    chance(3) ? .any : .oneOf((0...number(2)).map { _ in UInt8(number(256)) })
  }

  private mutating func versions() -> (TLSVersion?, TLSVersion?) {
    pick([(nil, nil), (.tls12, .tls12), (.tls10, .tls13), (nil, .tls12), (.tls13, nil)])
  }
}
