import Foundation
import Testing

/// `peer` for several programs, one after the other, and for a person who has enough.
@Suite(.timeLimit(.minutes(2))) struct PeerCommandTests {
  /// The lab, as it listens in the background.
  private final class Listening {
    private let process = Process()
    private let pipe = Pipe()
    private(set) var output = ""

    init(_ arguments: [String], in suite: ScratchSuite) throws {
      process.executableURL = SocketLabProgram.url
      process.arguments = ["peer", "server.yaml", "--listen", "127.0.0.1:0"] + arguments
      process.currentDirectoryURL = suite.folder
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
    }

    /// Waits until the words have been printed so often.
    func wait(for words: String, times: Int = 1) throws {
      while output.components(separatedBy: words).count <= times {
        let more = pipe.fileHandleForReading.availableData
        try #require(!more.isEmpty, "ended without \(words): \(output)")
        output += String(decoding: more, as: UTF8.self)
      }
    }

    /// Where it listens.
    func address() throws -> String {
      try wait(for: ". Ctrl-C ends it.")
      let rest = output.components(separatedBy: "Listens at ").last ?? ""
      return rest.components(separatedBy: ". Ctrl-C").first ?? ""
    }

    func interrupt() { process.interrupt() }

    /// Waits for the end: the exit code.
    func end() -> Int32 {
      output += String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  private static func lane(_ steps: [String]) -> String {
    "title: A lane\nrequirements: [RD-DELIM-01]\npeer:\n" + steps.map { "  - \($0)\n" }.joined()
      + "subject:\n  - connect\nexpect:\n  - didConnect\n"
  }

  private static func suite() throws -> ScratchSuite {
    try ScratchSuite(
      ["read/line.yaml": ScratchSuite.passing],
      beside: [
        "server.yaml": lane(["accept", #"expect: "one""#, #"send: "two""#]),
        "good.yaml": lane(["accept", #"send: "one""#, #"expect: "two""#, "close"]),
        "wrong.yaml": lane(["accept", #"send: "none""#, "close"]),
        "patient.yaml": lane(["accept", #"send: "none""#, "expectEnd: rst"]),
        "silent.yaml": lane(["accept", "wait: 20ms", "expectEnd: either"]),
      ])
  }

  @Test func aClientThatIsWrongDoesNotEndThePlaysOfTheOthers() throws {
    let suite = try Self.suite()
    let peer = try Listening(["--times", "0"], in: suite)
    let address = try peer.address()
    for (number, file) in ["good.yaml", "wrong.yaml", "good.yaml"].enumerated() {
      let client = try suite.run(["peer", file, "--connect", address])
      #expect(client.status == 0, "\(number): \(client.output) \(client.error)")
    }
    try peer.wait(for: "the lane was played", times: 2)
    peer.interrupt()
    #expect(peer.end() == 1, "\(peer.output)")
    #expect(peer.output.components(separatedBy: "✗ expected").count == 2, "\(peer.output)")
    #expect(peer.output.components(separatedBy: "Listens at ").count == 2, "\(peer.output)")
  }

  @Test func whoPlaysUntilCtrlCIsNotToldThatNobodyCame() throws {
    let suite = try Self.suite()
    let peer = try Listening(["--times", "0"], in: suite)
    let address = try peer.address()
    #expect(try suite.run(["peer", "good.yaml", "--connect", address]).status == 0)
    try peer.wait(for: "the lane was played")
    peer.interrupt()
    #expect(peer.end() == 0, "\(peer.output)")
  }

  @Test func aClientThatWaitsAfterItsMistakeIsReset() throws {
    let suite = try Self.suite()
    let peer = try Listening([], in: suite)
    let client = try suite.run(["peer", "patient.yaml", "--connect", try peer.address()])
    #expect(client.status == 0, "\(client.output) \(client.error)")
    #expect(peer.end() == 1, "\(peer.output)")
    #expect(peer.output.contains("✗ expected"), "\(peer.output)")
  }

  @Test func ctrlCInTheMiddleOfALaneIsNoLaneThatWasPlayed() throws {
    let suite = try Self.suite()
    let peer = try Listening([], in: suite)
    let client = Process()
    client.executableURL = SocketLabProgram.url
    client.arguments = ["peer", "silent.yaml", "--connect", try peer.address()]
    client.currentDirectoryURL = suite.folder
    client.standardInput = FileHandle.nullDevice
    client.standardOutput = FileHandle.nullDevice
    client.standardError = FileHandle.nullDevice
    try client.run()
    try peer.wait(for: "connected")
    peer.interrupt()
    #expect(peer.end() == 1, "\(peer.output)")
    #expect(peer.output.contains("· ended by hand in the middle of the lane\n"), "\(peer.output)")
    client.waitUntilExit()
  }
}
