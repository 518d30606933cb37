import ScenarioModel

/// Parts of a scenario on one line, as flow mappings and scalars.
enum FlowText {
  /// `{ key: value, … }` of the values that are there; `{}` if none is.
  static func mapping(_ fields: [(String, String?)]) -> String {
    let parts = fields.compactMap { key, value in value.map { "\(key): \($0)" } }
    return parts.isEmpty ? "{}" : "{ " + parts.joined(separator: ", ") + " }"
  }

  static func list(_ items: [String]) -> String { "[" + items.joined(separator: ", ") + "]" }

  /// A call of the run-loop class; what it returns is written only if it is not what is meant anyway.
  static func runLoop(_ command: RunLoopCommand) -> String {
    let (key, value): (String, String)
    switch command.call {
    case .move(let loop): (key, value) = ("to", loop ?? "none")
    case .setModes(let modes): (key, value) = ("modes", list(modes))
    case .addMode(let mode), .removeMode(let mode): (key, value) = ("mode", mode ?? "none")
    case .enablePrebuffering: return command.call.name
    case .run(let mode, let duration):
      return "\(command.call.name): " + mapping([("mode", mode), ("for", DurationText.text(duration))])
    }
    let isPlain = command.returns != false
    return "\(command.call.name): " + (isPlain ? value : mapping([(key, value), ("returns", "false")]))
  }

  /// An act of the network's lane.
  static func network(_ action: NetworkAction) -> String {
    let words = action.words(duration: DurationText.text, size: SizeText.text)
    return words.fields.isEmpty ? words.word : words.word + ": " + mapping(words.fields.map { ($0.key, $0.value) })
  }

  static func payload(_ payload: Payload) -> String {
    switch payload {
    case .bytes(let bytes): Self.bytes(bytes)
    case .repeated(let unit, let times): mapping([("repeat", Self.payload(unit)), ("times", "\(times)")])
    case .pattern(let seed, let count):
      mapping([("pattern", mapping([("seed", "\(seed)"), ("size", SizeText.text(count))]))])
    case .joined(let parts): "[" + parts.map(Self.payload).joined(separator: ", ") + "]"
    }
  }

  /// As text if it is mostly that, else in hexadecimal digits, or base64 if there are many.
  static func bytes(_ bytes: [UInt8]) -> String {
    let controls = bytes.count { $0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0) || $0 == 0x7F }
    if let text = String(validating: bytes, as: UTF8.self), controls * 4 <= bytes.count {
      return ScalarText.quoted(text)
    }
    if bytes.count <= 64 { return mapping([("hex", "\"\(HexText.text(bytes))\"")]) }
    return mapping([("base64", "\"\(Base64Text.text(bytes))\"")])
  }

  /// What a pattern says beyond its kind.
  static func fields(_ pattern: CallbackPattern) -> [(String, String?)] {
    let fields: [(String, String?)] = [
      ("tag", pattern.tag.map(String.init)), ("bytes", pattern.bytes.map(payload)),
      ("length", pattern.count.map(range)), ("hash", pattern.hash.map(ScalarText.quoted)),
      ("host", pattern.host.map(ScalarText.quoted)), ("port", pattern.port.map { String($0) }),
      ("path", pattern.path.map(ScalarText.quoted)), ("error", pattern.error.map(error)),
      ("elapsed", pattern.elapsed.map(DurationText.plain(seconds:))), ("bytesDone", pattern.bytesDone.map(range)),
      ("child", pattern.child), ("delegate", pattern.delegate), ("on", pattern.runLoop), ("mode", pattern.mode),
    ]
    return fields.filter { $0.1 != nil }
  }

  static func range(_ range: ClosedRange<Int>) -> String {
    let low = SizeText.text(range.lowerBound)
    return range.lowerBound == range.upperBound ? low : low + ".." + SizeText.text(range.upperBound)
  }

  static func error(_ pattern: ErrorPattern) -> String {
    switch pattern {
    case .none: "none"
    case .any: "any"
    case .oneOf(let names):
      if let only = names.first, names.count == 1, only != .none {
        name(only)
      } else {
        "[" + names.map(name).joined(separator: ", ") + "]"
      }
    }
  }

  private static func name(_ name: ErrorName) -> String {
    if case .netDB(let code?) = name { return ErrnoName.lookupName(of: code) ?? "NetDB \(code)" }
    return name.text
  }

  static func syncPoint(_ syncPoint: SyncPoint, prefix: (String) -> String) -> String {
    switch syncPoint {
    case .point(let name): return name
    case .callback(let pattern, let socket, let occurrence):
      let name = prefix(socket) + pattern.kind.rawValue
      let fields = fields(pattern)
      if fields.isEmpty, occurrence == 1 { return name }
      return mapping([(name, mapping(fields)), ("occurrence", occurrence == 1 ? nil : "\(occurrence)")])
    }
  }

  static func port(_ port: PortReference) -> String {
    switch port {
    case .number(let number): "\(number)"
    case .peer(let name): mapping([("peer", name)])
    case .listener(let name): mapping([("listener", name)])
    }
  }
}

extension Base64Text {
  static func text(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".unicodeScalars)
    var text = String.UnicodeScalarView()
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = (0..<3).reduce(UInt32(0)) { $0 << 8 | (start + $1 < bytes.count ? UInt32(bytes[start + $1]) : 0) }
      let digits = min(3, bytes.count - start) + 1
      for place in 0..<4 {
        text.append(place < digits ? alphabet[Int(group >> UInt32(18 - 6 * place) & 63)] : "=")
      }
    }
    return String(text)
  }
}
