import ScenarioModel

extension Reading {
  private static let eventKeys = ["times", "optional", "at", "notBefore", "within", "from"]
  static let groupWords = ["stream", "nothing", "anyOrder", "oneOf", "connected"]

  /// The entries of a list of expectations.
  mutating func expectations(_ node: YAMLNode, of what: String, mayBeEmpty: Bool = false) -> [Expectation] {
    if mayBeEmpty, node.items?.isEmpty == true { return [] }
    guard let items = list(node, of: what) else { return [] }
    var expectations: [Expectation] = []
    for item in items where !log.isFull {
      if let expectation = rawStep(item).flatMap({ expectation($0) }) { expectations.append(expectation) }
    }
    return expectations
  }

  private mutating func expectation(_ raw: RawStep) -> Expectation? {
    let name = PrefixedWord(raw.word)
    switch name.word {
    case "stream":
      guard let value = value(of: raw, example: "`stream: \"text\"`") else { return nil }
      let socket = socket(prefix: name.socket, at: raw.position, fallback: nil)
      guard let payload = payload(value, of: "`stream`"), let socket else { return nil }
      if payload.count == 0 {
        report(
          .emptyValue, at: raw.position, "a stream of no bytes expects nothing",
          help: "to expect that nothing is read, write `nothing`")
      }
      return .stream(StreamExpectation(payload: payload, socket: socket, position: raw.position))
    case "nothing":
      let example = "`nothing: { for: 50ms }`"
      guard let value = value(of: raw, example: example),
        let fields = fields(value, of: "`nothing`", allowed: ["for"], help: "write \(example)"),
        let node = required("for", in: fields, of: "`nothing`", help: "write \(example)"),
        let duration = positiveDuration(node, of: "`for`"),
        let socket = socket(prefix: name.socket, at: raw.position, fallback: nil)
      else { return nil }
      if duration >= limit {
        report(
          .impossibleWindow, at: node.position,
          "the case is over before so much time is: its limit is \(DurationText.text(limit))",
          help: "make it shorter, or raise `limit`")
      }
      return .nothing(duration, socket: socket, position: raw.position)
    case "anyOrder", "oneOf":
      if let prefix = name.socket {
        report(
          .misplacedPrefix, at: raw.position,
          "`\(name.word)` belongs to no socket, so `\(prefix.shortened).` does not fit",
          help: "put the prefix in front of the callbacks inside")
        return nil
      }
      guard let value = value(of: raw, example: "`\(name.word): [...]`") else { return nil }
      return name.word == "anyOrder" ? anyOrder(value, raw) : oneOf(value, raw)
    case "connected": return connected(raw, name)
    default: return event(raw, name).map(Expectation.event)
    }
  }

  /// `didConnect` or `didConnectToURL`, whichever the family brings.
  private mutating func connected(_ raw: RawStep, _ name: PrefixedWord) -> Expectation? {
    guard hasNoDanglingColon(raw, example: "`connected` without the colon") else { return nil }
    let faults = log.errorCount
    if let value = raw.value {
      _ = fields(value, of: "`connected`", allowed: ["delegate", "on", "mode"] + Self.eventKeys)
    }
    guard log.errorCount == faults else { return nil }
    let alternatives = [CallbackKind.didConnect, .didConnectToURL].compactMap { kind -> Alternative? in
      var callback = raw
      callback.word = (name.socket.map { $0 + "." } ?? "") + kind.rawValue
      return event(callback, PrefixedWord(callback.word)).map {
        Alternative(grade: .pass, profile: nil, expectations: [.event($0)])
      }
    }
    return alternatives.count == 2 ? .oneOf(alternatives, position: raw.position) : nil
  }

  private mutating func anyOrder(_ node: YAMLNode, _ raw: RawStep) -> Expectation? {
    let inner = expectations(node, of: "`anyOrder`")
    return inner.isEmpty ? nil : .anyOrder(inner, position: raw.position)
  }

