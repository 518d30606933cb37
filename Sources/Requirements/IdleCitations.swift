import ReportMarkup
import ScenarioModel

/// The record of idle citations: those of scenarios that kill no mutant on record, each with the reason why it stands
/// all the same. It may only get shorter.
///
/// ```
/// CON-09 connect/a-late-answer-still-connects  # no mutant has a timer of its own
/// ```
package struct IdleCitations: Equatable {
  /// The file's name in the register's folder.
  package static let file = "idle-citations.txt"
  /// The reason of a citation that is not judged yet.
  package static let unjudged = "not judged yet"
  private static let head = """
    # Citations of scenarios that kill no mutant on record (witnesses.txt), each with the reason why it stands all the
    # same. The list may only get shorter: `socketlab coverage` fails when another citation kills none, and when one of
    # these kills one, or is gone; --record takes that one off.

    """

  /// What differs between the record and the coverage.
  package struct Difference: Equatable {
    /// Kill nothing, and are not on record.
    package var new: [KillRecord.Citation] = []
    /// Kill a mutant, or are cited no more, and must be taken off.
    package var mended: [KillRecord.Citation] = []

    /// Whether the record says what is.
    package var isNone: Bool { new.isEmpty && mended.isEmpty }
  }

  /// Why each stands.
  package private(set) var reasons: [KillRecord.Citation: String] = [:]

  package init() {}

  /// All of them, none judged yet.
  package init(_ idle: [KillRecord.Citation]) {
    for citation in idle { reasons[citation] = Self.unjudged }
  }

  /// Throws what is wrong, with its line.
  package init(text: String, in register: RequirementRegister) throws(LabFailure) {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let parts = line.split(separator: "  # ", maxSplits: 1)
      let words = parts[0].split(separator: " ").map(String.init)
      guard words.count == 2, parts.count == 2 else {
        throw LabFailure("line \(index + 1): write `REQUIREMENT SCENARIO  # why it stands`")
      }
      guard register[words[0]] != nil else {
        let guess = register.nearest(to: words[0]).map { "; did you mean \($0)?" } ?? ""
        throw LabFailure(
          "line \(index + 1): \(VisibleText.clipped(words[0], to: 60)) is not the id of a requirement\(guess)")
      }
      let citation = KillRecord.Citation(requirement: words[0], witness: words[1])
      guard reasons[citation] == nil else {
        throw LabFailure("line \(index + 1): \(words[0]) \(VisibleText.clipped(words[1], to: 60)) stands twice")
      }
      reasons[citation] = String(parts[1])
    }
  }

  /// The file.
  package var text: String {
    Self.head
      + reasons.sorted { $0.key < $1.key }.map { "\($0.key.requirement) \($0.key.witness)  # \($0.value)\n" }.joined()
  }

  /// How the record differs from what is idle.
  package func difference(to idle: [KillRecord.Citation]) -> Difference {
    Difference(new: idle.filter { reasons[$0] == nil }, mended: reasons.keys.filter { !idle.contains($0) }.sorted())
  }

  /// Takes these off.
  package mutating func remove(_ mended: [KillRecord.Citation]) {
    for citation in mended { reasons[citation] = nil }
  }
}
