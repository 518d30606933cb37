import Foundation
import TestSupport
import Testing

/// The example programs, run as their users run them.
@Suite struct ExampleProgramTests {
  private static let welcome = "Welcome to the AsyncSocket Echo Server\r\n"

  /// The two echo servers, and what they say of a client that has gone.
  private static let echoServers = [
    ("EchoServer", "Client disconnected: Socket closed by remote peer\n"),
    ("RunLoopEchoServer", "Client disconnects: end of stream\n"),
  ]

  private static func start(
    _ name: String, saying greeting: String = "Echo server started on port "
  ) throws -> (program: ChildProgram, port: String) {
    let program = try ChildProgram(try #require(ChildProgram.product(name), "\(name) was not built beside the tests"))
    let line = try program.output(through: "\n")
    let port = try #require(line.split(separator: " ").last).trimmingCharacters(in: .newlines)
    #expect(line.hasPrefix(greeting) && UInt16(port) ?? 0 > 0)
    return (program, port)
  }

  @Test(
    "the echo servers and socat understand each other",
    .enabled(if: ChildProgram.tool("socat") != nil, "socat is not installed"), arguments: echoServers)
  func echoWithSocat(_ name: String, _ farewell: String) throws {
    let server = try Self.start(name)
    try Self.converse(
      with: try #require(ChildProgram.tool("socat")), ["-", "TCP:127.0.0.1:\(server.port)"], server.program, farewell)
  }

  /// The main bundle of a program without one is its folder.
  @Test("texts of errors are looked for in AsyncSocket.strings by the constant's name, else English (RL-28)")
  func localisedTexts() throws {
    let taken = try RawListener()
    let scratch = try Scratch()
    let own = "A call failed, says the table"
    let built = try #require(ChildProgram.product("RunLoopEchoServer"), "RunLoopEchoServer was not built")
    let program = scratch.path("RunLoopEchoServer")
    // Not by this process, whose children of other tests would hold the file open for writing.
    let copying = try ChildProgram(try #require(ChildProgram.tool("cp")), [built, program]).end()
    #expect(copying.code == 0, "\(copying.output)")
    for (table, text) in [
      (nil, "General CFSocket error"), ("\"AsyncSocketCFSocketError\" = \"\(own)\";\n", own),
      ("\"AsyncSocketCanceledError\" = \"\(own)\";\n", "General CFSocket error"),
    ] as [(String?, String)] {
      try table?.write(toFile: scratch.path("AsyncSocket.strings"), atomically: true, encoding: .utf8)
      let (output, code) = try ChildProgram(program, ["\(taken.port)"]).end()
      #expect(output == "Error starting server: \(text)\n")
      #expect(code == 1)
    }
  }

  @Test(
    "the server with worker threads sends its clients of socat to one after the other",
    .enabled(if: ChildProgram.tool("socat") != nil, "socat is not installed"))
  func workerThreads() throws {
    let server = try Self.start("WorkerThreadServer", saying: "Server started on port ")
    let socat = try #require(ChildProgram.tool("socat"))
    var clients: [ChildProgram] = []
    for worker in ["worker 2", "worker 1", "worker 2"] {
      let client = try ChildProgram(socat, ["-", "TCP:127.0.0.1:\(server.port)"])
      #expect(try client.output(through: "\r\n") == "You are served by \(worker)\r\n")
      try client.send("hello\r\n")
      #expect(try client.output(through: "\r\n") == "\(worker) says hello\r\n")
      clients.append(client)
    }
    for client in clients { client.terminate() }
    #expect(server.program.isRunning)
  }

  @Test(
    "the echo server and nc understand each other",
    .enabled(if: ChildProgram.tool("nc") != nil, "nc is not installed"))
  func echoWithNetcat() throws {
    let server = try Self.start(Self.echoServers[0].0)
    try Self.converse(
      with: try #require(ChildProgram.tool("nc")), ["127.0.0.1", server.port], server.program, Self.echoServers[0].1)
  }

  private static func converse(
    with tool: String, _ arguments: [String], _ server: ChildProgram, _ farewell: String
  ) throws {
    let client = try ChildProgram(tool, arguments)
    #expect(try client.output(through: "\r\n") == welcome)
    for line in ["hello\r\n", "\r\n", "a longer line with \u{E9} and a lone \n in it\r\n"] {
      try client.send(line)
      #expect(try client.output(through: "\r\n") == line)
    }
    // The client's input stays open up to here: its end would end the connection, or not, as the tool likes.
    client.terminate()
    #expect(try server.output(through: "\n").hasPrefix("Accepted client 127.0.0.1:"))
    #expect(try server.output(through: "\n") == farewell)
  }

  @Test("the echo server serves several clients of its own kind at once")
  func echoSeveral() throws {
    let server = try Self.start("EchoServer")
    let port = try #require(UInt16(server.port))
    let peers = try (0..<10).map { index in
      try RawPeer.connect(port: port, family: index % 2 == 0 ? .ipv4 : .ipv6)
    }
    for (index, peer) in peers.enumerated() {
      #expect(try peer.receive(Self.welcome.utf8.count) == Array(Self.welcome.utf8))
      try peer.send("client \(index)\r\n")
    }
    for (index, peer) in peers.enumerated() {
      let line = "client \(index)\r\n"
      #expect(try peer.receive(line.utf8.count) == Array(line.utf8))
    }
  }

  @Test("the HTTP client fetches a page")
  func fetchesPage() throws {
    let listener = try RawListener()
    let path = try #require(ChildProgram.product("HTTPClient"), "HTTPClient was not built beside the tests")
    let client = try ChildProgram(path, ["127.0.0.1", "\(listener.port)", "/page"])
    let peer = try listener.accept()
    let expected = "GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    #expect(try peer.receive(expected.utf8.count) == Array(expected.utf8))
    // Header and body come in pieces that fit nothing.
    let body = String(repeating: "0123456789", count: 1000)
    let reply = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    let bytes = Array(reply.utf8)
    for start in stride(from: 0, to: bytes.count, by: 997) {
      try peer.send(Array(bytes[start..<min(start + 997, bytes.count)]))
    }
    #expect(try peer.ending() == .endOfStream)
    let (output, code) = try client.end()
    #expect(code == 0)
    #expect(output == "Connected to 127.0.0.1:\(listener.port)\n" + reply + "\n")
  }

  @Test("the HTTP client says what went wrong")
  func reportsFailures() throws {
    let path = try #require(ChildProgram.product("HTTPClient"), "HTTPClient was not built beside the tests")
    let refusing = try RawListener(backlog: nil)
    let refused = try ChildProgram(path, ["127.0.0.1", "\(refusing.port)", "/"]).end()
    #expect(refused.code == 1 && refused.output == "Disconnected: Connection refused\n")
    let usage = try ChildProgram(path, []).end()
    #expect(usage.code == 2 && usage.output.contains("usage"))

    let listener = try RawListener()
    let client = try ChildProgram(path, ["127.0.0.1", "\(listener.port)", "/"])
    let peer = try listener.accept()
    _ = try peer.receiveSome()
    try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut short")
    peer.close()
    let cut = try client.end()
    #expect(cut.code == 1 && cut.output.hasSuffix("Disconnected: Socket closed by remote peer\n"))
  }
}
