import HostTools
import ScenarioModel
import ScenarioYAML

/// The known deviations of one library, as they stand in a file.
///
/// ```yaml
/// library: CocoaAsyncSocket (reference)
/// deviations:
///   - cases: "read/*delimiter* [*, loopback]"
///     subject: gcd
///     reason: The delimiter is looked for in whole segments only; to be mended with the new scanner.
///     evidence: { kind: missing, text: didRead }
///     link: https://example.org/issues/7
///     expires: 2027-01-31
/// ```
package struct DeviationFile: Sendable {
  /// The folder with the files, in the lab's.
  package static let folder = "Subjects"
  /// What such a file's name ends with.
  package static let suffix = ".deviations.yaml"

  /// As a person would type it.
  package let path: String
  /// All of the file, to show what is wrong with it.
  package let bytes: [UInt8]
  /// In the order of the file.
  package private(set) var entries: [DeviationEntry] = []
  /// What is wrong with it; with anything here there are no entries.
  package private(set) var diagnostics: [Diagnostic] = []

  /// Reads a file about this library. Throws if there is nothing to read; what is wrong with the content stands in
  /// `diagnostics`.
  ///
  /// - Parameters:
  ///   - isProgram: the library is a subject that is a program of its own: its entries name no class.
  ///   - spellings: what the file may call the library besides.
  ///   - others: who else is judged, for the remark that the file is about nobody of them.
  ///   - isNamed: whether the person has named the file.
  package static func read(
    _ path: String, of library: String, isProgram: Bool = false, spellings: [String] = [], beside others: [String] = [],
    isNamed: Bool = false
  ) throws(LabFailure) -> DeviationFile {
    DeviationFile(
      path: path, bytes: try bytes(of: path), library: library, isProgram: isProgram, spellings: spellings,
      beside: others, isNamed: isNamed)
  }

  /// The library that a file is about, as it says itself; nil: it does not say. Throws if there is nothing to read.
  package static func library(at path: String) throws(LabFailure) -> String? {
    YAMLFile.read(bytes: try bytes(of: path)) { reading, root in DeviationReader.library(root, &reading) }.content
  }

  private static func bytes(of path: String) throws(LabFailure) -> [UInt8] {
    do throws(PlainFile.Problem) {
      // One byte more than may be: the reader sees that it is too much.
      return try PlainFile.read(path, most: ScenarioReader.maxBytes + 1).bytes
    } catch {
      throw LabFailure("\(path) \(error.text).\(error.help.map { " \($0)" } ?? "")")
    }
  }

  /// Understands the bytes; a file about another library than this one is wrong.
  ///
  /// - Parameters:
  ///   - isProgram: the library is a subject that is a program of its own: its entries name no class.
  ///   - spellings: what the file may call the library besides.
  ///   - others: who else is judged, for the remark that the file is about nobody of them.
  ///   - isNamed: whether the person has named the file.
  package init(
    path: String, bytes: [UInt8], library: String, isProgram: Bool = false, spellings: [String] = [],
    beside others: [String] = [], isNamed: Bool = false
  ) {
    (self.path, self.bytes) = (path, bytes)
    let judged = DeviationReader.Judged(
      library: library, spellings: spellings, others: others, isProgram: isProgram, isNamed: isNamed)
    let result = YAMLFile.read(bytes: bytes) { reading, root in DeviationReader.read(root, judged, &reading) }
    diagnostics = result.diagnostics
    entries = result.content ?? []
  }
}

private enum DeviationReader {
  private static let keys = ["cases", "subject", "reason", "evidence", "link", "intermittent", "expires"]

  private typealias Head = (fields: Fields, library: String, position: SourcePosition)

  /// Whom the file must be about.
  struct Judged {
    let library: String
    let spellings: [String]
    let others: [String]
    let isProgram: Bool
    let isNamed: Bool

    func isCalled(_ name: String) -> Bool { name == library || spellings.contains(name) }

    /// What to do about a file that is about another one.
    var help: String {
      guard others.isEmpty else { return "write behind `library` whose they are, or name another file" }
      return isProgram || isNamed
        ? "write `library: \(library)` if they are its" : "name the file of that library with --deviations"
    }

    /// Who is judged, in a clause.
    var text: String {
      others.isEmpty
        ? "what is judged is `\(library)`"
        : "judged are \(([library] + others).map { "`\($0)`" }.joined(separator: ", "))"
    }
  }

  /// What stands before the entries.
  private static func head(_ root: YAMLNode, _ reading: inout Reading) -> Head? {
    let help = "write `library: NAME` and `deviations: […]`"
    guard let fields = reading.fields(root, of: "the file", allowed: ["library", "deviations"], help: help),
      let node = reading.required("library", in: fields, of: "the file", help: "name what it is about, as reports do"),
      let named = reading.text(node, of: "`library`")
    else { return nil }
    return (fields, named, node.position)
  }

  static func library(_ root: YAMLNode, _ reading: inout Reading) -> String? { head(root, &reading)?.library }

  static func read(_ root: YAMLNode, _ judged: Judged, _ reading: inout Reading) -> [DeviationEntry]? {
    guard let (fields, named, position) = head(root, &reading) else { return nil }
    if !judged.isCalled(named) {
      reading.report(
        .badName, at: position, "these are deviations of `\(named.shortened)`, and \(judged.text)",
        help: judged.help)
    }
    var entries: [DeviationEntry] = []
    var seen: [String: SourcePosition] = [:]
    if let list = fields["deviations"], !list.isEmptyList {
      for item in reading.list(list, of: "`deviations`", help: "write `deviations: []` if there are none") ?? [] {
        for entry in Self.entries(item, isProgram: judged.isProgram, &reading) {
          let name = "\(entry.subject) \(entry.pattern.text) \(entry.evidenceWords)"
          if let first = seen.updateValue(entry.position, forKey: name) {
            reading.report(
              .duplicateName, at: entry.position, "this entry stands in line \(first.line) already", help: "keep one")
          }
          entries.append(entry)
        }
      }
    }
    return entries
  }

