import Conversations
import ScenarioModel

/// What one side has sent and the other has not acknowledged.
///
/// Laws
/// - Only what was sent again, and not at once, counts as never acknowledged: a capture may end before the
///   acknowledgement comes, and may show each packet twice.
/// - It keeps numbers alone.
struct Outstanding {
  /// In nanoseconds. Captures of several interfaces show a packet twice, closer together than any host sends again.
  private static let shortestSpan: UInt64 = 10_000_000

  /// Everything before this number; of a direction that was never acknowledged, where it was first seen.
  private var acknowledged: UInt32?
  /// When that number was first told.
  private(set) var acknowledgedAt: UInt64 = 0
  /// Behind everything that was sent; the end of the stream has a number, too.
  private var top: UInt32?
  private var hasEnd = false
  /// How often the first of what is not acknowledged was sent, and from when until when.
  private var times = 0
  private var since: UInt64 = 0
  private var last: UInt64 = 0
  /// Whether the newest segment had all of it.
  private var isWhole = false

  /// The side sent so many numbers, the end of its stream included.
  mutating func send(_ sequence: UInt32, count: Int, isEnd: Bool, at instant: UInt64) {
    guard count > 0 else { return }
    let base = acknowledged ?? sequence
    acknowledged = base
    let end = sequence &+ UInt32(truncatingIfNeeded: count)
    guard StreamAssembler.distance(from: base, to: end) > 0 else { return }
    if isEnd { hasEnd = true }
    if StreamAssembler.distance(from: sequence, to: base) >= 0 {
      let isAgain = top.map { StreamAssembler.distance(from: base, to: $0) > 0 } ?? false
      if !isAgain { (times, since) = (0, instant) }
      times += 1
      last = instant
    }
    let highest = top ?? end
    isWhole = StreamAssembler.distance(from: highest, to: end) >= 0
    top = isWhole ? end : highest
  }

  /// The other side has everything before this number. 0 stands where there is no number.
  mutating func acknowledge(_ sequence: UInt32, at instant: UInt64) {
    if let acknowledged {
      guard StreamAssembler.distance(from: acknowledged, to: sequence) > 0 else { return }
    } else {
      guard sequence != 0 else { return }
    }
    (acknowledged, acknowledgedAt) = (sequence, instant)
    // What is left was sent before, once at least.
    (times, since) = (1, instant)
  }

  /// That the last of the side was never acknowledged, for people; nil: it was, or may have been.
  func note(of side: Conversation.Side) -> String? {
    guard let acknowledged, let top, times > 1, last > since, last - since >= Self.shortestSpan else { return nil }
    let numbers = StreamAssembler.distance(from: acknowledged, to: top)
    guard numbers > 0 else { return nil }
    let count = hasEnd ? numbers - 1 : numbers
    let bytes = count == 1 ? "byte" : QuantityText.count(count, "byte")
    let what: String
    switch (count, hasEnd) {
    case (0, _): what = "The end of the \(side.rawValue)'s stream was"
    case (_, true): what = "The last \(bytes) of the \(side.rawValue) and the end of its stream were"
    case (_, false): what = "The last \(bytes) of the \(side.rawValue) \(count == 1 ? "was" : "were")"
    }
    let sent = !isWhole ? "the first of them" : numbers == 1 ? "it" : "them"
    let span = QuantityText.duration(.nanoseconds(Int64(clamping: last - since)))
    return "\(what) never acknowledged: the \(side.rawValue) sent \(sent) \(times) times over \(span)."
  }
}
