import Foundation
import HostTools

/// Where the lab itself is, and where the person stands who called it.
enum LabHome {
  /// What the lab has under this name, for a person who stands here: `Scenarios`, or `../lab/Scenarios`. `./lab` says
  /// where it is; a program called without it takes its working folder for the lab.
  static func place(_ name: String) -> String {
    let shown = shown
    return shown == "." ? name : "\(shown)/\(name)"
  }

  /// The lab's own folder, for a person who stands here: `.`, or `../lab`.
  static var shown: String {
    guard let home = ProcessInfo.processInfo.environment["SOCKETLAB_HOME"], home.hasPrefix("/") else { return "." }
    return PathText.shown(home, from: PathText.real(PathText.workingFolder) ?? PathText.workingFolder)
  }

  /// The lab's own folder.
  static var folder: String {
    let home = ProcessInfo.processInfo.environment["SOCKETLAB_HOME"]
    return home.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? PathText.workingFolder
  }

  /// How the person called the lab, for commands that are to be typed again: `./lab` says so.
  static var program: String { ProcessInfo.processInfo.environment["SOCKETLAB_PROGRAM"] ?? "./lab" }

  /// What the person typed.
  static var commandLine: [String] { [program] + CommandLine.arguments.dropFirst() }
}
