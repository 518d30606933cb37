/// How processes of a subject that is a program of its own have ended: only what is worth telling.
package struct SubjectExit: Hashable, Sendable, Codable {
  /// Something that a process did wrong when all its cases were over, so that no case could tell of it: it crashed,
  /// exited with an error (as a sanitizer makes it that found a leak), or broke the protocol.
  package struct Fault: Hashable, Sendable, Codable {
    /// A sentence about `it`, without its end: `it exited with code 23 when its input was closed, after a/b had ended`.
    package var text: String
    /// The last lines of its standard error.
    package var lastWords: [String]

    /// A fault with the lines of standard error that go with it.
    package init(text: String, lastWords: [String]) { (self.text, self.lastWords) = (text, lastWords) }
  }

  /// The names of processes that it had left running, and that the lab ended.
  package var leftRunning: [String]
  /// In the order in which they came to light.
  package var faults: [Fault]

  /// Nothing worth telling, unless it is said here.
  package init(leftRunning: [String] = [], faults: [Fault] = []) {
    (self.leftRunning, self.faults) = (leftRunning, faults)
  }

  /// What both tell.
  package static func + (one: SubjectExit, other: SubjectExit) -> SubjectExit {
    SubjectExit(leftRunning: one.leftRunning + other.leftRunning, faults: one.faults + other.faults)
  }

  /// Adds what the other one tells.
  package static func += (one: inout SubjectExit, other: SubjectExit) { one = one + other }
}
