import Dispatch
import SocketCore
import SocketPOSIX
import SocketValues

// The loop's calls, and the turns on the socket queue that they cause.
extension SocketDriver {
  /// The reason for a call of the loop.
  private enum Trigger {
    case readiness(Readiness, key: UInt16)
    case deadline
  }

  func handleReadiness(_ readiness: Readiness, key: UInt16, _ context: LoopContext) {
    guard let socketQueue, let shared = sharedSocketQueue else {
      return enterFromLoop(.readiness(readiness, key: key), context)
    }
    guard engine.shortcuts.contains(.lending) else { return keep(.readiness(readiness, key: key)) }
    if context.isInLoan(to: shared) { return turn((readiness, key), context) }
    let loop = attachment.loop
    if loop.mayLend, shared.mayBegin() {
      return loop.lend(to: shared, context) { goOn in
        socketQueue.sync {
          turn((readiness, key), context)
          goOn()
        }
      }
    }
    keep(.readiness(readiness, key: key))
  }

  func handleDeadline(_ context: LoopContext) {
    guard socketQueue != nil else { return enterFromLoop(.deadline, context) }
    keep(.deadline)
  }

  /// Keeps work for the next turn on the socket queue. A running `perform(_:)` occupies the queue.
  private func keep(_ trigger: Trigger) {
    _ = lock.lockUnlessOwned()
    keepLocked(trigger)
    settle()
    lock.unlock()
  }

  private func keepLocked(_ trigger: Trigger) {
    switch trigger {
    case .readiness(let readiness, let key):
      if let part = part(of: key) { engine.keep(readiness, for: part) }
    case .deadline:
      fallbackDeadline = nil
      engine.keepDeadline()
    }
  }

  // MARK: Without a socket queue

  /// Enters on the loop's thread, which then serves the delegate queue if that has work and lending is allowed. While
  /// another thread owns the socket, the input is kept until that ends.
  private func enterFromLoop(_ trigger: Trigger, _ context: LoopContext) {
    guard lock.lockUnlessOwned() else {
      keepLocked(trigger)
      return lock.unlock()
    }
    engine.begin(.loop(mayServe: context.isInLoan || attachment.loop.mayLend))
    switch trigger {
    case .readiness(let readiness, let key):
      if var delivery = take(readiness, key: key, context) {
        lock.unlock()
        return drain(&delivery)
      }
    case .deadline:
      fallbackDeadline = nil
      engine.deadlineCame()
    }
    settle()
    // The lane's delivery releases the held objects.
    var held = drainsNext ? Held() : takeHeld()
    drainsNext = false
    lock.unlock()
    if !held.isEmpty { releaseHeld(&held, context) }
  }

  /// Releases users' objects on a thread where their deinitialisers, which may run any code, may take long.
  private func releaseHeld(_ held: inout Held, _ context: LoopContext) {
    if context.isInLoan {
      held = Held()
    } else if attachment.loop.mayLend {
      attachment.loop.lend { held = Held() }
    } else {
      let last = LastReferences(held)
      held = Held()
      DispatchQueue.global().async { last.held = nil }
    }
  }

  private final class LastReferences: @unchecked Sendable {
    // Unchecked: handed over as a whole to the one block that empties it.
    var held: Held?

    init(_ held: Held) { self.held = held }
  }

  // MARK: On the socket queue

  /// Makes a turn: processes waiting and new input, then runs the callbacks that need no other block.
  func turn(_ readiness: (Readiness, key: UInt16)?, _ context: LoopContext?) {
    lock.lock()
    if engine.beginTurn() { settle() }
    if let readiness {
      let isForCalls = engine.entry == .turn(forCalls: true)
      if var delivery = take(readiness.0, key: readiness.key, isForCalls ? nil : context) {
        lock.unlock()
        return drain(&delivery)
      }
    }
    settle()
    var blocks: [Block] = []
    if !turnBlocks.isEmpty { swap(&blocks, &turnBlocks) }
    let holder = blocks.isEmpty ? nil : held.socket ?? socket
    unlock()
    guard let holder else { return }
    for block in blocks { drain(block, of: holder) }
  }

  // MARK: Readiness

  /// Processes the readiness. With a context, as the last work of this entry, one read or write may be completed on the
  /// fast path: then nothing else was done, the lock must be left, and the delivery made.
  private func take(_ readiness: Readiness, key: UInt16, _ context: LoopContext?) -> Delivery? {
    guard let part = part(of: key) else { return nil }
    guard part == .stream, let context, engine.mayServeOnFastPath(with: readiness) else {
      engine.takeUp(readiness, for: part)
      return nil
    }
    engine.note(readiness)
    if let delivery = serveOnFastPath(context) { return delivery }
    engine.requestPass()
    return nil
  }

  /// On the delegate queue, or on the loop's thread where that serves it: see the engine's verb of this name.
  private func serveOnFastPath(_ context: LoopContext) -> Delivery? {
    guard let delegateQueue, isServing(delegateQueue, context), var transport = stream?.transport,
      let receiver = delegate
    else { return nil }
    let holder = socket
    guard let holder,
      let served = engine.serveOnFastPath(&transport, on: delegateQueue, scratch: context.scratch)
    else {
      hold(receiver)
      held.socket = held.socket ?? holder
      return nil
    }
    callbackBegins(served.draining)
    return Delivery(
      draining: served.draining, socket: holder, receiver: receiver, first: Completion(served.completion))
  }

  /// Whether the loop's thread is on that delegate queue: in a turn on the socket queue, if the two are one; otherwise
  /// in a loan to the delegate queue.
  private func isServing(_ delegateQueue: DispatchQueue, _ context: LoopContext) -> Bool {
    if engine.entry == .turn(forCalls: false) { return socketQueue?.isSame(as: delegateQueue) ?? false }
    return loanGroup.map(context.isInLoan(to:)) ?? false
  }
}
