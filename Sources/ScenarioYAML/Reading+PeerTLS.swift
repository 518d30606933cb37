import ScenarioModel

/// The steps with which a peer speaks TLS.
extension Reading {
  private static let tlsKeys =
    ["role", "certificate"] + versionKeys + [
      "ciphers", "groups", "alpn", "serverName", "clientCertificate", "trust", "tickets", "recordSize", "until", "edit",
      "coalesce", "fails",
    ]

  /// More tickets than this say nothing new.
  private static let maxTickets = 1_000

  mutating func peerTLS(_ node: YAMLNode) -> PeerStep? {
    guard let fields = fields(node, of: "`tls`", allowed: Self.tlsKeys) else { return nil }
    let faults = log.errorCount
    var tls = PeerTLS()
    for entry in fields.entries { read(entry, into: &tls) }
    if let (least, most) = versions(fields) { (tls.minimumVersion, tls.maximumVersion) = (least, most) }
    return log.errorCount == faults ? .tls(tls) : nil
  }

  private mutating func read(_ entry: YAMLEntry, into tls: inout PeerTLS) {
    let value = entry.value
    let what = "`\(entry.key)`"
    switch entry.key {
    case "role": tls.role = choice(value, of: "a role", as: TLSRole.self)
    case "certificate": tls.certificate = certificate(value)
    case "ciphers": tls.ciphers = texts(value, of: what)
    case "groups": tls.groups = texts(value, of: what)
    case "alpn": tls.alpn = texts(value, of: what)
    case "serverName": tls.serverName = text(value, of: what)
    case "clientCertificate":
      if let demand = choice(value, of: what, as: PeerTLS.ClientCertificate.self) { tls.clientCertificate = demand }
    case "trust": tls.anchors = anchors(value)
    case "tickets": tls.tickets = number(value, of: what, in: 0...Self.maxTickets)
    case "recordSize": tls.recordSize = size(value, of: what, atLeast: 1, atMost: 16_384)
    case "until": tls.until = choice(value, of: "a handshake message", as: HandshakeMessage.self)
    case "edit": tls.edits = edits(value)
    case "coalesce": if let flag = flag(value, of: what) { tls.coalesces = flag }
    case "fails": tls.failure = alertPattern(value, of: what)
    default: break
    }
  }

  mutating func tickets(_ node: YAMLNode) -> PeerStep? {
    number(node, of: "`tickets`", in: 1...Self.maxTickets).map(PeerStep.tickets)
  }

  mutating func keyUpdate(_ node: YAMLNode) -> PeerStep? {
    guard let fields = fields(node, of: "`keyUpdate`", allowed: ["requested"]) else { return nil }
    guard let node = fields["requested"] else { return .keyUpdate(requested: false) }
    return flag(node, of: "`requested`").map { .keyUpdate(requested: $0) }
  }

  /// `any`, the name of an alert, or a list of names.
  mutating func alertPattern(_ node: YAMLNode, of what: String) -> AlertPattern? {
    if node.word == "any" { return .any }
    guard node.items != nil else { return alertDescription(node, of: what).map { .oneOf([$0]) } }
    let descriptions = (list(node, of: what) ?? []).map { alertDescription($0, of: what) }
    let known = descriptions.compactMap { $0 }
    return known.count == descriptions.count && !known.isEmpty ? .oneOf(known) : nil
  }

  /// The name of an alert, or its number.
  private mutating func alertDescription(_ node: YAMLNode, of what: String) -> UInt8? {
    guard let text = text(node, of: what) else { return nil }
    if let number = TLSAlert.number(of: text) ?? UInt8(text) { return number }
    reportUnknown(.unknownWord, text, at: node.position, what: "an alert", among: TLSAlert.allNames)
    return nil
  }

  /// `alert: NAME`, which is fatal but for close_notify, or a mapping.
  mutating func alert(_ node: YAMLNode) -> PeerStep? {
    guard node.entries != nil else {
      return alertDescription(node, of: "`alert`").map {
        .alert(TLSAlert(level: $0 == TLSAlert.closeNotify ? 1 : 2, description: $0))
      }
    }
    guard let fields = fields(node, of: "`alert`", allowed: ["level", "description"]) else { return nil }
    let level = fields["level"].map { alertLevel($0) } ?? 2
    let description = required("description", in: fields, of: "`alert`")
      .flatMap { alertDescription($0, of: "`description`") }
    guard let level, let description else { return nil }
    return .alert(TLSAlert(level: level, description: description))
  }

