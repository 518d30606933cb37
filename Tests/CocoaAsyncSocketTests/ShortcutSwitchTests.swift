import CocoaAsyncSocket
import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// Shortcuts that a socket does without are not taken. That nobody sees more of them than the time is what scenarios
/// show with `speed: [plain, all]`.
@Suite(.serialized) struct ShortcutSwitchTests {
  private static var threadName: String {
    (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
  }

  @Test(
    "the loop's thread runs callbacks only where it lends itself", arguments: ["all", "plain", "deferral", "lending"],
    [false, true])
  func lending(speed: String, sharesQueue: Bool) throws {
    let onLoop = LockedValue(0)
    let queue = DispatchQueue(label: "delegate")
    let delegate = RecorderDelegate { socket, kind in
      guard case .read(_, let tag) = kind else { return }
      if Self.threadName.contains("-loop-") { onLoop.withLock { $0 += 1 } }
      socket.readData(withTimeout: -1, tag: tag + 1)
    }
    let link = try SocketAndPeer(
      delegate: delegate, queue: queue, socketQueue: sharesQueue ? queue : nil, shortcuts: speed)
    link.socket.readData(withTimeout: -1, tag: 0)
    // When it lends itself is the loop's choice, and on a busy machine it rarely does. On a socket queue it makes a
    // turn then, which needs another shortcut to run callbacks, too.
    let lends = speed == "all" || speed == "lending" && !sharesQueue
    for round in 0..<(lends ? 5_000 : 200) where !lends || onLoop.withLock({ $0 }) == 0 {
      try link.peer.send("x")
      try eventually("round \(round)") { delegate.kinds(of: link.socket).filter(\.isRead).count == round + 1 }
    }
    #expect((onLoop.withLock { $0 } > 0) == lends)
  }

  @Test("without polling a socket is served by a loop that does not poll", arguments: ["all", "plain", "polling"])
  func polling(speed: String) async {
    await #expect(processExitsWith: .success) { [speed] in
      let link = try SocketAndPeer(shortcuts: speed)
      link.socket.readData(withTimeout: -1, tag: 0)
      try link.peer.send("x")
      try eventually("the read") { link.delegate.kinds(of: link.socket).contains { $0.isRead } }
      let loops = EventLoopGroup.loopCount
      let polling = (0..<loops).map { ProcessFacts.threads(named: "socket-loop-\($0)") }.reduce(0, +)
      let sleeping = (0..<loops).map { ProcessFacts.threads(named: "sleeping-loop-\($0)") }.reduce(0, +)
      #expect((polling > 0, sleeping > 0) == (speed != "plain", speed == "plain"))
    }
  }
}
