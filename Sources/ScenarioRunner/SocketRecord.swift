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
  /// The case ended while its delegate queue was blocked: it may have been connected without telling.
  var isUnheard = false
  /// startTLS was called in one of its lives.
  var usesTLS = false
  /// Callbacks while nothing lived, until a start inside a callback explains them.
  var strays: [Deviation] = []
  /// A willConnect while nothing lived, until the call that it belongs to is recorded.
  var strayQuestion: Deviation?

  init(name: String, isMuted: Bool) {
    self.name = name
    self.isMuted = isMuted
  }

  /// The generation that callbacks belong to.
  var current: Generation? { ended < generations.count ? generations[ended] : nil }

  /// The generation that the socket itself is in by now; nil: none that has not ended.
  var newest: Generation? { ended < generations.count ? generations.last : nil }

  /// `instant`: of a lane's call; nil: of a reaction's, or of an acceptance.
  mutating func start(_ origin: Generation.Origin, at instant: Duration?, inCallback: Bool) {
    if isMuted, !generations.isEmpty { isOrderless = true }
    if inCallback { strays.removeAll() }
    starts += 1
    generations.append(Generation(origin: origin, startedUntil: instant))
  }

  mutating func end() { ended += 1 }

  mutating func mute() { isMuted = true }

  mutating func loseOrder() { if starts > 0 { isOrderless = true } }

  mutating func update(_ body: (inout Generation) -> Void) {
    guard ended < generations.count else { return }
    body(&generations[ended])
  }

  mutating func updateNewest(_ body: (inout Generation) -> Void) {
    guard ended < generations.count, let last = generations.indices.last else { return }
    body(&generations[last])
  }

  /// Operations called from now on are ignored by the subject. False: so they were before, or there is no life that was
  /// closed for certain.
  mutating func close(at instant: Duration, inCallback: Bool) -> Bool {
    guard let last = generations.indices.last, ended < generations.count, !generations[last].isClosing else {
      return false
    }
    // Its didDisconnect may have come inside the reaction's call: what a lane has started behind that, before the lab
    // learned of the call, is not what was closed.
    if inCallback, last > 0, let started = generations[last].startedUntil, instant <= started { return false }
    generations[last].isClosing = true
    if !inCallback { generations[last].closedUntil = instant }
    return true
  }

  /// The lives that were closed, perhaps behind a call of a reaction's that is only recorded now: the lab learns of it
  /// after the fact, and a lane may have closed the socket meanwhile, or even started it anew.
  private func disputedLives(at instant: Duration, inCallback: Bool) -> [Int] {
    guard inCallback, ended < generations.count else { return [] }
    return generations.indices[ended...].filter { generations[$0].closedUntil.map { instant <= $0 } ?? false }
  }

  mutating func accept(_ read: ReadCommand, at instant: Duration, inCallback: Bool) {
    guard let last = generations.indices.last, !read.isNoOperation else { return }
    var entry = read.entry
    let disputed = disputedLives(at: instant, inCallback: inCallback)
    if !disputed.isEmpty { entry.mayBeNone = true }
    for life in disputed { generations[life].reads.append(entry, inCallback: true) }
    guard !disputed.contains(last) else { return }
    if generations[last].isClosing {
      // What is left may be read inside willDisconnect, or not (RL-07).
      guard generations[last].isEnding, case .available = read.boundary else { return }
      entry.mayBeNone = true
    }
    generations[last].reads.append(entry, inCallback: inCallback)
  }

  mutating func accept(_ write: WriteCommand, at instant: Duration, inCallback: Bool) {
    let count = write.payload.count
    guard let last = generations.indices.last, count > 0 else { return }
    var entry = OperationQueue.Entry(tag: write.tag, count: count, maxProgress: count - 1)
    var lives = disputedLives(at: instant, inCallback: inCallback)
    if !lives.isEmpty { entry.mayBeNone = true }
    if !generations[last].isClosing { lives.append(last) }
    for life in lives {
      generations[life].writes.append(entry, inCallback: inCallback)
      generations[life].written.append(write.payload)
      // What is called behind the close is ignored: nothing follows that it could be taken for.
      if entry.mayBeNone, !generations[life].isClosing { generations[life].mayLackWrites = true }
    }
  }
}

extension ReadCommand {
  /// What its progress may come to. Reads of whatever there is report none (RDQ-10).
  fileprivate var entry: OperationQueue.Entry {
    var entry: OperationQueue.Entry
    switch boundary {
    case .available: entry = OperationQueue.Entry(tag: tag, count: 0, maxProgress: 0)
    case .exactly(let count): entry = OperationQueue.Entry(tag: tag, count: count, maxProgress: count - 1)
    case .through(_, let limit):
      entry = OperationQueue.Entry(tag: tag, count: 0, maxProgress: limit > 0 ? limit : .max)
    }
    entry.mayBeNone = mayBeNoOperation
    entry.boundary = boundary
    return entry
  }

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