  private mutating func alertLevel(_ node: YAMLNode) -> UInt8? {
    switch node.word {
    case "warning": return 1
    case "fatal": return 2
    default:
      guard let text = text(node, of: "`level`") else { return nil }
      if let number = UInt8(text) { return number }
      reportUnknown(.unknownWord, text, at: node.position, what: "the level of an alert", among: ["warning", "fatal"])
      return nil
    }
  }

  /// The name of a record's type, or its number.
  mutating func recordType(_ node: YAMLNode, of what: String) -> TLSRecordType? {
    guard let text = text(node, of: what) else { return nil }
    if let type = TLSRecordType(name: text) ?? UInt8(text).map(TLSRecordType.init(rawValue:)) { return type }
    reportUnknown(
      .unknownWord, text, at: node.position, what: "a type of record", among: TLSRecordType.allNames)
    return nil
  }

  mutating func record(_ node: YAMLNode) -> PeerStep? {
    let keys = ["type", "version", "bytes", "encrypted", "corrupt", "length", "innerType", "padding"]
    guard let fields = fields(node, of: "`record`", allowed: keys) else { return nil }
    let faults = log.errorCount
    var record = HandMadeRecord()
    if let node = fields["type"], let type = recordType(node, of: "`type`") { record.type = type }
    if let node = fields["version"], let version = recordVersion(node) { record.version = version }
    if let node = fields["bytes"], let payload = payload(node, of: "`bytes`") { record.payload = payload }
    record.encrypts = fields["encrypted"].flatMap { flag($0, of: "`encrypted`") }
    record.corruption = fields["corrupt"].flatMap {
      choice($0, of: "a part of a record", as: HandMadeRecord.Corruption.self)
    }
    record.length = fields["length"].flatMap { size($0, of: "`length`", atMost: 65_535) }
    record.innerType = fields["innerType"].flatMap { recordType($0, of: "`innerType`") }
    if let node = fields["padding"], let padding = size(node, of: "`padding`", atMost: 65_535) {
      record.padding = padding
    }
    if record.encrypts == false, let entry = fields.present(["innerType", "padding"]).first {
      report(.conflictingKeys, at: entry.position, "a record in clear has no `\(entry.key)`")
    }
    return log.errorCount == faults ? .record(record) : nil
  }

  mutating func recordVersion(_ node: YAMLNode) -> UInt16? {
    number(node, of: "`version`", in: 0...65_535).map { UInt16(clamping: $0) }
  }

  mutating func expectTLS(_ node: YAMLNode) -> PeerStep? {
    let keys = ["version", "cipher", "sni", "alpn", "certificate", "resumed"]
    guard let fields = fields(node, of: "`expectTLS`", allowed: keys) else { return nil }
    if fields.entries.isEmpty, node.entries?.isEmpty == true {
      report(
        .emptyList, at: node.position, "`expectTLS` expects nothing", help: "write \(PeerWord.expectTLS.example)")
    }
    let faults = log.errorCount
    var expected = TLSExpectation()
    expected.version = fields["version"].flatMap { choice($0, of: "a version of TLS", as: TLSVersion.self) }
    expected.cipher = fields["cipher"].flatMap { text($0, of: "`cipher`") }
    expected.serverName = fields["sni"].flatMap { $0.word == "none" ? "" : text($0, of: "`sni`") }
    expected.alpn = fields["alpn"].flatMap { $0.word == "none" ? "" : text($0, of: "`alpn`") }
    expected.certificate = fields["certificate"].flatMap {
      $0.word == "none" ? .nobody : certificate($0).map(TLSExpectation.Certificate.named)
    }
    expected.isResumed = fields["resumed"].flatMap { flag($0, of: "`resumed`") }
    return log.errorCount == faults ? .expectTLS(expected) : nil
  }
}
