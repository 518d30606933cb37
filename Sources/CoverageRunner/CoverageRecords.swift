import HostTools
import Requirements
import ScenarioModel

/// The records of what requirements lack, in the register's folder.
///
/// Laws
/// - A record only gets shorter: what is not on it is never put on it, save that a record which is not there is made.
/// - Without `isUpdated` nothing is written, and a record of more than there is does not hold.
/// - A file is written only if that changes it.
package struct CoverageRecords {
  /// What a record and the coverage come to.
  package struct Outcome<Difference: Equatable>: Equatable {
    /// Of the record.
    package var path: String
    /// Before anything was written.
    package var difference: Difference
    /// Whether nothing has lost what it had, and the record says what is.
    package var holds: Bool
    /// Whether the record was written.
    package var isWritten: Bool
  }

  private let folder: String
  private let register: RequirementRegister
  private let isUpdated: Bool

  /// - Parameters:
  ///   - folder: the register's.
  ///   - isUpdated: takes off the records what lacks nothing any more.
  package init(in folder: String, of register: RequirementRegister, isUpdated: Bool) {
    self.folder = folder
    self.register = register
    self.isUpdated = isUpdated
  }

  /// Holds the requirements that lack something to their record. Throws a `FileFailure` if that is
  /// malformed, a `UsageFailure` if there is none, and a `LabFailure` if it can't be read or written.
  package func hold(
    _ open: [Requirement], lacking lack: OpenRequirements.Lack
  ) throws -> Outcome<OpenRequirements.Difference> {
    let path = "\(folder)/\(lack.file)"
    let former = try text(of: path)
    var difference = OpenRequirements.Difference()
    if let former {
      difference = try reading(path) { () throws(LabFailure) in
        try OpenRequirements(text: former, in: register).difference(to: open)
      }
    }
    let holds = difference.lost.isEmpty && (isUpdated || difference.isNone)
    // Sentences may have changed, too.
    let text = OpenRequirements.text(open, lacking: lack)
    let isWritten = holds && isUpdated && text != former
    if isWritten { try HostFiles.write(text.utf8, to: path) }
    return Outcome(path: path, difference: difference, holds: holds, isWritten: isWritten)
  }

  /// Holds the citations that kill no mutant to their record; throws like the other one.
  package func hold(_ idle: [KillRecord.Citation]) throws -> Outcome<IdleCitations.Difference> {
    let former = try idleCitations()
    let path = idlePath
    if former == nil { _ = try text(of: path) }
    var kept = former ?? IdleCitations(idle)
    let difference = kept.difference(to: idle)
    let holds = difference.new.isEmpty && (isUpdated || difference.isNone)
    kept.remove(difference.mended)
    let isWritten = holds && isUpdated && kept != former
    if isWritten { try HostFiles.write(kept.text.utf8, to: path) }
    return Outcome(path: path, difference: difference, holds: holds, isWritten: isWritten)
  }

  /// The record of idle citations; nil: there is none.
  package func idleCitations() throws -> IdleCitations? {
    guard PathText.exists(idlePath) else { return nil }
    let text = String(decoding: try HostFiles.read(idlePath), as: UTF8.self)
    return try reading(idlePath) { () throws(LabFailure) in try IdleCitations(text: text, in: register) }
  }

  private var idlePath: String { "\(folder)/\(IdleCitations.file)" }

  /// nil: there is no such record yet, and it may be made.
  private func text(of path: String) throws -> String? {
    guard PathText.exists(path) else {
      guard isUpdated else {
        throw UsageFailure("There is no \(path). `socketlab coverage --record` makes it.")
      }
      return nil
    }
    return String(decoding: try HostFiles.read(path), as: UTF8.self)
  }

  private func reading<Record>(_ path: String, _ body: () throws(LabFailure) -> Record) throws(FileFailure) -> Record {
    do { return try body() } catch { throw FileFailure("\(path), \(error.message)") }
  }
}
