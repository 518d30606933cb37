import Glibc

/// The highest numbers that a descriptor may have. Connections leave them to the rest of the process.
///
/// How many clients there are is up to the clients. If a listener took every descriptor, it would be up to them whether
/// the program lives, too: libdispatch looks at its threads below `/proc` while a global queue has work, and ends the
/// process where it can't open a file; Foundation does so where it can't make a run loop.
///
/// The kernel gives out the lowest number that is free, so the highest ones are taken only when all others are: one
/// number tells enough.
package enum DescriptorReserve {
  private static let largest = 64
  /// Where the limit is lower, descriptors are too few to leave any.
  private static let smallestLimit = 256

  /// How many numbers there are in the reserve, below that limit.
  package static func size(below limit: Int) -> Int { limit < smallestLimit ? 0 : min(largest, limit / 16) }

  /// Before a client is accepted, when that of the number `last` was the one before: fails as `accept` does without
  /// descriptors (EMFILE) if the next descriptor would be one of the reserve's. A listener finds out by taking one of
  /// them; from then on it makes a duplicate of an open descriptor each time to see, and closes it.
  package static func spareNext(after last: Int32, duplicating open: Int32) throws(SystemCallFailure) {
    guard isWithin(1, last) else { return }
    let next = fcntl(open, F_DUPFD_CLOEXEC, 0)
    // Without any, the call that is about to be made says why.
    guard next >= 0 else { return }
    close(next)
    if isWithin(1, next) { throw SystemCallFailure(call: "accept", code: EMFILE) }
  }

  /// For a connect: fails as `socket` does without descriptors if its own is one of the reserve's upper half. The lower
  /// half may be used: a proxy connects once for each client that it has accepted.
  package static func spare(_ number: Int32) throws(SystemCallFailure) {
    if isWithin(2, number) { throw SystemCallFailure(call: "socket", code: EMFILE) }
  }

  /// Whether the number is one of the upper `1/part` of the reserve.
  private static func isWithin(_ part: Int, _ number: Int32) -> Bool {
    // Below any reserve; saves the system call.
    guard Int(number) >= smallestLimit - smallestLimit / 16 else { return false }
    let limit = SocketCall.descriptorLimit
    let size = size(below: limit)
    return size > 0 && Int(number) >= limit - size / part
  }
}
