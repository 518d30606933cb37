import Dispatch
import Foundation
import SocketCore
import SocketPOSIX

// Events on their way to the delegate.
extension SocketDriver {
  /// A read or a write that was completed on the spot, and is told without an event.
  enum Parcel {
    case read(Data, tag: Int)
    case wrote(tag: Int)
  }

  /// Where and how a lane is being drained.
  struct Draining {
    let lane: Box.LaneID
    let socket: GCDAsyncSocket
    let isOnSocketQueue: Bool
    /// On the loop's thread.
    let isLent: Bool
    /// What is delivered first, if it has been taken already.
    var first: Parcel?
    /// Whom the last event went to, or the first goes to.
    var receiver: Delegate?
    /// It was completed on the spot, by an entry that made no pass.
    var owesPass = false
  }

  /// What is delivered next.
  private enum Step {
    case letter(Box.Letter)
    case parcel(Parcel)
    case rest
  }

  /// Delivers the lane's events one by one until there is none for now; runs on the lane's queue.
  func drain(_ lane: Box.LaneID, of socket: GCDAsyncSocket, isLent: Bool = false) {
    var draining = Draining(lane: lane, socket: socket, isOnSocketQueue: isOnSocketQueue, isLent: isLent)
    drain(&draining)
  }

  func drain(_ draining: inout Draining) {
    if let first = draining.first.take() { deliver(first, draining) }
    while true {
      switch next(&draining) {
      case .letter(let letter):
        deliver(letter, of: draining.socket)
        draining.receiver = letter.delegate
      case .parcel(let parcel): deliver(parcel, draining)
      case .rest: return
      }
    }
  }

  private func deliver(_ parcel: Parcel, _ draining: borrowing Draining) {
    switch parcel {
    case .read(let data, let tag): draining.receiver?.socket(draining.socket, didRead: data, withTag: tag)
    case .wrote(let tag): draining.receiver?.socket(draining.socket, didWriteDataWithTag: tag)
    }
  }

  private func next(_ draining: inout Draining) -> Step {
    // A callback does not wait for somebody's `perform(_:)`, nor does the queue that it runs on.
    let isFree = lock.lockUnlessOwned()
    deferral.callbackIsOver()
    if closingGrace.callbackIsOver() { draining.owesPass = true }
    if deferral.isPending || draining.owesPass {
      if !isFree {
        draining.owesPass = false
        postponed.append { $0.pass() }
      } else if let parcel = catchUp(&draining) {
        deferral.anotherBegins()
        lock.unlock()
        return .parcel(parcel)
      }
    }
    let (letter, ready) = mailbox.next(in: draining.lane)
    if closingGrace.listens, let letter { closingGrace.tells(letter.event) }
    for entry in ready { schedule(entry.lane, on: entry.queue, of: draining.socket) }
    if letter == nil {
      // The block ends, though more may wait for another one: what callbacks put off does not wait for that.
      if isFree, deferral.isPending { passAndSettle() }
    } else {
      deferral.callbackBegins(
        coversAll: draining.isOnSocketQueue || draining.isLent, eventsInLine: mailbox.count(in: draining.lane))
    }
    let held = releaseHeld()
    lock.unlock()
    withExtendedLifetime(held) {}
    return letter.map { .letter($0) } ?? .rest
  }

  /// Does what was put off, when nothing else is in line or it has waited long enough: what that completed on the spot.
  private func catchUp(_ draining: inout Draining) -> Parcel? {
    let isDirect = draining.receiver != nil && isNextIn(draining.lane)
    if deferral.isPending, isDirect, machine.hasBufferedInput, !deferral.isOverdue(),
      let read = machine.completeFromBuffer(atMost: Self.largestCopy)
    {
      closingGrace.tellsMoreThanWrites()
      return .read(Data(bytes: read.bytes.baseAddress!, count: read.bytes.count), tag: read.tag)
    }
    let owedPass = draining.owesPass
    draining.owesPass = false
    guard mailbox.count(in: draining.lane) == 0 else {
      if owedPass || deferral.isOverdue() { passAndSettle() }
      return nil
    }
    guard deferral.isPending else {
      if !machine.comesToRest() { passAndSettle() }
      return nil
    }
    if isDirect, socketQueue == nil || draining.isOnSocketQueue, let tag = sendOnTheSpot() {
      draining.owesPass = true
      deferral.end()
      return .wrote(tag: tag)
    }
    passAndSettle()
    return nil
  }

  private func passAndSettle() {
    isServing = true
    pass()
    settle()
    isServing = false
  }

  // MARK: On the spot

  /// Larger reads are handed over with their memory instead of being copied.
  private static let largestCopy = 2048

  /// Whether an event posted now would be the next in this lane and go where the last one went.
  private func isNextIn(_ lane: Box.LaneID) -> Bool {
    guard lastPostedVersion == delegateVersion, !isCorked, let delegateQueue else { return false }
    return mailbox.isBusyAlone(lane, on: delegateQueue)
  }

  /// In a call of the loop's on the delegate queue: one write or read that can be completed at once, and whose event
  /// would be the next to leave. What a pass and the mailbox would make of it, without either. The lock must be left
  /// then, and the parcel delivered.
  func serveOnTheSpot(_ context: LoopContext) -> Draining? {
    guard !isCorked, machine.isPlain, let delegateQueue,
      isInTurn ? delegateQueue === socketQueue : loanGroup.map(context.isInLoan(to:)) ?? false,
      let lane = mailbox.idleLane(on: delegateQueue), let receiver = delegate
    else { return nil }
    let holder = socket
    guard let holder, let parcel = sendOnTheSpot().map({ .wrote(tag: $0) }) ?? receiveOnTheSpot(context.scratch)
    else {
      hold(receiver)
      heldSocket = heldSocket ?? holder
      return nil
    }
    if case .read = parcel { closingGrace.tellsMoreThanWrites() }
    lastPostedVersion = delegateVersion
    mailbox.begin(lane)
    deferral.callbackBegins(coversAll: true, eventsInLine: 0)
    return Draining(
      lane: lane, socket: holder, isOnSocketQueue: isInTurn, isLent: true, first: parcel, receiver: receiver,
      owesPass: true)
  }

  /// Sends the only write, if nothing else is going on: its tag, if that completes it.
  private func sendOnTheSpot() -> Int? {
    guard let stream, let bytes = machine.outputOnTheSpot else { return nil }
    return machine.sent(TransportResult(SocketCall.send(stream.number, bytes)))
  }

  /// A pass, or less if all there is to do is to send one write.
  func sendOrPass() {
    if !isCorked, socketQueue == nil || isOnSocketQueue, let tag = sendOnTheSpot() {
      post(.didWrite(tag: tag))
      if machine.comesToRest() { return deferral.end() }
    }
    pass()
  }

  /// Receives for the active read, if nothing else is going on.
  private func receiveOnTheSpot(_ scratch: UnsafeMutableRawBufferPointer) -> Parcel? {
    guard let stream, machine.wantsInput(atMost: Self.largestCopy) else { return nil }
    let result = TransportResult(SocketCall.receive(stream.number, into: scratch))
    let room = UnsafeRawBufferPointer(scratch)
    guard let read = machine.received(result, in: room, shortMeansEmpty: true, atMost: Self.largestCopy) else {
      return nil
    }
    return .read(Data(bytes: scratch.baseAddress!, count: read.count), tag: read.tag)
  }
}
