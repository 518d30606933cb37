import ScenarioModel
import ScenarioYAML

/// A file of the register, read but not yet understood.
package struct RegisterFile: Sendable {
  /// As a person would type it: `Requirements/tls.yaml`.
  package var path: String
  /// All of it.
  package var bytes: [UInt8]
  /// What is wrong with it; empty until it was read.
  package var diagnostics: [Diagnostic] = []

  package init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  /// Without folder and suffix.
  var stem: String { String(path.split(separator: "/").last?.split(separator: ".").first ?? "") }
}

/// Why there is no register: its files with what is wrong with them, in the order of their paths.
package struct RegisterFailure: Error {
  /// Only those with remarks.
  package var files: [RegisterFile]
}

/// Makes the register of its files. Pure: what the files hold is an argument.
///
/// Law: all faults of all files are told at once, each at its place.
struct RegisterReader {
  /// A mention of an id that must be in the register.
  private struct Mention {
    var id: String
    var file: Int
    var position: SourcePosition
    /// Whether only a requirement will do.
    var meansRequirement: Bool
  }

  /// The file with areas and sources.
  private static let index = "index"
  private static let decisionFile = "decisions"
  private static let defectFile = "defects"
  private static let misbehaviourFile = "misbehaviours"
  private static let levels = Requirement.Level.allCases.map(\.rawValue)

  private var files: [RegisterFile]
  private var areas: [(area: RequirementRegister.Area, position: SourcePosition)] = []
  private var sources: [String: String] = [:]
  private var requirements: [Requirement] = []
  private var decisions: [RequirementRegister.Decision] = []
  private var defects: [RequirementRegister.Defect] = []
  /// In the order of their numbers.
  var misbehaviours: [Misbehaviour] = []
  private var mentions: [Mention] = []

  static func register(of files: [RegisterFile], in folder: String) throws(RegisterFailure) -> RequirementRegister {
    var reader = RegisterReader(files: files)
    reader.readAll(in: folder)
    let wrong = reader.files.filter { !$0.diagnostics.isEmpty }
    guard wrong.isEmpty else { throw RegisterFailure(files: wrong) }
    return RequirementRegister(
      areas: reader.areas.map(\.area), requirements: reader.requirements, decisions: reader.decisions,
      defects: reader.defects, misbehaviours: reader.misbehaviours, sources: reader.sources)
  }

  private init(files: [RegisterFile]) { self.files = files.sorted { $0.path < $1.path } }

  private mutating func readAll(in folder: String) {
    guard let index = files.firstIndex(where: { $0.stem == Self.index }) else {
      files.append(RegisterFile(path: "\(folder)/\(Self.index).yaml", bytes: []))
      return remark(.missingFile, files.count - 1, nil, "the register has no such file", "it names areas and sources")
    }
    read(index) { $0.index(&$1, $2) }
    // Without it nothing can be said about the others.
    guard files[index].diagnostics.isEmpty else { return }
    for (area, position) in areas {
      let stem = area.id.lowercased()
      guard let file = files.firstIndex(where: { $0.stem == stem }) else {
        remark(
          .missingFile, index, position, "the area \(area.id) has no file \(stem).yaml", "write it beside this one")
        continue
      }
      read(file) { $0.area(area.id, file, &$1, $2) }
    }
    let known = areas.map { $0.area.id.lowercased() }
    for file in files.indices where file != index && !known.contains(files[file].stem) {
      switch files[file].stem {
      case Self.decisionFile: read(file) { $0.decisions(file, &$1, $2) }
      case Self.defectFile: read(file) { $0.defects(file, &$1, $2) }
      case Self.misbehaviourFile: read(file) { $0.misbehaviours(&$1, $2) }
      default:
        let guess = DidYouMean.suggestion(for: files[file].stem, among: known).map { "did you mean \($0).yaml? " } ?? ""
        remark(
          .badName, file, nil, "no area of \(Self.index).yaml has this name",
          guess + "a file is named after its area in small letters, such as rd-delim.yaml")
      }
    }
    // Which ids there are is known only when every file could be read.
    if files.allSatisfy(\.diagnostics.isEmpty) { checkMentions() }
  }

  private mutating func read(_ file: Int, _ body: (inout Self, inout Reading, YAMLNode) -> Void) {
    let result = YAMLFile.read(bytes: files[file].bytes) { reading, root in body(&self, &reading, root) }
    files[file].diagnostics += result.diagnostics
  }

  private mutating func remark(
    _ code: LintCode, _ file: Int, _ position: SourcePosition?, _ message: String, _ help: String
  ) {
    files[file].diagnostics.append(
      Diagnostic(
        code: code.rawValue, position: position ?? SourcePosition(line: 1, column: 1), message: message, help: help))
  }

