import Foundation
import Glibc
import SocketPOSIX
import TestSupport
import Testing

/// What is at the path where a listener of the lab's is to be.
@Suite("Unix paths of the lab")
struct UnixPathTests {
  @discardableResult
  private static func bind(_ path: String) throws -> Descriptor {
    let socket = try SocketCall.open(family: AF_UNIX)
    try UnixPath.bind(socket.rawValue, to: try #require(RawAddress.unix(path)))
    return socket
  }

  @Test("a file that is no socket stays, and is an error")
  func anotherFile() throws {
    let scratch = try Scratch()
    try scratch.write(["file": "precious"])
    let (file, link) = (scratch.path("file"), scratch.path("link"))
    #expect(symlink(file, link) == 0)
    for path in [file, link, scratch.folder.path] {
      let failure = #expect(throws: SystemCallFailure.self) { try Self.bind(path) }
      #expect(failure?.code == EADDRINUSE)
    }
    #expect(try String(contentsOfFile: link, encoding: .utf8) == "precious")
  }

  @Test("a socket that nobody listens on any more is replaced, and one that somebody listens on is not")
  func socketFiles() throws {
    let scratch = try Scratch()
    let path = scratch.path("socket")
    do {
      let first = try Self.bind(path)
      try SocketCall.listen(first.rawValue, backlog: 1)
      let failure = #expect(throws: SystemCallFailure.self) { try Self.bind(path) }
      #expect(failure?.code == EADDRINUSE)
    }
    _ = try Self.bind(path)
  }
}
