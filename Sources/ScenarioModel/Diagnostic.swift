/// Something wrong with a scenario file: the author's to mend.
package struct Diagnostic: Hashable, Sendable, Error {
  /// How bad it is: a warning keeps nothing from being run.
  package enum Severity: String, Hashable, Sendable, Codable { case error, warning }

  /// A stable code such as `unknown-key`, which `socketlab explain` knows.
  package var code: String
  /// A single error keeps the whole file from being run.
  package var severity: Severity
  /// Where in the file; 1:1 for a file that can't be read.
  package var position: SourcePosition
  /// What is wrong and why.
  package var message: String
  /// What to write instead.
  package var help: String?

  package init(
    code: String, severity: Severity = .error, position: SourcePosition, message: String, help: String? = nil
  ) {
    self.code = code
    self.severity = severity
    self.position = position
    self.message = message
    self.help = help
  }
}
