import Glibc
import HostTools
import ReportMarkup
import ScenarioModel

/// What a subject needs before it can be started: the script `prepare` beside it builds it, or installs what it needs.
package enum SubjectPreparation {
  /// Of the script, in the subject's folder.
  package static let script = "prepare"
  /// Building a library takes minutes.
  private static let limit = Duration.seconds(1_200)

  /// The longest reason, in characters; a build may print everything in one line.
  private static let longestReason = 300

  /// Runs the script, if there is one, and looks whether the subject could be started then. Throws a `LabFailure` when
  /// no process can be had.
  ///
  /// - Parameter begins: is called when there is one, before it runs.
  /// - Returns: nil: nothing is known against a start of the subject; otherwise why there can be none, of a script that
  ///   failed in its last words.
  package static func run(_ program: SubjectProgram, begins: () -> Void = {}) throws -> String? {
    guard let slash = program.path.lastIndex(of: "/") else { return program.obstacle }
    let path = program.path[..<slash] + "/" + script
    guard access(String(path), F_OK) == 0 else { return program.obstacle }
    guard access(String(path), X_OK) == 0 else { return "\(path) is not executable: chmod +x \(path)" }
    begins()
    let group = ChildGroup(
      ChildPlan(executable: String(path), arguments: [], limit: limit).watchedByShell,
      deathPipe: try ParentDeathPipe())
    var last = ""
    let result = try group.run { line in if !line.text.allSatisfy(\.isWhitespace) { last = line.text } }
    if result.isOverdue { return "\(script) was not done within \(limit.components.seconds / 60) minutes" }
    guard result.end != .exited(0) else { return program.obstacle }
    return last.isEmpty ? "\(script) failed" : VisibleText.clipped(last, to: longestReason)
  }
}
