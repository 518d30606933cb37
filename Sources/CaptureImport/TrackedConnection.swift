import Conversations
import ScenarioModel

/// A connection whose packets are coming by.
///
/// Laws
/// - What a side says after it has got something stands behind that, also where the capture does not hold it: bytes
///   that are acknowledged by data, or by an end, are missing in front of these.
/// - Captures show packets of the two sides in another order at times: such data wait for what they acknowledge, until
///   the other side acknowledges them in its turn, or some more have come.
struct TrackedConnection {
  struct Direction {
    var stream = StreamAssembler()
    var windowIsOpen = true
    /// Any packet of it.
    var isSeen = false
    /// Bytes or an end that only the other side's acknowledgements tell of.
    var isInferred = false
    var outstanding = Outstanding()
  }

  /// A segment that acknowledges what has not come yet, and those of its side behind it.
  private struct Held {
    var segment: CapturedSegment
    var instant: UInt64
  }

  private static let maxHeld = 3
  /// What one that is held costs besides its bytes.
  private static let overhead = 200

  private var log: ConversationLog
  /// The one that asked for the connection.
  let client: Endpoint
  /// Of the newest packet, in nanoseconds since 1970.
  private(set) var seenAt: UInt64
  /// The number of the client's SYN; nil: it was not seen.
  private let opening: UInt32?
  private let startedAt: UInt64
  private var directions: (client: Direction, server: Direction) = (Direction(), Direction())
  private var isAnswered: Bool
  private(set) var isOver = false
  private var foreignResets = 0
  private var doubts: [InstantDoubt: Int] = [:]
  /// Of one side.
  private var held: [Held] = []

  /// The memory that it takes, in bytes, about.
  var kept: Int {
    let heldCount = held.reduce(0) { $0 + $1.segment.bytes.count + Self.overhead }
    return log.cost + heldCount + directions.client.stream.pendingCount + directions.server.stream.pendingCount
  }

  init(_ first: CapturedSegment, at instant: UInt64) {
    // A client sends SYN alone; without one in the capture the higher port counts as the client's.
    let isFromClient: Bool
    switch (first.flags.contains(.syn), first.flags.contains(.ack)) {
    case (true, let isAnswer): isFromClient = !isAnswer
    case (false, _): isFromClient = first.source.port >= first.target.port
    }
    client = isFromClient ? first.source : first.target
    let server = isFromClient ? first.target : first.source
    isAnswered = !first.flags.contains(.syn)
    log = ConversationLog(
      Conversation(
        client: client.text, server: server.text, startedAt: instant, opening: isAnswered ? .unseen : .unanswered))
    opening = first.flags.contains(.syn) && !first.flags.contains(.ack) ? first.sequence : nil
    (startedAt, seenAt) = (instant, instant)
  }

  /// Whether the segment begins another connection between the same ends: the end of this one was not seen.
  func isSucceeded(by segment: CapturedSegment) -> Bool {
    guard segment.flags.contains(.syn), !segment.flags.contains(.ack), segment.sequence != opening else { return false }
    // From the other end it is that end's part of an opening from both at once.
    return segment.source == client || opening == nil
  }

  /// Takes a segment of the connection.
  mutating func take(_ segment: CapturedSegment, at instant: UInt64, doubt: InstantDoubt? = nil) {
    if let doubt { doubts[doubt, default: 0] += 1 }
    let side = side(of: segment)
    track(segment, side, at: instant)
    if let first = held.first {
      guard side != self.side(of: first.segment) else {
        hold(segment, at: instant)
        if held.count > Self.maxHeld || segment.flags.contains(.rst) { releaseAll() }
        return
      }
      answer(segment, side)
    }
    if held.isEmpty, waits(segment, side) { return hold(segment, at: instant) }
    process(segment, side, at: instant)
    while let first = held.first, !waits(first.segment, side.other) { release() }
  }

  private func side(of segment: CapturedSegment) -> Conversation.Side { segment.source == client ? .client : .server }

  /// What is sent, and what is acknowledged.
  private mutating func track(_ segment: CapturedSegment, _ side: Conversation.Side, at instant: UInt64) {
    guard !segment.flags.contains(.rst) else { return }
    if segment.flags.contains(.ack) {
      self[side.other].outstanding.acknowledge(segment.acknowledged, at: instant)
    }
    let isEnd = segment.flags.contains(.fin)
    let start = segment.flags.contains(.syn) ? segment.sequence &+ 1 : segment.sequence
    self[side].outstanding.send(start, count: segment.length + (isEnd ? 1 : 0), isEnd: isEnd, at: instant)
  }

  /// Whether the segment says something that came of what has not been seen yet.
  private func waits(_ segment: CapturedSegment, _ side: Conversation.Side) -> Bool {
    let says = segment.length > 0 || segment.flags.contains(.fin)
    guard says, segment.flags.contains(.ack), segment.flags.isDisjoint(with: [.syn, .rst]) else { return false }
    return self[side.other].isSeen && self[side.other].stream.lacks(before: segment.acknowledged)
  }

