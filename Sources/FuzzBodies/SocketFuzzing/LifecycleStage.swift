import CocoaAsyncSocket
import Foundation
import FuzzHarness
import Glibc
import SocketPOSIX

/// What is called in the same way on sockets of both classes.
protocol LifecycleSocket: AnyObject {
  func readData(withTimeout timeout: TimeInterval, tag: Int)
  func readData(toLength length: UInt, withTimeout timeout: TimeInterval, tag: Int)
  func readData(to data: Data?, withTimeout timeout: TimeInterval, tag: Int)
  func write(_ data: Data?, withTimeout timeout: TimeInterval, tag: Int)
  func disconnectAfterReading()
  func disconnectAfterWriting()
}

extension GCDAsyncSocket: LifecycleSocket {}
extension AsyncSocket: LifecycleSocket {}

/// One socket, the peer, and what the delegates heard: what runs of both classes have in common.
class LifecycleStage<Socket: LifecycleSocket, Observer: AnyObject>: @unchecked Sendable {
  // Unchecked: what changes is behind locks.

  let program: LifecycleProgram
  let log = LockedValue(LifecycleLog())
  /// The run alone holds the socket, so that letting it go can happen anywhere.
  let held = LockedValue<Socket?>(nil)
  let observers = LockedValue<[Observer]>([])
  let peer: LifecyclePeer

  init(_ program: LifecycleProgram, peer: LifecyclePeer) {
    self.program = program
    self.peer = peer
  }

  /// The descriptors of a connection; nil: there is none to be had.
  static func pair() -> (own: Int32, peers: Int32)? {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    return socketpair(AF_UNIX, kind, 0, &ends) == 0 ? (ends[0], ends[1]) : nil
  }

  final func letGo() {
    let former = held.withLock { $0.take() }
    withExtendedLifetime(former) {}
  }

  final func letObserversGo() {
    let former = observers.withLock { observers in
      defer { observers = [] }
      return observers
    }
    withExtendedLifetime(former) {}
  }

  final func tag(_ actor: Int, _ count: Int) -> Int { log.withLock { $0.tag(actor, count) } }

  private func write(_ count: Int, _ actor: Int, _ socket: Socket) {
    socket.write(peer.bytes(count, of: actor), withTimeout: -1, tag: tag(actor, count))
  }

  /// What only the peer does; false: it is something else.
  final func act(withPeer step: LifecycleProgram.Step) -> Bool {
    switch step.act {
    case .peerSends: peer.send(Int(step.argument) + 1)
    case .peerReads: peer.receive()
    case .peerHalfCloses: peer.halfClose()
    case .peerCloses: peer.finish()
    default: return false
    }
    return true
  }

  /// What is done in the same way to both classes; nothing else.
  final func act(_ step: LifecycleProgram.Step, _ actor: Int, on socket: Socket) {
    switch step.act {
    case .read: socket.readData(withTimeout: -1, tag: tag(actor, 0))
    case .readLength: socket.readData(toLength: UInt(step.argument), withTimeout: -1, tag: tag(actor, 0))
    case .readLine: socket.readData(to: Data([step.argument % 251]), withTimeout: -1, tag: tag(actor, 0))
    case .write: write(Int(step.argument % 64) + 1, actor, socket)
    case .writeMuch: write(Int(step.argument) * 8 + 1, actor, socket)
    case .afterWriting: socket.disconnectAfterWriting()
    case .afterReading: socket.disconnectAfterReading()
    case .letGo: letGo()
    case .disconnect, .becomeOther, .becomeNobody, .perform, .peerSends, .peerReads, .peerHalfCloses, .peerCloses: break
    }
  }

  /// Does what the program says about a callback like this one, and returns what the two classes do each in their way,
  /// with the number of the callback.
  final func react(_ socket: Socket, _ delegate: Int) -> (LifecycleProgram.Reaction, number: Int) {
    let (number, readsOn) = log.withLock { ($0.events, $0.readsOn) }
    var reaction = LifecycleProgram.Reaction.none
    if readsOn {
      reaction = .read
    } else if !program.reactions.isEmpty, number < 64 {
      // A read for each read could go on for long.
      reaction = program.reactions[number % program.reactions.count]
    }
    switch reaction {
    case .read: socket.readData(withTimeout: -1, tag: tag(LifecycleRun.firstDelegate + delegate, 0))
    case .afterWriting: socket.disconnectAfterWriting()
    case .afterReading: socket.disconnectAfterReading()
    case .letGo: letGo()
    case .none, .disconnect, .becomeOther, .look: break
    }
    return (reaction, number)
  }

  final func judge() -> Violation? {
    let log = log.withLock { $0 }
    if let violation = log.violation { return violation }
    let peerStays = program.end == .disconnect || program.end == .letGo
    return peer.judge(
      read: program.changesDelegate ? nil : log.read[0] + (log.unread ?? []), isAll: log.unread != nil,
      written: peerStays ? log.written : nil)
  }
}
