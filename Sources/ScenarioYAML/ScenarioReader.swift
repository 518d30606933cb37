import ScenarioModel

/// Turns the text of a scenario file into a scenario, or into one for each of its `cases`.
///
/// Laws
/// - Every fault of a file is found in one pass, as far as one fault does not hide another; only a text that is not
///   YAML at all yields a single remark.
/// - There are scenarios exactly when no remark is an error.
/// - Nothing a file contains can trap, recurse without bound or take memory out of proportion: size, depth, aliases,
///   payloads and repetitions are all bounded.
package enum ScenarioReader {
  /// Files larger than this are refused, in bytes.
  package static let maxBytes = SourceText.largest

  /// What became of a file.
  package struct Result: Sendable {
    /// The file's scenario, or one for each of its cases, in their order; none if any diagnostic is an error.
    package var scenarios: [Scenario]
    /// In the order of the file.
    package var diagnostics: [Diagnostic]

    /// The scenario of a file that has one only.
    package var scenario: Scenario? { scenarios.count == 1 ? scenarios[0] : nil }
  }

  /// Reads a file's bytes. `id` is the scenario's path below Scenarios/ without extension, to which cases add their
  /// names: `read/line#empty`. `citations` says which requirements may be cited; nil: all that look like one. `file`
  /// gives the content of a payload file by its path relative to the scenario's folder, nil if there is none.
  package static func read(
    bytes: [UInt8], id: String, citations: CitationRules? = nil, file: (String) -> [UInt8]?
  ) -> Result {
    var log = DiagnosticLog()
    guard let source = SourceText(bytes, log: &log) else { return Result(scenarios: [], diagnostics: log.diagnostics) }
    guard let root = YAMLComposer.compose(source, log: &log) else {
      if log.diagnostics.isEmpty {
        log.report(
          .emptyFile, at: SourcePosition(line: 1, column: 1), "the file holds no scenario",
          help: "begin with `title: …`; `socketlab new` writes a skeleton")
      }
      return Result(scenarios: [], diagnostics: log.sorted(in: source))
    }
    let scenarios = withoutActuallyEscaping(file) { file in
      let reading = Reading(log: log, outline: Outline(root), citations: citations, file: file)
      return Self.scenarios(root, id: id, size: source.bytes.count, reading, &log)
    }
    return Result(scenarios: log.hasErrors ? [] : scenarios, diagnostics: log.sorted(in: source))
  }

  /// What the document says; it counts only if the log has no errors.
  private static func scenarios(
    _ root: YAMLNode, id: String, size: Int, _ reading: Reading, _ log: inout DiagnosticLog
  ) -> [Scenario] {
    var reading = reading
    guard let cases = reading.cases(of: root, size: size) else {
      let scenario = reading.scenario(root, id: id)
      reading.settleDoubts()
      log = reading.log
      return [scenario]
    }
    var scenarios: [Scenario] = []
    for document in cases where !reading.log.isFull {
      reading = Reading(continuing: reading, outline: Outline(document.root))
      scenarios.append(reading.scenario(document.root, id: "\(id)#\(document.name)"))
      // What is wrong with the story is wrong in every case.
      reading.log.dropRepetitions()
    }
    reading.settleDoubts()
    log = reading.log
    return scenarios
  }

  /// Reads a file's text; see `read(bytes:id:file:)`.
  package static func read(_ text: String, id: String, file: (String) -> [UInt8]? = { _ in nil }) -> Result {
    read(bytes: Array(text.utf8), id: id, file: file)
  }

  /// All words of the language that stand for themselves: top-level keys and the words of steps and expectations.
  package static var words: [String] {
    Reading.topLevelKeys + SubjectWord.allCases.map(\.rawValue) + PeerWord.allCases.map(\.rawValue)
      + NetworkWord.allCases.map(\.rawValue)
      + Reading.groupWords + CallbackKind.allCases.map(\.rawValue)
  }
}
