import Conversations

/// One direction of a connection: segments in, the stream out.
///
/// Laws
/// - Each byte comes out once, in order, however often and in whatever order its segments came; of bytes that came
///   twice the first ones count, and of those that waited for earlier ones, those of the segment that begins first.
/// - Bytes that no segment brought are missing only when the other side has acknowledged them, or when nothing can
///   bring them any more.
/// - Where the other side went on because of them is for others to say (`passOver`): they are missing there.
/// - Of a direction of which nothing was captured, what the other side acknowledges is missing as soon as that is seen,
///   but for a last single one: that may be the end of the stream.
/// - What waits for earlier bytes is bounded.
struct StreamAssembler {
  private struct Segment {
    var sequence: UInt32
    var bytes: [UInt8]
    /// More than there are bytes if the capture has cut them off.
    var length: Int
  }

  /// In bytes, as `pendingCount` counts them.
  private static let maxPending = 8 << 20
  private static let maxSegments = 4_096
  /// What a segment costs besides its bytes.
  private static let overhead = 80
  /// The number of segments behind an acknowledged hole after which its bytes count as not captured.
  private static let maxSegmentsBehindHole = 3
  /// With how many of the newest acts a segment is compared that has waited.
  private static let maxCompared = 16
  /// A reset is believed no further than this from a number at which the stream is.
  private static let nearBy = 1 << 20

  /// Of the next byte; nil: nothing is known yet.
  private(set) var next: UInt32?
  /// Segments, or parts of them, that brought nothing new.
  private(set) var repeated = 0
  /// The same with other bytes than those that came first.
  private(set) var contradicting = 0
  /// Segments behind the end of the stream.
  private(set) var beyondEnd = 0
  /// Nothing but the other side's acknowledgements says where the stream is.
  private var isGuessed = false
  /// Bytes are missing of which nothing else tells.
  private var hasGiven = false
  private var pending: [Segment] = []
  /// The memory that what waits takes, in bytes.
  private(set) var pendingCount = 0
  private var acknowledged: UInt32?
  /// The newest number of any acknowledgement.
  private var newest: UInt32?
  private var end: UInt32?
  private var urgent: UInt32?
  private(set) var hasEnded = false

  /// The stream begins here; said again, it changes nothing.
  mutating func begin(at sequence: UInt32) {
    settle(at: sequence)
    next = next ?? sequence
  }

  /// Notes that the byte with this number is urgent.
  mutating func markUrgent(_ sequence: UInt32) { urgent = sequence }

  /// A segment's data.
  ///
  /// - Parameter contradicts: whether what it repeats of the stream has other bytes there.
  mutating func take(
    _ sequence: UInt32, _ bytes: ArraySlice<UInt8>, length: Int, contradicts: Bool = false,
    _ acts: inout [Conversation.Act]
  ) {
    guard length > 0 else { return }
    guard !hasEnded else { return noteLate(sequence, length, contradicts: contradicts) }
    settle(at: sequence)
    let start = next ?? sequence
    next = start
    let old = Self.distance(from: sequence, to: start)
    if old >= length {
      countRepeated(contradicts)
    } else if old >= 0 {
      if old > 0 { countRepeated(contradicts) }
      deliver(bytes.prefix(length), length: length, from: old, &acts)
      drain(&acts)
    } else if old > -(1 << 30) {
      keep(Segment(sequence: sequence, bytes: Array(bytes.prefix(length)), length: length))
      if pendingCount > Self.maxPending || pending.count > Self.maxSegmentsBehindHole { skipAcknowledged(&acts) }
      if pendingCount > Self.maxPending || pending.count > Self.maxSegments { flush(&acts) }
    }
    finishIfDone(&acts)
  }

  /// The sender said that its stream ends before this number.
  mutating func finish(at sequence: UInt32, _ acts: inout [Conversation.Act]) {
    settle(at: sequence)
    next = next ?? sequence
    end = end ?? sequence
    finishIfDone(&acts)
  }

  /// The other side has got everything before this number.
  mutating func acknowledge(_ sequence: UInt32) {
    newest = sequence
    guard let next else {
      // Of this direction nothing was seen yet. 0 stands where there is no number.
      guard sequence != 0 else { return }
      self.next = sequence
      isGuessed = true
      return
    }
    guard Self.distance(from: next, to: sequence) > 0 else { return }
    acknowledged = sequence
  }

  /// What was acknowledged of a direction of which nothing was captured. A last number alone is held back for the end
  /// of the stream, until that is asked for.
  mutating func giveUnseen(untilEnd: Bool, _ acts: inout [Conversation.Act]) {
    guard isGuessed, !hasEnded, let next, let acknowledged else { return }
    let count = Self.distance(from: next, to: acknowledged)
    if count > 1 {
      skip(to: acknowledged, &acts)
      hasGiven = true
    }
    guard count == 1, untilEnd else { return }
    end = next
    finishIfDone(&acts)
  }

  /// Whether a reset with this number may be one of the sender's: hosts take one that fits their window, and what was
  /// captured may be behind or ahead of them.
  func isNear(_ sequence: UInt32) -> Bool {
    let places = [next, acknowledged, newest, pending.last?.sequence, end].compactMap { $0 }
    return places.isEmpty || places.contains { abs(Self.distance(from: $0, to: sequence)) <= Self.nearBy }
  }

