import Conversations
import HostTools
import ScenarioModel
import ScenarioYAML

/// The folder that recorded and imported scenarios go to.
///
/// Laws
/// - A scenario file appears when everything that it names is there, and no file that was there before is touched
///   unless that is asked for.
/// - Of several that write to one folder, in whatever process, one writes at a time: two never have the same file,
///   unless files are written over.
/// - What is written over loses the payloads of its former self, and nothing else. Nothing is written through a link.
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
  /// The last number that was given away, by what the files are called.
  private var lastGiven: [String: Int] = [:]
  private static let maxNumber = 1 << 53

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
    return numbers.filter { $0 < Self.maxNumber }.max() ?? 0
  }

  /// Writes the scenario and its payloads. Throws a `LabFailure` when the disk, or a file of that name, is in the way.
  package mutating func write(_ conversation: Conversation, name: String, source: String) throws {
    let conversation = scrubber?.scrubbed(conversation) ?? conversation
    let draft = try FolderLock.hold(path) { () throws -> ScenarioDraft in
      try store(conversation, name: name, source: source)
    }
    try report(draft, conversation, name)
  }

  /// Writes the scenario and its payloads under the name with the next number that nobody has, from 1 on where files
  /// are written over. `source` is said with the number.
  package mutating func write(_ conversation: Conversation, numbered name: String, source: String) throws {
    let conversation = scrubber?.scrubbed(conversation) ?? conversation
    var number = 0
    // Chosen with the lock held, because another recording may write here as well.
    let draft = try FolderLock.hold(path) { () throws -> ScenarioDraft in
      number = nextNumber(of: name)
      return try store(conversation, name: "\(name)-\(number)", source: "\(source), connection \(number)")
    }
    try report(draft, conversation, "\(name)-\(number)")
  }

  private mutating func nextNumber(of name: String) -> Int {
    var number = (lastGiven[name] ?? (settings.overwrites ? 0 : lastNumber(of: name))) + 1
    if !settings.overwrites, isTaken("\(path)/\(name)-\(number)") { number = lastNumber(of: name) + 1 }
    lastGiven[name] = number
    return number
  }

  private func isTaken(_ stem: String) -> Bool { [stem, stem + ".yaml"].contains { Self.isThere($0) } }

  /// Whether there is anything of that name, and be it a link to nowhere.
  private static func isThere(_ place: String) -> Bool {
    PathText.exists(place) || FolderLink.target(of: place) != nil
  }

  /// Writes the files, the scenario's last.
  private func store(_ conversation: Conversation, name: String, source: String) throws -> ScenarioDraft {
    let (file, folder) = ("\(path)/\(name).yaml", "\(path)/\(name)")
    try refuse(file)
    let draft = ScenarioDraft(
      conversation,
      ScenarioDraft.Settings(
        peer: settings.peer, pacing: settings.pacing, name: name, source: source, tag: settings.tag, schema: schema))
    if !draft.files.isEmpty { try refuseLink(folder) }
    for payload in draft.files { try refuse("\(path)/\(payload.path)") }
    if !draft.files.isEmpty { try HostFiles.makeFolder(folder) }
    for payload in draft.files { try HostFiles.write(payload.bytes, to: "\(path)/\(payload.path)") }
    try HostFiles.write(Array(draft.text.utf8), to: file)
    if settings.overwrites { removeFormerPayloads(in: folder, but: draft.files.map { $0.path }) }
    return draft
  }

  /// Removes what only the scenario that was written over has named; `new`: the files that are named now. After the
  /// scenario's own file: until then it names them.
  private func removeFormerPayloads(in folder: String, but new: [String]) {
    guard FolderLink.target(of: folder) == nil, HostFiles.isFolder(folder) else { return }
    let kept = Set(new.compactMap { $0.split(separator: "/").last.map(String.init) })
    for name in HostFiles.names(in: folder) where Self.isPayload(name) && !kept.contains(name) {
      if !HostFiles.isFolder("\(folder)/\(name)") { HostFiles.remove("\(folder)/\(name)") }
    }
  }

  /// Whether a draft's payload may be called so: `01-client.bin`.
  static func isPayload(_ name: String) -> Bool {
    name.wholeMatch(of: /[0-9]{2,}-(?:client|server)\.(?:bin|txt)/) != nil
  }

  private mutating func report(_ draft: ScenarioDraft, _ conversation: Conversation, _ name: String) throws {
    let file = "\(path)/\(name).yaml"
    written.append(file)
    try check(draft, file)
    tell(.written(file: file, conversation, draft))
  }

  /// Throws if there is a file that may not be written over.
  private func refuse(_ file: String) throws {
    guard settings.overwrites || !Self.isThere(file) else {
      throw LabFailure("\(file) exists already. Name another folder with --into, or say --force.")
    }
    try refuseLink(file)
  }

  /// Throws if it is a link: what that leads to was not made by the lab.
  private func refuseLink(_ place: String) throws {
    guard FolderLink.target(of: place) == nil else {
      throw LabFailure("\(place) is a symbolic link. Remove it, or name another folder with --into.")
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
