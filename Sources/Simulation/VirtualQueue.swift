import DequeModule
import SocketCore

/// A serial dispatch queue in virtual time.
///
/// Laws
/// - Blocks run one at a time, in the order they were put on it. A block that holds (a callback that takes its time)
///   keeps the queue occupied until it goes on.
/// - A suspended queue starts no block; one that runs goes on.
final class VirtualQueue {
  let id: Int
  /// As scenarios call it; nil for queues without a name.
  let name: String?
  var random: SeededRandom
  var blocks = Deque<Block>()
  var suspensions = 0
  /// A block runs on it, or holds.
  var isOccupied = false
  var isScheduled = false
  /// The lane that is being drained while its callback holds, or while another block runs between two of its callbacks.
  var held: (run: LaneRun, delivery: Delivery?)?

  enum Block {
    /// Delivers a lane's events.
    case lane(subject: Int, LaneBlock)
    /// Puts such a block on the queue, behind what is there by then.
    case step(subject: Int, LaneBlock)
    /// Delivers what was in a lane when `disconnect` was called, which waits for this hop.
    case share(subject: Int, SocketEngine.Box.Share, hop: Int, callers: [SocketEngine.Box.LaneID])
    /// The socket queue's part of the work.
    case turn(subject: Int)
  }

  typealias LaneBlock = SocketEngine.Box.Block

  init(id: Int, name: String?, seed: DrawSource) {
    self.id = id
    self.name = name
    random = SeededRandom(seed: seed, concern: .dispatch, index: id)
  }

  var canStart: Bool { !isOccupied && suspensions == 0 && !blocks.isEmpty }
}
