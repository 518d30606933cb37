import Foundation
import TestSupport
import Testing

/// The HTTP server of the examples, under clients that know nothing of this library.
@Suite struct HTTPServerTests {
  /// A server that runs until the test lets it go.
  private struct Server {
    let program: ChildProgram
    let port: UInt16

    init() throws {
      program = try ChildProgram(
        try #require(ChildProgram.product("HTTPServer"), "HTTPServer was not built beside the tests"))
      let line = try program.output(through: "\n")
      try #require(line.hasPrefix("HTTP server started on port "))
      port = try #require(UInt16(line.split(separator: " ").last?.trimmingCharacters(in: .newlines) ?? ""))
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Runs curl to its end; what it printed.
    func curl(_ arguments: [String]) throws -> String {
      let curl = try ChildProgram(try #require(ChildProgram.tool("curl")), ["-sS", "--max-time", "50"] + arguments)
      let (output, code) = try curl.end()
      #expect(code == 0, "curl \(arguments) ended with \(code): \(output.prefix(500))")
      return output
    }
  }

  /// A folder that ends with the test.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("http-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
  }

  private static let hasCurl = Comment(rawValue: "curl is not installed")

  @Test(
    "pages, and what is no page", .enabled(if: ChildProgram.tool("curl") != nil, hasCurl),
    arguments: [
      (["/hello"], "Hello, world!\n200 14 keep-alive"),
      (["/hello?query=1"], "Hello, world!\n200 14 keep-alive"),
      (["/empty"], "200 0 keep-alive"),
      (["-I", "-o", "/dev/null", "/digits"], "200 0 keep-alive"),
      (["-o", "/dev/null", "/digits"], "200 1048576 keep-alive"),
      (["-0", "/hello"], "Hello, world!\n200 14 close"),
      (["-H", "Connection: close", "/hello"], "Hello, world!\n200 14 close"),
      (["-0", "-H", "Connection: Keep-Alive", "/hello"], "Hello, world!\n200 14 keep-alive"),
      (["/nothing"], "There is no such page.\n404 23 keep-alive"),
      (["-X", "DELETE", "/hello"], "This page takes GET, HEAD.\n405 27 keep-alive"),
      (["/echo"], "This page takes POST, PUT.\n405 27 keep-alive"),
      (["-d", "a=b", "/hello"], "This page takes GET, HEAD.\n405 27 keep-alive"),
      (["-H", "Transfer-Encoding: gzip", "/hello"], "The only known coding is chunked.\n400 34 close"),
    ] as [([String], String)])
  func pages(arguments: [String], expected: String) throws {
    let server = try Server()
    let output = try server.curl(
      arguments.dropLast() + [server.url(arguments.last ?? "/")]
        + ["-w", "%{http_code} %{size_download} %header{connection}"])
    #expect(output == expected)
  }

  @Test("HEAD tells the length of what it does not send", .enabled(if: ChildProgram.tool("curl") != nil, hasCurl))
  func head() throws {
    let server = try Server()
    let fields = ["Content-Type: text/plain", "Content-Length: 1048576", "Connection: keep-alive"]
    let expected = "HTTP/1.1 200 OK\r\n" + fields.joined(separator: "\r\n") + "\r\n\r\n"
    #expect(try server.curl(["-I", server.url("/digits")]) == expected)
  }

  @Test(
    "bodies come back as they were", .enabled(if: ChildProgram.tool("curl") != nil, hasCurl),
    arguments: [0, 1, 2, 1000, 65_536, 1_048_576, 5 << 20], [false, true])
  func bodies(size: Int, isChunked: Bool) throws {
    let server = try Server()
    let folder = try Folder()
    let body = Data(countingBytes(size))
    try body.write(to: URL(fileURLWithPath: folder.path("sent")))
    let coding = isChunked ? ["-H", "Transfer-Encoding: chunked"] : []
    let code = try server.curl(
      coding + [
        "--data-binary", "@\(folder.path("sent"))", "-o", folder.path("got"), "-w", "%{http_code}", server.url("/echo"),
      ])
    #expect(code == "200")
    // Of no body curl makes no file.
    let got = (try? Data(contentsOf: URL(fileURLWithPath: folder.path("got")))) ?? Data()
    #expect(got == body)
  }

  @Test(
    "a body beyond the limit is refused, and the client hears why",
    .enabled(if: ChildProgram.tool("curl") != nil, hasCurl), arguments: ["Expect:", "X: y"], [false, true])
  func tooLarge(field: String, isChunked: Bool) throws {
    let server = try Server()
    let folder = try Folder()
    try Data(count: (8 << 20) + 1).write(to: URL(fileURLWithPath: folder.path("sent")))
    let coding = isChunked ? ["-H", "Transfer-Encoding: chunked"] : []
    let output = try server.curl(
      coding + [
        "-H", field, "--data-binary", "@\(folder.path("sent"))", "-w", "%{http_code}", server.url("/echo"),
      ])
    #expect(output == "A body may have 8388608 bytes.\n413")
  }

  @Test(
    "requests share a connection", .enabled(if: ChildProgram.tool("curl") != nil, hasCurl))
  func keepsAlive() throws {
    let server = try Server()
    let urls = ["/hello", "/empty", "/nothing", "/hello"].flatMap { [server.url($0), "-o", "/dev/null"] }
    #expect(try server.curl(urls + ["-w", "%{num_connects} "]) == "1 0 0 0 ")
  }

  // MARK: Speed

  /// Held up by Nagle's algorithm and delayed acknowledgements, one connection gets 22 a second.
  private static let leastRate = 60.0

  @Test(
    "header and body of each answer come without a pause",
    .enabled(if: ChildProgram.tool("ab") != nil, "ab (apache2-utils) is not installed"), arguments: [1, 20])
  func rate(connections: Int) throws {
    let server = try Server()
    let first = try descriptorsAfterAFirstClient(server)
    let ab = try ChildProgram(
      try #require(ChildProgram.tool("ab")),
      ["-q", "-k", "-n", "2000", "-c", "\(connections)", server.url("/hello")])
    let (output, code) = try ab.end()
    func figure(_ name: String) throws -> Double {
      let line = try #require(output.components(separatedBy: "\n").first { $0.hasPrefix(name + ":") }, "\(output)")
      return try #require(Double(line.dropFirst(name.count + 1).split(separator: " ").first ?? ""))
    }
    #expect(code == 0)
    #expect(try figure("Complete requests") == 2000 && figure("Failed requests") == 0)
    #expect(try figure("Keep-Alive requests") == 2000)
    #expect(try figure("Requests per second") >= Self.leastRate)
    try eventually("as many descriptors as at first") { try server.program.descriptors() <= first }
  }

  @Test(
    "as many connections as wrk makes are served, and none is left",
    .enabled(if: ChildProgram.tool("wrk") != nil, "wrk is not installed"))
  func load() throws {
    let server = try Server()
    let first = try descriptorsAfterAFirstClient(server)
    let wrk = try ChildProgram(
      try #require(ChildProgram.tool("wrk")), ["-t1", "-c50", "-d1s", server.url("/hello")])
    let (output, code) = try wrk.end()
    let rate = output.components(separatedBy: "\n").first { $0.hasPrefix("Requests/sec:") }?
      .split(separator: " ").last.flatMap { Double($0) }
    #expect(code == 0)
    #expect(!output.contains("Socket errors") && !output.contains("Non-2xx"), "\(output)")
    #expect(try #require(rate, "\(output)") >= Self.leastRate)
    try eventually("as many descriptors as at first") { try server.program.descriptors() <= first }
  }

  /// How many are open when a first client, who makes the server open what it keeps, has come and gone. Another server
  /// may have other ones: a program inherits what the tests open while it starts. What the process makes once, some of
  /// it on threads of its own, is there by then: nothing new comes for a while.
  private func descriptorsAfterAFirstClient(_ server: Server) throws -> Int {
    for request in ["GET /empty HTTP/1.0\r\n\r\n", Self.request] {
      let peer = try RawPeer.connect(port: server.port)
      try peer.send(request)
      _ = try peer.receiveSome()
      if request != Self.request { _ = try peer.receiveToEnd() }
    }
    var (count, since) = (try server.program.descriptors(), ContinuousClock.now)
    try eventually("nothing new") {
      let now = try server.program.descriptors()
      if now != count { (count, since) = (now, .now) }
      return ContinuousClock.now - since > .milliseconds(300)
    }
    return count
  }

  // MARK: Odd clients

  private static let hello =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 14\r\n"
    + "Connection: keep-alive\r\n\r\nHello, world!\n"
  private static let request = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"

  @Test("a hundred requests without waiting get a hundred answers in order")
  func pipelined() throws {
    let server = try Server()
    let peer = try RawPeer.connect(port: server.port)
    let posts = (0..<100).map { "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n\(100 + $0)" }
    try peer.send(posts.joined() + "\r\n" + Self.request)
    let text = String(
      decoding: try peer.receive(100 * Self.echoed("100").utf8.count + Self.hello.utf8.count), as: UTF8.self)
    #expect(text == (0..<100).map { Self.echoed("\(100 + $0)") }.joined() + Self.hello)
  }

  private static func echoed(_ body: String) -> String {
    "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: \(body.utf8.count)\r\n"
      + "Connection: keep-alive\r\n\r\n\(body)"
  }

  @Test("a client that ends its stream behind its requests gets every answer")
  func halfClosed() throws {
    let server = try Server()
    for count in [1, 2, 5] {
      let peer = try RawPeer.connect(port: server.port)
      try peer.send(String(repeating: Self.request, count: count))
      peer.finish()
      let text = String(decoding: try peer.receiveToEnd(), as: UTF8.self)
      #expect(text == String(repeating: Self.hello, count: count))
    }
  }

  @Test("a request byte by byte, with chunks and trailers, is one request")
  func byteByByte() throws {
    let server = try Server()
    let peer = try RawPeer.connect(port: server.port)
    let text =
      "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "5;name=value\r\nabcde\r\n1\r\nf\r\n0\r\nTrailer: x\r\nAnother: y\r\n\r\n"
    for byte in text.utf8 { try peer.send([byte]) }
    let expected = Self.echoed("abcdef")
    #expect(String(decoding: try peer.receive(expected.utf8.count), as: UTF8.self) == expected)
  }

  @Test(
    "garbage is refused, and the connection ends",
    arguments: [
      ("garbage\r\n\r\n", "400"), ("GET  /hello HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
      ("GET hello HTTP/1.1\r\nHost: x\r\n\r\n", "400"), ("GET /hello HTTP/1.1\r\n\r\n", "400"),
      ("GET /hello HTTP/1.1\r\nHost: x\r\nno field\r\n\r\n", "400"),
      ("GET /hello HTTP/2.0\r\nHost: x\r\n\r\n", "505"), ("\u{16}\u{3}\u{1}\u{0}\r\n\r\n", "400"),
      ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400"),
      ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n", "400"),
      ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"),
      ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
      ("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "400"),
      ("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", "400"),
      ("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc", "400"),
      ("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", "413"),
    ])
  func garbage(_ text: String, code: String) throws {
    let server = try Server()
    let peer = try RawPeer.connect(port: server.port)
    try peer.send(text)
    let answer = String(decoding: try peer.receiveToEnd(), as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 \(code) ") && answer.contains("\r\nConnection: close\r\n"), "\(answer)")
    // It has not hurt anybody.
    let next = try RawPeer.connect(port: server.port)
    try next.send(Self.request)
    #expect(String(decoding: try next.receive(Self.hello.utf8.count), as: UTF8.self) == Self.hello)
  }

  @Test("a head without end is cut off at its limit")
  func endlessHead() throws {
    let server = try Server()
    let peer = try RawPeer.connect(port: server.port)
    do {
      try peer.send("GET /hello HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 2800))
      #expect(try peer.receiveToEnd().isEmpty)
    } catch let failure as POSIXFailure {
      // What was not read of it makes the end a reset.
      #expect([ECONNRESET, EPIPE].contains(failure.code))
    }
  }

  @Test("SIGTERM: the request that is under way is answered, the idle go, and the program ends")
  func gracefulStop() throws {
    let server = try Server()
    let idle = try RawPeer.connect(port: server.port)
    try idle.send(Self.request)
    _ = try idle.receive(Self.hello.utf8.count)
    let busy = try RawPeer.connect(port: server.port)
    try busy.send("POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
    let goOn = "HTTP/1.1 100 Continue\r\n\r\n"
    #expect(String(decoding: try busy.receive(goOn.utf8.count), as: UTF8.self) == goOn)
    server.program.send(signal: SIGTERM)
    #expect(try idle.receiveToEnd().isEmpty)
    try busy.send("abc")
    let answer = String(decoding: try busy.receiveToEnd(), as: UTF8.self)
    // It may have been on its way before its connection was told to end.
    #expect(answer.replacingOccurrences(of: "Connection: close", with: "Connection: keep-alive") == Self.echoed("abc"))
    let (output, code) = try server.program.end()
    #expect(code == 0 && output == "Stopped: 2 clients, 2 requests\n")
  }
}
