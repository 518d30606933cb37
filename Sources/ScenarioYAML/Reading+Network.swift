import ScenarioModel

extension Reading {
  private static let networkHelp = "write a list of steps, or `{ links: { lab0: {} }, steps: [...] }`"

  /// The case's own network. What else of the file does not go with it is reported here, too.
  mutating func network(_ node: YAMLNode, _ file: Fields) -> NetworkSetup? {
    if let worlds = file.entry("worlds") {
      report(
        .conflictingKeys, at: worlds.position, "a scenario with a `network` is played over the real kernel only",
        help: "leave `worlds` out")
    }
    var setup = NetworkSetup()
    if node.items != nil {
      setup.steps = networkSteps(node, in: setup, mayBeEmpty: true)
      return setup
    }
    let keys = ["links", "resolver", "retransmissions", "steps"]
    guard let fields = fields(node, of: "`network`", allowed: keys, help: Self.networkHelp) else { return nil }
    if let count = fields["retransmissions"] {
      setup.retransmissions = number(count, of: "`retransmissions`", in: 1...15)
    }
    if let links = fields["links"] {
      guard let links = networkLinks(links) else { return nil }
      setup.links = links
    }
    if let names = fields["resolver"] {
      setup.resolver = nameAnswers(names)
      if let hosts = file.entry("hosts") {
        report(
          .conflictingKeys, at: hosts.position, "`hosts` replaces the resolver that `network` brings",
          help: "say in one of them what names stand for")
      }
    }
    if let steps = fields["steps"] { setup.steps = networkSteps(steps, in: setup, mayBeEmpty: true) }
    return setup
  }

  // MARK: - Links

  private mutating func networkLinks(_ node: YAMLNode) -> [NetworkLink]? {
    guard let entries = node.entries, !entries.isEmpty else {
      reportShape(node, of: "`links`", expected: "a mapping of at least one link", help: "write `{ lab0: {} }`")
      return nil
    }
    guard entries.count <= NetworkSetup.maxLinks else {
      report(
        .tooMany, at: entries[NetworkSetup.maxLinks].position,
        "a network has at most \(NetworkSetup.maxLinks) links")
      return nil
    }
    return entries.compactMap { networkLink($0) }
  }

  private mutating func networkLink(_ entry: YAMLEntry) -> NetworkLink? {
    guard isGoodName(entry.key, of: "a link's name", at: entry.position) else { return nil }
    guard entry.key.utf8.count < 16, entry.key != "lo" else {
      report(
        .badName, at: entry.position, "`\(entry.key)` cannot be a link's name",
        help: "it becomes an interface's name: at most 15 characters, and not `lo`")
      return nil
    }
    let what = "the link `\(entry.key)`"
    guard let fields = fields(entry.value, of: what, allowed: ["family", "mtu"], help: "write `{}`") else {
      return nil
    }
    var link = NetworkLink(name: entry.key)
    if let node = fields["family"], let family = choice(node, of: "an address family", as: AddressFamily.self) {
      if family == .unix {
        report(.unknownWord, at: node.position, "no packets are those of `unix`", help: "write `ipv4` or `ipv6`")
      }
      link.family = family
    }
    // What IPv6 asks of every link, and what fits into a packet.
    if let node = fields["mtu"], let size = size(node, of: "`mtu`", atLeast: 1_280, atMost: 65_521) { link.mtu = size }
    return link
  }

  // MARK: - Steps

  private mutating func networkSteps(
    _ node: YAMLNode, in setup: NetworkSetup, mayBeEmpty: Bool = false
  ) -> [LocatedStep] {
    if mayBeEmpty, node.items?.isEmpty == true { return [] }
    guard let items = list(node, of: "the network's steps", help: Self.networkHelp) else { return [] }
    var steps: [LocatedStep] = []
    for item in items where !log.isFull {
      guard let raw = rawStep(item), let step = networkStep(raw, in: setup) else { continue }
      steps.append(LocatedStep(step, at: raw.position))
    }
    return steps
  }

  private mutating func networkStep(_ raw: RawStep, in setup: NetworkSetup) -> SubjectStep? {
    guard let word = NetworkWord(rawValue: raw.word) else {
      let words = NetworkWord.allCases.map(\.rawValue)
      reportUnknown(.unknownStep, raw.word, at: raw.position, what: "a step of the network", among: words)
      return nil
    }
    if let change = word.alone {
      guard hasNoDanglingColon(raw, example: word.example) else { return nil }
      if raw.value == nil { return .network(.change(change, PathScope())) }
    }
    guard let value = value(of: raw, example: word.example) else { return nil }
    switch word {
    case .wait: return positiveDuration(value, of: "`wait`").map(SubjectStep.wait)
    case .after: return syncPoint(value, fallback: nil).map(SubjectStep.after)
    case .reach: return reachedPoint(value).map(SubjectStep.reach)
    case .repeat:
      guard let (times, steps) = repetition(value) else { return nil }
      repetitions *= times
      defer { repetitions /= times }
      return .repeated(times: times, steps: networkSteps(steps, in: setup))
    default:
      guard let fields = networkFields(word, value) else { return nil }
      return networkAction(word, fields, in: setup).map(SubjectStep.network)
    }
  }

  /// The keys of a step; a value alone is that of its main key.
  private mutating func networkFields(_ word: NetworkWord, _ value: YAMLNode) -> Fields? {
    if let key = word.mainKey, value.entries == nil {
      return Fields(entries: [YAMLEntry(key: key, position: value.position, value: value)], position: value.position)
    }
    return fields(value, of: "`\(word.rawValue)`", allowed: word.keys, help: "write \(word.example)")
  }

