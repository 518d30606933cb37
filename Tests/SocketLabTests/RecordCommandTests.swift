import Foundation
import Testing

/// Programs between which the lab stands: `record` and `peer` as commands, with each other.
@Suite struct RecordCommandTests {
  /// The lab, as it runs in the background.
  private final class Running {
    private let process = Process()
    private let pipe = Pipe()
    private let keys = Pipe()
    private(set) var output = ""

    init(_ arguments: [String], in suite: ScratchSuite) throws {
      process.executableURL = SocketLabProgram.url
      process.arguments = arguments
      process.currentDirectoryURL = suite.folder
      process.standardInput = keys
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
    }

    /// What stands behind these words, up to the end of the word that follows; waits for it.
    func word(behind words: String) throws -> String {
      while true {
        if let range = output.range(of: words) {
          let rest = output[range.upperBound...]
          if let end = rest.firstIndex(where: { " ,\n".contains($0) }) {
            return String(rest[..<end]).trimmingCharacters(in: CharacterSet(charactersIn: "."))
          }
        }
        let more = pipe.fileHandleForReading.availableData
        try #require(!more.isEmpty, "ended without \(words): \(output)")
        output += String(decoding: more, as: UTF8.self)
      }
    }

    func press(_ keys: String) { self.keys.fileHandleForWriting.write(Data(keys.utf8)) }

    func interrupt() { process.interrupt() }

