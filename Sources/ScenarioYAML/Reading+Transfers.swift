import ScenarioModel

extension Reading {
  /// `read`, `read: { limit… }`, `{ length… }` or `{ through… }`.
  mutating func read(_ raw: RawStep) -> ReadCommand? {
    guard let value = raw.value else { return ReadCommand(boundary: .available(limit: 0)) }
    let keys = ["length", "through", "limit", "timeout", "tag", "buffer"]
    guard refusesNot(value, raw), let fields = fields(value, of: "`read`", allowed: keys) else { return nil }
    let faults = log.errorCount
    let boundary = boundary(fields)
    var command = ReadCommand(boundary: boundary ?? .available(limit: 0))
    readCommon(fields, timeout: &command.timeout, tag: &command.tag)
    if let entry = fields.entry("buffer") { command.buffer = buffer(entry.value) }
    return log.errorCount == faults ? command : nil
  }

  private mutating func boundary(_ fields: Fields) -> ReadCommand.Boundary? {
    let limit = fields["limit"].map { size($0, of: "`limit`") } ?? 0
    if let length = fields.entry("length") {
      if let other = fields.present(["through", "limit"]).first {
        report(
          .conflictingKeys, at: other.position, "a read has either `length` or `\(other.key)`",
          help: "`length` reads exactly so many bytes; `through` reads up to a delimiter, at most `limit`")
        return nil
      }
      return size(length.value, of: "`length`").map(ReadCommand.Boundary.exactly)
    }
    if let through = fields["through"] {
      guard let delimiter = payload(through, of: "`through`"), let limit else { return nil }
      return .through(delimiter, limit: limit)
    }
    return limit.map { .available(limit: $0) }
  }

  private mutating func readCommon(_ fields: Fields, timeout: inout TimeoutValue, tag: inout Int) {
    if let node = fields["timeout"], let value = self.timeout(node, of: "`timeout`") { timeout = value }
    if let node = fields["tag"], let value = number(node, of: "`tag`", in: Int.min...Int.max) { tag = value }
  }

  private mutating func buffer(_ node: YAMLNode) -> ReadCommand.Buffer? {
    let keys = ["name", "size", "offset", "fill"]
    guard let fields = fields(node, of: "`buffer`", allowed: keys) else { return nil }
    let name = required("name", in: fields, of: "`buffer`").flatMap { self.name($0, of: "a buffer's name") }
    var size: Int?
    if let node = required("size", in: fields, of: "`buffer`", help: "`size: none` passes no buffer at all"),
      node.word != "none"
    {
      size = self.size(node, of: "`size`", atMost: 64 << 20)
    }
    let offset = fields["offset"].map { self.size($0, of: "`offset`") } ?? 0
    let fill = fields["fill"].map { number($0, of: "`fill`", in: 0...255) } ?? 0
    guard let name, let offset, let fill else { return nil }
    let buffer = ReadCommand.Buffer(name: name, size: size, offset: offset, fill: UInt8(clamping: fill))
    if let first = buffers[name], first.buffer.size != buffer.size || first.buffer.fill != buffer.fill {
      report(
        .conflictingBuffer, at: node.position,
        "the buffer `\(name)` has another size or fill in line \(first.position.line)",
        help: "reads that name the same buffer share one object; repeat its `size` and `fill`, or choose another name")
      return nil
    }
    if buffers[name] == nil { buffers[name] = (buffer, node.position) }
    return buffer
  }

  /// `write: PAYLOAD` or `write: { bytes: PAYLOAD, … }`.
  mutating func write(_ raw: RawStep) -> WriteCommand? {
    guard let value = value(of: raw, example: SubjectWord.write.example) else { return nil }
    if Self.isPayload(value) { return payload(value, of: "`write`").map { WriteCommand(payload: $0) } }
    guard refusesNot(value, raw), let fields = fields(value, of: "`write`", allowed: ["bytes", "timeout", "tag"]) else {
      return nil
    }
    let faults = log.errorCount
    let bytes = required("bytes", in: fields, of: "`write`").flatMap { payload($0, of: "`bytes`") }
    var command = WriteCommand(payload: bytes ?? .bytes([]))
    readCommon(fields, timeout: &command.timeout, tag: &command.tag)
    return bytes != nil && log.errorCount == faults ? command : nil
  }

