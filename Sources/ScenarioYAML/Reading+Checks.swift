import ScenarioModel

extension Reading {
  /// The keys of a `check` step, each a check of its own.
  mutating func checks(_ node: YAMLNode) -> [PropertyCheck]? {
    guard let entries = node.entries else {
      reportShape(node, of: "`check`", expected: "a mapping", help: "write `check: { isConnected: true }`")
      return nil
    }
    guard !entries.isEmpty else {
      report(.emptyList, at: node.position, "`check` checks nothing", help: "write `check: { isConnected: true }`")
      return nil
    }
    let checks = entries.map { check($0) }
    let known = checks.compactMap { $0 }
    return known.count == checks.count ? known : nil
  }

  private mutating func check(_ entry: YAMLEntry) -> PropertyCheck? {
    let key = PrefixedWord(entry.key)
    if key.socket == "buffer" {
      guard isGoodName(key.word, of: "a buffer's name", at: entry.position),
        let expected = bytesExpected(entry.value, of: "`\(entry.key)`")
      else { return nil }
      bufferChecks.append((key.word, entry.position))
      return PropertyCheck(property: .buffer, name: key.word, expected: expected, position: entry.position)
    }
    guard let property = SubjectProperty(rawValue: entry.key), property != .buffer else {
      let names = SubjectProperty.allCases.map(\.rawValue).filter { $0 != "buffer" }
      let guess = guess(for: entry.key, among: names).map { "did you mean `\($0)`? " } ?? ""
      report(
        .unknownKey, at: entry.position, "`\(entry.key.shortened)` is not a property that can be checked",
        help: guess + "there are: \(names.joined(separator: ", ")) and buffer.NAME")
      return nil
    }
    return expected(property, entry.value, of: "`\(entry.key)`").map {
      PropertyCheck(property: property, expected: $0, position: entry.position)
    }
  }

  private mutating func expected(
    _ property: SubjectProperty, _ node: YAMLNode, of what: String
  ) -> PropertyCheck.Expected? {
    switch property {
    case .isConnected, .isDisconnected, .isSecure, .isIPv4, .isIPv6, .ipv4Enabled, .ipv6Enabled, .ipv4Preferred,
      .autoDisconnectOnClosedReadStream, .canSafelySetDelegate:
      return flag(node, of: what).map { .value(.flag($0)) }
    case .userData:
      if let number = plainNumber(node) { return .value(.number(Double(number))) }
      if let keyword = keyword(node) { return keyword }
      return text(node, of: what).map { .value(.text($0)) }
    case .connectedHost, .localHost, .connectedURL:
      if let keyword = keyword(node) { return keyword }
      return text(node, of: what).map { .value(.text($0)) }
    case .peerCertificate:
      if let keyword = keyword(node) { return keyword }
      return certificate(node).map { .value(.text($0.rawValue)) }
    case .connectedPort, .localPort: return portExpected(node, of: what)
    case .connectedAddress, .localAddress, .buffer, .unreadData: return bytesExpected(node, of: what)
    case .alternateAddressDelay: return seconds(node, of: what).map { .value(.number($0)) }
    case .progressOfRead, .progressOfWrite: return progressExpected(node, of: what)
    case .runLoopModes: return modes(node, mayBeEmpty: false).map { .value(.modes($0)) }
    case .description: return mentionsExpected(node, of: what)
    }
  }

  private mutating func mentionsExpected(_ node: YAMLNode, of what: String) -> PropertyCheck.Expected? {
    if node.word == "present" { return .present }
    guard let items = list(node, of: what, help: "write a list of texts that must occur, or `present`") else {
      return nil
    }
    let texts = items.compactMap { text($0, of: "a text that must occur") }
    return texts.count == items.count ? .mentions(texts) : nil
  }

  /// `none` and `present`, where they stand for themselves.
  private func keyword(_ node: YAMLNode) -> PropertyCheck.Expected? {
    switch node.word {
    case "none": .value(.none)
    case "present": .present
    default: nil
    }
  }

  private mutating func portExpected(_ node: YAMLNode, of what: String) -> PropertyCheck.Expected? {
    if node.word == "present" { return .present }
    switch port(node, of: what) {
    case .number(let number): return .value(.number(Double(number)))
    case let reference?: return .port(reference)
    case nil: return nil
    }
  }

  private mutating func bytesExpected(_ node: YAMLNode, of what: String) -> PropertyCheck.Expected? {
    keyword(node) ?? payload(node, of: what).map { .payload($0) }
  }

  private mutating func progressExpected(_ node: YAMLNode, of what: String) -> PropertyCheck.Expected? {
    if node.word == "none" { return .progress(tag: nil, done: nil, total: nil, active: false) }
    if node.word == "present" { return .progress(tag: nil, done: nil, total: nil, active: true) }
    let keys = ["tag", "done", "total"]
    let help = "write `{ tag: 1, done: 4B, total: 10B }`, `present` or `none`"
    guard let fields = fields(node, of: what, allowed: keys, help: help) else { return nil }
    let faults = log.errorCount
    let tag = fields["tag"].flatMap { number($0, of: "`tag`", in: Int.min...Int.max) }
    let done = fields["done"].flatMap { sizeRange($0, of: "`done`") }
    let total = fields["total"].flatMap { size($0, of: "`total`") }
    return log.errorCount == faults ? .progress(tag: tag, done: done, total: total, active: true) : nil
  }
}
