import ScenarioModel

/// A file of the lab's in YAML that is no scenario, read with the same care and told of in the same way.
package enum YAMLFile {
  /// Reads a file's bytes; `body` takes its root and leaves what is wrong with it in the log. There is content exactly
  /// when no remark is an error; remarks are in the order of the file.
  package static func read<Content>(
    bytes: [UInt8], _ body: (inout Reading, YAMLNode) -> Content?
  ) -> (content: Content?, diagnostics: [Diagnostic]) {
    var log = DiagnosticLog()
    guard let source = SourceText(bytes, log: &log) else { return (nil, log.diagnostics) }
    guard let root = YAMLComposer.compose(source, log: &log) else {
      if log.diagnostics.isEmpty { log.report(.emptyFile, at: SourcePosition(line: 1, column: 1), "the file is empty") }
      return (nil, log.sorted(in: source))
    }
    var reading = Reading(log: log, outline: Outline(root)) { _ in nil }
    let content = body(&reading, root)
    return (reading.log.hasErrors ? nil : content, reading.log.sorted(in: source))
  }
}
