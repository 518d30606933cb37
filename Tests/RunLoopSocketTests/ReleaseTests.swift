import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// What the last release of a socket on a run loop leaves behind.
@Suite struct ReleaseTests {
  @Test(
    "what was written is sent though the socket is released in the same turn (LIFE-18, DIS-23)", arguments: [1, 40])
  func writesBeforeRelease(count: Int) async throws {
    try await onThread {
      var peer: RawPeer?
      var wasKept = false
      do {
        let connected = try ConnectedSocket()
        weak let socket = connected.socket
        for tag in 0..<count { connected.socket.write(Data("bye".utf8), withTimeout: -1, tag: tag) }
        peer = connected.peer
        wasKept = socket != nil
      }
      // The run loop does not run any more.
      #expect(wasKept)
      let received = try #require(peer).receiveToEnd()
      #expect(String(decoding: received, as: UTF8.self) == String(repeating: "bye", count: count))
    }
  }
}
