import SocketCore
import SocketValues

/// One of the two ends of a connection: who connected, and who was connected to.
enum LinkSide: Int, Sendable {
  case client, server

  var other: LinkSide { self == .client ? .server : .client }
}

/// A duplex byte pipe between two sockets, as TCP over a Linux loopback or a Unix-domain stream behaves.
///
/// Laws
/// - Bytes arrive in order, each once, or not at all when the connection is reset (`Pipe`).
/// - Nothing arrives that the receiver has no room for; nothing is taken that the sender has no room for.
/// - FIN comes behind all bytes. RST comes behind the bytes that were on their way when it was sent, which are those
///   the receiver had room for; bytes that were waiting for room are lost.
/// - What arrived before a RST stays readable. Then ECONNRESET is reported once (EPIPE if the FIN had come before it,
///   which is then reported in its place), then the end of the stream.
/// - `close` with unread input, or with input that arrives later, answers with RST.
/// - Readiness is edge-triggered: `LinkChanges` for every arrival, and for room after a send that would block or took
///   only a part.
final class SimulatedLink {
  let id: Int
  /// A Unix-domain stream: no RST on the wire, a closed reader is noticed at once.
  let isLocal: Bool
  let timeline: VirtualTimeline
  let faults: LinkFaults

  private var client = End()
  private var server = End()
  private var toServer: Pipe
  private var toClient: Pipe

  /// Whether a receive that fills less than its buffer has emptied the link, this time.
  let shortReceiveMeansEmpty: Bool

  /// The state of one end.
  struct End {
    var owner = LinkOwner.nobody
    var address: SocketAddress?
    /// The descriptor is closed.
    var isClosed = false
    /// Closed gracefully: input is thrown away until nothing can be lost by a close.
    var lingering: LingerLimit?
    /// SO_ERROR.
    var pendingError: Int32 = 0
    var finArrived = false
    var resetArrived = false
    /// Shut for writing: nothing can be sent any more.
    var finSent = false
    var isReadShut = false
    /// A send would have blocked or took only a part: room will be signalled.
    var wantsRoom = false
    /// Bytes have arrived whose readiness was not signalled to the owner yet.
    var hasUnannounced = false
    var isWakeScheduled = false
    var sending: SeededRandom
    var receiving: SeededRandom

    var isLingering: Bool { lingering != nil }

    init() {
      sending = SeededRandom(seed: 0)
      receiving = SeededRandom(seed: 0)
    }
  }

  /// One direction.
  struct Pipe {
    /// Unread bytes in front, bytes on their way behind them.
    var bytes = ByteQueue()
    /// Arrived and not yet taken.
    var unread = 0
    var hasFIN = false
    var hasRST = false
    var isDeliveryScheduled = false
    var sendCapacity: Int
    var receiveCapacity: Int
    var random: SeededRandom

    /// Sent and not yet arrived.
    var inFlight: Int { bytes.count - unread }
    var room: Int { max(0, sendCapacity - inFlight) }
    /// What the receiver has room for.
    var window: Int { max(0, receiveCapacity - unread) }
    var isIdle: Bool { inFlight == 0 && !hasFIN && !hasRST }
  }

  init(id: Int, isLocal: Bool, seed: DrawSource, timeline: VirtualTimeline, faults: LinkFaults) {
    self.id = id
    self.isLocal = isLocal
    self.timeline = timeline
    self.faults = faults
    func pipe(_ index: Int) -> Pipe {
      Pipe(
        sendCapacity: SimulatedHost.sendBuffer, receiveCapacity: SimulatedHost.receiveBuffer,
        random: SeededRandom(seed: seed, concern: .delivery, index: id * 2 + index))
    }
    toServer = pipe(0)
    toClient = pipe(1)
    client.sending = SeededRandom(seed: seed, concern: .sending, index: id * 2)
    server.sending = SeededRandom(seed: seed, concern: .sending, index: id * 2 + 1)
    client.receiving = SeededRandom(seed: seed, concern: .receiving, index: id * 2)
    server.receiving = SeededRandom(seed: seed, concern: .receiving, index: id * 2 + 1)
    var traits = SeededRandom(seed: seed, concern: .segments, index: id)
    shortReceiveMeansEmpty = !traits.chance(faults.withheldPromise)
  }

  subscript(_ side: LinkSide) -> End {
    _read { if side == .client { yield client } else { yield server } }
    _modify { if side == .client { yield &client } else { yield &server } }
  }

  subscript(to side: LinkSide) -> Pipe {
    _read { if side == .client { yield toClient } else { yield toServer } }
    _modify { if side == .client { yield &toClient } else { yield &toServer } }
  }

  /// SO_RCVBUF of one side, in bytes.
  func limitReceiving(on side: LinkSide, to capacity: Int) { self[to: side].receiveCapacity = max(1, capacity) }

  /// Nothing can happen on it any more.
  var isOver: Bool { client.isClosed && server.isClosed && toClient.isIdle && toServer.isIdle }
}

/// The owner of an end of a link.
enum LinkOwner: Equatable {
  case nobody
  case subject(Int)
  case peer(Int)
  /// It waits in a listener's backlog, in a connect not yet reported, or in an accepted connection not yet handed over.
  case underWay(subject: Int?)
}

/// The changes that a delivery makes, for the owners of both ends.
struct LinkChanges: OptionSet {
  let rawValue: UInt8

  static let bytes = LinkChanges(rawValue: 1)
  static let fin = LinkChanges(rawValue: 2)
  static let reset = LinkChanges(rawValue: 4)
  /// The other side, which waits for room, has some.
  static let room = LinkChanges(rawValue: 8)
  /// Readiness without a reason.
  static let spurious = LinkChanges(rawValue: 16)
}
