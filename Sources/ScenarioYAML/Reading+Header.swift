import ScenarioModel

extension Reading {
  mutating func requirements(_ node: YAMLNode) -> [String] {
    guard let items = list(node, of: "`requirements`", help: "name at least one, such as RD-DELIM-04") else {
      return []
    }
    var ids: [String] = []
    var seen: Set<String> = []
    for item in items {
      guard let id = text(item, of: "a requirement") else { continue }
      if let citations, !citations.isKnown(id) {
        // To guess costs something, so it is done for what is shown only.
        log.report(
          .badRequirement, at: item.position, "`\(id.shortened)` is not the id of a requirement",
          help: citations.help(id))
      } else if citations == nil, !Self.isRequirement(id) {
        report(
          .badRequirement, at: item.position, "`\(id.shortened)` is not the id of a requirement",
          help: "one or two groups of capitals and two digits, such as WR-04 or RD-DELIM-04")
      } else if !seen.insert(id).inserted {
        report(.duplicateName, at: item.position, "`\(id)` stands twice in this list")
      } else {
        ids.append(id)
      }
    }
    return ids
  }

  /// Capitals, perhaps a dash and more capitals, a dash and two digits: what is asked of an id where there is no
  /// register, as in a fuzz target.
  private static func isRequirement(_ id: String) -> Bool {
    let parts = id.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let number = parts.last else { return false }
    let areCapitals = parts.dropLast().allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
    return areCapitals && number.utf8.count == 2 && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  mutating func tags(_ node: YAMLNode) -> [String] {
    guard let items = node.items else {
      reportShape(node, of: "`tags`", expected: "a list", help: "write `[slow]`")
      return []
    }
    var tags: [String] = []
    var seen: Set<String> = []
    for item in items {
      guard let tag = name(item, of: "a tag") else { continue }
      if !seen.insert(tag).inserted {
        report(.duplicateName, at: item.position, "`\(tag)` stands twice in this list")
      } else if let help = citations?.tagHelp(tag) {
        report(.badName, at: item.position, "`\(tag)` is not a misbehaviour", help: help)
      } else {
        tags.append(tag)
      }
    }
    return tags
  }

  mutating func worlds(_ node: YAMLNode, into scenario: inout Scenario) {
    let help = "write `{ only: loopback, because: \"…\" }`; without `worlds` a scenario runs in both"
    guard let fields = fields(node, of: "`worlds`", allowed: ["only", "because"], help: help) else { return }
    if let only = required("only", in: fields, of: "`worlds`", help: help),
      let world = choice(only, of: "a world", as: WorldName.self)
    {
      scenario.worlds = [world]
    }
    if let because = required("because", in: fields, of: "`worlds`", help: "say why the other world is left out") {
      scenario.worldsReason = text(because, of: "`because`")
      if scenario.worldsReason == "" {
        report(.emptyValue, at: because.position, "`because` is empty", help: "say why the other world is left out")
      }
    }
  }

  mutating func matrix(_ node: YAMLNode) -> Matrix {
    var matrix = Matrix()
    let help = "write `{ family: [ipv4, ipv6] }`"
    let words = ["subject", "family", "segmentation", "queues", "security", "speed"]
    guard let fields = fields(node, of: "`matrix`", allowed: words, help: help) else { return matrix }
    if let node = fields["subject"] { matrix.subjects = choices(node, of: "a subject") }
    if let node = fields["family"] { matrix.families = choices(node, of: "an address family") }
    if let node = fields["segmentation"] { matrix.segmentations = choices(node, of: "a segmentation") }
    if let node = fields["queues"] { matrix.queues = choices(node, of: "a queue topology") }
    if let node = fields["security"] { matrix.securities = choices(node, of: "a security") }
    if let node = fields["speed"] { matrix.speeds = choices(node, of: "a speed") }
    return matrix
  }

  /// One word or a list of words, each once.
  private mutating func choices<Choice: RawRepresentable & CaseIterable & Equatable>(
    _ node: YAMLNode, of what: String
  ) -> [Choice] where Choice.RawValue == String {
    guard node.items != nil else { return choice(node, of: what, as: Choice.self).map { [$0] } ?? [] }
    var choices: [Choice] = []
    for item in list(node, of: "the list") ?? [] {
      guard let value = choice(item, of: what, as: Choice.self) else { continue }
      if choices.contains(value) {
        report(.duplicateName, at: item.position, "`\(value.rawValue)` stands twice in this list")
      } else {
        choices.append(value)
      }
    }
    return choices
  }

  mutating func hosts(_ node: YAMLNode) -> [HostEntry] {
    guard let entries = node.entries else {
      reportShape(node, of: "`hosts`", expected: "a mapping", help: "write `{ NAME: [\"127.0.0.1\"] }`")
      return []
    }
    return entries.compactMap { host($0) }
  }

  private mutating func host(_ entry: YAMLEntry) -> HostEntry? {
    if entry.value.items != nil {
      return HostEntry(name: entry.key, addresses: addresses(entry.value))
    }
    let help = "write a list of addresses, or `{ addresses: [...], delay: 400ms }`"
    let what = "the host `\(entry.key.shortened)`"
    guard let fields = fields(entry.value, of: what, allowed: ["addresses", "delay"], help: help),
      let list = required("addresses", in: fields, of: what, help: "`[]`: the name does not exist")
    else { return nil }
    let delay = fields["delay"].map { duration($0, of: "`delay`") } ?? .zero
    guard list.items != nil else {
      reportShape(list, of: "`addresses`", expected: "a list")
      return nil
    }
    return delay.map { HostEntry(name: entry.key, addresses: addresses(list), delay: $0) }
  }

  mutating func addresses(_ node: YAMLNode) -> [String] {
    (node.items ?? []).compactMap { item in
      guard let address = text(item, of: "an address") else { return nil }
      if NumericAddress.isValid(address) { return address }
      report(
        .badAddress, at: item.position, "`\(address.shortened)` is not a numeric address",
        help: "for example \"127.0.0.1\" or \"::1\"")
      return nil
    }
  }

  /// Warns of host names that the case's resolver does not know.
  mutating func checkHost(_ host: String, at position: SourcePosition) {
    // A name ends at its first zero.
    let host = String(host.unicodeScalars.prefix { $0 != "\0" })
    usedHosts.insert(host)
    let known =
      host.isEmpty || ["localhost", "loopback"].contains(host) || hostNames.contains(host)
      || NumericAddress.isValid(host)
    guard !known, !host.utf8.contains(UInt8(ascii: "%")) else { return }
    let guess = guess(for: host, among: hostNames.sorted()).map { "did you mean `\($0)`? " } ?? ""
    let key = hasNetworkResolver ? "resolver" : "hosts"
    let nobody = hasNetworkResolver ? "`{ fails: nxdomain }`" : "an empty list of addresses"
    report(
      .unknownHost, at: position, "`\(key)` does not know `\(host.shortened)`",
      help: guess + "add it to `\(key)`: \(nobody) says that it does not exist")
  }

  mutating func sockets(_ node: YAMLNode) -> [SocketSetup] {
    guard let entries = node.entries else {
      reportShape(node, of: "`sockets`", expected: "a mapping", help: "write `{ NAME: {} }`")
      return []
    }
    return entries.compactMap { entry in
      guard isGoodName(entry.key, of: "a socket's name", at: entry.position) else { return nil }
      guard !SocketNames.isChild(entry.key) else {
        report(
          .badName, at: entry.position, "`\(entry.key)` is what an accepted socket is called",
          help: "choose another name")
        return nil
      }
      return socketSetup(entry)
    }
  }

  private mutating func socketSetup(_ entry: YAMLEntry) -> SocketSetup? {
    let what = "the socket `\(entry.key)`"
    guard
      let fields = fields(
        entry.value, of: what, allowed: ["queues", "delegate", "delegateQueue", "runLoop", "modes", "userData"],
        help: "write `{}`")
    else { return nil }
    var setup = SocketSetup(name: entry.key)
    if let node = fields["runLoop"] { setup.runLoop = name(node, of: Self.loopName) }
    if let node = fields["modes"] { setup.modes = modes(node, mayBeEmpty: false) }
    if let node = fields["userData"] { setup.userNumber = number(node, of: "`userData`", in: Int.min...Int.max) }
    if let node = fields["queues"] { setup.queues = choice(node, of: "a queue topology", as: QueueTopology.self) }
    for key in ["delegate", "delegateQueue"] {
      guard let node = fields[key] else { continue }
      switch (key, node.word) {
      case ("delegate", "none"): setup.hasDelegate = false
      case (_, "none"): setup.hasDelegateQueue = false
      case ("delegateQueue", "concurrent"): setup.hasConcurrentDelegateQueue = true
      default:
        report(
          .unknownWord, at: node.position,
          "here `\(key)` can only be `none`\(key == "delegate" ? "" : " or `concurrent`")",
          help: "every socket has one to begin with; the step `\(key): NAME` gives it another")
      }
    }
    return setup
  }
}

/// Numeric IPv4 and IPv6 addresses.
enum NumericAddress {
  static func isValid(_ text: String) -> Bool { isIPv4(text[...]) || isIPv6(text) }

  private static func isIPv4(_ text: Substring) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8(part) != nil
      }
  }

  private static func isIPv6(_ text: String) -> Bool {
    let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
    let groups = halves.map { half in
      half.isEmpty ? [] : half.split(separator: ":", omittingEmptySubsequences: false)
    }
    let all = groups.flatMap { $0 }
    let isLastIPv4 = all.last.map(isIPv4) ?? false
    let areHex = (isLastIPv4 ? all.dropLast() : all[...]).allSatisfy { group in
      (1...4).contains(group.utf8.count) && UInt16(group, radix: 16) != nil && group.first != "+"
    }
    let count = all.count + (isLastIPv4 ? 1 : 0)
    return areHex && (halves.count == 1 ? count == 8 : count < 8) && text.utf8.contains(UInt8(ascii: ":"))
  }
}
