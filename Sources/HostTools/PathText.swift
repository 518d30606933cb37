import Foundation
import Glibc

/// Paths as people type and read them.
package enum PathText {
  /// Where the person stands: absolute, without links.
  package static var workingFolder: String { FileManager.default.currentDirectoryPath }

  /// Whether the text can only be a path: ids never begin so.
  package static func isPath(_ text: String) -> Bool {
    text == "." || text == ".." || text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../")
  }

  /// The path without links, dots and doubled slashes; nil if there is nothing.
  package static func real(_ path: String) -> String? {
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
  package static func shown(_ path: String, from folder: String) -> String {
    relative(parts(of: path, from: folder), folder)
  }

  /// As `shown`, for what lies below `path`, which is a folder; no link is on the way to it.
  package static func shown(below path: String, from folder: String) -> (_ below: String) -> String {
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

  /// Whether there is something; links are followed, and a link to nowhere is nothing.
  package static func exists(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0
  }

  /// Whether there is a folder; links are followed.
  package static func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }
}
