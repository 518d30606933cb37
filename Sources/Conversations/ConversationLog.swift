/// Writes a conversation down as it goes on.
///
/// Laws
/// - Bounded: when the limit of bytes or events is reached, what is said after that is only counted. How the connection
///   ends is written down all the same.
/// - Counts come behind everything that is kept, at most one for each side in a row.
package struct ConversationLog: Sendable {
  /// As far as it has come.
  package var conversation: Conversation
  /// The memory that it takes, in bytes, about.
  package private(set) var cost = 0
  private var isFull = false

  private static let maxCost = 24 << 20
  private static let maxEvents = 60_000
  /// What an event costs besides its bytes.
  private static let overhead = 96

  /// Goes on from here.
  package init(_ conversation: Conversation) { self.conversation = conversation }

  /// Records what a side did. `hasRoom`: whether there is memory for more than this one conversation.
  package mutating func note(
    _ act: Conversation.Act, by side: Conversation.Side, at instant: Duration, hasRoom: Bool = true
  ) {
    let count: Int
    switch act {
    case .bytes(let bytes): count = bytes.count
    case .missing(let missing, _): count = missing
    case .urgent, .window, .keyUpdate: count = 0
    case .finish, .reset, .handshake, .closeNotify, .alert: return append(act, side, instant)
    }
    var held = 0
    if case .bytes = act { held = count }
    let fits = hasRoom && cost + held + Self.overhead <= Self.maxCost && conversation.events.count < Self.maxEvents
    isFull = isFull || !fits
    guard isFull else {
      cost += held
      return append(act, side, instant)
    }
    if count > 0 { countOnly(count, side, instant) }
  }

  private mutating func append(_ act: Conversation.Act, _ side: Conversation.Side, _ instant: Duration) {
    cost += Self.overhead
    conversation.events.append(Conversation.Event(at: instant, side: side, act: act))
  }

  private mutating func countOnly(_ count: Int, _ side: Conversation.Side, _ instant: Duration) {
    for index in conversation.events.indices.suffix(2).reversed() {
      guard case .missing(let before, .tooMany) = conversation.events[index].act else { break }
      guard conversation.events[index].side == side else { continue }
      conversation.events[index].act = .missing(before + count, .tooMany)
      return
    }
    append(.missing(count, .tooMany), side, instant)
  }
}
