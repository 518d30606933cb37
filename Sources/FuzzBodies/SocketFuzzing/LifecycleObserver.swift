import CocoaAsyncSocket
import Dispatch
import Foundation
import FuzzHarness
import SocketPOSIX

/// What the delegates of one socket heard, in the order in which they heard it.
struct LifecycleLog: Sendable {
  var disconnects = 0
  /// Callbacks behind didDisconnect.
  var late = 0
  /// Callbacks elsewhere than on the queue of their delegate.
  var strays = 0
  var events = 0
  /// What was read, per delegate.
  var read: [[UInt8]] = [[], []]
  /// Reads whose bytes do not follow one another.
  var torn = 0
  /// Tags out of turn, and the last of each delegate, direction and actor.
  var overtaken = 0
  var lastTags: [Int: Int] = [:]
  /// Bytes of each actor that didWrite reported.
  var written = [Int](repeating: 0, count: LifecycleRun.actorCount)
  /// Whether everything that comes is read: unread bytes hide the end of the stream behind them.
  var readsOn = false
  var tagsGiven = [Int](repeating: 0, count: LifecycleRun.actorCount)

  /// What unreadData said when the end was announced; nil: no end was.
  var unread: [UInt8]?
  /// Announcements without sense: a second one, or one whose unreadData changed between two calls.
  var wrongAnnouncements = 0
  /// Reads behind an announcement that are not what it left unread.
  var wrongRests = 0

  /// A tag that the actor has not used.
  mutating func tag(_ actor: Int, _ count: Int) -> Int {
    tagsGiven[actor] += 1
    return LifecycleTag.make(actor, turn: tagsGiven[actor], count: count)
  }

  /// Tags of one actor come back in the order in which it gave them.
  mutating func turn(of delegate: Int, _ direction: Int, _ tag: Int) {
    let key = delegate << 16 | direction << 8 | LifecycleTag.actor(tag)
    if let last = lastTags[key], last >= tag { overtaken += 1 }
    lastTags[key] = tag
  }

  mutating func take(_ bytes: [UInt8], by delegate: Int) {
    if zip(bytes, bytes.dropFirst()).contains(where: { LifecycleRun.next($0) != $1 }) { torn += 1 }
    // What is left is read in the announcement of the end, if at all (RL-07).
    if let unread {
      if !unread.starts(with: bytes) { wrongRests += 1 }
    } else {
      read[delegate] += bytes
    }
  }

  /// What can be said without the peer.
  var violation: Violation? {
    if strays > 0 { return Violation("lifecycle/queue", "\(strays) callbacks on another queue") }
    if disconnects > 1 || late > 0 {
      return Violation("lifecycle/once", "\(disconnects) didDisconnect, \(late) callbacks behind it")
    }
    if wrongAnnouncements > 0 || wrongRests > 0 {
      return Violation("lifecycle/will", "\(wrongAnnouncements) wrong announcements, \(wrongRests) wrong reads behind")
    }
    if overtaken > 0 { return Violation("lifecycle/turn", "\(overtaken) tags out of turn") }
    if torn > 0 { return Violation("lifecycle/data", "\(torn) reads whose bytes do not follow one another") }
    return nil
  }
}

/// A tag tells who asked, in which turn, and for how many bytes.
enum LifecycleTag {
  static func make(_ actor: Int, turn: Int, count: Int) -> Int { actor << 48 | turn << 24 | count }
  static func actor(_ tag: Int) -> Int { tag >> 48 }
  static func count(_ tag: Int) -> Int { tag & 0xFF_FFFF }
}

/// One of the two delegates; each has its own queue, and is called on no other.
final class LifecycleObserver: GCDAsyncSocketDelegate, Sendable {
  private let number: Int
  private let log: LockedValue<LifecycleLog>
  private let react: @Sendable (GCDAsyncSocket, Int) -> Void

  init(
    _ number: Int, log: LockedValue<LifecycleLog>, react: @escaping @Sendable (GCDAsyncSocket, Int) -> Void
  ) {
    self.number = number
    self.log = log
    self.react = react
  }

  private func hear(_ change: (inout LifecycleLog) -> Void = { _ in }) {
    let isHome = DispatchQueue.getSpecific(key: LifecycleRun.queueKey) == number
    log.withLock { log in
      log.events += 1
      if log.disconnects > 0 { log.late += 1 }
      if !isHome { log.strays += 1 }
      change(&log)
    }
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    hear { log in
      log.turn(of: number, 0, tag)
      log.take([UInt8](data), by: number)
    }
    react(sock, number)
  }

  func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) { hear() }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {
    hear { log in
      log.turn(of: number, 1, tag)
      log.written[LifecycleTag.actor(tag)] += LifecycleTag.count(tag)
    }
    react(sock, number)
  }

  func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) { hear() }

  func socketDidCloseReadStream(_ sock: GCDAsyncSocket) {
    hear()
    react(sock, number)
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
    // What comes behind is late; this one is not.
    hear { log in log.disconnects += 1 }
    react(sock, number)
  }
}