  private mutating func networkAction(
    _ word: NetworkWord, _ fields: Fields, in setup: NetworkSetup
  ) -> NetworkAction? {
    let faults = log.errorCount
    let link = fields["link"].flatMap { networkLink($0, in: setup) }
    let to = fields["to"].flatMap { choice($0, of: "a host", as: NetworkSide.self) }
    let of = fields["of"].flatMap { choice($0, of: "a host", as: NetworkSide.self) } ?? .subject
    var action: NetworkAction?
    switch word {
    case .reset:
      guard required("to", in: fields, of: "`reset`", help: "write \(word.example)") != nil, let to else { return nil }
      let beyond = fields["beyond"].map { size($0, of: "`beyond`", atMost: Int(Int32.max)) } ?? 0
      action = beyond.map { .reset(to: to, beyond: $0) }
    case .address: action = addressChange(fields, of: of, link: link)
    case .down, .up:
      guard required("link", in: fields, of: "`\(word.rawValue)`", help: "write \(word.example)") != nil, let link
      else { return nil }
      action = .interface(link, of: of, isUp: word == .up)
    default: action = pathChange(word, fields).map { .change($0, PathScope(link: link, to: to)) }
    }
    return log.errorCount == faults ? action : nil
  }

  private mutating func networkLink(_ node: YAMLNode, in setup: NetworkSetup) -> String? {
    guard let name = text(node, of: "`link`") else { return nil }
    if setup.place(of: name) != nil { return name }
    reportUnknown(
      .unknownWord, name, at: node.position, what: "a link of this scenario", among: setup.links.map(\.name))
    return nil
  }

  private mutating func addressChange(_ fields: Fields, of side: NetworkSide, link: String?) -> NetworkAction? {
    let entries = fields.present(["add", "remove"])
    guard let entry = entries.first, entries.count == 1 else {
      report(
        entries.isEmpty ? .missingKey : .conflictingKeys, at: entries.last?.position ?? fields.position,
        "`address` needs one of `add` and `remove`", help: "write \(NetworkWord.address.example)")
      return nil
    }
    guard let address = text(entry.value, of: "an address") else { return nil }
    guard NumericAddress.isValid(address) else {
      report(
        .badAddress, at: entry.value.position, "`\(address.shortened)` is not a numeric address",
        help: "for example \"10.77.1.9\" or \"fd77:1::9\"")
      return nil
    }
    return .address(address, of: side, link: link, isThere: entry.key == "add")
  }

  private mutating func pathChange(_ word: NetworkWord, _ fields: Fields) -> PathChange? {
    if let key = word.mainKey,
      required(key, in: fields, of: "`\(word.rawValue)`", help: "write \(word.example)") == nil
    {
      return nil
    }
    switch word {
    case .delay:
      let jitter = fields["jitter"].map { duration($0, of: "`jitter`") } ?? .zero
      guard let time = fields["by"].flatMap({ duration($0, of: "`delay`") }), let jitter else { return nil }
      return .delay(time, jitter: jitter)
    case .lose: return chance(fields).map(PathChange.lose)
    case .double: return chance(fields).map(PathChange.double)
    case .corrupt: return chance(fields).map(PathChange.corrupt)
    case .reorder:
      let time = fields["by"].map { positiveDuration($0, of: "`by`") } ?? .milliseconds(10)
      guard let chance = chance(fields), let time else { return nil }
      return .reorder(chance, by: time)
    case .throttle:
      let queue = fields["queue"].map { size($0, of: "`queue`", atLeast: 1, atMost: 1 << 30) } ?? 1 << 16
      guard let rate = fields["rate"].flatMap({ size($0, of: "`throttle`", atLeast: 1, atMost: 1 << 30) }), let queue
      else { return nil }
      return .throttle(rate, queue: queue)
    case .fragment: return fields["size"].flatMap { packetSize($0, of: "`fragment`") }.map(PathChange.fragment)
    case .mtu:
      let isSilent = fields["silent"].map { flag($0, of: "`silent`") } ?? false
      guard let size = fields["size"].flatMap({ packetSize($0, of: "`mtu`") }), let isSilent else { return nil }
      return .mtu(size, isTold: !isSilent)
    case .window: return fields["size"].flatMap { size($0, of: "`window`", atMost: 65_535) }.map(PathChange.window)
    case .unreachable:
      return fields["what"]
        .flatMap { choice($0, of: "what is unreachable", as: PathChange.Unreachability.self) }
        .map(PathChange.unreachable)
    default: return word.alone
    }
  }

  /// A packet has at least the headers and a few bytes.
  private mutating func packetSize(_ node: YAMLNode, of what: String) -> Int? {
    size(node, of: what, atLeast: 68, atMost: 65_535)
  }

  /// `30%`, `0.5%`.
  private mutating func chance(_ fields: Fields) -> Chance? {
    guard let node = fields["chance"] else { return nil }
    guard let text = node.word else {
      reportShape(node, of: "a chance", expected: "a percentage such as `30%`", help: "write it without quotes")
      return nil
    }
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    let isNumber = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard text.hasSuffix("%"), isNumber, parts.count <= 2, parts.last.map({ parts.count == 1 || $0.count <= 2 }) == true
    else {
      report(
        text.hasSuffix("%") ? .badQuantity : .missingUnit, at: node.position,
        "a chance is a percentage of at most two decimals, not `\(text.shortened)`", help: "for example `30%` or `0.5%`"
      )
      return nil
    }
    let decimals = parts.count == 2 ? parts[1] + String(repeating: "0", count: 2 - parts[1].count) : "00"
    guard let value = Int(parts[0] + decimals), value <= 10_000 else {
      report(.outOfRange, at: node.position, "a chance is at most 100%")
      return nil
    }
    return Chance(tenThousandths: value)
  }
}
