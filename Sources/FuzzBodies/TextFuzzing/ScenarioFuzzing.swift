import FuzzHarness
import ScenarioModel
import ScenarioYAML

/// Any bytes as the text of a scenario file.
///
/// Laws
/// - `scenario/answer`: there are scenarios exactly when no remark is an error, and a refusal says why.
/// - `scenario/place`: remarks stand in the order of the file, each at a place that exists in it.
/// - `scenario/words`: every remark has a known code, a message, and prints as lines without control characters.
/// - `scenario/proportion`: what a text says is not larger than the text by more than a factor.
/// - `scenario/print`: what was read is printed so that it reads without an error, to an equal scenario, and prints the
///   same again.
package enum ScenarioFuzzing {
  package static let body: FuzzBody = { bytes in check(bytes, writing: ScenarioWriter.yaml) }

  /// Bytes of printed text for a byte of what was read, and those that the smallest scenario takes anyway. `hex`
  /// doubles a byte, an escape in a quoted text takes six, and names are repeated where a file may leave them out.
  static let growth = 16
  static let allowance = 4096

  /// The number of a file's cases that are printed.
  private static let maxPrinted = 4

  /// The id that texts are read under; a `control` may not name it.
  private static let id = "fuzz/scenario"

  /// The body over a printer of the caller's: tests pass broken printers, to see that the body notices.
  package static func check(
    _ raw: UnsafeRawBufferPointer, writing: (Scenario) -> String
  ) -> Violation? {
    let bytes = [UInt8](raw)
    let result = ScenarioReader.read(bytes: bytes, id: id, file: file)
    if let violation = check(result, of: bytes) { return violation }
    // The value of a column may come several times, up to as much as the file has; cases are printed alike.
    let count = result.scenarios.first?.id == id ? bytes.count : 2 * bytes.count + 1_024
    for scenario in result.scenarios.prefix(maxPrinted) {
      if let violation = check(scenario, read: count, writing: writing) { return violation }
    }
    return nil
  }

  /// The files that payloads may name.
  private static func file(_ path: String) -> [UInt8]? { path.hasSuffix(".bin") ? [0, 255, 10, 0x22] : nil }

  /// The laws about what became of the bytes.
  package static func check(_ result: ScenarioReader.Result, of bytes: [UInt8]) -> Violation? {
    let isRefused = result.diagnostics.contains { $0.severity == .error }
    guard result.scenarios.isEmpty == isRefused else {
      return Violation("scenario/answer", "a scenario: \(!result.scenarios.isEmpty), an error: \(isRefused)")
    }
    guard !result.diagnostics.isEmpty else { return nil }
    let lengths = lineLengths(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    var last = SourcePosition(line: 1, column: 1)
    for diagnostic in result.diagnostics {
      let place = diagnostic.position
      guard place.line >= 1, place.line <= lengths.count, place.column >= 1,
        place.column <= lengths[place.line - 1] + 1
      else { return Violation("scenario/place", "\(diagnostic.code) at \(place), of \(lengths.count) lines") }
      guard place >= last else { return Violation("scenario/place", "\(diagnostic.code) at \(place) after \(last)") }
      last = place
    }
    return checkWords(of: result.diagnostics, in: bytes)
  }

  private static func checkWords(of diagnostics: [Diagnostic], in bytes: [UInt8]) -> Violation? {
    for diagnostic in diagnostics {
      guard let code = LintCode(rawValue: diagnostic.code), code.severity == diagnostic.severity,
        !diagnostic.message.isEmpty, diagnostic.help != ""
      else { return Violation("scenario/words", "\(diagnostic)") }
    }
    // Printing costs as much as reading, and all remarks print alike: one remark of some texts is enough.
    guard bytes.count % 8 == 0, let first = diagnostics.first else { return nil }
    let text = DiagnosticPrinter(path: "x", bytes: bytes).text(first)
    let isClean = text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x0A }
    return isClean ? nil : Violation("scenario/words", "a control character in what is printed of \(first.code)")
  }

  /// Characters of each line, counted by hand. A byte order mark in front belongs to no line.
  private static func lineLengths(_ text: String.UnicodeScalarView) -> [Int] {
    var lengths = [0]
    var line = 0
    var wasReturn = false
    var isFirst = true
    for scalar in text {
      defer { isFirst = false }
      switch scalar.value {
      case 0x0A where wasReturn: wasReturn = false
      case 0x0A, 0x0D, 0x85, 0x2028, 0x2029:
        lengths.append(0)
        line += 1
        wasReturn = scalar == "\r"
      case 0xFEFF where isFirst: break
      default:
        lengths[line] += 1
        wasReturn = false
      }
    }
    return lengths
  }

  /// The laws about a scenario that was read from `count` bytes.
  private static func check(_ scenario: Scenario, read count: Int, writing: (Scenario) -> String) -> Violation? {
    let text = writing(scenario)
    guard text.utf8.count <= growth * count + allowance else {
      return Violation("scenario/proportion", "\(count) bytes say \(text.utf8.count)")
    }
    let again = ScenarioReader.read(text, id: scenario.id)
    guard let back = again.scenario else {
      let codes = again.diagnostics.filter { $0.severity == .error }.prefix(3).map { "\($0.code) at \($0.position)" }
      return Violation("scenario/print", "what was printed is refused: \(codes.joined(separator: ", "))\n\(text)")
    }
    guard back.placeless == scenario.placeless else {
      return Violation("scenario/print", "what was printed reads as another scenario:\n\(text)")
    }
    let second = writing(back)
    return second == text
      ? nil : Violation("scenario/print", "what was printed prints differently:\n\(text)\n---\n\(second)")
  }
}
