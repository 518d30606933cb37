import Foundation
import Testing

@testable import ScenarioYAML

/// Fuzz/dict/scenario.dict holds every word of the scenario language. `UPDATE_GOLDEN=1 swift test --filter
/// ScenarioDictionaryTests` writes it anew.
@Suite struct ScenarioDictionaryTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let dictionary = root.appending(path: "Fuzz/dict/scenario.dict")

  /// What stands between words.
  private static let marks = [
    "\n", "\n  - ", "\n      - ", ": ", ":\n", "- ", "{ ", " }", "[", "]", ", ", "\"", "'", "#", "&a", "*a", "|", ">",
    "\\uFEFF", "\u{FEFF}", "\t", "20ms", "4KiB", "1B..9B",
  ]

  /// Keys and words of values anywhere in the schema.
  private static func words(_ value: Any) -> Set<String> {
    if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(words($1)) } }
    guard let object = value as? [String: Any] else { return [] }
    return object.reduce(into: []) { found, entry in
      switch (entry.key, entry.value) {
      case ("properties", let keys as [String: Any]): found.formUnion(keys.keys)
      case ("enum", let words as [Any]): found.formUnion(words.compactMap { $0 as? String })
      case ("const", let word as String): found.insert(word)
      default: break
      }
      found.formUnion(words(entry.value))
    }
  }

  private static func entry(_ text: String) -> String {
    let escaped = text.utf8.map { byte -> String in
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\" + String(UnicodeScalar(byte))
      case 0x20...0x7E: String(UnicodeScalar(byte))
      default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return "\"" + escaped.joined() + "\""
  }

  private static func text() throws -> String {
    let schema = try JSONSerialization.jsonObject(
      with: Data(contentsOf: root.appending(path: "Scenarios/schema.json")))
    let words = words(schema).union(ScenarioReader.words).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let head = "# The words of the scenario language, written by ScenarioDictionaryTests.\n"
    return head + (marks + words).map { entry($0) + "\n" }.joined()
  }

  @Test func dictionaryIsUpToDate() throws {
    let text = try Self.text()
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      try Data(text.utf8).write(to: Self.dictionary)
    }
    let written = try String(contentsOf: Self.dictionary, encoding: .utf8)
    #expect(written == text, "Fuzz/dict/scenario.dict is out of date; see the test")
    #expect(text.split(separator: "\n").count > 400)
  }
}