  /// One for each pattern.
  private static func entries(_ node: YAMLNode, isProgram: Bool, _ reading: inout Reading) -> [DeviationEntry] {
    let what = "a deviation"
    guard let fields = reading.fields(node, of: what, allowed: isProgram ? keys.filter { $0 != "subject" } : keys)
    else { return [] }
    let patternNode = reading.required("cases", in: fields, of: what, help: "write `cases: read/line`")
    let subject: SubjectKind? =
      isProgram
      ? .gcd
      : reading.required("subject", in: fields, of: what, help: "write `subject: gcd` or `run-loop`")
        .flatMap { reading.choice($0, of: "a class of the library", as: SubjectKind.self) }
    let reason = reading.required("reason", in: fields, of: what, help: "say why it is tolerated")
      .flatMap { text($0, of: "`reason`", &reading) }
    let evidenceNode = reading.required(
      "evidence", in: fields, of: what, help: "write `evidence: { kind: missing, text: \"didRead\" }`")
    let expiryNode = reading.required("expires", in: fields, of: what, help: "write `expires: 2027-01-31`")
    let patterns = patternNode.map { Self.patterns($0, &reading) } ?? []
    let evidences = evidenceNode.map { Self.evidences($0, &reading) } ?? []
    let link = fields["link"].map { Self.link($0, &reading) }
    let isIntermittent = fields["intermittent"].map { reading.flag($0, of: "`intermittent`") }
    let expires = expiryNode.flatMap { date($0, &reading) }
    // What was written and is wrong has been said.
    guard !evidences.isEmpty else { return [] }
    if case .some(.none) = link { return [] }
    if case .some(.none) = isIntermittent { return [] }
    guard let subject, let reason, let expiryNode, let expires else { return [] }
    return patterns.map { pattern, position in
      DeviationEntry(
        pattern: pattern, subject: subject, reason: reason, evidence: evidences, link: link ?? nil,
        isIntermittent: isIntermittent.flatMap(\.self) ?? false, expires: expires, position: node.position,
        patternPosition: position, evidencePosition: evidenceNode?.position ?? node.position,
        expiryPosition: expiryNode.position)
    }
  }

  /// A text, or a list of several.
  private static func patterns(
    _ node: YAMLNode, _ reading: inout Reading
  ) -> [(pattern: CasePattern, position: SourcePosition)] {
    let nodes = node.items ?? [node]
    return nodes.compactMap { node in pattern(node, &reading).map { ($0, node.position) } }
  }

  private static func link(_ node: YAMLNode, _ reading: inout Reading) -> String? {
    guard let text = Self.text(node, of: "`link`", &reading) else { return nil }
    guard text.hasPrefix("https://"), !text.contains(where: \.isWhitespace) else {
      reading.report(
        .badName, at: node.position, "`link` is no address of a page", help: "write `link: https://example.org/page`")
      return nil
    }
    return text
  }

  private static func text(_ node: YAMLNode, of what: String, _ reading: inout Reading) -> String? {
    guard let text = reading.text(node, of: what) else { return nil }
    guard text.contains(where: { !$0.isWhitespace }) else {
      reading.report(.emptyValue, at: node.position, "\(what) is empty", help: "say it in words")
      return nil
    }
    return text
  }

  private static func pattern(_ node: YAMLNode, _ reading: inout Reading) -> CasePattern? {
    guard let text = Self.text(node, of: "`cases`", &reading) else { return nil }
    do throws(CasePattern.Failure) { return try CasePattern(text) } catch {
      reading.report(
        .badName, at: node.position, "this pattern \(error.problem)",
        help: "write an id or a glob, and behind it, if need be, [VARIANT, WORLD]")
      return nil
    }
  }

  /// One, or a list of several of which one must be shown.
  private static func evidences(_ node: YAMLNode, _ reading: inout Reading) -> [DeviationEntry.Evidence] {
    (node.items ?? [node]).compactMap { evidence($0, &reading) }
  }

  private static func evidence(_ node: YAMLNode, _ reading: inout Reading) -> DeviationEntry.Evidence? {
    guard let fields = reading.fields(node, of: "`evidence`", allowed: ["kind", "text"]) else { return nil }
    let kind = fields["kind"].map { reading.choice($0, of: "a kind of deviation", as: Deviation.Kind.self) }
    let words = fields["text"].map { text($0, of: "`text`", &reading) }
    guard kind != nil || words != nil else {
      reading.report(
        .missingKey, at: node.position, "`evidence` needs `kind`, `text` or both",
        help: "write what the reports say of the case: { kind: missing, text: \"didRead\" }")
      return nil
    }
    // What was written and is wrong has been said.
    if case .some(.none) = kind { return nil }
    if case .some(.none) = words { return nil }
    return DeviationEntry.Evidence(kind: kind ?? nil, text: words ?? nil)
  }

  private static func date(_ node: YAMLNode, _ reading: inout Reading) -> CalendarDate? {
    guard let text = reading.text(node, of: "`expires`") else { return nil }
    guard let date = CalendarDate(text) else {
      reading.report(
        .badQuantity, at: node.position, "`\(text.shortened)` is not a day",
        help: "write year, month and day: 2027-01-31")
      return nil
    }
    return date
  }
}
