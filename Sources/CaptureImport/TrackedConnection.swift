import Conversations

/// A connection whose packets are coming by.
struct TrackedConnection {
  struct Direction {
    var stream = StreamAssembler()
    var windowScale: Int?
    var windowIsOpen = true
  }

  private(set) var conversation: Conversation
  /// The one that asked for the connection.
  let client: Endpoint
  /// Of the newest packet, in nanoseconds since 1970.
  private(set) var seenAt: UInt64
  /// Bytes that are held.
  private(set) var kept = 0
  private let startedAt: UInt64
  private var directions: (client: Direction, server: Direction) = (Direction(), Direction())
  private var isAnswered: Bool
  private(set) var isOver = false

  static let mostKept = 24 << 20
  private static let mostEvents = 60_000

  init(_ first: CapturedSegment, at instant: UInt64) {
    // Whoever asks says SYN alone; who came too late to see that takes the higher port for the client's.
    let isFromClient: Bool
    switch (first.flags.contains(.syn), first.flags.contains(.ack)) {
    case (true, let isAnswer): isFromClient = !isAnswer
    case (false, _): isFromClient = first.source.port >= first.target.port
    }
    client = isFromClient ? first.source : first.target
    let server = isFromClient ? first.target : first.source
    isAnswered = !first.flags.contains(.syn)
    conversation = Conversation(
      client: client.text, server: server.text, startedAt: instant, opening: isAnswered ? .unseen : .unanswered)
    (startedAt, seenAt) = (instant, instant)
  }

  /// Takes a segment of the connection.
  mutating func take(_ segment: CapturedSegment, at instant: UInt64) {
    seenAt = max(seenAt, instant)
    let side: Conversation.Side = segment.source == client ? .client : .server
    if segment.flags.contains(.ack) { self[side.other].stream.acknowledge(segment.acknowledged) }
    if segment.flags.contains(.syn) { return open(segment, side) }
    if segment.flags.contains(.rst) { return reset(segment, side) }
    if conversation.opening == .unanswered, side == .client, segment.flags.contains(.ack), segment.acknowledged != 0 {
      // The answer was not seen, but the client has got it.
      conversation.opening = .unseen
    }
    note(segment, side)
    var acts: [Conversation.Act] = []
    self[side].stream.take(segment.sequence, segment.bytes, length: segment.length, &acts)
    if segment.flags.contains(.fin) {
      let end = segment.sequence &+ UInt32(truncatingIfNeeded: segment.length)
      self[side].stream.finish(at: end, &acts)
    }
    add(acts, side)
    noteWindow(segment, side)
    isOver = self[.client].stream.hasEnded && self[.server].stream.hasEnded
  }

  /// What is there of the conversation when no more comes.
  mutating func finished() -> Conversation {
    flush()
    let repeated = self[.client].stream.repeated + self[.server].stream.repeated
    if repeated > 0 { conversation.notes.append("\(repeated) segments of the capture brought nothing new.") }
    return conversation
  }

  private subscript(side: Conversation.Side) -> Direction {
    get { side == .client ? directions.client : directions.server }
    _modify { if side == .client { yield &directions.client } else { yield &directions.server } }
  }

  private mutating func open(_ segment: CapturedSegment, _ side: Conversation.Side) {
    self[side].windowScale = segment.windowScale
    self[side].stream.begin(at: segment.sequence &+ 1)
    if side == .server || segment.flags.contains(.ack) { conversation.opening = .seen }
    // Data in a SYN count when they are acknowledged, and come again otherwise.
  }

  private mutating func reset(_ segment: CapturedSegment, _ side: Conversation.Side) {
    if conversation.opening == .unanswered, side == .server {
      conversation.opening = .refused
    } else {
      flush()
      let areBothOver = self[.client].stream.hasEnded && self[.server].stream.hasEnded
      if !areBothOver { add([.reset], side) }
    }
    isOver = true
  }

  private mutating func flush() {
    for side in Conversation.Side.allCases {
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
    let at = Duration.nanoseconds(Int64(clamping: seenAt - startedAt))
    for var act in acts {
      if case .bytes(let bytes) = act {
        if kept + bytes.count > Self.mostKept {
          act = .missing(bytes.count, .tooMany)
        } else {
          kept += bytes.count
        }
      }
      if conversation.events.count < Self.mostEvents || !joinLast(act, side) {
        conversation.events.append(Conversation.Event(at: at, side: side, act: act))
      }
    }
  }

  /// Of a very long conversation no more single segments are told; false: the act can't be joined with the last one.
  private mutating func joinLast(_ act: Conversation.Act, _ side: Conversation.Side) -> Bool {
    let end = conversation.events.count - 1
    guard end >= 0, conversation.events[end].side == side else { return false }
    let before = conversation.events[end].act
    switch (before, act) {
    case (.bytes, .bytes(let more)):
      // Rare, and long: what is behind the last of the single segments is one piece, and no longer kept.
      conversation.events.append(
        Conversation.Event(at: conversation.events[end].at, side: side, act: .missing(more.count, .tooMany)))
    case (.missing(let count, let lack), .missing(let more, let same)) where lack == same:
      conversation.events[end].act = .missing(count + more, lack)
    case (.missing(let count, .tooMany), .bytes(let more)):
      conversation.events[end].act = .missing(count + more.count, .tooMany)
    default: return false
    }
    return true
  }
}
