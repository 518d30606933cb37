/// A place in a Swift test that declares what it proves.
package struct TestWitness: Hashable, Sendable, Encodable {
  /// As it was given: `Tests/SocketCoreTests/DelimiterTests.swift`.
  package var path: String
  /// From 1.
  package var line: Int
  /// The test's display name, its row's name, or the function's.
  package var name: String
  /// The line of the `@Test` that the place is below; nil: a row, whose test a reader of text can't tell.
  package var test: Int?

  package init(path: String, line: Int, name: String, test: Int? = nil) {
    self.path = path
    self.line = line
    self.name = name
    self.test = test
  }

  private enum CodingKeys: String, CodingKey { case path, line, name }

  /// The file as records name it, wherever the lab was called: `Tests/…swift`.
  package var file: String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.firstIndex(of: "Tests").map { parts[$0...].joined(separator: "/") } ?? path
  }
}

/// Finds what Swift tests declare.
///
/// A test declares a requirement where a person who breaks it reads it: in the display name of `@Test`, in the name of
/// a row of its table (`name: "…"`), at the beginning of what an assertion says, or in parentheses in a comment inside
/// it. `TLS-20…TLS-22` are three. The comment over a suite declares nothing: it speaks of too much.
package enum TestScan {
  /// The ids that a file declares, in its order, each with its place.
  package static func declarations(in text: String, path: String) -> [(id: String, witness: TestWitness)] {
    var found: [(id: String, witness: TestWitness)] = []
    var test = Test()
    var start: Int?
    for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let bytes = line.drop { $0 == UInt8(ascii: " ") }
      let isStart = bytes.starts(with: "@Test".utf8)
      // As bytes: most lines declare nothing, and to look at characters takes ten times as long.
      guard isStart || test.isOpen || bytes.contains(UInt8(ascii: "-")) else { continue }
      let code = Substring(bytes)
      guard !code.hasPrefix("///") else { continue }
      if isStart { start = index + 1 }
      let isNamed = test.takeName(of: code)
      // Each id has a dash.
      guard bytes.contains(UInt8(ascii: "-")) else { continue }
      let (ids, row) = isNamed ? (self.ids(in: test.name), nil) : declared(in: code)
      let witness = TestWitness(path: path, line: index + 1, name: row ?? test.name, test: row == nil ? start : nil)
      for id in ids { found.append((id, witness)) }
    }
    return found
  }

  /// The test that a line belongs to.
  private struct Test {
    /// The display name, or the function's.
    var name = ""
    /// Whether `@Test` was seen, and neither the test's display name nor its function has come.
    private(set) var isOpen = false
    /// Whether the display name may stand at the beginning of the next line.
    private var isBroken = false

    /// Whether the line has a display name.
    mutating func takeName(of code: Substring) -> Bool {
      var rest = code
      if code.hasPrefix("@Test") {
        (isOpen, name) = (true, "")
        rest = code.dropFirst("@Test(".count)
        isBroken = rest.isEmpty
      } else if !isOpen {
        return false
      }
      if (isBroken || code.hasPrefix("@Test(")), rest.hasPrefix("\""), let literal = literals(in: rest).first {
        (name, isOpen, isBroken) = (literal, false, false)
        return true
      }
      if !rest.isEmpty { isBroken = false }
      if let function = code.firstRange(of: "func ") {
        (name, isOpen) = (String(code[function.upperBound...].prefix { $0 != "(" && $0 != "<" }), false)
      }
      return false
    }
  }

  /// The ids that a line declares which is no display name, with the name of its row if it has one.
  private static func declared(in code: Substring) -> (ids: [String], row: String?) {
    if let label = code.firstRange(of: "name: \""), let row = literals(in: code[label.lowerBound...]).first {
      return (ids(in: row), row)
    }
    if code.contains("Issue.record(") { return (literals(in: code).flatMap(beginning), nil) }
    // What an assertion compares is no text of its own: that one comes last.
    if code.contains("#expect("), code.hasSuffix("\")"), let text = literals(in: code).last,
      code.contains(", \"\(text)\")")
    {
      return (beginning(of: text), nil)
    }
    guard let comment = code.firstRange(of: "//"), !code.hasPrefix("// MARK") else { return ([], nil) }
    return (inParentheses(code[comment.upperBound...]), nil)
  }

  // MARK: - Literals

  /// The texts between quotes on one line.
  private static func literals(in code: Substring) -> [String] {
    var literals: [String] = []
    var literal: String?
    var isEscaped = false
    for character in code {
      if character == "\"", !isEscaped {
        if let whole = literal { literals.append(whole) }
        literal = literal == nil ? "" : nil
      } else {
        literal?.append(character)
      }
      isEscaped = character == "\\" && !isEscaped
    }
    return literals
  }

  // MARK: - Ids

  /// All ids of a text; a range stands for those between its ends, too.
  static func ids(in text: some StringProtocol) -> [String] {
    var ids: [String] = []
    var rest = text.utf8[...]
    var isRange = false
    while !rest.isEmpty {
      let word = rest.prefix { isPartOfID($0) }
      guard !word.isEmpty else {
        isRange = rest.starts(with: "…".utf8)
        rest = rest.dropFirst(isRange ? "…".utf8.count : 1)
        continue
      }
      rest = rest[word.endIndex...]
      if let id = String(decoding: word, as: UTF8.self).asID {
        if isRange, let last = ids.last { ids += between(last, id) }
        ids.append(id)
      }
      isRange = false
    }
    return ids
  }

  /// `TLS-21` for `TLS-20` and `TLS-22`.
  private static func between(_ first: String, _ last: String) -> [String] {
    guard first.dropLast(2) == last.dropLast(2), let start = Int(first.suffix(2)), let end = Int(last.suffix(2)),
      start < end
    else { return [] }
    return (start + 1..<end).map { "\(first.dropLast(2))\($0 < 10 ? "0" : "")\($0)" }
  }

  /// The ids before anything else: of `RDQ-06, HALF-10: on an idle connection` two.
  private static func beginning(of text: String) -> [String] {
    ids(in: text.prefix { $0.isUppercase || $0.isNumber || "-, …".contains($0) })
  }

  private static func inParentheses(_ text: Substring) -> [String] {
    text.split(separator: "(").dropFirst().flatMap { part in
      part.contains(")") ? ids(in: part.prefix { $0 != ")" }) : []
    }
  }

  private static func isPartOfID(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
  }
}

extension String {
  /// Itself, if it has the form of an id: one or two groups of capitals and two digits.
  fileprivate var asID: String? {
    let parts = split(separator: "-", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let number = parts.last, number.utf8.count == 2 else { return nil }
    let areDigits = number.utf8.allSatisfy { (0x30...0x39).contains($0) }
    let areCapitals = parts.dropLast().allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }
    return areDigits && areCapitals ? self : nil
  }
}
