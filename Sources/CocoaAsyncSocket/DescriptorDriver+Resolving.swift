import Glibc
import SocketCore
import SocketPOSIX
import SocketValues

/// A lookup that the machine waits for.
struct PendingLookup {
  let id: LookupID
  /// nil: it was answered at once.
  let ticket: LookupPool<DescriptorDriver.Lookups.Answer>.Ticket?
  /// Written by a thread of the pool.
  let answer: LockedValue<DescriptorDriver.Lookups.Answer?>
}

// Names are resolved on threads of a pool, and their answers are processed on the loop's thread, or on the socket
// queue: a thread of the pool that waited for this socket would delay others' lookups.
extension DescriptorDriver {
  /// The threads that all sockets of the process share.
  enum Lookups {
    typealias Answer = Result<[SocketAddress], LookupFailure>
    static let pool = LookupPool<Answer>()
  }

  /// Has a host looked up.
  func lookUp(_ lookup: LookupID, _ host: String, _ port: UInt16) {
    let wakeup = wakeup(key: key(.preferred))
    // Without a loop the answer would never be processed.
    if let failure = startFailure {
      return machine.lookupFinished(lookup, .failure(SocketFailure(failure)), now: Self.now)
    }
    let resolver = resolver
    let isShared = resolver.sharesAnswers
    let place = LockedValue<Lookups.Answer?>(nil)
    // The driver is not held: the lookup may take longer than the socket lives (LIFE-20).
    let ticket = Lookups.pool.lookUp(host, sharedName: isShared ? host : nil) {
      resolver.resolve(host, port: port)
    } then: { answer in
      let own = isShared ? answer.map { $0.map { $0.with(port: port) } } : answer
      place.withLock { $0 = own }
      wakeup()
    }
    pendingLookup = PendingLookup(id: lookup, ticket: ticket, answer: place)
    if ticket == nil {
      // There is no thread to be had. Not processed here: a start call that returns success has started (LIFE-02).
      place.withLock { $0 = .failure(LookupFailure(code: EAI_AGAIN)) }
      wakeup()
    }
  }

  /// Cancels the lookup: its answer is not needed any more.
  func forget(_ lookup: LookupID) {
    guard let pending = pendingLookup, pending.id == lookup else { return }
    pendingLookup = nil
    guard let ticket = pending.ticket else { return }
    Lookups.pool.cancel(ticket)
  }

  /// Passes the answer to the machine, if it has come.
  func takeUpLookup() {
    guard let pending = pendingLookup, let answer = pending.answer.withLock({ $0 }) else { return }
    pendingLookup = nil
    machine.lookupFinished(
      pending.id, answer.mapError { .lookup(code: $0.code, message: $0.message) }, now: Self.now)
  }
}