  /// A segment of the direction knows better where it is than the other side, as long as nothing came of that.
  private mutating func settle(at sequence: UInt32) {
    guard isGuessed else { return }
    isGuessed = false
    guard !hasGiven else { return }
    next = sequence
    acknowledged = nil
  }

  private mutating func countRepeated(_ contradicts: Bool) {
    if contradicts { contradicting += 1 } else { repeated += 1 }
  }

  private mutating func noteLate(_ sequence: UInt32, _ length: Int, contradicts: Bool) {
    guard let end else { return }
    let last = sequence &+ UInt32(truncatingIfNeeded: length)
    if Self.distance(from: end, to: last) > 0 { beyondEnd += 1 } else { countRepeated(contradicts) }
  }

  /// Whether bytes before this number, or the end there, are still to come. Of a direction of which nothing was
  /// captured, or that is elsewhere, nobody knows.
  func lacks(before sequence: UInt32) -> Bool {
    guard let next, !isGuessed, !hasEnded else { return false }
    return 1...Self.nearBy ~= Self.distance(from: next, to: sequence)
  }

  /// The other side went on with what is before this number: what did not come by now was not captured.
  mutating func passOver(to sequence: UInt32, _ acts: inout [Conversation.Act]) {
    if lacks(before: sequence) { giveAll(before: sequence, &acts) }
  }

  /// Gives out what is there, holes and all: nothing more comes.
  mutating func flush(_ acts: inout [Conversation.Act]) { giveAll(before: nil, &acts) }

  /// Gives out what is there before the number, holes and all; nil: all of it, and what is acknowledged behind that.
  private mutating func giveAll(before limit: UInt32?, _ acts: inout [Conversation.Act]) {
    while let first = pending.first, limit.map({ Self.distance(from: first.sequence, to: $0) >= 0 }) ?? true {
      skip(to: first.sequence, &acts)
      drain(&acts)
    }
    // The end has a number of its own, which is acknowledged, too.
    if let limit = limit ?? acknowledged {
      if let end, Self.distance(from: end, to: limit) > 0 { skip(to: end, &acts) } else { skip(to: limit, &acts) }
    }
    finishIfDone(&acts)
  }

  private mutating func skipAcknowledged(_ acts: inout [Conversation.Act]) {
    guard let acknowledged, let first = pending.first,
      Self.distance(from: first.sequence, to: acknowledged) >= 0
    else { return }
    skip(to: first.sequence, &acts)
    drain(&acts)
  }

  /// Numbers are compared around the end of their range.
  static func distance(from left: UInt32, to right: UInt32) -> Int { Int(Int32(bitPattern: right &- left)) }

  private mutating func skip(to sequence: UInt32, _ acts: inout [Conversation.Act]) {
    guard let start = next else { return }
    let count = Self.distance(from: start, to: sequence)
    guard count > 0 else { return }
    acts.append(.missing(count, .unseen))
    next = sequence
  }

  private mutating func keep(_ segment: Segment) {
    guard let next else { return }
    let place = Self.distance(from: next, to: segment.sequence)
    var index = pending.count
    while index > 0, Self.distance(from: next, to: pending[index - 1].sequence) > place { index -= 1 }
    pending.insert(segment, at: index)
    pendingCount += segment.bytes.count + Self.overhead
  }

  private mutating func drain(_ acts: inout [Conversation.Act]) {
    var used = 0
    for segment in pending {
      guard let next, case let old = Self.distance(from: segment.sequence, to: next), old >= 0 else { break }
      used += 1
      pendingCount -= segment.bytes.count + Self.overhead
      let contradicts = Contradiction.isIn(
        segment.bytes[...], beginning: old, before: acts.suffix(Self.maxCompared).reversed())
      guard old < segment.length else {
        countRepeated(contradicts)
        continue
      }
      if contradicts { contradicting += 1 }
      deliver(segment.bytes[...], length: segment.length, from: old, &acts)
    }
    pending.removeFirst(used)
  }

  private mutating func deliver(
    _ bytes: ArraySlice<UInt8>, length: Int, from old: Int, _ acts: inout [Conversation.Act]
  ) {
    guard let start = next else { return }
    var known = bytes.behind(old)
    next = start &+ UInt32(truncatingIfNeeded: length - old)
    if let urgent, case let place = Self.distance(from: start, to: urgent), place >= 0, place < known.count {
      if place > 0 { acts.append(.bytes(Array(known.prefix(place)))) }
      acts.append(.urgent(known[at: place]))
      known = known.behind(place + 1)
      self.urgent = nil
    }
    if !known.isEmpty { acts.append(.bytes(Array(known))) }
    let lacking = length - max(old, bytes.count)
    if lacking > 0 { acts.append(.missing(lacking, .cutOff)) }
  }

  private mutating func finishIfDone(_ acts: inout [Conversation.Act]) {
    guard let end, let next, !hasEnded, Self.distance(from: next, to: end) <= 0 else { return }
    hasEnded = true
    acts.append(.finish)
  }
}
