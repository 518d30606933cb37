import CocoaAsyncSocket
import Dispatch
import Foundation
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
  /// Whether all that comes is to be read: bytes that nobody reads hide the end of the stream behind them.
  var readsOn = false
  var tagsGiven = [Int](repeating: 0, count: LifecycleRun.actorCount)
}

/// A tag tells who asked, in which turn, and for how many bytes.
enum LifecycleTag {
  static func make(_ actor: Int, turn: Int, count: Int) -> Int { actor << 48 | turn << 24 | count }
  static func actor(_ tag: Int) -> Int { tag >> 48 }
  static func count(_ tag: Int) -> Int { tag & 0xFF_FFFF }
}

/// One of the two delegates; each has its own queue, and is called on no other.
final class LifecycleWitness: GCDAsyncSocketDelegate, @unchecked Sendable {
  // Unchecked: everything is immutable, or guards itself; the run is let go by its owner before it ends.
  private let number: Int
  private let run: LifecycleRun

  init(_ number: Int, of run: LifecycleRun) {
    self.number = number
    self.run = run
  }

  private func hear(_ change: (inout LifecycleLog) -> Void = { _ in }) {
    let isHome = DispatchQueue.getSpecific(key: LifecycleRun.queueKey) == number
    run.log.withLock { log in
      log.events += 1
      if log.disconnects > 0 { log.late += 1 }
      if !isHome { log.strays += 1 }
      change(&log)
    }
  }

  /// Tags of one actor come back in the order in which it gave them.
  private func turn(_ log: inout LifecycleLog, _ direction: Int, _ tag: Int) {
    let key = number << 16 | direction << 8 | LifecycleTag.actor(tag)
    if let last = log.lastTags[key], last >= tag { log.overtaken += 1 }
    log.lastTags[key] = tag
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    hear { log in
      turn(&log, 0, tag)
      let bytes = [UInt8](data)
      if zip(bytes, bytes.dropFirst()).contains(where: { LifecycleRun.next($0) != $1 }) { log.torn += 1 }
      log.read[number] += bytes
    }
    run.react(sock, number)
  }

  func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) { hear() }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {
    hear { log in
      turn(&log, 1, tag)
      log.written[LifecycleTag.actor(tag)] += LifecycleTag.count(tag)
    }
    run.react(sock, number)
  }

  func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) { hear() }

  func socketDidCloseReadStream(_ sock: GCDAsyncSocket) {
    hear()
    run.react(sock, number)
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
    // What comes behind is late; this one is not.
    hear { log in log.disconnects += 1 }
    run.react(sock, number)
  }
}
