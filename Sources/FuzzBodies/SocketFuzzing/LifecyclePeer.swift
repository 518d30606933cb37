import Foundation
import FuzzHarness
import Glibc
import SocketPOSIX

/// The other end of the pair: a plain descriptor.
final class LifecyclePeer: Sendable {
  private struct State {
    var descriptor: Int32
    /// Bytes sent, and the next one's value.
    var sent = 0
    var next: UInt8 = 0
    var received: [UInt8] = []
    /// Written to the socket, per actor.
    var offered = [Int](repeating: 0, count: LifecycleRun.actorCount)
  }

  private let state: LockedValue<State>

  init(_ descriptor: Int32) { state = LockedValue(State(descriptor: descriptor)) }

  func send(_ count: Int) {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      var bytes: [UInt8] = []
      var next = state.next
      for _ in 0..<count {
        bytes.append(next)
        next = LifecycleRun.next(next)
      }
      let sent = Glibc.send(state.descriptor, bytes, count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      guard sent > 0 else { return }
      state.sent += sent
      state.next = UInt8((Int(state.next) + sent) % 251)
    }
  }

  func receive() { state.withLock { Self.drain(&$0) } }

  private static func drain(_ state: inout State) {
    guard state.descriptor >= 0 else { return }
    withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 16) { room in
      while true {
        let count = recv(state.descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return }
        state.received += room[..<count]
      }
    }
  }

  func halfClose() {
    state.withLock { if $0.descriptor >= 0 { shutdown($0.descriptor, Int32(SHUT_WR)) } }
  }

  /// Nothing more comes and goes, but what has arrived can still be looked at.
  func finish() {
    state.withLock { if $0.descriptor >= 0 { shutdown($0.descriptor, Int32(SHUT_RDWR)) } }
  }

  func close() {
    state.withLock { state in
      Self.drain(&state)
      guard state.descriptor >= 0 else { return }
      Glibc.close(state.descriptor)
      state.descriptor = -1
    }
  }

  /// What an actor writes next: its number in the high bits, and a count below.
  func bytes(_ count: Int, of actor: Int) -> Data {
    state.withLock { state in
      let start = state.offered[actor]
      state.offered[actor] += count
      return Data((start..<(start + count)).map { UInt8(actor << 6 | $0 & 63) })
    }
  }

  /// `read`: nil when there may be gaps. `isAll`: nothing more was sent. `written`: what didWrite reported; nil when
  /// the peer did not stay to the end.
  func judge(read: [UInt8]?, isAll: Bool = false, written: [Int]?) -> Violation? {
    state.withLock { state in
      if let read {
        let isPrefix = read.count <= state.sent && read.indices.allSatisfy { Int(read[$0]) == $0 % 251 }
        guard isPrefix, !isAll || read.count == state.sent else {
          return Violation("lifecycle/data", "\(read.count) bytes are read of \(state.sent), or others")
        }
      }
      var counts = [Int](repeating: 0, count: LifecycleRun.actorCount)
      for byte in state.received {
        let actor = Int(byte >> 6)
        guard Int(byte & 63) == counts[actor] & 63 else {
          return Violation("lifecycle/data", "byte \(counts[actor]) of actor \(actor) is lost or doubled on the wire")
        }
        counts[actor] += 1
      }
      for actor in counts.indices where counts[actor] > state.offered[actor] {
        return Violation("lifecycle/data", "\(counts[actor]) bytes arrived of \(state.offered[actor]) written")
      }
      if let written {
        for actor in counts.indices where counts[actor] < written[actor] {
          return Violation("lifecycle/data", "\(counts[actor]) bytes arrived of \(written[actor]) reported")
        }
      }
      return nil
    }
  }
}

/// Counts what is open, now and then. The input that is blamed is the last of many, any of which may have leaked.
enum LifecycleDescriptors {
  private struct State {
    var inputs = 0
    var baseline: Int?
  }

  private static let state = LockedValue(State())
  private static let interval = 512
  private static let highest: Int32 = 256
  /// Event loops are made when they are first needed, each with some descriptors.
  private static let slack = 16

  /// Descriptors whose closing lingers are waited for.
  static func check() -> Violation? {
    let (isDue, baseline) = state.withLock { state in
      state.inputs += 1
      return (state.inputs % interval == 0, state.baseline)
    }
    guard isDue else { return nil }
    guard let baseline else {
      let count = open
      state.withLock { $0.baseline = count }
      return nil
    }
    guard !LifecycleRun.waits(for: { open <= baseline + slack }) else { return nil }
    return Violation("lifecycle/descriptors", "\(open) descriptors are open, and \(baseline) were at first")
  }

  private static var open: Int { (0..<highest).count { fcntl($0, F_GETFD) != -1 } }
}
