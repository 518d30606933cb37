import Conversations
import Foundation
import HostTools
import ScenarioModel
import ScenarioYAML
import Synchronization
import Testing

@testable import ScenarioDrafts

/// What becomes of conversations on the disk.
@Suite struct DraftFolderTests {
  /// A folder that is made by the drafts and goes with the value.
  private final class Scratch: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    let told = Mutex<[String]>([])

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func folder(overwrites: Bool = false, scrubs: Bool = false, schema: String? = nil) throws -> DraftFolder {
      let settings = DraftFolder.Settings(
        pacing: Pacing(shortest: .milliseconds(5), longest: .seconds(2)), overwrites: overwrites, scrubs: scrubs,
        tag: "recorded", schema: schema)
      return try DraftFolder(path: path, settings) { [self] event in
        guard case .written(let file, _, _) = event else { return told.withLock { $0.append("unreadable") } }
        told.withLock { $0.append(String(file.split(separator: "/").last ?? "")) }
      }
    }

    var names: [String] { HostFiles.names(in: path).sorted() }
    func text(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
  }

  private static func conversation(_ text: String = "hello", from client: String = "127.0.0.1:1") -> Conversation {
    let event = Conversation.Event(at: .zero, side: .client, act: .bytes(Array(text.utf8)))
    return Conversation(client: client, server: "127.0.0.1:80", events: [event])
  }

  @Test func aConversationIsAScenarioThatTheLabReads() throws {
    let scratch = Scratch()
    var folder = try scratch.folder()
    try folder.write(Self.conversation(), name: "talk-1", source: "talk.pcap, connection 1")
    #expect(folder.written == ["\(scratch.path)/talk-1.yaml"])
    #expect(scratch.names == ["talk-1.yaml"] && scratch.told.withLock { $0 } == ["talk-1.yaml"])
    let text = try scratch.text("talk-1.yaml")
    let scenarios = ScenarioReader.read(bytes: Array(text.utf8), id: "talk-1") { _ in nil }.scenarios
    #expect(scenarios.first?.tags.contains("recorded") == true)
    #expect(text.contains("talk.pcap, connection 1") && !text.contains("$schema"))
    #expect(folder.replacements == nil)
  }

