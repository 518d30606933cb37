import Conversations
import HostTools
import ScenarioModel
import ScenarioYAML

/// The folder that recorded and imported scenarios go to.
///
/// Law: a scenario file appears when everything that it names is there, and no file that was there before is touched
/// unless that is asked for.
package struct DraftFolder: Sendable {
  /// How conversations become scenarios.
  package struct Settings: Sendable {
    /// Which side the peer plays; nil: the draft chooses.
    package var peer: Conversation.Side?
    /// What becomes of pauses.
    package var pacing: Pacing
    /// Whether files that are there are written over.
    package var overwrites: Bool
    /// Whether names, addresses, tokens and passwords are replaced by others.
    package var scrubs: Bool
    /// Of all scenarios in the folder.
    package var tag: String
    /// The file of the language's schema, which editors want to know of; nil, or a file that is not there: none.
    package var schema: String?

    package init(
      peer: Conversation.Side? = nil, pacing: Pacing, overwrites: Bool = false, scrubs: Bool = false, tag: String,
      schema: String? = nil
    ) {
      self.peer = peer
      self.pacing = pacing
      self.overwrites = overwrites
      self.scrubs = scrubs
      self.tag = tag
      self.schema = schema
    }
  }

  /// What a person is told of.
  package enum Event: Sendable {
    /// A scenario is there: its file, the conversation as it stands in it, and the draft that it was made of.
    case written(file: String, Conversation, ScenarioDraft)
    /// The lab can't read what it wrote, which is its own fault.
    case unreadable(file: String, [Diagnostic], [UInt8])
  }

  /// The folder.
  package let path: String
  /// The files of the scenarios that were written, in order.
  package private(set) var written: [String] = []

  let settings: Settings
  private var scrubber: Scrubber?
  private let tell: @Sendable (Event) -> Void

  /// Makes the folder. Throws a `LabFailure` when the disk is in the way.
  ///
  /// - Parameter tell: is called by `write`, where that is called.
  package init(path: String, _ settings: Settings, tell: @escaping @Sendable (Event) -> Void) throws {
    self.path = path
    self.settings = settings
    self.tell = tell
    scrubber = settings.scrubs ? Scrubber() : nil
    try HostFiles.makeFolder(path)
  }

  /// What was replaced, which stands in none of the files; nil: nothing was to be.
  package var replacements: [Scrubber.Replacement]? { scrubber?.replacements }

  /// The highest number that follows the name and a hyphen in what the folder has; 0: none.
  func lastNumber(of name: String) -> Int {
    let numbers = HostFiles.names(in: path).compactMap { entry -> Int? in
      guard entry.hasPrefix(name + "-") else { return nil }
      return Int(entry.dropFirst(name.count + 1).prefix { $0.isASCII && $0.isNumber })
    }
    return numbers.max() ?? 0
  }

  /// Writes the scenario and its payloads. Throws a `LabFailure` when the disk, or a file of that name, is in the way.
  package mutating func write(_ conversation: Conversation, name: String, source: String) throws {
    let file = "\(path)/\(name).yaml"
    try refuse(file)
    let conversation = scrubber?.scrubbed(conversation) ?? conversation
    let draft = ScenarioDraft(
      conversation,
      ScenarioDraft.Settings(
        peer: settings.peer, pacing: settings.pacing, name: name, source: source, tag: settings.tag, schema: schema))
    for payload in draft.files { try refuse("\(path)/\(payload.path)") }
    if !draft.files.isEmpty { try HostFiles.makeFolder("\(path)/\(name)") }
    for payload in draft.files { try HostFiles.write(payload.bytes, to: "\(path)/\(payload.path)") }
    try HostFiles.write(Array(draft.text.utf8), to: file)
    written.append(file)
    try check(draft, file)
    tell(.written(file: file, conversation, draft))
  }

  /// Throws if there is a file that may not be written over.
  private func refuse(_ file: String) throws {
    guard settings.overwrites || !HostFiles.exists(file) else {
      throw LabFailure("\(file) exists already. Name another folder with --into, or say --force.")
    }
  }

  /// As the files name it.
  private var schema: String? {
    guard let schema = settings.schema.flatMap(PathText.real), let folder = PathText.real(path) else { return nil }
    return PathText.shown(schema, from: folder)
  }

  private func check(_ draft: ScenarioDraft, _ file: String) throws {
    let payloads = Dictionary(draft.files.map { ($0.path, $0.bytes) }) { first, _ in first }
    let result = ScenarioReader.read(bytes: Array(draft.text.utf8), id: file) { payloads[$0] }
    guard result.scenarios.isEmpty else { return }
    tell(.unreadable(file: file, result.diagnostics, Array(draft.text.utf8)))
    throw LabFailure("\(file) was written, but the lab can't read it. That is a fault of the lab's: please report it.")
  }
}
