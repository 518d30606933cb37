import ScenarioModel

/// What the invariants remember of one subject socket.
struct SocketRecord: Sendable {
  let name: String
  private(set) var starts = 0
  private(set) var generations: [Generation] = []
  /// How many generations have ended: the index of the one callbacks belong to.
  private var ended = 0
  /// Callbacks may be lost: there was no delegate or no queue for a while.
  private(set) var isMuted: Bool
  /// The order of callbacks says nothing: several queues, or a start after some were lost.
  private(set) var isOrderless = false
  /// Callbacks while nothing lived, until a start inside a callback explains them.
  var strays: [Deviation] = []

  init(name: String, isMuted: Bool) {
    self.name = name
    self.isMuted = isMuted
  }

  /// The generation that callbacks belong to.
  var current: Generation? { ended < generations.count ? generations[ended] : nil }

  mutating func start(inCallback: Bool) {
    if isMuted, !generations.isEmpty { isOrderless = true }
    if inCallback { strays.removeAll() }
    starts += 1
    generations.append(Generation())
  }

  mutating func end() { ended += 1 }

  mutating func mute() { isMuted = true }

  mutating func loseOrder() { if starts > 0 { isOrderless = true } }

  mutating func update(_ body: (inout Generation) -> Void) {
    guard ended < generations.count else { return }
    body(&generations[ended])
  }

  /// Operations called from now on are ignored by the subject.
  mutating func close() {
    guard let last = generations.indices.last, ended < generations.count else { return }
    generations[last].isClosing = true
  }

  mutating func accept(_ read: ReadCommand, inCallback: Bool) {
    guard let last = generations.indices.last, !generations[last].isClosing, !read.isNoOperation else { return }
    generations[last].reads.append(
      OperationQueue.Entry(tag: read.tag, count: 0, mayBeNone: read.mayBeNoOperation), inCallback: inCallback)
  }

  mutating func accept(_ write: WriteCommand, inCallback: Bool) {
    let count = write.payload.count
    guard let last = generations.indices.last, !generations[last].isClosing, count > 0 else { return }
    generations[last].writes.append(OperationQueue.Entry(tag: write.tag, count: count), inCallback: inCallback)
    generations[last].written.append(write.payload)
  }
}

/// One life of a socket, from a successful start to its didDisconnect.
struct Generation: Sendable {
  var isConnected = false
  /// A disconnect of some kind was called.
  var isClosing = false
  var reads = OperationQueue()
  var writes = OperationQueue()
  /// The payloads of the accepted writes, in order.
  var written: [Payload] = []
  /// The bytes of its didReads, in order.
  var delivered: [[UInt8]] = []
}

/// The accepted operations of one direction. Those that lanes called and those that reactions called are kept apart,
/// because the lab learns of a reaction's call only after the fact: each of the two is in order, their mixture is not
/// known.
struct OperationQueue: Sendable {
  struct Entry: Sendable {
    var tag: Int
    /// Of a write, in bytes.
    var count: Int
    /// Whether the call was accepted is not known from the trace: its completion may be missing.
    var mayBeNone = false
  }

  private var lane: [Entry] = []
  private var reaction: [Entry] = []
  private var laneNext = 0
  private var reactionNext = 0
  /// Bytes reported as progress since the last completion.
  var partial = 0

  /// Both lanes and reactions called operations, so their order is not known.
  var isMixed: Bool { !lane.isEmpty && !reaction.isEmpty }

  mutating func append(_ entry: Entry, inCallback: Bool) {
    if inCallback { reaction.append(entry) } else { lane.append(entry) }
  }

  /// Takes the completion with this tag; nil when it is not the next one. `isLoose`: some completions may be missing.
  mutating func complete(_ tag: Int, isLoose: Bool) -> Entry? {
    partial = 0
    if let index = Self.find(tag, in: lane, from: laneNext, isLoose: isLoose) {
      laneNext = index + 1
      return lane[index]
    }
    guard let index = Self.find(tag, in: reaction, from: reactionNext, isLoose: isLoose) else { return nil }
    reactionNext = index + 1
    return reaction[index]
  }

  private static func find(_ tag: Int, in entries: [Entry], from next: Int, isLoose: Bool) -> Int? {
    for index in entries.indices.dropFirst(next) {
      if entries[index].tag == tag { return index }
      guard isLoose || entries[index].mayBeNone else { return nil }
    }
    return nil
  }

  /// The completion that should come, in words.
  var next: String {
    let heads = [
      laneNext < lane.count ? lane[laneNext] : nil, reactionNext < reaction.count ? reaction[reactionNext] : nil,
    ]
    let tags = heads.compactMap { $0.map { "tag \($0.tag)" } }
    return tags.isEmpty ? "no tag: nothing accepted is outstanding" : tags.joined(separator: " or ")
  }
}

extension ReadCommand {
  /// A call the contract says has no effect at all.
  fileprivate var isNoOperation: Bool {
    if let buffer, buffer.size == nil, buffer.offset != 0 { return true }
    switch boundary {
    case .available: return false
    case .exactly(let count): return count == 0
    case .through(let delimiter, let limit):
      return delimiter.count == 0 || limit > 0 && limit < delimiter.count
    }
  }

  /// Its offset lies behind the buffer's declared size. That makes the call a no-op, unless earlier reads have
  /// lengthened the buffer by then.
  fileprivate var mayBeNoOperation: Bool {
    guard let buffer, let size = buffer.size else { return false }
    return buffer.offset > size
  }
}