  @Test func payloadsThatAreTooLongForTheFileAreThereBeforeIt() throws {
    let scratch = Scratch()
    var folder = try scratch.folder()
    var random = SystemRandomNumberGenerator()
    var conversation = Self.conversation()
    let payload = (0..<20_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    conversation.events.append(.init(at: .milliseconds(1), side: .server, act: .bytes(payload)))
    try folder.write(conversation, name: "talk-1", source: "here")
    let files = HostFiles.names(in: "\(scratch.path)/talk-1")
    #expect(!files.isEmpty && scratch.told.withLock { $0 } == ["talk-1.yaml"], "the lab has read it with them")
  }

  @Test func whatIsThereIsTouchedOnlyIfThatIsAskedFor() throws {
    let scratch = Scratch()
    var folder = try scratch.folder()
    try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(scratch.path)/talk-1.yaml"))
    let failure = #expect(throws: LabFailure.self) {
      try folder.write(Self.conversation(), name: "talk-1", source: "here")
    }
    #expect(
      failure?.message.hasSuffix("talk-1.yaml exists already. Name another folder with --into, or say --force.") == true
    )
    #expect(try scratch.text("talk-1.yaml") == "mine")
    #expect(folder.written.isEmpty && scratch.told.withLock { $0 }.isEmpty)
    var forced = try scratch.folder(overwrites: true)
    try forced.write(Self.conversation(), name: "talk-1", source: "here")
    #expect(try scratch.text("talk-1.yaml").contains("hello"))
  }

  /// The scenario was renamed or deleted, and its payloads are those of somebody else now.
  @Test func payloadsThatAreThereAreTouchedOnlyIfThatIsAskedFor() throws {
    let scratch = Scratch()
    var folder = try scratch.folder()
    var conversation = Self.conversation()
    var random = SystemRandomNumberGenerator()
    let payload = (0..<20_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    conversation.events.append(.init(at: .milliseconds(1), side: .server, act: .bytes(payload)))
    try folder.write(conversation, name: "talk-1", source: "here")
    let name = try #require(HostFiles.names(in: "\(scratch.path)/talk-1").first)
    let file = "\(scratch.path)/talk-1/\(name)"
    let original = try HostFiles.read(file)
    try FileManager.default.removeItem(atPath: "\(scratch.path)/talk-1.yaml")
    try HostFiles.write(Array("mine".utf8), to: file)
    let failure = #expect(throws: LabFailure.self) {
      try folder.write(conversation, name: "talk-1", source: "here")
    }
    #expect(failure?.message.contains("/talk-1/\(name) exists already") == true, "\(failure?.message ?? "")")
    #expect(try HostFiles.read(file) == Array("mine".utf8) && scratch.names == ["talk-1"])
    var forced = try scratch.folder(overwrites: true)
    try forced.write(conversation, name: "talk-1", source: "here")
    #expect(try HostFiles.read(file) == original)
  }

  @Test func theSchemaIsNamedFromTheFilesFolderIfItIsThere() throws {
    let scratch = Scratch()
    var folder = try scratch.folder(schema: "\(scratch.path)/schema.json")
    try folder.write(Self.conversation(), name: "a-1", source: "here")
    #expect(try !scratch.text("a-1.yaml").contains("$schema"))
    try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(scratch.path)/schema.json"))
    try folder.write(Self.conversation(), name: "a-2", source: "here")
    #expect(try scratch.text("a-2.yaml").contains("$schema=./schema.json"))
  }

  @Test func whatIsReplacedIsTheSameInAllFiles() throws {
    let scratch = Scratch()
    var folder = try scratch.folder(scrubs: true)
    let request = "GET / HTTP/1.1\r\nAuthorization: Bearer abcdefghijklmnop\r\n\r\n"
    for number in 1...2 { try folder.write(Self.conversation(request), name: "a-\(number)", source: "here") }
    let replacements = try #require(folder.replacements)
    #expect(replacements.contains { $0.original.contains("abcdefghijklmnop") && $0.times == 2 }, "\(replacements)")
    for number in 1...2 { #expect(try !scratch.text("a-\(number).yaml").contains("abcdefghijklmnop")) }
  }

  @Test(
    "the next number follows the highest of the name",
    arguments: [
      ([], 0), (["talk-1.yaml", "talk-12.yaml", "talk-3"], 12), (["talk-x.yaml", "talks-9.yaml", "talk-.yaml"], 0),
      (["talk-7b.yaml", "other-40.yaml"], 7),
    ] as [([String], Int)])
  func lastNumber(names: [String], last: Int) throws {
    let scratch = Scratch()
    let folder = try scratch.folder()
    for name in names { try Data().write(to: URL(fileURLWithPath: "\(scratch.path)/\(name)")) }
    #expect(folder.lastNumber(of: "talk") == last)
    var (next, forced) = (folder, try scratch.folder(overwrites: true))
    try next.write(Self.conversation(), numbered: "talk", source: "here")
    #expect(next.written == ["\(scratch.path)/talk-\(last + 1).yaml"])
    try forced.write(Self.conversation(), numbered: "talk", source: "here")
    #expect(forced.written == ["\(scratch.path)/talk-1.yaml"], "they are written over")
  }

  /// Each has looked at the folder before the other one wrote.
  @Test func twoThatWriteToOneFolderHaveDifferentNumbers() throws {
    let scratch = Scratch()
    var (one, other) = (try scratch.folder(), try scratch.folder())
    for _ in 1...2 {
      try one.write(Self.conversation("one"), numbered: "talk", source: "here")
      try other.write(Self.conversation("other"), numbered: "talk", source: "here")
    }
    #expect(scratch.names == (1...4).map { "talk-\($0).yaml" })
    #expect(one.written == [1, 3].map { "\(scratch.path)/talk-\($0).yaml" })
    #expect(try scratch.text("talk-2.yaml").contains("other") && scratch.text("talk-2.yaml").contains("connection 2"))
    #expect(throws: LabFailure.self) { try other.write(Self.conversation(), name: "talk-3", source: "here") }
  }

  @Test func twoWritersAtOnceLoseNothing() throws {
    let scratch = Scratch()
    let writers = [DraftWriter(try scratch.folder()), DraftWriter(try scratch.folder())]
    for number in 1...20 {
      for writer in writers { writer.write(numbered: "talk", source: "here") { Self.conversation("\(number)") } }
    }
    let results = writers.map { $0.finish() }
    #expect(results.allSatisfy { $0.1 == nil })
    #expect(Set(results.flatMap { $0.0.written }).count == 40 && scratch.names.count == 40)
  }

  @Test func aNumberBeyondAllCountsForNothing() throws {
    let scratch = Scratch()
    var folder = try scratch.folder()
    try Data().write(to: URL(fileURLWithPath: "\(scratch.path)/talk-\(Int.max).yaml"))
    try folder.write(Self.conversation(), numbered: "talk", source: "here")
    #expect(folder.written == ["\(scratch.path)/talk-1.yaml"])
  }

  private static func long() -> Conversation {
    var random = SystemRandomNumberGenerator()
    let payload = (0..<20_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    var long = conversation()
    long.events.append(.init(at: .milliseconds(1), side: .server, act: .bytes(payload)))
    return long
  }

  @Test func whatIsWrittenOverLosesItsFormerPayloadsAndNothingElse() throws {
    let scratch = Scratch()
    var folder = try scratch.folder(overwrites: true)
    try folder.write(Self.long(), name: "talk-1", source: "here")
    let payloads = "\(scratch.path)/talk-1"
    #expect(!HostFiles.names(in: payloads).isEmpty && HostFiles.names(in: payloads).allSatisfy(DraftFolder.isPayload))
    for name in ["77-client.bin", "78-server.txt", "notes.txt"] {
      try Data("old".utf8).write(to: URL(fileURLWithPath: "\(payloads)/\(name)"))
    }
    try folder.write(Self.conversation(), name: "talk-1", source: "here")
    #expect(HostFiles.names(in: payloads) == ["notes.txt"])
    try folder.write(Self.long(), name: "talk-1", source: "here")
    #expect(HostFiles.names(in: payloads).count == 2)
  }

  @Test func nothingIsWrittenThroughALink() throws {
    let (scratch, other) = (Scratch(), Scratch())
    var folder = try scratch.folder(overwrites: true)
    try HostFiles.makeFolder(other.path)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(other.path)/mine"))
    for (link, target) in [("talk-1.yaml", "mine"), ("talk-2", "."), ("talk-3.yaml", "nothing")] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(scratch.path)/\(link)", withDestinationPath: "\(other.path)/\(target)")
    }
    for number in 1...3 {
      let failure = #expect(throws: LabFailure.self) {
        try folder.write(Self.long(), name: "talk-\(number)", source: "here")
      }
      #expect(failure?.message.contains("is a symbolic link. Remove it") == true, "\(failure?.message ?? "")")
    }
    #expect(try other.names == ["mine"] && other.text("mine") == "mine")
  }

  @Test(arguments: [
    ("01-client.bin", true), ("123-server.txt", true), ("1-client.bin", false), ("01-client.bin.bak", false),
    ("01-peer.bin", false), ("my-01-client.bin", false),
  ])
  func payloadNames(name: String, isPayload: Bool) { #expect(DraftFolder.isPayload(name) == isPayload) }

  @Test func aWriterWritesInOrderAndAfterAFailureTheOthers() throws {
    let scratch = Scratch()
    let writer = DraftWriter(try scratch.folder(overwrites: true))
    // Nothing takes the place of a folder.
    try HostFiles.makeFolder("\(scratch.path)/talk-3.yaml")
    #expect(!writer.hasFailed)
    // More than wait at a time.
    for number in 1...40 { writer.write(numbered: "talk", source: "here") { Self.conversation("\(number)") } }
    let (folder, failure) = writer.finish()
    let wanted = (1...40).filter { $0 != 3 }.map { "talk-\($0).yaml" }
    #expect(scratch.told.withLock { $0 } == wanted)
    #expect(folder.written == wanted.map { "\(scratch.path)/\($0)" })
    #expect(writer.hasFailed && failure?.message.contains("talk-3.yaml can't be written") == true)
  }

  @Test func aCapturesConversationsAreChosenAndCounted() throws {
    let scratch = Scratch()
    var selection = DraftSelection(folder: try scratch.folder(), name: "talk", source: "talk.pcap", port: 81, most: 2)
    for client in ["h:1", "h:81", "h:181", "h:81", "h:81", "h:81"] { selection.take(Self.conversation(from: client)) }
    #expect(scratch.names == ["talk-1.yaml", "talk-2.yaml"], "a port is the whole port")
    #expect(selection.leftOut == 2 && selection.failure == nil)
    #expect(try scratch.text("talk-2.yaml").contains("talk.pcap, connection 2"))
    var any = DraftSelection(folder: try scratch.folder(), name: "any", source: "here", port: nil, most: 9)
    for _ in 0..<3 { any.take(Self.conversation()) }
    #expect(any.folder.written.count == 3)
  }

  @Test func afterAFailureNothingMoreIsWrittenOfACapture() throws {
    let scratch = Scratch()
    var selection = DraftSelection(folder: try scratch.folder(), name: "talk", source: "here", port: nil, most: 9)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(scratch.path)/talk-2.yaml"))
    for _ in 1...4 { selection.take(Self.conversation()) }
    #expect(scratch.names == ["talk-1.yaml", "talk-2.yaml"] && selection.failure != nil && selection.leftOut == 0)
  }

  @Test func aFolderThatCannotBeMadeIsToldOf() {
    #expect(throws: LabFailure.self) {
      try DraftFolder(path: "/proc/no/such", .init(pacing: Pacing(shortest: .zero, longest: .zero), tag: "t")) { _ in }
    }
  }
}
