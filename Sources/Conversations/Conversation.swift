import ScenarioModel

/// What two programs said to each other over one connection, as seen by a capture or a proxy between them.
///
/// Laws
/// - A value that holds no more than was seen. Bytes that the source does not have are marked as missing.
/// - Events are in the order in which they were seen, of both sides together.
package struct Conversation: Hashable, Sendable {
  /// The side that asked for the connection, and the one that was asked.
  package enum Side: String, CaseIterable, Hashable, Sendable {
    case client, server

    /// The one that it talks to.
    package var other: Side { self == .client ? .server : .client }
  }

  /// Why bytes are not there, though it is known how many they were.
  package enum Lack: Hashable, Sendable {
    /// The source has cut its packets off.
    case cutOff
    /// No packet with them was seen, and the other side has got them.
    case unseen
    /// There were more than is kept of one conversation.
    case tooMany
    /// Some of them were seen, between more holes than a file can tell one by one.
    case scattered

    /// The end of `so many bytes that …`.
    package var text: String {
      switch self {
      case .cutOff: "the capture has cut off"
      case .unseen: "the capture does not hold"
      case .tooMany: "are more than is kept of one conversation"
      case .scattered: "lie among many holes of the capture"
      }
    }
  }

  /// One thing that a side did.
  package enum Act: Hashable, Sendable {
    /// A piece of its stream, as it was on the wire; never empty.
    case bytes([UInt8])
    /// A number of bytes of its stream that are not known.
    case missing(Int, Lack)
    /// One byte of urgent data, which is not part of what a reader gets.
    case urgent(UInt8)
    /// The end of its stream; it may go on reading.
    case finish
    case reset
    /// Whether it promises any room to the other side; said when that changes.
    case window(isOpen: Bool)
    /// From here on both speak TLS, and `bytes` are its plaintext; an event of the client, which began.
    case handshake(Handshake)
    /// TLS: it says that it sends no more.
    case closeNotify
    /// TLS: any other alert, outside of the handshake.
    case alert(TLSAlert)
    /// TLS 1.3: new keys for what it sends; `requested`: the other side shall change its own, too.
    case keyUpdate(requested: Bool)
  }

  /// An act, and when it was seen.
  package struct Event: Hashable, Sendable {
    /// Since the conversation began.
    package var at: Duration
    /// The side that acted.
    package var side: Side
    /// What was done.
    package var act: Act

    package init(at: Duration, side: Side, act: Act) {
      self.at = at
      self.side = side
      self.act = act
    }
  }

  /// What was seen of the connection's beginning.
  package enum Opening: Hashable, Sendable {
    case seen
    /// The connection was there when the source began.
    case unseen
    /// The server's host refused: no listener.
    case refused
    /// No answer came.
    case unanswered
  }

  /// The client's address and port, for people.
  package var client: String
  /// The server's address and port, for people.
  package var server: String
  /// When the first of it was seen, in nanoseconds since 1970; nil: the source does not say.
  package var startedAt: UInt64?
  /// How the connection came to be.
  package var opening: Opening
  /// In the order in which they were seen.
  package var events: [Event]
  /// What is to be said of the conversation as a whole, in sentences.
  package var notes: [String]

  package init(
    client: String, server: String, startedAt: UInt64? = nil, opening: Opening = .seen, events: [Event] = [],
    notes: [String] = []
  ) {
    self.client = client
    self.server = server
    self.startedAt = startedAt
    self.opening = opening
    self.events = events
    self.notes = notes
  }

  /// The side that ended its stream first, and how; nil: neither did.
  package var firstEnd: (side: Side, isReset: Bool)? {
    for event in events {
      switch event.act {
      case .finish: return (event.side, false)
      case .reset: return (event.side, true)
      case .bytes, .missing, .urgent, .window, .handshake, .closeNotify, .alert, .keyUpdate: continue
      }
    }
    return nil
  }

  /// Whether the side was there after the other one had ended its stream: it went on sending, or had to be reset.
  package func outlasts(_ side: Side) -> Bool {
    var otherHasEnded = false
    for event in events {
      switch event.act {
      case .finish where event.side == side.other, .closeNotify where event.side == side.other: otherHasEnded = true
      case .finish where event.side == side: return false
      case .bytes where event.side == side && otherHasEnded, .missing where event.side == side && otherHasEnded:
        return true
      case .reset where otherHasEnded: return event.side == side.other
      default: continue
      }
    }
    return false
  }

  /// The first piece that the side has sent; nil: it is not known, or there is none.
  func firstBytes(of side: Side) -> [UInt8]? {
    for event in events where event.side == side {
      if case .bytes(let bytes) = event.act { return bytes }
      if case .missing = event.act { return nil }
    }
    return nil
  }

  /// How many bytes the side has sent, known or not.
  package func count(of side: Side) -> Int {
    events.reduce(0) { sum, event in
      guard event.side == side else { return sum }
      return switch event.act {
      case .bytes(let bytes): sum + bytes.count
      case .missing(let count, _): sum + count
      case .urgent, .finish, .reset, .window, .handshake, .closeNotify, .alert, .keyUpdate: sum
      }
    }
  }
}
