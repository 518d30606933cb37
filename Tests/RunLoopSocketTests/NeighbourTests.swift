import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// Sockets that share a run loop.
@Suite struct NeighbourTests {
  /// Reads lines for ever.
  private final class Flooded: AsyncSocketDelegate {
    var count = 0

    func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16) { goOn(sock) }

    func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
      count += 1
      goOn(sock)
    }

    private func goOn(_ socket: AsyncSocket) { socket.readData(to: AsyncSocket.lfData(), withTimeout: -1, tag: 0) }
  }

  @Test("a peer that sends without end leaves the run loop to others (INV-17)")
  func flood() async throws {
    try await onThread {
      let listener = try RawListener()
      let flooded = Flooded()
      let busy = AsyncSocket(delegate: flooded)
      try busy.connect(toHost: "127.0.0.1", onPort: listener.port)
      let sender = try listener.accept()
      let recorder = RunLoopRecorder()
      recorder.reactions["didRead"] = { $0.readData(withTimeout: -1, tag: 1) }
      let other = AsyncSocket(delegate: recorder)
      try other.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      other.readData(withTimeout: -1, tag: 1)
      let isOver = Flag()
      let hasEnded = Latch()
      Thread {
        let lines = Array(repeatElement(Array("hello\n".utf8), count: 5000).joined())
        while !isOver.isSet { try? sender.send(lines) }
        hasEnded.signal()
      }.start()
      // Should it starve the run loop, it ends: the test fails and goes on. It would do so for ever, so a busy machine
      // gets all the time it needs.
      Thread {
        Thread.sleep(forTimeInterval: generousLimit)
        isOver.set()
      }.start()
      #expect(runLoop { flooded.count > 1000 })
      for round in 1...10 {
        try peer.send("x")
        #expect(runLoop { recorder.count("didRead") == round }, "round \(round)")
      }
      #expect(!isOver.isSet, "the others had to wait until the flood was over")
      isOver.set()
      busy.disconnect()
      sender.close()
      try hasEnded.wait("the flood ends")
    }
  }
}
