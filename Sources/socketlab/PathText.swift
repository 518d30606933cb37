import Foundation
import Glibc

/// Paths as people type and read them.
enum PathText {
  /// Whether the text can only be a path: ids never begin so.
  static func isPath(_ text: String) -> Bool {
    text == "." || text == ".." || text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../")
  }

  /// The path without links, dots and doubled slashes; nil if there is nothing.
  static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(validatingCString: found)
  }

  /// The path as a person who stands in `folder` would write it, the same whichever way it was typed: relative, begun
  /// with `./` or `../`, or absolute when the two have nothing in common. Links that were named stay as they were
  /// named, unless the place lies below `folder` without them.
  ///
  /// - Parameters:
  ///   - path: of something that exists, absolute or relative to `folder`.
  ///   - folder: absolute, without links.
  static func shown(_ path: String, from folder: String) -> String { relative(parts(of: path, from: folder), folder) }

  /// As `shown`, for what lies below `path`, which is a folder; no link is on the way to it.
  static func shown(below path: String, from folder: String) -> (_ below: String) -> String {
    let parts = parts(of: path, from: folder)
    return { below in relative(parts + below.split(separator: "/").map(String.init), folder) }
  }

  /// The parts of the absolute path that is to be shown.
  private static func parts(of path: String, from folder: String) -> [String] {
    let absolute = path.hasPrefix("/") ? path : "\(folder)/\(path)"
    var parts = normal(absolute)
    let base = normal(folder)
    // `a/..` is not where `a` lies when `a` is a link.
    if let real = real(absolute) {
      let realParts = normal(real)
      let isSame = Self.real("/" + parts.joined(separator: "/")) == real
      if !isSame || !parts.starts(with: base) && realParts.starts(with: base) { parts = realParts }
    }
    return parts
  }

  private static func relative(_ parts: [String], _ folder: String) -> String {
    let base = normal(folder)
    let common = zip(parts, base).prefix { $0 == $1 }.count
    guard common > 0 else { return "/" + parts.joined(separator: "/") }
    let rest = Array(repeating: "..", count: base.count - common) + parts.dropFirst(common)
    if rest.isEmpty { return "." }
    return rest[0] == ".." ? rest.joined(separator: "/") : "./" + rest.joined(separator: "/")
  }

  /// The parts of an absolute path, without dots.
  private static func normal(_ path: String) -> [String] {
    path.split(separator: "/").reduce(into: []) { parts, part in
      if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(String(part)) }
    }
  }

  static func exists(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0
  }

  static func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }
}

/// Where the lab itself is, and where the person stands who called it.
enum LabHome {
  /// Where the person stands: absolute, without links.
  static var workingFolder: String { FileManager.default.currentDirectoryPath }

  /// What the lab has under this name, for a person who stands here: `Scenarios`, or `../lab/Scenarios`. `./lab` says
  /// where it is; a program called without it takes its working folder for the lab.
  static func place(_ name: String) -> String {
    guard let home = ProcessInfo.processInfo.environment["SOCKETLAB_HOME"], home.hasPrefix("/") else { return name }
    let shown = PathText.shown(home, from: PathText.real(workingFolder) ?? workingFolder)
    return shown == "." ? name : "\(shown)/\(name)"
  }

  /// How the person called the lab, for commands that are to be typed again: `./lab` says so.
  static var program: String { ProcessInfo.processInfo.environment["SOCKETLAB_PROGRAM"] ?? "./lab" }

  /// What the person typed.
  static var commandLine: [String] { [program] + CommandLine.arguments.dropFirst() }
}
