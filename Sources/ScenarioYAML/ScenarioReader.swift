import ScenarioModel

/// Turns the text of a scenario file into a scenario.
///
/// Laws
/// - Every fault of a file is found in one pass, as far as one fault does not hide another; only a text that is not
///   YAML at all yields a single remark.
/// - There is a scenario exactly when no remark is an error.
/// - Nothing a file contains can trap, recurse without bound or take memory out of proportion: size, depth, aliases,
///   payloads and repetitions are all bounded.
package enum ScenarioReader {
  /// Files larger than this are refused, in bytes.
  package static let mostBytes = SourceText.largest

  /// What became of a file.
  package struct Result: Sendable {
    /// nil if any diagnostic is an error.
    package var scenario: Scenario?
    /// In the order of the file.
    package var diagnostics: [Diagnostic]
  }

  /// Reads a file's bytes. `id` is the scenario's path below Scenarios/ without extension; `file` gives the content of
  /// a payload file by its path relative to the scenario's folder, nil if there is none.
  package static func read(bytes: [UInt8], id: String, file: (String) -> [UInt8]?) -> Result {
    var log = DiagnosticLog()
    guard let source = SourceText(bytes, log: &log) else { return Result(scenario: nil, diagnostics: log.diagnostics) }
    guard StructureScan.accepts(source, log: &log), let root = YAMLComposer.compose(source, log: &log) else {
      return Result(scenario: nil, diagnostics: log.sorted(in: source))
    }
    let scenario = withoutActuallyEscaping(file) { file in
      var reading = Reading(log: log, outline: Outline(root), file: file)
      let scenario = reading.scenario(root, id: id)
      log = reading.log
      return scenario
    }
    return Result(scenario: log.hasErrors ? nil : scenario, diagnostics: log.sorted(in: source))
  }

  /// Reads a file's text; see `read(bytes:id:file:)`.
  package static func read(_ text: String, id: String, file: (String) -> [UInt8]? = { _ in nil }) -> Result {
    read(bytes: Array(text.utf8), id: id, file: file)
  }

  /// All words of the language that stand for themselves: top-level keys and the words of steps and expectations.
  package static var words: [String] {
    Reading.topLevelKeys + SubjectWord.allCases.map(\.rawValue) + PeerWord.allCases.map(\.rawValue)
      + Reading.groupWords + CallbackKind.allCases.map(\.rawValue)
  }
}