  private mutating func oneOf(_ node: YAMLNode, _ raw: RawStep) -> Expectation? {
    guard let items = list(node, of: "`oneOf`") else { return nil }
    checkOutcomes(items, at: raw.position)
    let alternatives = items.compactMap { alternative($0) }
    return alternatives.count == items.count ? .oneOf(alternatives, position: raw.position) : nil
  }

  private mutating func alternative(_ node: YAMLNode) -> Alternative? {
    if node.items != nil {
      let events = expectations(node, of: "an alternative", mayBeEmpty: true)
      return Alternative(grade: .pass, profile: nil, expectations: events)
    }
    let help = "write a list of expectations, or `{ grade: nonStrict, events: [...] }`"
    guard let fields = fields(node, of: "an alternative", allowed: ["grade", "profile", "events"], help: help) else {
      return nil
    }
    let grade = fields["grade"].map { choice($0, of: "a grade", as: Grade.self) } ?? .pass
    let profile = fields["profile"].flatMap { choice($0, of: "a profile", as: Profile.self) }
    guard let node = required("events", in: fields, of: "an alternative", help: help), let grade else { return nil }
    let events = expectations(node, of: "`events`", mayBeEmpty: true)
    if fields["profile"] != nil, profile == nil { return nil }
    return Alternative(grade: grade, profile: profile, expectations: events)
  }

  private mutating func event(_ raw: RawStep, _ name: PrefixedWord) -> EventExpectation? {
    guard let callback = expectedCallback(raw, name) else { return nil }
    let socket = socket(prefix: callback.prefix, at: raw.position, fallback: nil)
    guard let (pattern, fields) = pattern(callback, extra: Self.eventKeys), let socket else { return nil }
    var event = EventExpectation(pattern: pattern, socket: socket, position: raw.position)
    let faults = log.errorCount
    if let node = fields["times"], let times = times(node, of: "`times`") { event.times = times }
    if let node = fields["optional"], let flag = flag(node, of: "`optional`") { event.optional = flag }
    event.window = window(fields)
    return log.errorCount == faults ? event : nil
  }

  private mutating func expectedCallback(_ raw: RawStep, _ name: PrefixedWord) -> NamedCallback? {
    if CallbackKind(rawValue: name.word) != nil {
      return callback(raw.word, at: raw.position, value: raw.value)
    }
    if SubjectWord(rawValue: name.word) != nil || PeerWord(rawValue: name.word) != nil {
      report(
        .unknownCallback, at: raw.position, "`\(name.word)` is a step, not something to expect",
        help: "steps belong under `subject` or `peer`; here stand callbacks such as `didConnect`")
      return nil
    }
    let words = CallbackKind.allCases.map(\.rawValue) + Self.groupWords
    let guess = guess(for: name.word, among: words).map { "did you mean `\($0)`? " } ?? ""
    report(
      .unknownCallback, at: raw.position, "`\(name.word.shortened)` is nothing that can be expected",
      help: guess + "there are: \(words.joined(separator: ", "))")
    return nil
  }

  private mutating func window(_ fields: Fields) -> TimeWindow? {
    let bounds = fields.present(["at", "notBefore", "within"])
    if let at = fields.entry("at"), bounds.count > 1 {
      let other = bounds.first { $0.key != "at" } ?? at
      report(.conflictingKeys, at: other.position, "`at` says it all; `\(other.key)` contradicts it")
      return nil
    }
    guard !bounds.isEmpty else {
      if let from = fields.entry("from") {
        report(
          .missingKey, at: from.position, "`from` says since when, but not how long",
          help: "add `at`, `notBefore` or `within`")
      }
      return nil
    }
    let origin = fields["from"].map { self.origin($0) } ?? .previous
    let at = fields["at"].flatMap { duration($0, of: "`at`") }
    let earliest = at ?? fields["notBefore"].flatMap { duration($0, of: "`notBefore`") }
    let latest = at ?? fields["within"].flatMap { duration($0, of: "`within`") }
    checkWindow(fields, earliest: earliest, latest: latest)
    checkGrace(fields, earliest: earliest, isFromPrevious: origin == .previous)
    guard let origin, earliest != nil || latest != nil else { return nil }
    return TimeWindow(origin: origin, earliest: earliest, latest: latest)
  }

