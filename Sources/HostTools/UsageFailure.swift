/// A command that can't be carried out as the user gave it: wrong usage, with its exit code.
package struct UsageFailure: Error, Hashable, Sendable {
  /// What is wrong and what to do, in sentences.
  package var message: String

  package init(_ message: String) { self.message = message }
}

/// A file that can be read and not be understood; its exit code is `LabExit.badScenario`.
package struct FileFailure: Error, Hashable, Sendable {
  /// Where, `path:line:column` as far as that is known, what is wrong, and what to do, in sentences.
  package var message: String

  package init(_ message: String) { self.message = message }
}
