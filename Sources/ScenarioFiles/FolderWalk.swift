import Glibc
import ScenarioYAML

/// The scenario files below a folder: all that end in `.yaml`, in the order of their paths.
///
/// Laws
/// - What begins with a dot is passed over, and links to folders are not followed: a walk ends, and sees no file twice.
/// - Nothing else is passed over in silence: a folder that can't be read, a name that is no text and one that a table's
///   case has are told.
package struct FolderWalk {
  /// Something that kept files from being seen.
  struct Obstacle {
    /// Relative to the folder.
    var path: String
    var code = LintCode.missingFile
    var message: String
    var help: String

    /// A file whose path would be read as the address of a case; nil: it can be an id.
    static func inName(_ path: String) -> Obstacle? {
      guard path.contains("#") else { return nil }
      return Obstacle(
        path: path, code: .badName,
        message: "a scenario's file has no `#` in its path: `a#b` is the case `b` of the table `a`",
        help: "Rename it.")
    }
  }

  /// What the names of scenario files end in; other files are passed over, but for those whose names nearly do.
  package static let suffix = ".yaml"

  /// Relative to the folder.
  package private(set) var files: [String] = []
  private(set) var obstacles: [Obstacle] = []
  /// Links to folders, relative to the folder.
  package private(set) var links: [String] = []

  /// nil, with `errno` saying why, if the folder itself can't be read.
  package init?(_ folder: String) {
    var pending: [String] = [""]
    while let path = pending.popLast() {
      let place = path.isEmpty ? folder : "\(folder)/\(path)"
      guard let listing = opendir(place) else {
        if path.isEmpty { return nil }
        let reason = String(cString: strerror(errno))
        obstacles.append(
          Obstacle(path: path, message: "the folder can't be read: \(reason)", help: "Check its permissions."))
        continue
      }
      defer { closedir(listing) }
      while let item = readdir(listing) { take(item, in: path, of: folder, &pending) }
    }
    files.sort()
    links.sort()
    obstacles.sort { $0.path < $1.path }
  }

  private mutating func take(
    _ item: UnsafeMutablePointer<dirent>, in path: String, of folder: String, _ pending: inout [String]
  ) {
    let bytes = withUnsafeBytes(of: &item.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
    guard bytes.first != UInt8(ascii: ".") else { return }
    let suffix = Self.suffix.utf8
    let isNamed = bytes.count > suffix.count && bytes.suffix(suffix.count).elementsEqual(suffix)
    guard let name = String(validating: bytes, as: UTF8.self) else {
      let repaired = String(decoding: bytes, as: UTF8.self)
      // Of other people's files only scenarios are our business.
      guard isNamed || Int32(item.pointee.d_type) == Int32(DT_DIR) else { return }
      obstacles.append(
        Obstacle(
          path: path.isEmpty ? repaired : "\(path)/\(repaired)", message: "the name is not valid UTF-8",
          help: "Rename it: an id is text."))
      return
    }
    let place = path.isEmpty ? name : "\(path)/\(name)"
    switch Self.kind(of: item.pointee.d_type, at: "\(folder)/\(place)") {
    case .folder: pending.append(place)
    case .linkToFolder: links.append(place)
    case .other: if isNamed { take(file: place) } else { refuseLookalike(place, name: name) }
    }
  }

  /// A file that its writer takes for a scenario must not be passed over without a word.
  private mutating func refuseLookalike(_ place: String, name: String) {
    guard let dot = name.lastIndex(of: "."), [".yml", Self.suffix].contains(name[dot...].lowercased()) else { return }
    obstacles.append(
      Obstacle(
        path: place, code: .badName, message: "the name of a scenario ends in \(Self.suffix)",
        help: "Rename it to \(name[..<dot])\(Self.suffix), or to something else if it is none."))
  }

  private mutating func take(file place: String) {
    if let obstacle = Obstacle.inName(place) { obstacles.append(obstacle) } else { files.append(place) }
  }

  private enum Kind { case folder, linkToFolder, other }

  private static func kind(of type: UInt8, at path: String) -> Kind {
    var facts = stat()
    switch Int32(type) {
    case Int32(DT_DIR): return .folder
    case Int32(DT_LNK):
      return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR ? .linkToFolder : .other
    case Int32(DT_UNKNOWN):
      guard lstat(path, &facts) == 0 else { return .other }
      if facts.st_mode & S_IFMT == S_IFDIR { return .folder }
      return facts.st_mode & S_IFMT == S_IFLNK ? kind(of: UInt8(DT_LNK), at: path) : .other
    default: return .other
    }
  }
}
