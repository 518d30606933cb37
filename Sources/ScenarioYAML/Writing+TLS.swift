import ScenarioModel

extension FlowText {
  /// `startTLS` with its settings and the error it must be refused with.
  static func startTLS(_ command: TLSCommand, error: String?) -> String {
    var settings = command.extra.isEmpty ? nil : mapping(command.extra.map { (key($0.key), value($0.value)) })
    if command.passesNil { settings = "nil" }
    let fields: [(String, String?)] =
      [
        ("role", command.role?.rawValue), ("peerName", command.peerName.map(ScalarText.quoted)),
        ("trust", command.anchors == .testRoot ? nil : anchors(command.anchors)),
        ("certificate", command.certificate?.rawValue),
        ("certificateFormat", command.certificateFormat == .pem ? nil : command.certificateFormat.rawValue),
        ("revocation", command.checksRevocation ? command.revocationIsOutdated ? "outdated" : "true" : nil),
        ("manualTrust", command.manualTrust.map { "\($0)" }),
      ] + versions(command.minimumVersion, command.maximumVersion) + [
        ("ciphers", texts(command.ciphers)), ("alpn", texts(command.alpn)),
        ("allowsExpiredCertificates", command.allowsExpiredCertificates.map { "\($0)" }),
        ("allowsExpiredRoots", command.allowsExpiredRoots.map { "\($0)" }),
        ("allowsAnyRoot", command.allowsAnyRoot.map { "\($0)" }),
        ("validatesChain", command.validatesChain.map { "\($0)" }), ("level", command.level.map(ScalarText.quoted)),
        ("settings", settings), ("error", error),
      ]
    return word("startTLS", fields)
  }

  static func tls(_ tls: PeerTLS) -> String {
    let fields: [(String, String?)] =
      [("role", tls.role?.rawValue), ("certificate", tls.certificate?.rawValue)]
      + versions(tls.minimumVersion, tls.maximumVersion) + [
        ("ciphers", texts(tls.ciphers)), ("groups", texts(tls.groups)), ("alpn", texts(tls.alpn)),
        ("serverName", tls.serverName.map(ScalarText.quoted)),
        ("clientCertificate", tls.clientCertificate == .ignore ? nil : tls.clientCertificate.rawValue),
        ("trust", tls.anchors.map(anchors)), ("tickets", tls.tickets.map(String.init)),
        ("recordSize", tls.recordSize.map(SizeText.text)), ("until", tls.until?.rawValue),
        ("edit", tls.edits.isEmpty ? nil : "[" + tls.edits.map(edit).joined(separator: ", ") + "]"),
        ("coalesce", tls.coalesces ? "true" : nil), ("fails", tls.failure.map(alerts)),
      ]
    return word("tls", fields)
  }

  static func record(_ record: HandMadeRecord) -> String {
    let fields: [(String, String?)] = [
      ("type", record.type.text), ("version", record.version == 0x0303 ? nil : version(record.version)),
      ("bytes", payload(record.payload)), ("encrypted", record.encrypts.map { "\($0)" }),
      ("corrupt", record.corruption?.rawValue), ("length", record.length.map(SizeText.text)),
      ("innerType", record.innerType?.text), ("padding", record.padding == 0 ? nil : SizeText.text(record.padding)),
    ]
    return "record: " + mapping(fields)
  }

  static func expectTLS(_ expected: TLSExpectation) -> String {
    let certificate =
      switch expected.certificate {
      case nil: String?.none
      case .nobody: "none"
      case .named(let name): name.rawValue
      }
    let fields: [(String, String?)] = [
      ("version", expected.version?.rawValue), ("cipher", expected.cipher.map(ScalarText.quoted)),
      ("sni", expected.serverName.map { $0.isEmpty ? "none" : ScalarText.quoted($0) }),
      ("alpn", expected.alpn.map { $0.isEmpty ? "none" : ScalarText.quoted($0) }), ("certificate", certificate),
      ("resumed", expected.isResumed.map { "\($0)" }),
    ]
    return "expectTLS: " + mapping(fields)
  }

  static func alert(_ alert: TLSAlert) -> String {
    let level = alert.level == 1 ? "warning" : alert.level == 2 ? "fatal" : "\(alert.level)"
    return "alert: " + mapping([("level", level), ("description", description(alert.description))])
  }

  static func alerts(_ pattern: AlertPattern) -> String {
    switch pattern {
    case .any: "any"
    case .oneOf(let descriptions): "[" + descriptions.map(description).joined(separator: ", ") + "]"
    }
  }

  private static func description(_ number: UInt8) -> String {
    let name = TLSAlert.name(of: number)
    return TLSAlert.number(of: name) == nil ? "\(number)" : name
  }

  private static func word(_ word: String, _ fields: [(String, String?)]) -> String {
    fields.allSatisfy { $0.1 == nil } ? word : "\(word): " + mapping(fields)
  }

  private static func versions(_ least: TLSVersion?, _ most: TLSVersion?) -> [(String, String?)] {
    if let least, least == most { return [("version", least.rawValue)] }
    return [("minVersion", least?.rawValue), ("maxVersion", most?.rawValue)]
  }

  private static func anchors(_ anchors: TLSCommand.Anchors) -> String {
    switch anchors {
    case .testRoot: "testRoot"
    case .host: "host"
    case .certificate(let name): name.rawValue
    }
  }

  private static func texts(_ texts: [String]) -> String? {
    texts.isEmpty ? nil : "[" + texts.map(ScalarText.quoted).joined(separator: ", ") + "]"
  }

  private static func version(_ version: UInt16) -> String {
    let digits = String(version, radix: 16)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  private static func key(_ key: String) -> String { ScalarText.quoted(key) }

  private static func value(_ value: TLSCommand.Value) -> String {
    switch value {
    case .null: "null"
    case .flag(let flag): "\(flag)"
    case .number(let number): "\(number)"
    case .text(let text): ScalarText.quoted(text)
    case .bytes(let bytes): mapping([("hex", "\"\(HexText.text(bytes))\"")])
    case .list(let values): "[" + values.map(Self.value).joined(separator: ", ") + "]"
    }
  }

  private static func edit(_ edit: HandshakeEdit) -> String {
    var fields: [(String, String?)] = []
    let word: EditWord
    switch edit.change {
    case .drop: word = .drop
    case .double: word = .double
    case .swapWithNext: word = .swapWithNext
    case .empty: word = .empty
    case .truncate(let count): (word, fields) = (.truncate, [("by", SizeText.text(count))])
    case .extend(let payload): (word, fields) = (.extend, [("bytes", Self.payload(payload))])
    case .flip(let at): (word, fields) = (.flip, [("at", at.map(SizeText.text))])
    case .overwrite(let at, let payload):
      (word, fields) = (.overwrite, [("at", SizeText.text(at)), ("bytes", Self.payload(payload))])
    case .retype(let type): (word, fields) = (.retype, [("type", "\(type)")])
    case .wrongLength(let by): (word, fields) = (.wrongLength, [("by", "\(by)")])
    case .reframe(let type, let version, let length):
      fields = [("type", type?.text), ("version", version.map(Self.version)), ("length", length.map(SizeText.text))]
      word = .reframe
    }
    return mapping([("message", edit.message.rawValue), ("do", word.rawValue)] + fields)
  }
}
