/// What happens to one socket, in order: the calls on it, what the wire does, and time. The common language of the
/// model, the fuzz targets that run the core, and the scenarios that findings become.
///
/// Tags are not part of it: the k-th read has tag k, the k-th write has tag k, both from 0 and counted over all
/// generations. Times are milliseconds.
package struct SocketProgram: Hashable, Sendable {
  /// What a read asks for.
  package enum Read: Hashable, Sendable {
    /// `limit` 0: none.
    case available(limit: Int)
    case exactly(Int)
    /// `limit` 0: none.
    case through([UInt8], limit: Int)
  }

  /// A call on the socket.
  package enum Call: Hashable, Sendable {
    /// `timeout` nil: never.
    case read(Read, timeout: Int?)
    case write([UInt8], timeout: Int?)
    case disconnect
    case disconnectAfter(reads: Bool, writes: Bool)
  }

  /// One thing that happens. After each the socket comes to rest, and its events are delivered.
  package enum Step: Hashable, Sendable {
    case call(Call)
    /// These bytes arrive from the peer.
    case arrive([UInt8])
    case peerFinishes
    case peerResets
    /// The kernel will take that many more bytes.
    case makeRoom(Int)
    /// Readiness is signalled although nothing changed.
    case wake
    case wait(Int)
    /// Ends the connection if it is still there, and begins a new one with an empty wire.
    case reconnect
  }

  /// Calls made inside a callback.
  package struct Reaction: Hashable, Sendable {
    /// The callback's number, from 0, counted over all callbacks of the program.
    package var callback: Int
    /// The call that is made inside it.
    package var call: Call

    package init(callback: Int, call: Call) {
      self.callback = callback
      self.call = call
    }
  }

  /// What FIN does (autoDisconnectOnClosedReadStream).
  package var closesOnEndOfStream = true
  /// The socket is of the class that lives on a run loop.
  package var livesOnRunLoop = false
  /// How many bytes the kernel takes at first in each connection; nil: all.
  package var room: Int?
  /// What the delegate answers to the timeout questions, in their order; after these it answers 0.
  package var extensions: [Int] = []
  /// What happens, in order, from the first connection on.
  package var steps: [Step] = []
  /// The calls that are made inside callbacks.
  package var reactions: [Reaction] = []

  package init() {}
}
