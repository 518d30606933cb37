/// What a fuzz body found wrong: a promise that the code under test did not keep.
///
/// Bodies return it; only the wrapper around libFuzzer turns it into a trap, so that `swift test` can run the same
/// bodies over the same inputs and go on.
package struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
  /// A requirement of the contract (`INV-05`) or a law of the target (`scanner/leftmost`). It is part of the key by
  /// which findings are told apart, so it holds nothing that varies with the input.
  package var invariant: String
  /// What was expected and what was seen.
  package var detail: String

  package init(_ invariant: String, _ detail: String) {
    self.invariant = invariant
    self.detail = detail
  }

  /// The line by which logs are searched for findings.
  package var description: String { "violation of \(invariant): \(detail)" }
}

/// Runs one input; nil: nothing wrong with it. Pure but for memory: no clock, no randomness, no files.
package typealias FuzzBody = @Sendable (UnsafeRawBufferPointer) -> Violation?
