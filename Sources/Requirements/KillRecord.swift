import HostTools
import ReportMarkup
import ScenarioModel

/// The record of what witnesses are worth: for each requirement its witnesses, each with mutants that break the
/// requirement and turn the witness red. One line for each pair, so that two people's changes meet in no line:
///
/// ```
/// RD-DELIM-04 read/a-line-cut-anywhere: a-delimiter-lost-at-a-seam, lose didRead of delimiter
/// ```
///
/// A name with spaces is a derived mutant's (`EventMutation`), one without is a planted one's. The command that plays
/// the mutants writes the record; a test holds its names to the scenarios, the mutants and the register.
package struct KillRecord: Equatable, Sendable {
  /// The file's name in the register's folder.
  package static let name = "witnesses.txt"
  private static let head = """
    # Mutants that each witness kills, two of a sort at most. Written by `./lab fuzz zoo`; see README.md in this folder.

    """
  /// The number of mutants of each sort, planted and derived, in a line: one proves it, another is there when that one
  /// goes.
  private static let maxNames = 2

  /// A witness of a requirement.
  package struct Citation: Hashable, Sendable, Comparable {
    /// The requirement's id.
    package var requirement: String
    /// The scenario's id, or the file of the Swift tests that declare the requirement: `Tests/…swift`.
    package var witness: String

    /// Whether Swift tests are the witness.
    package var isOfTests: Bool { witness.hasPrefix("Tests/") }

    package init(requirement: String, witness: String) {
      self.requirement = requirement
      self.witness = witness
    }

    package static func < (left: Self, right: Self) -> Bool {
      (left.requirement, left.witness) < (right.requirement, right.witness)
    }
  }

  private var mutants: [Citation: [String]] = [:]

  package init() {}

  /// Throws what is wrong, with its line.
  package init(text: String, in register: RequirementRegister) throws(LabFailure) {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      guard let space = line.firstIndex(of: " "), let colon = line.firstRange(of: ": ") else {
        throw LabFailure("line \(index + 1): write `REQUIREMENT WITNESS: MUTANT, MUTANT`")
      }
      let id = String(line[..<space])
      guard register[id] != nil else {
        let guess = register.nearest(to: id).map { "; did you mean \($0)?" } ?? ""
        throw LabFailure("line \(index + 1): \(VisibleText.clipped(id, to: 60)) is not the id of a requirement\(guess)")
      }
      let witness = String(line[line.index(after: space)..<colon.lowerBound])
      let citation = Citation(requirement: id, witness: witness)
      guard mutants[citation] == nil else {
        throw LabFailure("line \(index + 1): \(id) \(VisibleText.clipped(witness, to: 60)) stands twice")
      }
      mutants[citation] = line[colon.upperBound...].split(separator: ", ").map(String.init)
    }
  }

  /// Reads the record in the register's folder; nil: there is none. Throws a `FileFailure` with the line that is wrong,
  /// and a `LabFailure` if the file can't be read.
  package static func read(in folder: String, of register: RequirementRegister) throws -> KillRecord? {
    let path = "\(folder)/\(name)"
    guard PathText.exists(path) else { return nil }
    let text = String(decoding: try HostFiles.read(path), as: UTF8.self)
    do throws(LabFailure) { return try KillRecord(text: text, in: register) } catch {
      throw FileFailure("\(path), \(error.message)")
    }
  }

  /// The file.
  package var text: String {
    Self.head
      + mutants.sorted { $0.key < $1.key }.map { citation, names in
        "\(citation.requirement) \(citation.witness): \(names.joined(separator: ", "))\n"
      }.joined()
  }

  /// In order.
  package var citations: [Citation] { mutants.keys.sorted() }

  /// The mutants on record for a citation.
  package subscript(citation: Citation) -> [String] { mutants[citation] ?? [] }

  /// Whether a name is a derived mutant's.
  package static func isDerived(_ name: String) -> Bool { name.contains(" ") }

  /// Takes over what was played: of the mutants that were, only what they killed now stays.
  package mutating func replace(
    _ isPlayed: (Citation, String) -> Bool, with kills: [Citation: [String]]
  ) {
    for citation in Set(mutants.keys).union(kills.keys) {
      let names =
        (mutants[citation] ?? []).filter { !isPlayed(citation, $0) } + (kills[citation] ?? [])
      let planted = Set(names.filter { !Self.isDerived($0) }).sorted().prefix(Self.maxNames)
      let derived = Set(names.filter(Self.isDerived)).sorted().prefix(Self.maxNames)
      mutants[citation] = planted.isEmpty && derived.isEmpty ? nil : Array(planted) + Array(derived)
    }
  }

  /// Takes off the citations that are none any more.
  package mutating func keep(_ isCitation: (Citation) -> Bool) {
    mutants = mutants.filter { isCitation($0.key) }
  }
}