  private mutating func hold(_ segment: CapturedSegment, at instant: UInt64) {
    var segment = segment
    // A slice would keep all that was read with it.
    segment.bytes = Array(segment.bytes)[...]
    held.append(Held(segment: segment, instant: instant))
  }

  /// Lets those go that the segment of the other side acknowledges: what they waited for was sent before it.
  private mutating func answer(_ segment: CapturedSegment, _ side: Conversation.Side) {
    if segment.flags.contains(.rst) || segment.flags.contains(.syn) { return releaseAll() }
    let start = segment.sequence
    let old = self[side].stream.next.map { StreamAssembler.distance(from: start, to: $0) } ?? -1
    // The very bytes may come again with a newer acknowledgement.
    guard segment.flags.contains(.ack), !(0..<segment.length).contains(old) else { return }
    // A bare acknowledgement from behind the hole was sent after what is missing, and may have overtaken it.
    if old < 0, segment.length == 0, !segment.flags.contains(.fin) { return }
    while let first = held.first,
      StreamAssembler.distance(from: first.segment.sequence, to: segment.acknowledged) > 0
    {
      release()
    }
  }

  private mutating func releaseAll() { while !held.isEmpty { release() } }

  private mutating func release() {
    let first = held.removeFirst()
    let side = side(of: first.segment)
    if waits(first.segment, side) {
      var acts: [Conversation.Act] = []
      self[side.other].stream.passOver(to: first.segment.acknowledged, &acts)
      // They were there when they were first acknowledged.
      let instant = min(self[side.other].outstanding.acknowledgedAt, first.instant)
      let at = max(elapsed(until: instant), log.conversation.events.last?.at ?? .zero)
      for act in acts { log.note(act, by: side.other, at: at) }
    }
    process(first.segment, side, at: first.instant)
  }

  private mutating func process(_ segment: CapturedSegment, _ side: Conversation.Side, at instant: UInt64) {
    seenAt = max(seenAt, instant)
    if segment.flags.contains(.rst), isForeign(segment, side) {
      foreignResets += 1
      return
    }
    self[side].isSeen = true
    if segment.flags.contains(.ack) {
      self[side.other].stream.acknowledge(segment.acknowledged)
      infer(side.other, untilEnd: segment.flags.contains(.fin))
    }
    if segment.flags.contains(.syn) { open(segment, side) }
    if segment.flags.contains(.rst) { return reset(side) }
    if log.conversation.opening == .unanswered, side == .client, segment.flags.contains(.ack),
      segment.acknowledged != 0
    {
      // The answer was not seen, but the client has got it.
      log.conversation.opening = .unseen
    }
    note(segment, side)
    var acts: [Conversation.Act] = []
    // A SYN has a number of its own. Data behind it that the other side does not take come again.
    let start = segment.flags.contains(.syn) ? segment.sequence &+ 1 : segment.sequence
    let contradicts = contradicts(segment, from: start, side)
    self[side].stream.take(start, segment.bytes, length: segment.length, contradicts: contradicts, &acts)
    if segment.flags.contains(.fin) {
      let end = start &+ UInt32(truncatingIfNeeded: segment.length)
      self[side].stream.finish(at: end, &acts)
    }
    add(acts, side)
    noteWindow(segment, side)
    isOver = self[.client].stream.hasEnded && self[.server].stream.hasEnded
  }

  /// The conversation as far as it is known when no more comes, or no more is taken.
  mutating func finished(isEvicted: Bool = false) -> Conversation {
    releaseAll()
    flush()
    for side in Conversation.Side.allCases where self[side].isInferred {
      log.conversation.notes.append(
        "Nothing of the \(side.rawValue) was captured: what the \(side.other.rawValue) acknowledged of it says how "
          + "much it was, and about when.")
    }
    let repeated = self[.client].stream.repeated + self[.server].stream.repeated
    if repeated > 0 {
      let count = QuantityText.count(repeated, "segment")
      log.conversation.notes.append("\(count) of the capture brought nothing new.")
    }
    noteContradictions()
    if !isEvicted { noteOutstanding() }
    noteDoubts()
    let beyond = self[.client].stream.beyondEnd + self[.server].stream.beyondEnd
    if beyond > 0 {
      log.conversation.notes.append("Left out: \(QuantityText.count(beyond, "segment")) behind the end of a stream.")
    }
    if foreignResets > 0 {
      let count = QuantityText.count(foreignResets, "reset")
      log.conversation.notes.append("Not believed: \(count) with a number that is none of the connection's.")
    }
    if isEvicted {
      log.conversation.notes.append(
        "More was open in the capture than is kept at once: what was said after this is left out.")
    }
    return log.conversation
  }

