import ScenarioModel

extension Reading {
  /// All payloads of a file together may have this many bytes, in MiB.
  private static let maxMebibytes = 64
  private static let maxBytes = maxMebibytes << 20

  static let payloadKeys = ["text", "hex", "base64", "repeat", "pattern", "file"]

  private static let payloadHelp =
    "write \"text\", { hex: \"0d 0a\" }, { base64: \"…\" }, { repeat: …, times: 3 }, "
    + "{ pattern: { seed: 1, size: 4KiB } }, { file: \"…\" } or a list of these"

  /// Whether a mapping describes a payload rather than a command that carries one.
  static func isPayload(_ node: YAMLNode) -> Bool {
    guard let entries = node.entries else { return true }
    return entries.contains { payloadKeys.contains($0.key) } && !entries.contains { $0.key == "bytes" }
  }

  /// Bytes in any of their forms. Counts them towards the file's total.
  mutating func payload(_ node: YAMLNode, of what: String) -> Payload? {
    guard let payload = form(node, of: what), !payloadsAreTooLarge else { return nil }
    guard case (let total, false) = payloadTotal.addingReportingOverflow(payload.count), total <= Self.maxBytes else {
      reportTooLarge(at: node.position)
      return nil
    }
    payloadTotal = total
    return payload
  }

  private mutating func form(_ node: YAMLNode, of what: String) -> Payload? {
    switch node.content {
    case .scalar(let text, let plain): return literal(text, plain: plain, node, of: what)
    case .list:
      guard let items = list(node, of: what, help: "write \"\" for no bytes") else { return nil }
      let parts = items.map { form($0, of: what) }
      let known = parts.compactMap { $0 }
      return known.count == parts.count ? bounded(.joined(known), at: node.position) : nil
    case .mapping:
      guard let fields = fields(node, of: what, allowed: Self.payloadKeys + ["times"], help: Self.payloadHelp) else {
        return nil
      }
      let forms = fields.present(Self.payloadKeys)
      guard let form = forms.first else {
        if node.entries?.isEmpty == true || fields.entry("times") != nil {
          report(.missingKey, at: node.position, "\(what) has no bytes", help: Self.payloadHelp)
        }
        return nil
      }
      if let second = forms.dropFirst().first {
        report(
          .conflictingKeys, at: second.position, "a payload is either `\(form.key)` or `\(second.key)`, not both",
          help: "write a list to join payloads")
        return nil
      }
      if form.key != "repeat", let times = fields.entry("times") {
        report(.conflictingKeys, at: times.position, "`times` belongs to `repeat`, not to `\(form.key)`")
        return nil
      }
      return self.form(form, in: fields, of: what)
    }
  }

  private mutating func literal(_ text: String, plain: Bool, _ node: YAMLNode, of what: String) -> Payload? {
    if node.isEmpty {
      reportShape(node, of: what, expected: "some bytes", help: Self.payloadHelp)
      return nil
    }
    let head = text.utf8.first ?? 0
    let isNumeric = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(head) || head == UInt8(ascii: "-")
    if plain, isNumeric || ["max", "true", "false"].contains(text) {
      report(
        .ambiguousPayload, at: node.position, "`\(text.shortened)` looks like a number or a flag, but \(what) is bytes",
        help: "write \"\(text.shortened)\" for this text, or { pattern: { seed: 1, size: 10B } } for so many bytes")
      return nil
    }
    return textBytes(text, node)
  }

  private mutating func form(_ form: YAMLEntry, in fields: Fields, of what: String) -> Payload? {
    let value = form.value
    switch form.key {
    case "text": return text(value, of: "`text`").flatMap { textBytes($0, value) }
    case "hex": return text(value, of: "`hex`").flatMap { decoded($0, HexText.bytes, "hexadecimal digits", value) }
    case "base64": return text(value, of: "`base64`").flatMap { decoded($0, Base64Text.bytes, "base64", value) }
    case "repeat":
      let unit = self.form(value, of: "`repeat`")
      let times = required("times", in: fields, of: "`repeat`", help: "say how often: `times: 3`")
        .flatMap { self.times($0, of: "`times`", atLeast: 0, atMost: Self.maxBytes) }
      guard let unit, let times else { return nil }
      return bounded(.repeated(unit: unit, times: times), at: value.position)
    case "pattern":
      let parts = self.fields(value, of: "`pattern`", allowed: ["seed", "size"])
      guard let parts else { return nil }
      let seed = required("seed", in: parts, of: "`pattern`").flatMap { self.seed($0, of: "`seed`") }
      let size = required("size", in: parts, of: "`pattern`").flatMap { self.size($0, of: "`size`") }
      guard let seed, let size else { return nil }
      return bounded(.pattern(seed: seed, count: size), at: value.position)
    default: return content(ofFile: value)
    }
  }