  private mutating func checkMentions() {
    let ids = Set(requirements.map(\.id))
    let others = Set(decisions.map(\.id) + defects.map(\.id))
    let all = requirements.map(\.id) + others.sorted()
    for mention in mentions where !ids.contains(mention.id) {
      if others.contains(mention.id), !mention.meansRequirement { continue }
      let guess = DidYouMean.suggestion(for: mention.id, among: mention.meansRequirement ? requirements.map(\.id) : all)
      remark(
        .badRequirement, mention.file, mention.position,
        mention.meansRequirement
          ? "`\(mention.id)` is not the id of a requirement" : "the register has no `\(mention.id)`",
        guess.map { "did you mean \($0)?" } ?? "write one of this register's ids")
    }
  }

  // MARK: - Files

  private mutating func index(_ reading: inout Reading, _ root: YAMLNode) {
    guard let fields = reading.fields(root, of: "the index", allowed: ["areas", "sources"]) else { return }
    let help = "write `{ ID: \"…\" }`"
    if let node = reading.required("areas", in: fields, of: "the index", help: help) {
      for entry in entries(node, of: "`areas`", &reading) {
        guard Self.isArea(entry.key) else {
          reading.report(
            .badRequirement, at: entry.position, "`\(entry.key)` is not the id of an area",
            help: "one or two groups of capitals, such as WR or RD-DELIM")
          continue
        }
        guard let title = sentence(entry.value, of: "the title of \(entry.key)", &reading) else { continue }
        areas.append((RequirementRegister.Area(id: entry.key, title: title), entry.position))
      }
    }
    if let node = reading.required("sources", in: fields, of: "the index", help: help) {
      for entry in entries(node, of: "`sources`", &reading) {
        sources[entry.key] = sentence(entry.value, of: "the meaning of \(entry.key)", &reading)
      }
    }
  }

  private mutating func area(
    _ area: String, _ file: Int, _ reading: inout Reading, _ root: YAMLNode
  ) {
    let keys = Self.levels + ["upstream", "upstreamUnseen", "scope", "sources", "see", "mutations", "permits"]
    for (entry, fields) in items(
      root, prefix: area, keys: keys, "write `must: …`, `scope: any`, `sources: [S1]`", &reading)
    {
      let id = entry.key
      let levels = fields.present(Self.levels)
      guard let level = levels.first, levels.count == 1, let named = Requirement.Level(rawValue: level.key) else {
        reading.report(
          levels.isEmpty ? .missingKey : .conflictingKeys, at: levels.last?.position ?? entry.position,
          "\(id) needs its sentence under one of the keys \(Self.levels.joined(separator: ", "))",
          help: levels.isEmpty ? "write `must: …`" : "keep the one that fits")
        continue
      }
      let text = sentence(level.value, of: "the sentence of \(id)", &reading)
      let upstream = fields["upstream"].map { sentence($0, of: "`upstream`", &reading) }
      let unseen = fields["upstreamUnseen"].map { sentence($0, of: "`upstreamUnseen`", &reading) }
      if let node = fields["upstreamUnseen"], fields["upstream"] == nil {
        reading.report(
          .missingKey, at: node.position, "\(id) says why something is not seen, and not what",
          help: "write `upstream: …`, what the original does, or leave `upstreamUnseen` out")
      }
      let scope = reading.required("scope", in: fields, of: id, help: "write `scope: any`, `gcd` or `run-loop`")
        .flatMap { reading.choice($0, of: "a scope", as: Requirement.Scope.self) }
      let origins = reading.required("sources", in: fields, of: id, help: "write `sources: [S1]`")
        .map { self.origins($0, &reading) }
      let see =
        fields["see"].map { ids($0, of: "`see`", file, meansRequirement: false, &reading) } ?? []
      let mutations = fields["mutations"].map { self.mutations($0, &reading) } ?? []
      let permits = fields["permits"].flatMap { sentence($0, of: "`permits`", &reading) }
      if let mutation = fields.present(["mutations"]).first, fields["permits"] != nil {
        reading.report(
          .conflictingKeys, at: mutation.position, "\(id) permits whatever a subject does, and has `mutations`",
          help: "a mutation breaks the sentence: keep the key that is right")
      }
      guard let text, let scope, let origins else { continue }
      requirements.append(
        Requirement(
          id: id, area: area, level: named, sentence: text, upstream: upstream ?? nil,
          upstreamUnseen: unseen ?? nil, scope: scope, sources: origins, see: see, mutations: mutations,
          permits: permits, place: Located(files[file].path, at: entry.position)))
    }
  }

  private mutating func decisions(_ file: Int, _ reading: inout Reading, _ root: YAMLNode) {
    let keys = ["disputed", "decided"]
    for (entry, fields) in items(root, prefix: "D", keys: keys, "write `disputed: …`, `decided: …`", &reading) {
      let texts = keys.map { text($0, in: fields, of: entry.key, &reading) }
      guard let disputed = texts[0], let decided = texts[1] else { continue }
      decisions.append(
        RequirementRegister.Decision(
          id: entry.key, disputed: disputed, decided: decided, place: Located(files[file].path, at: entry.position)))
    }
  }

