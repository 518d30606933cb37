/// What a person asked for can't be done, and that is his to change: wrong usage, with its exit code.
package struct UsageFailure: Error, Hashable, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}
