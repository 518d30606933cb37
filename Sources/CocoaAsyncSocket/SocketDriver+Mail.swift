import Dispatch
import Foundation
import SocketCore
import SocketPOSIX

/// What calls inside a running callback put off until it has returned.
///
/// A read that is queued in didRead is worth no pass of its own: the thread is about to come back for the next event.
/// Where the callback runs on the socket queue, nothing could be done before it returns anyway, so writes wait as well
/// and leave in one system call. Elsewhere reads wait only if there are bytes for them, and writes only in the midst of
/// many events, with the loop told to look after them in case the callback takes long.
struct Deferral {
  /// The thread that runs a callback; 0: none.
  var thread: UInt = 0
  /// The callback runs on the socket queue.
  var isOnSocketQueue = false
  /// Writes wait as well.
  var coversWrites = false
  /// A pass has been put off.
  private(set) var isPending = false
  private var writes = 0
  /// When it was first asked how long they have waited.
  private var since: Instant?

  /// So many events in line make it worth to collect the writes of their callbacks.
  static let manyEvents = 8
  private static let mostWrites = 64
  private static let mostNanoseconds: Int64 = 100_000

  var isOnItsThread: Bool { thread == Self.currentThread }
  static var currentThread: UInt { UInt(pthread_self()) }

  /// Whether this is the first write of some.
  mutating func putOff(isWrite: Bool) -> Bool {
    isPending = true
    guard isWrite else { return false }
    writes += 1
    return writes == 1
  }

  /// Writes have waited long enough, though more is to be delivered.
  mutating func isOverdue() -> Bool {
    guard writes > 0 else { return false }
    if writes >= Self.mostWrites { return true }
    let now = SocketDriver.now
    guard let since else {
      since = now
      return false
    }
    return now.nanoseconds - since.nanoseconds > Self.mostNanoseconds
  }

  mutating func end() {
    isPending = false
    writes = 0
    since = nil
  }
}

// Events on their way to the delegate.
extension SocketDriver {
  /// Posts an event of the machine's.
  func post(_ event: SocketEvent) {
    // Without a delegate or queue a completion is discarded, and an accepted client closes with its box (ACC-32).
    guard let delegate = holdDelegate(), let delegateQueue else { return }
    lastPostedVersion = delegateVersion
    if let scheduled = mailbox.post(event, to: delegate, on: delegateQueue, isTerminal: event.isTerminal) {
      heldSocket = heldSocket ?? socket
      if let heldSocket { schedule(scheduled.lane, on: scheduled.queue, of: heldSocket) }
    }
  }

  private func schedule(_ lane: Box.LaneID, on queue: DispatchQueue, of socket: GCDAsyncSocket) {
    if isInTurn, queue === socketQueue {
      if inlineLane == nil { inlineLane = lane } else { moreInlineLanes.append(lane) }
      return
    }
    let shared = shared(about: queue)
    if isOnLoop, errand == nil, let shared, shared.mayBeLent() {
      errand = Errand(lane: lane, queue: queue, shared: shared, socket: socket)
      return
    }
    shared?.willHandOver()
    queue.async { [self] in
      drain(lane, of: socket)
      shared?.didServeHandedOver()
    }
  }

  private func shared(about queue: DispatchQueue) -> SharedQueue? {
    if let lastScheduled, lastScheduled.queue === queue { return lastScheduled.shared }
    let shared = SharedQueue.of(queue)
    lastScheduled = (queue, shared)
    return shared
  }

  /// What is delivered next.
  private enum Parcel {
    case letter(Box.Letter)
    /// A read that was completed on the spot.
    case read(Data, tag: Int)
  }

  /// Delivers the lane's events one by one until there is none for now; runs on the lane's queue.
  func drain(_ lane: Box.LaneID, of socket: GCDAsyncSocket) {
    let isOnSocketQueue = isOnSocketQueue
    var receiver: Delegate?
    while let parcel = next(in: lane, of: socket, isOnSocketQueue, &receiver) {
      switch parcel {
      case .letter(let letter): deliver(letter, of: socket)
      case .read(let data, let tag): receiver?.socket(socket, didRead: data, withTag: tag)
      }
    }
  }

  /// The next thing to deliver; nil: nothing for now. `receiver` is whom the last letter went to.
  private func next(
    in lane: Box.LaneID, of socket: GCDAsyncSocket, _ isOnSocketQueue: Bool, _ receiver: inout Delegate?
  ) -> Parcel? {
    lock.lock()
    deferral.thread = 0
    if deferral.isPending {
      if receiver != nil, let read = completeFromBuffer(lane) {
        deferral.thread = Deferral.currentThread
        lock.unlock()
        return .read(read.data, tag: read.tag)
      }
      if mailbox.count(in: lane) == 0 || deferral.isOverdue() {
        pass()
        settle()
      }
    }
    let (letter, ready) = mailbox.next(in: lane)
    for entry in ready { schedule(entry.lane, on: entry.queue, of: socket) }
    if let letter {
      deferral.thread = Deferral.currentThread
      deferral.isOnSocketQueue = isOnSocketQueue
      deferral.coversWrites = isOnSocketQueue || mailbox.count(in: lane) >= Deferral.manyEvents
      receiver = letter.delegate
    }
    let held = releaseHeld()
    lock.unlock()
    withExtendedLifetime(held) {}
    return letter.map { .letter($0) }
  }

  /// Larger reads are handed over with their memory instead of being copied.
  private static let largestCopy = 2048

  /// The active read, if bytes that are there complete it and its event would be the next in this lane and go where
  /// the last one went: what a pass and the mailbox would make of it, without either.
  private func completeFromBuffer(_ lane: Box.LaneID) -> (data: Data, tag: Int)? {
    guard lastPostedVersion == delegateVersion, delegateQueue === mailbox.queue(ofOnly: lane), !isCorked,
      machine.hasBufferedInput, !deferral.isOverdue(), let read = machine.completeFromBuffer(atMost: Self.largestCopy)
    else { return nil }
    return (Data(read.bytes), read.tag)
  }
}

extension SocketEvent {
  var isTerminal: Bool {
    if case .didDisconnect = self { return true }
    return false
  }
}
