import FuzzHarness

/// Reads pages as strictly as their formats are written, to see whether a text from outside has become markup. Each
/// knows nothing of how the pages are made.
package enum PageOracles {
  /// XML of these elements and attributes and nothing else.
  package static func faultOfJUnit(_ page: [UInt8]) -> String? { XMLPage.fault(of: page) }

  /// No markup character of the marker stands as it is, but for code spans; no control characters but line feeds.
  package static func faultOfMarkdown(_ page: [UInt8]) -> String? {
    guard String(validating: page, as: UTF8.self) != nil else { return "not UTF-8" }
    if let control = page.first(where: { ($0 < 0x20 && $0 != 0x0A) || $0 == 0x7F }) {
      return "control character \(control)"
    }
    for line in page.split(separator: 0x0A) where isMarkup(in: Array(line)) { return "an element in a line of text" }
    return nil
  }

  /// Whether a `<` of a line is neither escaped nor inside a code span, or a backtick opens a span that has no end.
  private static func isMarkup(in line: [UInt8]) -> Bool {
    var index = 0
    while index < line.count {
      switch line[index] {
      case UInt8(ascii: "\\"): index += 2
      case UInt8(ascii: "`"):
        guard let end = endOfCode(in: line, from: index) else { return true }
        index = end
      case UInt8(ascii: "<"): return true
      default: index += 1
      }
    }
    return false
  }

  /// Behind the code span that begins here; nil: none does.
  private static func endOfCode(in line: [UInt8], from start: Int) -> Int? {
    var index = start
    while index < line.count, line[index] == UInt8(ascii: "`") { index += 1 }
    let length = index - start
    var run = 0
    while index <= line.count {
      if index < line.count, line[index] == UInt8(ascii: "`") {
        run += 1
      } else {
        if run == length { return index }
        run = 0
      }
      index += 1
    }
    return nil
  }

  /// No piece of the marker that holds markup characters stands as it is, and no control characters.
  package static func faultOfHTML(_ page: [UInt8]) -> String? {
    // The marker's letters stand in no page but through it.
    page.withUnsafeBufferPointer { page in
      for index in page.indices {
        let byte = page[index]
        if byte < 0x20, byte != 0x0A, byte != 0x09 { return "control character \(byte)" }
        guard byte == UInt8(ascii: "z"), index + 1 < page.count, page[index + 1] == UInt8(ascii: "q") else { continue }
        if index > 0, page[index - 1] == UInt8(ascii: "<") { return "an element out of a text" }
        guard index + 2 < page.count else { continue }
        switch page[index + 2] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return "a quote out of a text"
        default: continue
        }
      }
      return nil
    }
  }
}

/// A reader of the XML that the JUnit page may consist of.
private struct XMLPage {
  private static let elements: Set<String> = [
    "testsuites", "testsuite", "properties", "property", "testcase", "failure", "error", "skipped", "system-err",
  ]
  private static let attributes: Set<String> = [
    "name", "tests", "failures", "errors", "skipped", "time", "timestamp", "value", "classname", "file", "line",
    "message", "type",
  ]
  private static let references: Set<String> = ["amp", "lt", "gt", "quot", "apos", "#10", "#9", "#13"]

  private let page: [UInt8]
  private var index = 0
  private var open: [String] = []
  private var fault: String?

  static func fault(of page: [UInt8]) -> String? {
    guard String(validating: page, as: UTF8.self) != nil else { return "not UTF-8" }
    var reader = XMLPage(page: page)
    reader.read()
    return reader.fault
  }

  private init(page: [UInt8]) { self.page = page }

  private var byte: UInt8? { index < page.count ? page[index] : nil }

  private mutating func read() {
    let head = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
    guard page.starts(with: head) else {
      fault = "no declaration"
      return
    }
    index = head.count
    while fault == nil, let byte {
      if byte == UInt8(ascii: "<") { readTag() } else { readCharacter(inAttribute: false) }
    }
    if fault == nil, !open.isEmpty { fault = "\(open.count) elements stay open" }
  }

  private mutating func readTag() {
    index += 1
    let closes = byte == UInt8(ascii: "/")
    if closes { index += 1 }
    let name = readName()
    guard Self.elements.contains(name) else {
      fault = "an element of the name \(name)"
      return
    }
    if closes {
      guard open.popLast() == name, byte == UInt8(ascii: ">") else {
        fault = "\(name) closed out of turn"
        return
      }
      index += 1
      return
    }
    readAttributes()
    guard fault == nil else { return }
    if byte == UInt8(ascii: "/") { index += 1 } else { open.append(name) }
    guard byte == UInt8(ascii: ">") else {
      fault = "a tag without an end"
      return
    }
    index += 1
  }

  private mutating func readAttributes() {
    var seen: Set<String> = []
    while fault == nil, byte == UInt8(ascii: " ") {
      index += 1
      let name = readName()
      guard Self.attributes.contains(name), seen.insert(name).inserted, byte == UInt8(ascii: "=") else {
        fault = "an attribute of the name \(name)"
        return
      }
      index += 1
      guard byte == UInt8(ascii: "\"") else {
        fault = "an attribute without quotes"
        return
      }
      index += 1
      while fault == nil, byte != UInt8(ascii: "\"") { readCharacter(inAttribute: true) }
      index += 1
    }
  }

  private mutating func readName() -> String {
    let start = index
    while let byte, (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-") && index > start { index += 1 }
    return String(decoding: page[start..<index], as: UTF8.self)
  }

  private mutating func readCharacter(inAttribute: Bool) {
    guard let byte else {
      fault = "the page ends inside a tag"
      return
    }
    switch byte {
    case UInt8(ascii: "&"):
      let end = page[index...].prefix(8).firstIndex(of: UInt8(ascii: ";")) ?? index
      let name = end > index ? String(decoding: page[(index + 1)..<end], as: UTF8.self) : ""
      if !Self.references.contains(name) { fault = "a bare ampersand" }
      index = end
    case UInt8(ascii: "<"): fault = "a bare < in an attribute"
    case 0x0A where !inAttribute, 0x09 where !inAttribute: break
    case 0..<0x20: fault = "control character \(byte)"
    case UInt8(ascii: "]") where page[index...].starts(with: "]]>".utf8): fault = "]]> in content"
    case 0xEF
    where page[index...].starts(with: [0xEF, 0xBF, 0xBE]) || page[index...].starts(with: [0xEF, 0xBF, 0xBF]):
      fault = "a noncharacter"
    default: break
    }
    index += 1
  }
}