    /// Waits for the end: the exit code.
    func end() -> Int32 {
      output += String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  private static func lane(_ steps: String) -> String {
    """
    title: A lane
    requirements: [RD-DELIM-01]
    peer:
    \(steps.split(separator: "\n").map { "  - \($0)\n" }.joined())
    subject:
      - connect
    expect:
      - didConnect

    """
  }

  private static func suite() throws -> ScratchSuite {
    try ScratchSuite(
      [
        "read/line.yaml": ScratchSuite.passing, "control/plain.yaml": ScratchSuite.passing,
        "canary/blind.yaml": ScratchSuite.failing + "canary: true\n",
      ],
      beside: [
        "server.yaml": lane("accept\nexpect: \"one\\n\"\nsend: \"two\\n\"\nexpectEnd: fin\nsend: \"three\\n\"\nfinish"),
        "client.yaml": lane(
          "accept\nsend: \"one\\n\"\nexpect: \"two\\n\"\nfinish\nexpect: \"three\\n\"\nexpectEnd: fin"),
        // Neither of these two ends the connection.
        "ask.yaml": lane("accept\nsend: \"one\\n\"\nexpect: \"two\\n\""),
        "answer.yaml": lane("accept\nexpect: \"one\\n\"\nsend: \"two\\n\""),
        "hole.yaml": lane("blackhole"), "no.yaml": lane("refuse"),
        "steps.yaml": lane("accept\nsend: \"one\\n\"\nclose"),
      ])
  }

  @Test("what two programs said is recorded, and plays in both worlds; what was there stays")
  func recorded() throws {
    let suite = try Self.suite()
    for round in 1...2 {
      let server = try Running(["peer", "server.yaml", "--listen", "127.0.0.1:0"], in: suite)
      let record = try Running(
        [
          "record", "--listen", "127.0.0.1:0", "--to", try server.word(behind: "Listens at "), "--into", "talk",
          "--count", "1",
        ],
        in: suite)
      let client = try Running(["peer", "client.yaml", "--connect", try record.word(behind: "Listens at ")], in: suite)
      #expect(client.end() == 0, "\(client.output)")
      #expect(server.end() == 0, "\(server.output)")
      #expect(record.end() == 0, "\(record.output)")
      #expect(record.output.contains("talk/connection-\(round).yaml"), "\(record.output)")
    }
    let file = suite.folder.appendingPathComponent("talk/connection-2.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    // The client ended first and read on: the subject can't, so the peer plays it.
    #expect(text.contains("The peer plays the client") && text.contains("- finish"), "\(text)")
    let run = try suite.run(["run", "talk"])
    #expect(run.status == 0, "\(run.output) \(run.error)")
    #expect(run.output.contains("loopback    2 passed"), "\(run.output)")
  }

  @Test("Ctrl-C keeps what is open; a Unix-domain path is there as long as it is listened at")
  func interrupted() throws {
    let suite = try Self.suite()
    let server = try Running(["peer", "answer.yaml", "--listen", "./server.sock"], in: suite)
    _ = try server.word(behind: "Listens at ")
    let record = try Running(
      ["record", "--listen", "./here.sock", "--to", "./server.sock", "--into", "talk"], in: suite)
    _ = try record.word(behind: "Listens at ")
    let client = try Running(["peer", "ask.yaml", "--connect", "./here.sock"], in: suite)
    // The server has answered.
    _ = try client.word(behind: "← 4 bytes ")
    record.interrupt()
    #expect(record.end() == 0, "\(record.output)")
    #expect(record.output.contains("talk/connection-1.yaml"), "\(record.output)")
    // To both it is the end of the connection.
    _ = (client.end(), server.end())
    for path in ["here.sock", "server.sock"] {
      #expect(!FileManager.default.fileExists(atPath: suite.folder.appendingPathComponent(path).path), "\(path)")
    }
  }

  @Test("what can't be recorded is told with what to do")
  func mistakes() throws {
    let suite = try Self.suite()
    let long = "./" + String(repeating: "x", count: 120)
    for (words, status, text) in [
      (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:1", "--count", "0"], 2, "at least 1"),
      (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:1", "--size=-5"], 2, "at least 1"),
      (["--listen", "127.0.0.1:7", "--to", "127.0.0.1:7"], 2, "connect to itself"),
      (["--listen", "0.0.0.0:7", "--to", "127.0.0.1:7"], 2, "connect to itself"),
      (["--listen", "[::]:7", "--to", "[::1]:7"], 2, "connect to itself"),
      (["--listen", long, "--to", "127.0.0.1:7"], 2, "122 bytes long"),
      (["--listen", "nonsense", "--to", "127.0.0.1:7"], 2, "no address"),
      (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:7", "--into", "server.yaml/talk"], 4, "server.yaml"),
      (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:7", "--open-tls", "--key-log", "k"], 2, "Say one"),
      (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:7", "--key-log", "Scenarios"], 2, "Scenarios is a folder"),
      (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:7", "--name", "a#b"], 2, "leave `#` and `/` out"),
    ] {
      let result = try suite.run(["record"] + words)
      #expect(result.status == status, "\(words): \(result.output) \(result.error)")
      #expect(result.error.contains(text), "\(words): \(result.error)")
    }
  }

  @Test("a number of connections below zero is none")
  func times() throws {
    let result = try Self.suite().run(["peer", "server.yaml", "--listen", "127.0.0.1:0", "--times=-3"])
    #expect(result.status == 2 && result.error.contains("--times is at least 1"), "\(result.error)")
  }

  @Test("an authority of an earlier recording stays, unless files are written over", arguments: [false, true])
  func authority(isForced: Bool) throws {
    let suite = try Self.suite()
    let file = suite.folder.appendingPathComponent("my talk/authority.pem")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: file)
    let record = try Running(
      ["record", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:1", "--open-tls", "--into", "my talk", "--count", "1"]
        + (isForced ? ["--force"] : []), in: suite)
    let address = try record.word(behind: "Listens at ")
    #expect(try record.word(behind: "must trust my talk/") == (isForced ? "authority.pem" : "authority-2.pem"))
    // Nobody is where it goes on to, which is a conversation, too.
    _ = try Running(["peer", "client.yaml", "--connect", address], in: suite).end()
    #expect(record.end() == 0, "\(record.output)")
    #expect(record.output.contains("Next: ./lab run 'my talk/connection-1.yaml'\n"), "\(record.output)")
    #expect(try (String(contentsOf: file, encoding: .utf8) == "mine") == !isForced)
  }

  @Test("a peer that lets nobody in stays until Ctrl-C", arguments: ["hole.yaml", "no.yaml"])
  func nobody(file: String) throws {
    let suite = try Self.suite()
    let peer = try Running(["peer", file, "--listen", "127.0.0.1:0"], in: suite)
    _ = try peer.word(behind: " at ")
    peer.interrupt()
    #expect(peer.end() == 0, "\(peer.output)")
    #expect(peer.output.contains("the lane was played"), "\(peer.output)")
  }

  @Test("step by step the next step is shown as it stands in the file, once")
  func steps() throws {
    let suite = try Self.suite()
    let peer = try Running(["peer", "steps.yaml", "--listen", "127.0.0.1:0", "--ui"], in: suite)
    let client = try Running(["peer", "client.yaml", "--connect", try peer.word(behind: "Listens at ")], in: suite)
    #expect(try peer.word(behind: "next, line 5: send: ") == #""one\n""#)
    peer.press("n")
    #expect(try peer.word(behind: "next, line 6: ") == "close")
    peer.press("n")
    #expect(peer.end() == 0, "\(peer.output)")
    #expect(peer.output.components(separatedBy: "next, line 5").count == 2, "\(peer.output)")
    // It got what it does not expect.
    #expect(client.end() == 1, "\(client.output)")
  }
}
