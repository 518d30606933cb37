import Foundation
import HostTools
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import TestSupport
import Testing

@testable import SubjectPrograms

/// The subjects that come with the lab, as far as this machine has what they need.
@Suite struct ShippedSubjectTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent(SubjectProgram.folder).path

  /// What each needs.
  private static let needs = ["asyncio": "python3", "c": "cc", "node": "node"]
  /// Built by `prepare`, which takes longer than a test may, or installed by it.
  private static let built = ["cocoa", "cocoa_faults", "nio", "twisted"]

  private static var names: [String] {
    SubjectProgram.names(in: folder).filter { !built.contains($0) }.filter { name in
      needs[name].map { tool in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
          access("\($0)/\(tool)", X_OK) == 0
        }
      } ?? true
    }
  }

  @Test func eachIsInTheFolderAndNamed() {
    #expect(SubjectProgram.names(in: Self.folder).contains("asyncio"))
    #expect(Set(SubjectProgram.names(in: Self.folder)) == Set(Self.needs.keys).union(Self.built))
  }

  @Test(arguments: names)
  func noneDoesAnythingWrongMessageByMessage(name: String) throws {
    var findings: [SubjectCheck.Finding] = []
    let outcome = try SubjectCheck(try SubjectProgram.find(name, in: Self.folder)) { findings.append($0) }.run()
    #expect(outcome.isSound, "\(findings.compactMap(\.trouble)) \(outcome.lastWords)")
    #expect(findings.count > 8)
  }

  /// What `getpeername` says of a connection that was reset; a layer below node has no part in its own loader.
  private static let forgetfulC = "#include <errno.h>\nint getpeername() { errno = ENOTCONN; return -1; }\n"
  private static let forgetfulJS = """
    require("node:net").Socket.prototype._getpeername = () => ({});
    """

  @Test(.enabled(if: ChildProgram.tool("cc") != nil), arguments: names)
  func onesConnectionIsResetBeforeItAsksWhomItIsConnectedTo(name: String) throws {
    let scratch = try Scratch()
    let (path, layer) = (scratch.path("forgetful"), scratch.path("layer"))
    let start = try SubjectProgram.find(name, in: Self.folder).path
    try Spawning.lock.withLock { _ in
      try Self.forgetfulC.write(toFile: "\(layer).c", atomically: true, encoding: .utf8)
      try Self.forgetfulJS.write(toFile: "\(layer).js", atomically: true, encoding: .utf8)
      let script =
        name == "node"
        ? "NODE_OPTIONS='--require \(layer).js' exec '\(start)'\n"
        : "cc -shared -fPIC -o '\(layer).so' '\(layer).c' && LD_PRELOAD='\(layer).so' exec '\(start)'\n"
      try "#!/bin/sh\n\(script)".write(toFile: path, atomically: true, encoding: .utf8)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    var findings: [SubjectCheck.Finding] = []
    let outcome = try SubjectCheck(try SubjectProgram.find(path, in: Self.folder)) { findings.append($0) }.run()
    #expect(outcome.isSound, "\(findings.compactMap(\.trouble)) \(outcome.lastWords)")
  }

  /// The library as a program, which is built with the tests.
  static func cocoa() throws -> SubjectProgram {
    SubjectProgram(
      name: "cocoa", path: try #require(ChildProgram.product("CocoaSubject"), "CocoaSubject was not built"))
  }

  @Test func theLibraryDoesNothingWrongMessageByMessage() throws {
    var findings: [SubjectCheck.Finding] = []
    let outcome = try SubjectCheck(try Self.cocoa()) { findings.append($0) }.run()
    #expect(outcome.isSound, "\(findings.compactMap(\.trouble)) \(outcome.lastWords)")
  }

  @Test(arguments: SubjectSkeleton.Language.allCases)
  func aSkeletonPassesTheCheck(language: SubjectSkeleton.Language) throws {
    let tools: [SubjectSkeleton.Language: String] = [.python: "python3", .swift: "swiftc", .c: "cc"]
    guard ChildProgram.tool(tools[language] ?? "") != nil else { return }
    let scratch = try Scratch()
    let path = scratch.path("mine")
    // A file that another test's child has open for writing, until it has become its program, can't be started.
    try Spawning.lock.withLock { _ in _ = try SubjectSkeleton.make(path, language, below: Self.folder) }
    let program = try SubjectProgram.find("\(path)/run", in: Self.folder)
    #expect(program.name == "mine")
    let trouble = try SubjectPreparation.run(program)
    #expect(trouble == nil)
    var findings: [SubjectCheck.Finding] = []
    let outcome = try SubjectCheck(program) { findings.append($0) }.run()
    #expect(outcome.isSound, "\(findings.compactMap(\.trouble)) \(outcome.lastWords)")
    for what in ["reads a length", "reads what is available"] {
      #expect(findings.contains { $0.what.hasPrefix(what) }, "\(what)")
    }
    #expect(throws: UsageFailure.self) { try SubjectSkeleton.make(path, language, below: Self.folder) }
    #expect(throws: UsageFailure.self) { try SubjectSkeleton.make("own", language, below: Self.folder) }
  }

  @Test func whatCantBePreparedSaysWhy() throws {
    let scratch = try Scratch()
    let script = "#!/bin/sh\necho building\necho nothing to build it with\nexit 3\n"
    try Spawning.lock.withLock { _ in
      try script.write(toFile: scratch.path("prepare"), atomically: true, encoding: .utf8)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.path("prepare"))
    let program = SubjectProgram(name: "x", path: scratch.path("run"))
    #expect(try SubjectPreparation.run(program) == "nothing to build it with")
  }

  @Test func aScriptThatIsNotExecutableIsNotPassedOver() throws {
    let scratch = try Scratch()
    let path = scratch.path("prepare")
    try "#!/bin/sh\n".write(toFile: path, atomically: true, encoding: .utf8)
    let program = SubjectProgram(name: "x", path: scratch.path("run"))
    #expect(try SubjectPreparation.run(program) == "\(path) is not executable: chmod +x \(path)")
  }

  @Test func aLongLastWordIsClipped() throws {
    let scratch = try Scratch()
    let script = "#!/bin/sh\nhead -c 100000 /dev/zero | tr '\\0' x\necho\nexit 3\n"
    _ = try scratch.program("prepare", script)
    let reason = try #require(try SubjectPreparation.run(SubjectProgram(name: "x", path: scratch.path("run"))))
    #expect(reason.count == 300 && reason.hasSuffix("…"))
  }

  @Test(arguments: names + ["cocoa"])
  func eachReadsALineOverEveryFamily(name: String) throws {
    let pool = SubjectPool()
    defer { pool.drain() }
    let program = name == "cocoa" ? try Self.cocoa() : try SubjectProgram.find(name, in: Self.folder)
    // Not every library has lines.
    let claims = try #require(try pool.take(program).claims)
    guard claims.features.contains(.readDelimiter) else { return }
    for family in AddressFamily.allCases {
      var world = LoopbackWorld(program, pool: pool)
      let result = CaseRunner.run(
        Self.line(family), variant: Variant(family: family, cut: .bytes, queues: .separate, program: name), seed: 1,
        profile: .documented, in: &world, tolerance: Tolerance(early: .milliseconds(5), late: .seconds(1)))
      #expect(result.verdict == .passed, "\(name), \(family): \(result.deviations) \(result.reason ?? "")")
    }
  }

  /// A line is read, and the reaction to it ends the connection.
  static func line(_ family: AddressFamily) -> Scenario {
    let here = SourcePosition(line: 1, column: 1)
    let read = ReadCommand(boundary: .through(.bytes([13, 10]), limit: 0), timeout: TimeoutValue(seconds: 5), tag: 7)
    var scenario = Scenario(id: "test/line", title: "A line")
    scenario.peers = [
      PeerLane(
        name: "peer",
        steps: [.accept, .send(.bytes(Array("HELLO\r\n".utf8)))].map { Located<PeerStep>($0, at: here) })
    ]
    scenario.subjects = [
      SubjectLane(
        name: "socket",
        steps: [
          .command(.connect(ConnectCommand(target: .peer("peer"))), socket: "socket", refusal: nil),
          .command(.read(read), socket: "socket", refusal: nil),
        ].map { LocatedStep($0, at: here) })
    ]
    var line = CallbackPattern(kind: .didRead)
    line.bytes = .bytes(Array("HELLO\r\n".utf8))
    scenario.reactions = [
      Reaction(
        pattern: CallbackPattern(kind: .didRead), socket: "socket", times: 1,
        steps: [LocatedStep(.command(.disconnect, socket: "socket", refusal: nil), at: here)], position: here)
    ]
    var end = CallbackPattern(kind: .didDisconnect)
    end.error = ErrorPattern.none
    let connect = CallbackPattern(kind: family == .unix ? .didConnectToURL : .didConnect)
    scenario.expectations = [connect, line, end].map {
      .event(EventExpectation(pattern: $0, socket: "socket", position: here))
    }
    scenario.ending = .bySubject(.fin)
    return scenario
  }
}