  private mutating func content(ofFile node: YAMLNode) -> Payload? {
    guard let path = text(node, of: "`file`") else { return nil }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !path.hasPrefix("/"), !parts.contains(".."), !parts.contains("") else {
      report(
        .missingFile, at: node.position, "`\(path.shortened)` leaves the scenario's folder",
        help: "name a file below the folder of the scenario file")
      return nil
    }
    guard let content = file(path) else {
      report(
        .missingFile, at: node.position, "there is no file `\(path.shortened)` below the scenario's folder")
      return nil
    }
    return bounded(.bytes(content), at: node.position)
  }

  private mutating func decoded(
    _ text: String, _ decode: (String) -> [UInt8]?, _ alphabet: String, _ node: YAMLNode
  ) -> Payload? {
    if let bytes = decode(text) { return .bytes(bytes) }
    report(
      .badPayload, at: node.position, "`\(text.shortened)` is not \(alphabet)",
      help: alphabet == "base64"
        ? "four characters of A-Z a-z 0-9 + / make three bytes; `=` fills up the last four"
        : "two digits make one byte; spaces between bytes are fine: \"0d 0a\"")
    return nil
  }

  /// The payload, unless its size leaves all bounds; computed without overflow.
  private mutating func bounded(_ payload: Payload, at position: SourcePosition) -> Payload? {
    let count: Int? =
      switch payload {
      case .bytes(let bytes): bytes.count
      case .pattern(_, let count): count
      case .repeated(let unit, let times):
        { $0.overflow ? nil : $0.partialValue }(unit.count.multipliedReportingOverflow(by: times))
      case .joined(let parts):
        parts.reduce(into: Int?.some(0)) { sum, part in
          guard let so = sum, case (let next, false) = so.addingReportingOverflow(part.count) else { return sum = nil }
          sum = next
        }
      }
    if let count, count <= Self.maxBytes { return payload }
    reportTooLarge(at: position)
    return nil
  }

  private mutating func reportTooLarge(at position: SourcePosition) {
    guard !payloadsAreTooLarge else { return }
    payloadsAreTooLarge = true
    report(
      .payloadTooLarge, at: position, "the payloads of this file have more than \(Self.maxMebibytes) MiB together",
      help: "use a smaller pattern")
  }
}

/// Bytes as hexadecimal digits.
enum HexText {
  /// nil unless the text is pairs of digits, with blanks between bytes where one likes.
  static func bytes(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for scalar in text.unicodeScalars {
      if let digit = digit(scalar) {
        if let first = high {
          bytes.append(first << 4 | digit)
          high = nil
        } else {
          high = digit
        }
      } else {
        guard scalar == " " || scalar == "\n" || scalar == "\t", high == nil else { return nil }
      }
    }
    return high == nil ? bytes : nil
  }

  /// Two lowercase digits a byte, with a space between bytes.
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }

  private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
    switch scalar.value {
    case 0x30...0x39: UInt8(scalar.value - 0x30)
    case 0x41...0x46: UInt8(scalar.value - 0x41 + 10)
    case 0x61...0x66: UInt8(scalar.value - 0x61 + 10)
    default: nil
    }
  }
}

/// Bytes as base64 (RFC 4648, with padding).
enum Base64Text {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// nil unless the text is groups of four characters, the last filled up with `=`; blanks are skipped.
  static func bytes(_ text: String) -> [UInt8]? {
    let characters = text.utf8.filter { ![0x20, 0x0A, 0x09].contains($0) }
    guard characters.count % 4 == 0 else { return nil }
    let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    var bytes: [UInt8] = []
    var group: UInt32 = 0
    for (index, character) in characters.enumerated() {
      let isPadding = index >= characters.count - padding
      guard let value = isPadding ? 0 : alphabet.firstIndex(of: character) else { return nil }
      group = group << 6 | UInt32(value)
      guard index % 4 == 3 else { continue }
      for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(shift))) }
      group = 0
    }
    return Array(bytes.prefix(bytes.count - padding))
  }
}
