/// Something wrong with a scenario file: the author's to mend.
package struct Diagnostic: Hashable, Sendable, Error {
  package enum Severity: String, Hashable, Sendable, Codable { case error, warning }

  /// A stable code such as `unknown-key`, which `socketlab explain` knows.
  package var code: String
  package var severity: Severity
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
