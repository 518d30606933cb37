import ReportMarkup
import ScenarioModel

/// A record of requirements that lack something, which may only get shorter: one id a line, with its sentence behind.
///
/// ```
/// ACC-07  # A port below 1024 without the privilege to bind it makes the accept call itself fail.
/// ```
package struct OpenRequirements: Equatable {
  /// What they lack.
  package enum Lack: CaseIterable, Sendable {
    /// Musts that nothing witnesses.
    case witness
    /// Requirements of which no witness kills a mutant.
    case kill

    /// The file's name in the register's folder.
    package var file: String {
      switch self {
      case .witness: "open-musts.txt"
      case .kill: "unproven.txt"
      }
    }

    fileprivate var head: String {
      switch self {
      case .witness:
        """
        # Musts that no scenario cites and no Swift test declares. The list may only get shorter: `socketlab coverage` \
        fails
        # when another must loses its last witness, and when one of these has got one; --record takes that one off.

        """
      case .kill:
        """
        # Requirements of which no witness kills a mutant (witnesses.txt). The list may only get shorter: `socketlab
        # coverage` fails when another requirement loses its last witness that kills one, and when one of these has got
        # one; --record takes that one off.

        """
      }
    }
  }

  /// What differs between the record and the coverage.
  package struct Difference: Equatable {
    /// Have lost the last of what they need, or are new and have none.
    package var lost: [String] = []
    /// Lack nothing, and must be taken off.
    package var mended: [String] = []

    package init(lost: [String] = [], mended: [String] = []) {
      self.lost = lost
      self.mended = mended
    }

    /// Whether the record says what is.
    package var isNone: Bool { lost.isEmpty && mended.isEmpty }
  }

  /// In the order of the file.
  package private(set) var ids: [String] = []

  package init() {}

  /// Throws what is wrong, with its line.
  package init(text: String, in register: RequirementRegister) throws(LabFailure) {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.prefix { $0 != "#" }.split(separator: " ")
      guard let id = words.first.map(String.init) else { continue }
      guard words.count == 1 else { throw LabFailure("line \(index + 1): more than an id before `#`") }
      guard !ids.contains(id) else { throw LabFailure("line \(index + 1): \(id) stands twice") }
      guard register[id] != nil else {
        let guess = register.nearest(to: id).map { "; did you mean \($0)?" } ?? ""
        throw LabFailure("line \(index + 1): \(VisibleText.clipped(id, to: 60)) is not the id of a requirement\(guess)")
      }
      ids.append(id)
    }
  }

  /// How the record differs from what is open.
  package func difference(to open: [Requirement]) -> Difference {
    let openIDs = open.map(\.id)
    return Difference(
      lost: openIDs.filter { !ids.contains($0) }, mended: ids.filter { !openIDs.contains($0) })
  }

  /// The file, for these.
  package static func text(_ open: [Requirement], lacking lack: Lack) -> String {
    lack.head + open.map { "\($0.id)  # \($0.sentence)\n" }.joined()
  }
}
