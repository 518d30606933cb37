import ScenarioModel

/// What the TLS steps of subjects and peers have in common, and the subject's own.
extension Reading {
  static let versionKeys = ["version", "minVersion", "maxVersion"]

  private static let startTLSKeys =
    ["role", "peerName", "trust", "certificate", "certificateFormat", "revocation", "manualTrust"] + versionKeys + [
      "ciphers", "alpn", "allowsExpiredCertificates", "allowsExpiredRoots", "allowsAnyRoot", "validatesChain", "level",
      "settings",
    ]

  /// `startTLS` alone, or with its settings.
  mutating func startTLS(_ raw: RawStep) -> (SubjectCommand, ErrorPattern?)? {
    guard let value = raw.value else { return (.startTLS(TLSCommand()), nil) }
    guard let fields = fields(value, of: "`startTLS`", allowed: Self.startTLSKeys + ["error"]) else { return nil }
    let faults = log.errorCount
    var command = TLSCommand()
    for entry in fields.present(Self.startTLSKeys) { read(entry, into: &command) }
    if let (least, most) = versions(fields) { (command.minimumVersion, command.maximumVersion) = (least, most) }
    if command.passesNil, let other = fields.entries.first(where: { !["settings", "error"].contains($0.key) }) {
      report(
        .conflictingKeys, at: other.position, "with `settings: nil` nothing is passed, so `\(other.key)` is not either",
        help: "leave out one of the two")
    }
    let refusal = refusal(fields).pattern
    return log.errorCount == faults ? (.startTLS(command), refusal) : nil
  }

  private mutating func read(_ entry: YAMLEntry, into command: inout TLSCommand) {
    let value = entry.value
    let what = "`\(entry.key)`"
    switch entry.key {
    case "role": command.role = choice(value, of: "a role", as: TLSRole.self)
    case "peerName": command.peerName = text(value, of: what)
    case "trust": if let anchors = anchors(value) { command.anchors = anchors }
    case "certificate": command.certificate = certificate(value)
    case "certificateFormat":
      if let format = choice(value, of: "a format", as: TLSCommand.CertificateFormat.self) {
        command.certificateFormat = format
      }
    case "revocation":
      command.revocationIsOutdated = value.word == "outdated"
      if command.revocationIsOutdated {
        command.checksRevocation = true
      } else if let flag = flag(value, of: what) {
        command.checksRevocation = flag
      }
    case "manualTrust": command.manualTrust = flag(value, of: what)
    case "ciphers": command.ciphers = texts(value, of: what)
    case "alpn": command.alpn = texts(value, of: what)
    case "allowsExpiredCertificates": command.allowsExpiredCertificates = flag(value, of: what)
    case "allowsExpiredRoots": command.allowsExpiredRoots = flag(value, of: what)
    case "allowsAnyRoot": command.allowsAnyRoot = flag(value, of: what)
    case "validatesChain": command.validatesChain = flag(value, of: what)
    case "level": command.level = text(value, of: what)
    case "settings": settings(value, into: &command)
    default: break
    }
  }

  private mutating func settings(_ node: YAMLNode, into command: inout TLSCommand) {
    if node.word == "nil" { return command.passesNil = true }
    guard let entries = node.entries, !entries.isEmpty else {
      reportShape(node, of: "`settings`", expected: "`nil` or a mapping", help: "write `settings: { KEY: 12 }`")
      return
    }
    command.extra = entries.compactMap { entry in
      settingValue(entry.value).map { TLSCommand.Extra(key: entry.key, value: $0) }
    }
  }

  /// A value as a dictionary of settings may hold it.
  private mutating func settingValue(_ node: YAMLNode) -> TLSCommand.Value? {
    if node.isEmpty { return .null }
    switch node.content {
    case .list(let items):
      let values = items.map { settingValue($0) }
      let known = values.compactMap { $0 }
      return known.count == values.count ? .list(known) : nil
    case .mapping:
      return payload(node, of: "a setting").map { .bytes($0.materialised) }
    case .scalar(let text, let plain):
      guard plain else { return .text(text) }
      switch text {
      case "true": return .flag(true)
      case "false": return .flag(false)
      default: return Double(text).flatMap { $0.isFinite ? .number($0) : nil } ?? .text(text)
      }
    }
  }

  /// `trust: true` or `trust: false`.
  mutating func trust(_ raw: RawStep) -> SubjectCommand? {
    guard let value = value(of: raw, example: SubjectWord.trust.example) else { return nil }
    return flag(value, of: "`trust`").map(SubjectCommand.answerTrust)
  }

  /// The lowest and the highest version, as `version` or one by one; nil if they are ill-formed.
  mutating func versions(_ fields: Fields) -> (least: TLSVersion?, most: TLSVersion?)? {
    let faults = log.errorCount
    if let entry = fields.entry("version") {
      if let other = fields.present(["minVersion", "maxVersion"]).first {
        report(
          .conflictingKeys, at: other.position, "`version` says both ends already",
          help: "write `version`, or `minVersion` and `maxVersion`")
        return nil
      }
      return choice(entry.value, of: "a version of TLS", as: TLSVersion.self).map { ($0, $0) }
    }
    let least = fields["minVersion"].flatMap { choice($0, of: "a version of TLS", as: TLSVersion.self) }
    let most = fields["maxVersion"].flatMap { choice($0, of: "a version of TLS", as: TLSVersion.self) }
    if let least, let most, let entry = fields.entry("maxVersion"), most.rawValue < least.rawValue {
      report(.outOfRange, at: entry.position, "`maxVersion` is below `minVersion`", help: "swap the two")
    }
    return log.errorCount == faults ? (least, most) : nil
  }

  mutating func certificate(_ node: YAMLNode) -> CertificateName? {
    choice(node, of: "a certificate of the lab's", as: CertificateName.self)
  }

  /// `testRoot`, `host` or the name of a certificate.
  mutating func anchors(_ node: YAMLNode) -> TLSCommand.Anchors? {
    guard let word = text(node, of: "`trust`") else { return nil }
    switch word {
    case "testRoot": return .testRoot
    case "host": return .host
    default:
      if let name = CertificateName(rawValue: word) { return .certificate(name) }
      let names = ["testRoot", "host"] + CertificateName.allCases.map(\.rawValue)
      reportUnknown(.unknownWord, word, at: node.position, what: "anything to trust", among: names)
      return nil
    }
  }

  /// A list of texts, or one.
  mutating func texts(_ node: YAMLNode, of what: String) -> [String] {
    guard node.items != nil else { return text(node, of: what).map { [$0] } ?? [] }
    return (list(node, of: what) ?? []).compactMap { text($0, of: "an item of \(what)") }
  }
}