  private mutating func checkWindow(_ fields: Fields, earliest: Duration?, latest: Duration?) {
    if latest == .zero, let entry = fields.entry("within") ?? fields.entry("at") {
      report(
        .impossibleWindow, at: entry.value.position, "nothing happens within no time at all",
        help: "give it some time, such as `50ms`")
    } else if earliest == .zero, fields["from"] == nil, let entry = fields.entry("notBefore") {
      report(
        .zeroDuration, at: entry.value.position, "nothing comes before what precedes it: `notBefore: 0s` says nothing",
        help: "leave it out, or say with `from` since when")
    } else if let earliest, let latest, earliest > latest, let entry = fields.entry("within") {
      report(
        .impossibleWindow, at: entry.value.position, "`within` ends before `notBefore` begins: no instant fits",
        help: "both count from the same moment; make `within` the larger")
    }
    if let earliest, earliest > limit, let entry = fields.entry("notBefore") ?? fields.entry("at") {
      report(
        .impossibleWindow, at: entry.value.position,
        "the case is over by then: its limit is \(DurationText.text(limit))",
        help: "raise `limit`")
    } else if let latest, latest >= limit, let entry = fields.entry("within") {
      report(
        .idleWindow, at: entry.value.position,
        "`within` ends no sooner than the case, whose limit is \(DurationText.text(limit)): it can't fail",
        help: "make it shorter, or raise `limit`")
    }
  }

  /// How much too early, by the previous callback, an event may be over the real kernel: `Tolerance.loopback` without
  /// jitter. Whoever changes one changes the other; the tests of ScenarioFiles hold them to each other.
  private static let deliveryGrace = Duration.milliseconds(15)

  /// A beginning that is never missed where only the real kernel plays the scenario, in each case that has it.
  private mutating func checkGrace(_ fields: Fields, earliest: Duration?, isFromPrevious: Bool) {
    guard let earliest, earliest > .zero, let entry = fields.entry("notBefore") ?? fields.entry("at") else { return }
    guard isFromPrevious, !isSimulated, earliest <= Self.deliveryGrace else {
      return doubts.clear(entry.value.position)
    }
    let grace = DurationText.text(Self.deliveryGrace)
    doubts.note(
      .idleWindow, at: entry.value.position,
      "over the real kernel nothing is too early by \(grace) or less: "
        + (entry.key == "at" ? "whatever comes sooner passes, too" : "`notBefore` can't fail"),
      help: "make it longer, count `from` a point, or play it in simulated time, too")
  }

  private mutating func origin(_ node: YAMLNode) -> TimeWindow.Origin? {
    switch node.word {
    case "start": .start
    case "previous": .previous
    default: awaitedPoint(node, of: "`from`").map(TimeWindow.Origin.point)
    }
  }

  /// `open`, `never connected`, `subject fin`, `peer rst`, `peer fin, subject either` and the like.
  mutating func ending(_ node: YAMLNode) -> EndingExpectation? {
    guard let text = text(node, of: "`ending`") else { return nil }
    if let ending = Self.endings.first(where: { $0.text == text }) { return ending }
    let known = ["open", "never connected", "subject fin", "peer fin", "peer fin, subject fin"]
    let guess = guess(for: text, among: Self.endings.map(\.text)) ?? known[0]
    report(
      .unknownEnding, at: node.position, "`\(text.shortened)` is no way to end",
      help: "did you mean `\(guess)`? there are: \(known.joined(separator: "; ")); fin may be rst or either")
    return nil
  }

  private static let endings: [EndingExpectation] =
    [.open, .neverConnected] + StreamEnd.allCases.map(EndingExpectation.bySubject)
    + StreamEnd.allCases.flatMap { end in
      [.byPeer(end, answer: nil)] + StreamEnd.allCases.map { .byPeer(end, answer: $0) }
    }
}