  private mutating func noteContradictions() {
    let count = self[.client].stream.contradicting + self[.server].stream.contradicting
    guard count > 0 else { return }
    let segments = "\(QuantityText.count(count, "segment")) of the capture \(count == 1 ? "says" : "say")"
    log.conversation.notes.append("\(segments) something else than what came first, which counts.")
  }

  /// Of a side whose other side is not in the capture at all, nobody knows what was acknowledged.
  private mutating func noteOutstanding() {
    for side in Conversation.Side.allCases where self[side.other].isSeen {
      if let note = self[side].outstanding.note(of: side) { log.conversation.notes.append(note) }
    }
  }

  private mutating func noteDoubts() {
    if let count = doubts[.fraction] {
      log.conversation.notes.append(
        "\(QuantityText.count(count, "packet")) of the capture \(count == 1 ? "has" : "have") a fraction of a second "
          + "that is a second or more: the beginning of the second stands for it.")
    }
    if doubts[.options] != nil {
      log.conversation.notes.append(
        "What the capture says of its interface is damaged: all pauses may be longer or shorter than they are here.")
    }
  }

  /// Whether the segment has other bytes than those that came first, as far back as that is looked for.
  private func contradicts(_ segment: CapturedSegment, from start: UInt32, _ side: Conversation.Side) -> Bool {
    guard let next = self[side].stream.next else { return false }
    let old = StreamAssembler.distance(from: start, to: next)
    guard old > 0 else { return false }
    let said = log.conversation.events.suffix(Contradiction.maxEvents).reversed().lazy
      .filter { $0.side == side }.map(\.act)
    return Contradiction.isIn(segment.bytes.prefix(segment.length), beginning: old, before: said)
  }

  private subscript(side: Conversation.Side) -> Direction {
    get { side == .client ? directions.client : directions.server }
    _modify { if side == .client { yield &directions.client } else { yield &directions.server } }
  }

  private mutating func open(_ segment: CapturedSegment, _ side: Conversation.Side) {
    self[side].stream.begin(at: segment.sequence &+ 1)
    if side == .server || segment.flags.contains(.ack) { log.conversation.opening = .seen }
  }

  /// Whether the reset can't be one of the side's: it is forged, or of another connection.
  private func isForeign(_ segment: CapturedSegment, _ side: Conversation.Side) -> Bool {
    guard log.conversation.opening != .unanswered else {
      // A refusal acknowledges the SYN, with data or without; its own numbers have not begun.
      guard side == .server, let opening, segment.flags.contains(.ack) else { return false }
      return segment.acknowledged &- opening &- 1 > 0xFFFF
    }
    return !self[side].stream.isNear(segment.sequence)
  }

  private mutating func reset(_ side: Conversation.Side) {
    if log.conversation.opening == .unanswered, side == .server {
      log.conversation.opening = .refused
    } else {
      flush()
      let areBothOver = self[.client].stream.hasEnded && self[.server].stream.hasEnded
      if !areBothOver { add([.reset], side) }
    }
    isOver = true
  }

  /// What a segment of the other side tells of one of which nothing was captured.
  private mutating func infer(_ side: Conversation.Side, untilEnd: Bool) {
    guard !self[side].isSeen else { return }
    var acts: [Conversation.Act] = []
    self[side].stream.giveUnseen(untilEnd: untilEnd, &acts)
    guard !acts.isEmpty else { return }
    self[side].isInferred = true
    add(acts, side)
  }

  private mutating func flush() {
    for side in Conversation.Side.allCases {
      infer(side, untilEnd: true)
      var acts: [Conversation.Act] = []
      self[side].stream.flush(&acts)
      add(acts, side)
    }
  }

  /// The window of a SYN is not scaled, those of all others are; zero is zero in any scale.
  private mutating func noteWindow(_ segment: CapturedSegment, _ side: Conversation.Side) {
    guard segment.flags.contains(.ack), !segment.flags.contains(.fin), !self[side].stream.hasEnded else { return }
    let isOpen = segment.window > 0
    guard isOpen != self[side].windowIsOpen else { return }
    self[side].windowIsOpen = isOpen
    add([.window(isOpen: isOpen)], side)
  }

  private mutating func note(_ segment: CapturedSegment, _ side: Conversation.Side) {
    guard segment.flags.contains(.urgent), segment.urgentPointer > 0 else { return }
    // The pointer leads to the byte behind the urgent one, as all hosts have it that one meets.
    self[side].stream.markUrgent(segment.sequence &+ UInt32(segment.urgentPointer) &- 1)
  }

  private mutating func add(_ acts: [Conversation.Act], _ side: Conversation.Side) {
    let at = elapsed(until: seenAt)
    for act in acts { log.note(act, by: side, at: at) }
  }

  private func elapsed(until instant: UInt64) -> Duration {
    // Clocks are put back at times.
    Duration.nanoseconds(Int64(clamping: instant > startedAt ? instant - startedAt : 0))
  }
}
