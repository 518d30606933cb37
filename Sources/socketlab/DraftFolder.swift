import Conversations
import HostTools
import ScenarioModel
import ScenarioYAML
import TerminalText

/// The folder that recorded and imported scenarios go to.
///
/// Law: a scenario file appears when everything that it names is there, and no file that was there before is touched
/// unless that is asked for.
struct DraftFolder {
  let path: String
  let pacing: Pacing
  let peer: Conversation.Side?
  let overwrites: Bool
  let tag: String
  private(set) var scrubber: Scrubber?
  private(set) var written: [String] = []

  /// - Parameter tag: of all scenarios in it.
  init(path: String, options: DraftOptions, tag: String) throws {
    self.path = path
    self.tag = tag
    pacing = options.pacing
    peer = options.asPeer
    overwrites = options.force
    scrubber = options.scrub ? Scrubber() : nil
    try HostFiles.makeFolder(path)
  }

  /// The highest number that follows the name and a hyphen in what the folder has; 0: none.
  func lastNumber(of name: String) -> Int {
    let numbers = HostFiles.names(in: path).compactMap { entry -> Int? in
      guard entry.hasPrefix(name + "-") else { return nil }
      return Int(entry.dropFirst(name.count + 1).prefix { $0.isASCII && $0.isNumber })
    }
    return numbers.max() ?? 0
  }

  /// Writes the scenario and its payloads. Throws a `LabFailure` when the disk, or a file of that name, is in the way.
  mutating func write(_ conversation: Conversation, name: String, source: String) throws {
    let file = "\(path)/\(name).yaml"
    guard overwrites || !HostFiles.exists(file) else {
      throw LabFailure("\(file) exists already. Name another folder with --into, or say --force.")
    }
    let conversation = scrubber?.scrubbed(conversation) ?? conversation
    let settings = ScenarioDraft.Settings(
      peer: peer, pacing: pacing, name: name, source: source, tag: tag, schema: schema)
    let draft = ScenarioDraft(conversation, settings)
    if !draft.files.isEmpty { try HostFiles.makeFolder("\(path)/\(name)") }
    for payload in draft.files { try HostFiles.write(payload.bytes, to: "\(path)/\(payload.path)") }
    try HostFiles.write(Array(draft.text.utf8), to: file)
    written.append(file)
    try check(draft, file)
    Console.print("\(Console.styled("✓", .good)) \(file)  \(summary(conversation, draft))")
    for remark in draft.remarks { Console.print(Console.styled("    \(remark)", .quiet)) }
  }

  /// What was replaced, for the person; nothing of it stands in the files.
  func printReplacements() {
    guard let scrubber else { return }
    for one in scrubber.replacements {
      let what = "\(one.kind.rawValue): \(one.original.prefix(60)) → \(one.replacement.prefix(60))"
      Console.print("Replaced \(what)  (\(one.times)×)")
    }
    if scrubber.replacements.isEmpty { Console.print("Nothing was found to be replaced.") }
  }

  private func summary(_ conversation: Conversation, _ draft: ScenarioDraft) -> String {
    let sizes = Conversation.Side.allCases.map { "\($0.rawValue) \(QuantityText.size(conversation.count(of: $0)))" }
    return "\(sizes.joined(separator: ", ")); the peer plays the \(draft.peer.rawValue)"
  }

  private var schema: String? {
    let place = LabHome.place("Scenarios") + "/schema.json"
    guard let schema = PathText.real(place), let folder = PathText.real(path) else { return nil }
    return PathText.shown(schema, from: folder)
  }

  /// A file that the lab can't read is the lab's fault.
  private func check(_ draft: ScenarioDraft, _ file: String) throws {
    let payloads = Dictionary(draft.files.map { ($0.path, $0.bytes) }) { first, _ in first }
    let result = ScenarioReader.read(bytes: Array(draft.text.utf8), id: file) { payloads[$0] }
    guard result.scenarios.isEmpty else { return }
    DiagnosticOutput.print(result.diagnostics, of: file, Array(draft.text.utf8))
    throw LabFailure("\(file) was written, but the lab can't read it. That is a fault of the lab's: please report it.")
  }
}
