import Dispatch
import SocketCore
import SocketPOSIX

// Calls of one thread take effect in order. What calls inside callbacks put off (`Deferral`), and what an accepted
// child may not do yet, is done in front of every call whose effect could show the order; and what must not wait for a
// user's `perform(_:)` block waits here instead.
extension SocketDriver {
  // MARK: In front of other calls

  /// Enters to look, or to change what events produced later depend on.
  func lookInOrder<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    var held = Held()
    if deferral.isPending {
      pass()
      settle()
      held = releaseHeld()
    }
    defer {
      lock.unlock()
      withExtendedLifetime(held) {}
    }
    return body()
  }

  /// Offers the kernel what is queued to be written, once: in front of a call that drops it, or that writes past the
  /// library. Whatever the socket queue, because closing waits for none either.
  func sendBeforeClosing() {
    guard machine.hasUnsentWrites, let stream else { return }
    var transport = DescriptorTransport(number: stream.number)
    machine.sendBeforeEnd(&transport, now: machine.usesTime ? Self.now : .irrelevant)
  }

  /// Something is written: an orderly end of the peer's may have to wait for the next call.
  func noteWrite(inCallback: Bool) {
    if closingGrace.wrote(inCallback: inCallback) {
      pass()
      settle()
    }
  }

  // MARK: Having the socket to oneself

  /// `GCDAsyncSocket.perform(_:)`.
  func performInOrder(_ block: () -> Void) {
    guard let socketQueue, let shared = sharedSocketQueue, !isOnSocketQueue else { return perform(block) }
    // What was put off asks for its turn on the queue first.
    lookInOrder {}
    // The loop leaves the queue to its threads meanwhile.
    shared.willHandOver()
    socketQueue.sync { perform(block) }
    shared.didServeHandedOver()
  }

  private func perform(_ block: () -> Void) {
    lock.lock()
    if !lock.isOwned {
      if deferral.isPending { pass() }
      if isCorked { sendBeforeClosing() }
      settle()
    }
    lock.beginOwning()
    let before = releaseHeld()
    lock.unlock()
    withExtendedLifetime(before) {}
    block()
    lock.lock()
    if lock.endOwning() { doPostponed() }
    settle()
    let after = releaseHeld()
    lock.unlock()
    withExtendedLifetime(after) {}
  }

  private func doPostponed() {
    var waiting: [(SocketDriver) -> Void] = []
    swap(&waiting, &postponed)
    for body in waiting {
      body(self)
      settle()
    }
  }

  /// Enters as soon as no other thread has the socket to itself: now, or when its `perform(_:)` is over, on its thread.
  /// For all that must not wait for a user's block.
  func enterWhenFree(_ body: @escaping (SocketDriver) -> Void) {
    guard lock.lockUnlessOwned() else {
      postponed.append(body)
      return lock.unlock()
    }
    body(self)
    settle()
    let held = releaseHeld()
    lock.unlock()
    withExtendedLifetime(held) {}
  }
}
