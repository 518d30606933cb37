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

  /// A callback: records it, and then does what the program says about one like it.
  private func hear(_ socket: AsyncSocket, reacts: Bool = true, _ change: (inout LifecycleLog) -> Void) {
    let loop = LifecycleLoop.current
    let place = place.withLock { place in
      if let loop { place.callbacks[loop] += 1 }
      return place
    }
    defer { if let loop { self.place.withLock { $0.callbacks[loop] -= 1 } } }
    let modes = (socket.runLoopModes() ?? []).compactMap { $0 as? String }
    // What disconnect() tells before it returns comes in whatever mode the caller is (DIS-02).
    let isInMode = place.disconnects > 0 || RunLoop.current.currentMode.map { modes.contains($0.rawValue) } == true
    let isHome = loop == place.loop && isInMode
    log.withLock { log in
      log.events += 1
      if log.disconnects > 0 { log.late += 1 }
      if !isHome { log.strays += 1 }
      change(&log)
    }
    if reacts { react(socket, number) }
  }

  func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
    hear(sock) { log in
      log.turn(of: number, 0, tag)
      log.take([UInt8](data), by: number)
    }
  }

  func onSocket(_ sock: AsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    hear(sock, reacts: false) { _ in }
  }

  func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int) {
    hear(sock) { log in
      log.turn(of: number, 1, tag)
      log.written[LifecycleTag.actor(tag)] += LifecycleTag.count(tag)
    }
  }

  func onSocket(_ sock: AsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    hear(sock, reacts: false) { _ in }
  }

  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)?) {
    let unread = sock.unreadData().map { [UInt8]($0) }
    let again = sock.unreadData().map { [UInt8]($0) }
    hear(sock) { log in
      if unread == nil || unread != again || log.unread != nil { log.wrongAnnouncements += 1 }
      log.unread = unread
    }
  }

  func onSocketDidDisconnect(_ sock: AsyncSocket) {
    // What comes behind is late; this one is not.
    hear(sock) { log in log.disconnects += 1 }
  }
}