  /// Reads and writes have no `error`.
  private mutating func refusesNot(_ value: YAMLNode, _ raw: RawStep) -> Bool {
    guard let error = value.entries?.first(where: { $0.key == "error" }) else { return true }
    report(
      .cannotRefuse, at: error.position, "`\(raw.word)` never refuses, so it cannot have an `error`",
      help: "a call that is ignored has no callback: write `nothing: { for: 50ms }`")
    return false
  }

  /// The keys of `set`, each a setting of its own.
  mutating func settings(_ node: YAMLNode) -> [Located<SubjectSetting>] {
    let keys = SettingKey.allCases.map(\.rawValue)
    guard let fields = fields(node, of: "`set`", allowed: keys) else { return [] }
    if fields.entries.isEmpty, node.entries?.isEmpty == true {
      report(.emptyList, at: node.position, "`set` sets nothing", help: "for example `set: { ipv6Enabled: false }`")
    }
    return fields.entries.compactMap { entry in
      setting(entry).map { Located($0, at: entry.position) }
    }
  }

  private mutating func setting(_ entry: YAMLEntry) -> SubjectSetting? {
    let what = "`\(entry.key)`"
    let value = entry.value
    guard let key = SettingKey(rawValue: entry.key) else { return nil }
    switch key {
    case .alternateAddressDelay: return seconds(value, of: what).map(SubjectSetting.alternateAddressDelay)
    case .userData:
      if let number = plainNumber(value) { return .userNumber(number) }
      return value.word == "none" ? .userData(nil) : text(value, of: what).map { .userData($0) }
    case .ipv4Enabled: return flag(value, of: what).map(SubjectSetting.ipv4Enabled)
    case .ipv6Enabled: return flag(value, of: what).map(SubjectSetting.ipv6Enabled)
    case .ipv4Preferred: return flag(value, of: what).map(SubjectSetting.ipv4Preferred)
    case .autoDisconnectOnClosedReadStream:
      return flag(value, of: what).map(SubjectSetting.autoDisconnectOnClosedReadStream)
    case .notifiesDisconnectBeforeReturning:
      return flag(value, of: what).map(SubjectSetting.notifiesDisconnectBeforeReturning)
    case .keepAlive: return wholeSeconds(value, of: what, in: 1...32_767).map(SubjectSetting.keepAlive)
    case .linger: return wholeSeconds(value, of: what, in: 0...32_767).map(SubjectSetting.linger)
    case .userTimeout: return seconds(value, of: what, in: 0.001...86_400).map(SubjectSetting.userTimeout)
    }
  }

  private mutating func wholeSeconds(
    _ node: YAMLNode, of what: String, in range: ClosedRange<Double>
  ) -> Double? {
    guard let seconds = seconds(node, of: what, in: range) else { return nil }
    if seconds == seconds.rounded() { return seconds }
    report(.outOfRange, at: node.position, "the kernel counts \(what) in whole seconds", help: "write `1s`")
    return nil
  }

  private mutating func seconds(
    _ node: YAMLNode, of what: String, in range: ClosedRange<Double>
  ) -> Double? {
    guard let seconds = seconds(node, of: what) else { return nil }
    guard range.contains(seconds) else {
      let ends = (DurationText.plain(seconds: range.lowerBound), DurationText.plain(seconds: range.upperBound))
      report(.outOfRange, at: node.position, "\(what) is from `\(ends.0)` to `\(ends.1)`")
      return nil
    }
    return seconds
  }
}

/// The keys of a `set` step.
enum SettingKey: String, CaseIterable {
  case ipv4Enabled, ipv6Enabled, ipv4Preferred, autoDisconnectOnClosedReadStream, notifiesDisconnectBeforeReturning
  case alternateAddressDelay, userData, keepAlive, userTimeout, linger
}
