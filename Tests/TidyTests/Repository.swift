import Foundation

/// The repository as text: what the tidy tests look at.
struct Repository {
  struct File: Sendable, CustomStringConvertible {
    /// Relative to the repository.
    let path: String
    let lines: [String]

    var description: String { path }
    var name: String { String(path.split(separator: "/").last ?? "") }
  }

  /// The folder that holds Package.swift.
  static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Set by `./lab tidy --update`: what is made from the tree is written anew instead of compared.
  static let updatesWhatIsMade = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil

  /// All files below the folder with one of the extensions, in order of their paths.
  static func files(below folder: String, extensions: Set<String>) -> [File] {
    let base = root.appendingPathComponent(folder)
    guard let walk = FileManager.default.enumerator(atPath: base.path) else { return [] }
    return walk.compactMap { $0 as? String }
      .filter { extensions.contains(($0 as NSString).pathExtension) }
      .sorted()
      .compactMap { path in
        guard let text = try? String(contentsOf: base.appendingPathComponent(path), encoding: .utf8) else { return nil }
        return File(path: "\(folder)/\(path)", lines: text.components(separatedBy: "\n"))
      }
  }

  static let sources = files(below: "Sources", extensions: ["swift"])
  static let tests = files(below: "Tests", extensions: ["swift"])
  static let examples = files(below: "Examples", extensions: ["swift"])
  /// Of the package in Benchmarks/; its C is held to the same sizes.
  static let benchmarks = files(below: "Benchmarks/Sources", extensions: ["swift", "c", "h"])
  static let benchmarkTests = files(below: "Benchmarks/Tests", extensions: ["swift"])
  static let scenarios = files(below: "Scenarios", extensions: ["yaml"])

  /// All Swift, and the benchmarks' C.
  static let all = sources + tests + examples + benchmarks + benchmarkTests

  /// Everything a person reads.
  static var texts: [File] {
    let named = [
      "README.md", "ARCHITECTURE.md", "STYLE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "Containerfile",
      "Package.swift", "lab", ".ci/run", ".editorconfig", ".vscode/settings.json",
    ]
    return all + scenarios + files(below: "Scenarios", extensions: ["md", "json"])
      + files(below: "Requirements", extensions: ["md", "yaml", "txt"]) + named.compactMap(file)
  }

  static func file(_ path: String) -> File? {
    (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
      .map { File(path: path, lines: $0.components(separatedBy: "\n")) }
  }
}

/// A function of a source file, found by its indentation: from the line with `func` or `init` to the line with the
/// closing brace in the same column.
struct FunctionSpan {
  let name: String
  let firstLine: Int
  let lineCount: Int

  static func all(in file: Repository.File) -> [FunctionSpan] {
    file.lines.indices.compactMap { index in
      let line = file.lines[index]
      let code = line.drop { $0 == " " }
      guard isStart(code), !code.hasSuffix("}") else { return nil }
      let indentation = String(repeating: " ", count: line.count - code.count)
      guard let end = file.lines[index...].firstIndex(where: { $0 == indentation + "}" }) else { return nil }
      // A declaration without a body, or a body on the same line, ends before the next one begins.
      let next = file.lines[(index + 1)...].firstIndex { other in
        isStart(other.drop { $0 == " " }) && other.prefix { $0 == " " }.count == indentation.count
      }
      guard end < next ?? Int.max else { return nil }
      return FunctionSpan(name: String(code.prefix(60)), firstLine: index + 1, lineCount: end - index + 1)
    }
  }

  private static func isStart(_ code: Substring) -> Bool {
    guard !code.hasPrefix("//") else { return false }
    let words = code.split(separator: " ").prefix(6)
    guard words.first != "import" else { return false }
    return words.contains("func") || words.contains { $0.hasPrefix("init(") || $0.hasPrefix("init<") }
  }
}
