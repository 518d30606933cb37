/// The declarations of a source file that other modules see, found by their lines: the formatter puts each on lines of
/// its own and indents what is inside.
struct Declaration {
  let path: String
  let line: Int
  let name: String
  let isPublic: Bool
  let isDocumented: Bool
  /// An initialiser that only assigns: its parameters are the fields, which have comments of their own.
  var isMemberwise = false
  /// The protocols and classes that the type it stands in names, here or in an extension of the same file.
  let inherited: Set<String>
  /// Of a protocol's requirement: the protocol.
  var requirementOf: String?

  static func all(in file: Repository.File) -> [Declaration] {
    var scopes: [Scope] = []
    return file.lines.indices.compactMap { index in
      let line = file.lines[index]
      let code = line.drop { $0 == " " }
      guard !code.isEmpty, !code.hasPrefix("//") else { return nil }
      let depth = line.count - code.count
      scopes.removeAll { $0.depth >= depth }
      let words = code.split { " (:<,{=?!".contains($0) }.map(String.init)
      var modifiers = Array(words.prefix { Self.modifiers.contains($0) || $0.hasPrefix("@") })
      if words.dropFirst(modifiers.count).first == "class", words.dropFirst(modifiers.count + 1).first == "func" {
        modifiers.append("class")
      }
      let access = modifiers.last { ["public", "open", "package"].contains($0) }
      let rest = words.dropFirst(modifiers.count)
      guard let kind = rest.first, Self.kinds.contains(kind) else { return nil }
      // An initialiser goes by the name of its type.
      var name = ["init", "subscript"].contains(kind) ? scopes.last?.name ?? kind : rest.dropFirst().first ?? kind
      if let symbol = code.firstMatch(of: /func ([=<>!+\-*\/%&|^~]+) ?\(/) { name = String(symbol.output.1) }
      // What a protocol asks for is seen where the protocol is.
      let host = scopes.last.flatMap { $0.isProtocol ? $0.access : nil }
      defer {
        if code.hasSuffix("{") {
          var inherited = inherited(by: code)
          if kind == "extension" { inherited.insert(name) }
          scopes.append(
            Scope(
              depth: depth, name: name, inherited: inherited, isProtocol: kind == "protocol",
              access: access.map { $0 == "open" ? "public" : $0 }))
        }
      }
      guard kind != "extension", let seen = access ?? host, !modifiers.contains("override") else { return nil }
      var declaration = Declaration(
        path: file.path, line: index + 1, name: name, isPublic: seen != "package",
        isDocumented: isDocumented(index, in: file.lines), inherited: scopes.last?.inherited ?? [])
      if let scope = scopes.last, scope.isProtocol { declaration.requirementOf = scope.name }
      declaration.isMemberwise = kind == "init" && onlyAssigns(index, depth: depth, in: file.lines)
      return declaration
    }
  }

  private struct Scope {
    let depth: Int
    let name: String
    let inherited: Set<String>
    let isProtocol: Bool
    let access: String?
  }

  private static let modifiers: Set = [
    "public", "open", "package", "internal", "private", "fileprivate", "set)", "static", "final", "mutating",
    "nonmutating", "consuming", "borrowing", "convenience", "required", "override", "indirect", "lazy", "weak",
    "unowned", "nonisolated", "unsafe)", "dynamic", "prefix", "postfix", "infix", "set", "unsafe",
  ]
  private static let kinds: Set = [
    "func", "var", "let", "struct", "class", "enum", "protocol", "actor", "typealias", "init", "subscript",
    "associatedtype", "extension",
  ]

  /// The comment may stand above attributes.
  private static func isDocumented(_ index: Int, in lines: [String]) -> Bool {
    for line in lines[..<index].reversed() {
      let code = line.drop { $0 == " " }
      if code.hasPrefix("///") { return true }
      guard code.hasPrefix("@") else { return false }
    }
    return false
  }

  private static func inherited(by code: Substring) -> Set<String> {
    guard let colon = code.firstIndex(of: ":") else { return [] }
    return Set(code[colon...].split { " :,{&".contains($0) }.map(String.init))
  }

  private static func onlyAssigns(_ index: Int, depth: Int, in lines: [String]) -> Bool {
    guard let open = lines[index...].firstIndex(where: { $0.hasSuffix("{") || $0.hasSuffix("}") }) else { return false }
    if lines[open].hasSuffix("{}") { return true }
    let indentation = String(repeating: " ", count: depth)
    guard lines[open].hasSuffix("{"),
      let close = lines[open...].dropFirst().firstIndex(where: { $0 == indentation + "}" })
    else { return lines[open].contains("{ self.") }
    return lines[(open + 1)..<close].allSatisfy { $0.firstMatch(of: /^ *(self\.)?\w+ = [^{]*$/) != nil }
  }
}
