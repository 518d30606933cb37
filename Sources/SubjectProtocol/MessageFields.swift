import Foundation
import ReportMarkup
import ScenarioModel

/// A line's members, by their names; what each means is for the reader of the message to ask.
struct MessageFields {
  /// Members beyond these are more than any message has.
  private static let maxMembers = 64

  private let line: [UInt8]
  private var places: [String: Range<Int>] = [:]
  /// What the message says it is.
  private(set) var type = ""

  /// Members that the protocol does not know are passed over: a later version may have them.
  init(_ line: [UInt8]) throws(ProtocolViolation) {
    self.line = line
    // Neither is half of a surrogate pair taken: what is shown and compared is what was written.
    guard String(validating: line, as: UTF8.self) != nil else {
      throw .notJSON(line: Self.shown(line), problem: "not all of it is UTF-8")
    }
    do {
      places = try line.withUnsafeBufferPointer { buffer in
        var scanner = JSONScanner(buffer)
        var places: [String: Range<Int>] = [:]
        try scanner.object { key, scanner in
          guard places.count < Self.maxMembers else { throw scanner.failure("more than \(Self.maxMembers) members") }
          places[key] = try scanner.skip()
        }
        guard scanner.isAtEnd() else { throw scanner.failure("there is more behind the object") }
        return places
      }
    } catch {
      let problem = (error as? JSONScanner.Failure).map { "\($0.problem), at byte \($0.offset + 1)" } ?? "\(error)"
      throw .notJSON(line: Self.shown(line), problem: problem)
    }
    guard has("type") else {
      throw .badMember(message: "", problem: "`\(Self.shown(line))` has no `type`, which must be a text")
    }
    type = try text("type")
  }

  /// The beginning of a line, for messages.
  static func shown(_ line: [UInt8]) -> String {
    VisibleText.clipped(String(decoding: line.prefix(400), as: UTF8.self), to: 100)
  }

  /// The message's complaint about itself.
  func wrong(_ problem: String) -> ProtocolViolation { .badMember(message: type, problem: problem) }

  func has(_ key: String) -> Bool { places[key].map { !isNull($0) } ?? false }

  private func isNull(_ place: Range<Int>) -> Bool { line[place].elementsEqual("null".utf8) }

  private func read<Value>(
    _ key: String, _ kind: String, _ body: (inout JSONScanner) throws -> Value
  ) throws(ProtocolViolation) -> Value {
    guard let place = places[key], !isNull(place) else { throw wrong("it has no `\(key)`, which must be \(kind)") }
    do {
      return try line.withUnsafeBufferPointer { buffer in
        var scanner = JSONScanner(buffer, in: place.lowerBound..<buffer.count)
        let value = try body(&scanner)
        guard scanner.offset == place.upperBound else { throw scanner.failure("there is more") }
        return value
      }
    } catch {
      throw wrong("its `\(key)` must be \(kind), and is \(Self.shown(Array(line[place])))")
    }
  }

  func text(_ key: String) throws(ProtocolViolation) -> String { try read(key, "a text") { try $0.text() } }

  func optionalText(_ key: String) throws(ProtocolViolation) -> String? { has(key) ? try text(key) : nil }

  func integer(_ key: String) throws(ProtocolViolation) -> Int { try read(key, "a whole number") { try $0.integer() } }

  func number(_ key: String) throws(ProtocolViolation) -> Double { try read(key, "a number") { try $0.number() } }

  /// Nanoseconds of the monotonic clock.
  func instant() throws(ProtocolViolation) -> Int64 {
    Int64(clamping: try read("at", "nanoseconds of CLOCK_MONOTONIC, a whole number") { try $0.integer() })
  }

  func port() throws(ProtocolViolation) -> UInt16 {
    let number = try integer("port")
    guard let port = UInt16(exactly: number) else { throw wrong("its `port` must be between 0 and 65535") }
    return port
  }

  /// Bytes in base64.
  func bytes(_ key: String) throws(ProtocolViolation) -> [UInt8] {
    guard let data = Data(base64Encoded: try text(key)) else { throw wrong("its `\(key)` is no base64") }
    return Array(data)
  }

  /// A text of one line that is shown as it is: of at most `most` characters, all of them visible.
  func label(_ key: String, most: Int) throws(ProtocolViolation) -> String {
    let label = try text(key)
    guard Self.isVisible(label, most: most) else {
      throw wrong(
        "its `\(key)` must be at most \(most) visible characters, and is \(VisibleText.clipped(label, to: 100))")
    }
    return label
  }

  private static func isVisible(_ text: String, most: Int) -> Bool {
    // Nothing of a very long one is looked at.
    guard text.utf8.count <= 16 * most, text.count <= most else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
      default: true
      }
    }
  }

  /// More words than these no list of a hello has.
  private static let maxWords = 256
  /// No word of them is longer.
  private static let longestWord = 60

  /// A list of words that people may be shown; empty where there is none.
  func words(_ key: String) throws(ProtocolViolation) -> [String] {
    let words = try texts(key)
    guard words.count <= Self.maxWords, words.allSatisfy({ Self.isVisible($0, most: Self.longestWord) }) else {
      throw wrong(
        "its `\(key)` must be at most \(Self.maxWords) words of at most \(Self.longestWord) visible characters each")
    }
    return words
  }

  /// Names of a set that the protocol knows. Those of a later version are passed over, and written down.
  func names<Name: RawRepresentable<String>>(
    _ key: String, unknown: inout [UnknownWord]
  ) throws(ProtocolViolation) -> Set<Name> where Name: Hashable & CaseIterable {
    var names: Set<Name> = []
    for word in try words(key) {
      if let name = Name(rawValue: word) {
        names.insert(name)
      } else {
        unknown.append(UnknownWord(list: key, word: word, known: Name.allCases.map(\.rawValue)))
      }
    }
    return names
  }

  /// A list of texts; empty where there is none.
  func texts(_ key: String) throws(ProtocolViolation) -> [String] {
    guard has(key) else { return [] }
    return try read(key, "a list of texts") { scanner in
      var texts: [String] = []
      try scanner.list { texts.append(try $0.text()) }
      return texts
    }
  }

  /// A property's value: null, true, a number, a text, a list of texts, `{"base64": …}`, or a progress.
  func value() throws(ProtocolViolation) -> PropertyValue {
    guard let place = places["value"] else { throw wrong("it has no `value`") }
    guard !isNull(place), let first = line[place].first else { return .none }
    switch first {
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .flag(try read("value", "a value") { try $0.flag() })
    case UInt8(ascii: "\""): return .text(try text("value"))
    case UInt8(ascii: "["): return .modes(try texts("value"))
    case UInt8(ascii: "{"):
      let inner = try MessageFields(object: Array(line[place]), of: type)
      if inner.has("base64") { return .bytes(try inner.bytes("base64")) }
      return .progress(
        tag: try inner.integer("tag"), done: try inner.integer("done"), total: try inner.integer("total"),
        fraction: inner.has("fraction") ? try inner.number("fraction") : .nan)
    default: return .number(try number("value"))
    }
  }

  /// An object inside a message.
  private init(object: [UInt8], of type: String) throws(ProtocolViolation) {
    let head = Array(#"{"type": ""#.utf8) + Array(type.utf8) + Array(#"", "#.utf8)
    try self.init(head + object.dropFirst())
  }
}
