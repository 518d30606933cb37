import Glibc
import HostTools
import ScenarioModel

/// A subject that is a program of its own.
package struct SubjectProgram: Hashable, Sendable, Codable {
  /// The folder with the subjects that come with the lab, in the lab's.
  package static let folder = "Subjects"
  /// The program in a subject's folder: it builds what is to be built, and becomes the subject.
  package static let starter = "run"
  /// The name of the library that comes with the lab, as a subject.
  package static let reference = "reference"

  /// As reports and commands name it.
  package var name: String
  /// The absolute path of the program.
  package var path: String

  package init(name: String, path: String) {
    self.name = name
    self.path = path
  }

  /// The subject with that name below the folder, or with that path, which may be its folder's. Throws what is wrong
  /// with it, in words.
  package static func find(_ word: String, in folder: String) throws(LabFailure) -> SubjectProgram {
    let isPath = word.contains("/")
    var path = isPath ? word : "\(folder)/\(word)/\(starter)"
    var facts = stat()
    var isThere = stat(path, &facts) == 0
    if isPath, isThere, facts.st_mode & S_IFMT == S_IFDIR {
      while path.count > 1, path.hasSuffix("/") { path.removeLast() }
      path += "/\(starter)"
      isThere = stat(path, &facts) == 0
      guard isThere else { throw LabFailure("The folder \(word) has no program `\(starter)`, which a subject has.") }
    }
    guard isThere else {
      if isPath { throw LabFailure("There is no program \(word).") }
      let known = ([reference] + names(in: folder)).joined(separator: ", ")
      throw LabFailure(
        "There is no subject \(word). The subjects are \(known); a program of your own is named by its path, such as "
          + "./\(word).")
    }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw LabFailure("The subject \(path) is no program.") }
    guard access(path, X_OK) == 0 else {
      throw LabFailure("The subject \(path) is not executable: chmod +x \(path)")
    }
    if let trouble = Self.troubleWithInterpreter(of: path) {
      throw LabFailure("The subject \(path) can't be started: \(trouble)")
    }
    let name = isPath ? name(ofPath: path) : word
    guard isUsable(name) else {
      throw LabFailure(
        "A subject can't be called `\(name)`: use small letters, digits, dots and underscores, and no word that a "
          + "variant's name has.")
    }
    return SubjectProgram(name: name, path: PathText.real(path) ?? path)
  }

  /// Why the system would not find what a script's first line names. It says of the script then that it is not there.
  private static func troubleWithInterpreter(of path: String) -> String? {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // The system reads no more of the line either.
    var head = [UInt8](repeating: 0, count: 256)
    head.removeLast(head.count - max(0, Glibc.read(descriptor, &head, head.count)))
    guard head.starts(with: "#!".utf8) else { return nil }
    let line = head.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    if line.last == UInt8(ascii: "\r") { return "its first line ends with a carriage return" }
    let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let interpreter = String(decoding: words.first ?? [], as: UTF8.self)
    guard interpreter.hasPrefix("/"), access(interpreter, F_OK) != 0 else { return nil }
    return "its first line asks for \(interpreter), which is not there"
  }

  /// The subjects below the folder, by name.
  package static func names(in folder: String) -> [String] {
    HostFiles.names(in: folder).filter {
      !$0.hasPrefix(".") && access("\(folder)/\($0)/\(starter)", X_OK) == 0
    }.sorted()
  }

  /// The file's name without what follows a dot; of a starter, its folder's.
  private static func name(ofPath path: String) -> String {
    let real = PathText.real(path) ?? path
    let parts = real.split(separator: "/")
    guard let last = parts.last else { return path }
    let word = last == starter && parts.count > 1 ? parts[parts.count - 2] : last
    return String(word.prefix { $0 != "." }).lowercased().replacing("-", with: "_")
  }

  /// Words between the dashes of a variant's name.
  private static let taken: Set<String> = [
    reference, "ipv4", "ipv6", "unix", "bytes", "random", "shared", "own", "plain", "gcd", "deferral", "fastPath",
    "inlineDelivery", "lending", "polling", "whole", "separate", "all", "run", "both",
  ]

  /// Whether a subject can have the name: it stands between dashes in names of variants.
  static func isUsable(_ name: String) -> Bool {
    guard let first = name.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
    return isPlain && !taken.contains(name) && !name.hasPrefix("split") && !name.hasPrefix("tls") && name.count <= 40
  }
}
