import ScenarioModel

/// The record of musts that nothing witnesses, which may only get shorter: one id a line, with its sentence behind it.
///
/// ```
/// ACC-07  # A port below 1024 without the privilege to bind it makes the accept call itself fail.
/// ```
package struct OpenMusts: Equatable {
  /// The file's name in the register's folder.
  package static let name = "open-musts.txt"
  private static let head = """
    # Musts that no scenario cites and no Swift test declares. The list may only get shorter: `socketlab coverage` fails
    # when another must loses its last witness, and when one of these has got one; --record takes that one off.

    """

  /// What differs between the record and the coverage.
  package struct Difference: Equatable {
    /// Have lost their last witness, or are new and have none.
    package var lost: [String] = []
    /// Have a witness, or are no musts any more, and must be taken off.
    package var witnessed: [String] = []

    package init(lost: [String] = [], witnessed: [String] = []) {
      self.lost = lost
      self.witnessed = witnessed
    }

    /// Whether the record says what is.
    package var isNone: Bool { lost.isEmpty && witnessed.isEmpty }
  }

  /// In the order of the file.
  package private(set) var ids: [String] = []

  package init() {}

  /// Throws what is wrong, with its line.
  package init(text: String, in register: RequirementRegister) throws(LabFailure) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.prefix { $0 != "#" }.split(separator: " ")
      guard let id = words.first.map(String.init) else { continue }
      guard words.count == 1 else { throw LabFailure("line \(index + 1): more than an id before `#`") }
      guard !ids.contains(id) else { throw LabFailure("line \(index + 1): \(id) stands twice") }
      guard register[id] != nil else {
        let guess = register.nearest(to: id).map { "; did you mean \($0)?" } ?? ""
        throw LabFailure("line \(index + 1): \(id) is not the id of a requirement\(guess)")
      }
      ids.append(id)
    }
  }

  /// How the record differs from what is open.
  package func difference(to open: [Requirement]) -> Difference {
    let openIDs = open.map(\.id)
    return Difference(
      lost: openIDs.filter { !ids.contains($0) }, witnessed: ids.filter { !openIDs.contains($0) })
  }

  /// The file, for these.
  package static func text(_ open: [Requirement]) -> String {
    head + open.map { "\($0.id)  # \($0.sentence)\n" }.joined()
  }
}