  private mutating func defects(_ file: Int, _ reading: inout Reading, _ root: YAMLNode) {
    let keys = ["defect", "consequence", "requirements"]
    for (entry, fields) in items(root, prefix: "UB", keys: keys, "write `defect: …`, `consequence: …`", &reading) {
      let texts = keys.prefix(2).map { text($0, in: fields, of: entry.key, &reading) }
      let broken = reading.required("requirements", in: fields, of: entry.key, help: "name what it breaks: [TLS-35]")
        .map { ids($0, of: "`requirements`", file, meansRequirement: true, &reading) }
      guard let defect = texts[0], let consequence = texts[1], let broken else { continue }
      defects.append(
        RequirementRegister.Defect(
          id: entry.key, defect: defect, consequence: consequence, requirements: broken,
          place: Located(files[file].path, at: entry.position)))
    }
  }

  // MARK: - Parts

  func entries(_ node: YAMLNode, of what: String, _ reading: inout Reading) -> [YAMLEntry] {
    guard let entries = node.entries else {
      reading.report(.wrongType, at: node.position, "\(what) is a mapping of ids", help: "write `ID: …`")
      return []
    }
    return entries
  }

  /// The entries of a file whose ids fit it, with their fields.
  private func items(
    _ root: YAMLNode, prefix: String, keys: [String], _ help: String, _ reading: inout Reading
  ) -> [(entry: YAMLEntry, fields: Fields)] {
    entries(root, of: "the file", &reading).compactMap { entry in
      guard Self.isID(entry.key, of: prefix) else {
        reading.report(
          .badRequirement, at: entry.position, "`\(entry.key.shortened)` is not an id of this file",
          help: "ids here are \(prefix)- and two digits, such as \(prefix)-01")
        return nil
      }
      return reading.fields(entry.value, of: entry.key, allowed: keys, help: help).map { (entry, $0) }
    }
  }

  func text(_ key: String, in fields: Fields, of what: String, _ reading: inout Reading) -> String? {
    reading.required(key, in: fields, of: what, help: "write `\(key): …`").flatMap {
      sentence($0, of: "`\(key)`", &reading)
    }
  }

  func sentence(_ node: YAMLNode, of what: String, _ reading: inout Reading) -> String? {
    guard let text = reading.text(node, of: what) else { return nil }
    guard text.contains(where: { !$0.isWhitespace }) else {
      reading.report(.emptyValue, at: node.position, "\(what) is empty", help: "say it in a sentence")
      return nil
    }
    return text
  }

  private func origins(_ node: YAMLNode, _ reading: inout Reading) -> [String] {
    (reading.list(node, of: "`sources`", help: "name at least one: [S1]") ?? []).compactMap { item in
      guard let source = reading.text(item, of: "a source") else { return nil }
      let abbreviation = RequirementRegister.abbreviation(of: source)
      guard sources[abbreviation] != nil else {
        reading.reportUnknown(
          .unknownWord, abbreviation, at: item.position, what: "a source of \(Self.index).yaml",
          among: sources.keys.sorted())
        return nil
      }
      return source
    }
  }

  private func mutations(_ node: YAMLNode, _ reading: inout Reading) -> [EventMutation] {
    var mutations: [EventMutation] = []
    for item in reading.list(
      node, of: "`mutations`", help: "leave the key out, or write one: [lose didRead]") ?? []
    {
      guard let text = reading.text(item, of: "a mutation") else { continue }
      do throws(LabFailure) {
        let mutation = try EventMutation(text)
        if mutations.contains(mutation) {
          reading.report(.duplicateName, at: item.position, "`\(text)` stands twice in this list")
        }
        mutations.append(mutation)
      } catch {
        reading.report(
          .unknownWord, at: item.position, "`\(text.shortened)` is no mutation: \(error.message)",
          help: "write it as README.md in this folder says: `lose didRead of length`")
      }
    }
    return mutations
  }

  private mutating func ids(
    _ node: YAMLNode, of what: String, _ file: Int, meansRequirement: Bool, _ reading: inout Reading
  ) -> [String] {
    var ids: [String] = []
    for item in reading.list(node, of: what, help: "leave the key out, or name an id") ?? [] {
      guard let id = reading.text(item, of: "an id") else { continue }
      guard !ids.contains(id) else {
        reading.report(.duplicateName, at: item.position, "`\(id.shortened)` stands twice in this list")
        continue
      }
      ids.append(id)
      mentions.append(Mention(id: id, file: file, position: item.position, meansRequirement: meansRequirement))
    }
    return ids
  }

  /// One or two groups of capitals.
  private static func isArea(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return (1...2).contains(parts.count)
      && parts.allSatisfy { part in !part.isEmpty && part.utf8.allSatisfy { (0x41...0x5A).contains($0) } }
  }

  private static func isID(_ text: String, of area: String) -> Bool {
    guard text.hasPrefix(area + "-") else { return false }
    let number = text.utf8.dropFirst(area.utf8.count + 1)
    return number.count == 2 && number.allSatisfy { (0x30...0x39).contains($0) }
  }
}
