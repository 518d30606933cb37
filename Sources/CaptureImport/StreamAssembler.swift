import Conversations

/// One direction of a connection: segments in, the stream out.
///
/// Laws
/// - Each byte comes out once, in order, however often and in whatever order its segments came; of bytes that came
///   twice the first ones count.
/// - Bytes that no segment brought are missing only when the other side has acknowledged them, or when nothing can
///   bring them any more.
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
  /// So many segments behind a hole that was acknowledged say that nobody saw what was in it.
  private static let maxSegmentsBehindHole = 3

  /// Of the next byte; nil: nothing is known yet.
  private(set) var next: UInt32?
  /// Segments, or parts of them, that brought nothing new.
  private(set) var repeated = 0
  private var pending: [Segment] = []
  /// The memory that what waits takes, in bytes.
  private(set) var pendingCount = 0
  private var acknowledged: UInt32?
  private var end: UInt32?
  private var urgent: UInt32?
  private(set) var hasEnded = false

  /// The stream begins here; said again, it changes nothing.
  mutating func begin(at sequence: UInt32) { next = next ?? sequence }

  /// Notes that the byte with this number is urgent.
  mutating func markUrgent(_ sequence: UInt32) { urgent = sequence }

  /// A segment's data.
  mutating func take(
    _ sequence: UInt32, _ bytes: ArraySlice<UInt8>, length: Int, _ acts: inout [Conversation.Act]
  ) {
    guard length > 0, !hasEnded else { return }
    let start = next ?? sequence
    next = start
    let old = Self.distance(from: sequence, to: start)
    if old >= length {
      repeated += 1
    } else if old >= 0 {
      if old > 0 { repeated += 1 }
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
    next = next ?? sequence
    end = end ?? sequence
    finishIfDone(&acts)
  }

  /// The other side has got everything before this number.
  mutating func acknowledge(_ sequence: UInt32) {
    guard let next, Self.distance(from: next, to: sequence) > 0 else { return }
    acknowledged = sequence
  }

  /// Gives out what is there, holes and all: nothing more comes.
  mutating func flush(_ acts: inout [Conversation.Act]) {
    while let first = pending.first {
      skip(to: first.sequence, &acts)
      drain(&acts)
    }
    if let end, let acknowledged, Self.distance(from: end, to: acknowledged) > 0 { skip(to: end, &acts) }
    if end == nil, let acknowledged { skip(to: acknowledged, &acts) }
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
  private static func distance(from left: UInt32, to right: UInt32) -> Int { Int(Int32(bitPattern: right &- left)) }

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
      guard old < segment.length else {
        repeated += 1
        continue
      }
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
