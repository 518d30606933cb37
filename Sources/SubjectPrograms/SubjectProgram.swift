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
  /// with it, in words; whether it can be started is another question (`obstacle`).
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
    let name = SubjectName.made(of: isPath ? SubjectName.spelling(ofPath: path) : word)
    if let refusal = SubjectName.refusal(of: name) { throw LabFailure(refusal) }
    return SubjectProgram(name: name, path: PathText.real(path) ?? path)
  }

  /// What the person has called its folder or it, as the file system has it; of a program alone without what follows a
  /// dot, and with that. The name is made of the first.
  package var spellings: [String] {
    let spelling = SubjectName.spelling(ofPath: path)
    guard !isInFolder, let whole = path.split(separator: "/").last else { return [spelling] }
    return [spelling, String(whole)]
  }

  /// Whether the subject is a folder with a starter, and not a program alone.
  package var isInFolder: Bool {
    let parts = path.split(separator: "/")
    return parts.count > 1 && parts.last.map { $0 == Self.starter } ?? false
  }

  /// Why the system would not start the program, in words; nil: nothing is known that keeps it from that. To be asked
  /// when it has been prepared: that may make what is missing.
  package var obstacle: String? {
    guard access(path, X_OK) == 0 else { return "\(path) is not executable: chmod +x \(path)" }
    return Self.troubleWithInterpreter(of: path).map { "\(path) can't be started: \($0)" }
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
}
