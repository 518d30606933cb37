import ScenarioModel

/// The accepted operations of one direction. Those that lanes called and those that reactions called are kept apart,
/// because the lab learns of a reaction's call only after the fact: each of the two is in order, their mixture is not
/// known.
struct OperationQueue: Sendable {
  struct Entry: Hashable, Sendable {
    var tag: Int
    /// Of a write, and of a read whose length is given: in bytes; otherwise 0, as progress tells it.
    var count: Int
    /// The most bytes that may be reported before it completes: the last piece is the completion's (INV-16).
    var maxProgress: Int
    /// Whether the call was accepted is not known from the trace: its completion may be missing.
    var mayBeNone = false
    /// Of a read.
    var boundary: ReadCommand.Boundary?
  }

  /// What was said of the operation under way.
  struct Progress: Sendable {
    var tag: Int
    /// Bytes reported as progress since the last completion.
    var reported = 0
    /// The most that was told by any means.
    var seen = 0
  }

  private var lane: [Entry] = []
  private var reaction: [Entry] = []
  private var laneNext = 0
  private var reactionNext = 0
  /// nil: nothing since the last completion.
  private(set) var progress: Progress?
  /// Bytes of completed operations whose size is known.
  private(set) var completed = 0

  /// Both lanes and reactions called operations, so their order is not known.
  var isMixed: Bool { !lane.isEmpty && !reaction.isEmpty }

  mutating func append(_ entry: Entry, inCallback: Bool) {
    if inCallback { reaction.append(entry) } else { lane.append(entry) }
  }

  /// Takes the completion with this tag; nil when it is not the next one. `isLoose`: some completions may be missing.
  mutating func complete(_ tag: Int, isLoose: Bool) -> Entry? {
    progress = nil
    let entry: Entry
    if let index = Self.find(tag, in: lane, from: laneNext, isLoose: isLoose) {
      laneNext = index + 1
      entry = lane[index]
    } else {
      guard let index = Self.find(tag, in: reaction, from: reactionNext, isLoose: isLoose) else { return nil }
      reactionNext = index + 1
      entry = reaction[index]
    }
    completed = completed.addingReportingOverflow(entry.count).partialValue
    return entry
  }

  /// The next one to complete; nil: there is none, or it is not known which.
  var head: Entry? {
    guard !isMixed else { return nil }
    let head: Entry? = laneNext < lane.count ? lane[laneNext] : reaction.dropFirst(reactionNext).first
    return head.flatMap { $0.mayBeNone ? nil : $0 }
  }

  /// The operation of this tag if it can be the one under way, as far as completions tell; nil otherwise.
  func active(_ tag: Int, isLoose: Bool) -> Entry? {
    if let index = Self.find(tag, in: lane, from: laneNext, isLoose: isLoose) { return lane[index] }
    return Self.find(tag, in: reaction, from: reactionNext, isLoose: isLoose).map { reaction[$0] }
  }

  /// The operations that a completion with this tag can belong to.
  func heads(_ tag: Int, isLoose: Bool) -> [Entry] {
    guard !isLoose else { return outstanding(tag) }
    return Self.heads(tag, in: lane, from: laneNext) + Self.heads(tag, in: reaction, from: reactionNext)
  }

  private static func heads(_ tag: Int, in entries: [Entry], from next: Int) -> [Entry] {
    var heads: [Entry] = []
    for entry in entries[next...] {
      if entry.tag == tag { heads.append(entry) }
      guard entry.mayBeNone else { break }
    }
    return heads
  }

  /// The operations of this tag that have not completed, as far as completions tell.
  func outstanding(_ tag: Int) -> [Entry] {
    (lane.dropFirst(laneNext) + reaction.dropFirst(reactionNext)).filter { $0.tag == tag }
  }

  /// Something was told of the operation of this tag: an increment, or how far it is.
  mutating func note(_ tag: Int, increment: Int = 0, seen: Int = 0) {
    var known = progress.flatMap { $0.tag == tag ? $0 : nil } ?? Progress(tag: tag)
    known.reported = known.reported.addingReportingOverflow(increment).partialValue
    known.seen = max(known.seen, seen, known.reported)
    progress = known
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
