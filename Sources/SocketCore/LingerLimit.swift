import SocketValues

/// How long a closed connection is kept so that nothing is lost by a reset (DIS-22, DIS-23). A value without a clock.
///
/// - While its peer has not confirmed all bytes: as long as there is progress, but not forever. A peer that takes one
///   byte now and then must not hold a descriptor for as long as it likes, and many of them not all descriptors of the
///   process.
/// - Then, if input came meanwhile: until the peer falls silent, and for a few seconds at most. The answer to what it
///   sends would be a reset, which it sees before it has read what it has, or in the place of the end of the stream. A
///   peer that has been silent since the close, and sends later, is answered with one.
/// - After a plain disconnect of a secured connection: until more input than `ownInput` has come, at the longest.
package struct LingerLimit {
  /// The longest time without progress, in nanoseconds.
  package static let stall: Int64 = 5_000_000_000
  /// The longest time in all, in nanoseconds. The kernel goes on with what is left then, unless the peer still sends.
  package static let total: Int64 = 60_000_000_000
  /// The time without input, in nanoseconds, after which a peer that has confirmed everything counts as silent.
  package static let silence: Int64 = 1_000_000_000
  /// The longest time for which input is discarded after the peer has confirmed everything, in nanoseconds.
  package static let afterConfirmation: Int64 = 5_000_000_000
  /// The number of bytes of input that may be TLS's own: messages that no user could read, session tickets for one. A
  /// peer that sends more sends data.
  package static let ownInput = 1 << 14
  /// The number of connections below which none is closed for their number.
  static let minimumKept = 256
  /// The age in nanoseconds below which a connection counts as new: its peer may not have had time to confirm anything.
  static let newConnectionAge: Int64 = 1_000_000_000

  private static let shortestInterval: Int64 = 20_000_000
  private static let longestInterval: Int64 = 250_000_000

  private let began: Instant
  private var outstanding: Int
  private var progressAt: Instant
  /// When input was last discarded; nil: there has been none.
  private var inputAt: Instant?
  private let maxInput: Int
  /// How many more bytes of it are discarded; below zero, too many came.
  package private(set) var inputLeft: Int

  /// Begins now, with `outstanding` bytes unconfirmed. More than `maxInput` bytes of input end the waiting.
  package init(outstanding: Int, maxInput: Int = .max, now: Instant) {
    began = now
    self.outstanding = outstanding
    progressAt = now
    self.maxInput = maxInput
    inputLeft = maxInput
  }

  /// Which of the lingering connections, the oldest one first, is closed because there are too many; nil: none is. One
  /// that was disconnected plainly goes first: nobody was promised that all of its bytes arrive.
  package static func evicted(
    of connections: some RandomAccessCollection<LingerLimit>, descriptors: Int, at now: Instant
  ) -> Int? {
    guard let oldest = connections.first,
      oldest.shouldEvict(oldestOf: connections.count, descriptors: descriptors, at: now)
    else { return nil }
    return connections.enumerated().first { $0.element.maxInput < .max }?.offset ?? 0
  }

  /// Whether this connection, the oldest of `count` lingering ones, is closed because there are too many: more than a
  /// quarter of the process's `descriptors`, or more than half if it is new, because a server may close all its
  /// connections at once.
  func shouldEvict(oldestOf count: Int, descriptors: Int, at now: Instant) -> Bool {
    let isOld = now >= began.advanced(by: Self.newConnectionAge)
    return count > max(Self.minimumKept, descriptors / (isOld ? 4 : 2))
  }

  /// Records that the peer has sent so many bytes, which were discarded.
  package mutating func discardedInput(_ count: Int, at now: Instant) {
    inputAt = now
    inputLeft -= count
  }

  /// Records how many bytes are unconfirmed at that instant. Returns when to look again, at intervals that grow with
  /// the connection's age; nil: close the connection.
  package mutating func nextLook(outstanding left: Int, at now: Instant) -> Instant? {
    if left < outstanding {
      outstanding = left
      progressAt = now
    }
    guard inputLeft >= 0, let end = deadline(), now < end else { return nil }
    let interval = min(max(began.nanoseconds(until: now) / 8, Self.shortestInterval), Self.longestInterval)
    return min(now.advanced(by: interval), end)
  }

  /// Until when the connection is kept unless something happens; nil: it need not be.
  private func deadline() -> Instant? {
    let last = began.advanced(by: Self.total)
    if outstanding > 0 { return min(progressAt.advanced(by: Self.stall), last) }
    guard let inputAt else { return nil }
    // The last progress was the confirmation of everything, if anything was to be confirmed.
    return min(inputAt.advanced(by: Self.silence), progressAt.advanced(by: Self.afterConfirmation), last)
  }
}
