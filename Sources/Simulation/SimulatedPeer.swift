import DequeModule
import ScenarioModel
import SocketCore

/// One scripted peer's sockets.
///
/// Laws (those of the peers on the real kernel)
/// - Observations come in the order in which they happened; `sent` once per send, when the wire has all of it.
/// - A connection is read from its first turn on, not from the moment it is made: a peer that stalls as soon as it is
///   connected stalls from the first byte.
/// - While reading is paused the end of the stream is not noticed either. After the end, or a break, nothing is read.
/// - An error that a send has met is reported where reading would have met it.
/// - A connection left behind by a later one stays open, unread.
struct SimulatedPeer {
  let name: String
  let family: AddressFamily
  let receiveBuffer: Int?
  /// Index into the network's listeners.
  var listener: Int?
  var place: SimulatedNetwork.Place?
  var accepts = 0
  var connection: Connection?

  struct Connection {
    var link: SimulatedLink
    var side: LinkSide
    var reading = PeerAction.Reading.everything
    var readEnded = false
    var sendError: Int32?
    var outbox = Deque<Outgoing>()
  }

  enum Outgoing {
    case bytes([UInt8], sent: Int)
    case end
  }
}
