/// A port of the loopback address at which connecting neither succeeds nor fails: its listener's queue is full.
package struct BlackHole {
  private let listener: RawListener
  private let first: RawPeer

  /// Fills the queue of a listener that takes one connection.
  package init() throws {
    listener = try RawListener(backlog: 0)
    first = try RawPeer.connect(port: listener.port)
  }

  /// Where to connect to.
  package var port: UInt16 { listener.port }
}
