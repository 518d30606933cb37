import CocoaAsyncSocket
import Foundation
import SocketPOSIX

/// One of the two delegates of a socket on a run loop.
final class RunLoopLifecycleObserver: AsyncSocketDelegate, Sendable {
  private let number: Int
  private let log: LockedValue<LifecycleLog>
  /// Where the socket lives.
  private let place: LockedValue<RunLoopLifecycleRun.Place>
  private let react: @Sendable (AsyncSocket, Int) -> Void

  init(
    _ number: Int, log: LockedValue<LifecycleLog>, place: LockedValue<RunLoopLifecycleRun.Place>,
    react: @escaping @Sendable (AsyncSocket, Int) -> Void
  ) {
    (self.number, self.log, self.place, self.react) = (number, log, place, react)
  }

  private func hear(_ socket: AsyncSocket, _ change: (inout LifecycleLog) -> Void) {
    let place = place.withLock { $0 }
    let modes = (socket.runLoopModes() ?? []).compactMap { $0 as? String }
    // What disconnect() tells before it returns comes in whatever mode the caller is (DIS-02).
    let isInMode = place.disconnects > 0 || RunLoop.current.currentMode.map { modes.contains($0.rawValue) } == true
    let isHome = LifecycleLoop.current == place.loop && isInMode
    log.withLock { log in
      log.events += 1
      if log.disconnects > 0 { log.late += 1 }
      if !isHome { log.strays += 1 }
      change(&log)
    }
  }

  func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
    hear(sock) { log in
      log.turn(of: number, 0, tag)
      log.take([UInt8](data), by: number)
    }
    react(sock, number)
  }

  func onSocket(_ sock: AsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) { hear(sock) { _ in } }

  func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int) {
    hear(sock) { log in
      log.turn(of: number, 1, tag)
      log.written[LifecycleTag.actor(tag)] += LifecycleTag.count(tag)
    }
    react(sock, number)
  }

  func onSocket(_ sock: AsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) { hear(sock) { _ in } }

  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)?) {
    let unread = sock.unreadData().map { [UInt8]($0) }
    let again = sock.unreadData().map { [UInt8]($0) }
    hear(sock) { log in
      if unread == nil || unread != again || log.unread != nil { log.wrongAnnouncements += 1 }
      log.unread = unread
    }
    react(sock, number)
  }

  func onSocketDidDisconnect(_ sock: AsyncSocket) {
    // What comes behind is late; this one is not.
    hear(sock) { log in log.disconnects += 1 }
    react(sock, number)
  }
}
