/// What a server under test does with its connections.
package enum ServerKind: String, CaseIterable, Sendable {
  /// What comes in goes out.
  case echo
  /// Each message is answered by a header and a body, two writes.
  case respond
  /// CRLF lines are handed out one by one; a byte back after every so many.
  case lines
  /// Pieces of one size are handed out; a byte back after every so many.
  case receive
  /// Pieces of one size are written for as long as the client takes them.
  case send
  /// The same as `receive`, over TLS.
  case tlsReceive = "tls-receive"
  /// The same as `send`, over TLS.
  case tlsSend = "tls-send"

  /// Whether connections are secured before anything else.
  package var isSecure: Bool { self == .tlsReceive || self == .tlsSend }
}

/// What a server that answers sends before the body.
package let answerHeader = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: keep-alive\r\n\r\n"

/// Who serves.
package enum Contestant: String, CaseIterable, Sendable {
  /// The reference socket; its delegate queue is its socket queue, so callbacks come without a hop.
  case gcdSame = "gcd-same"
  /// The reference socket with a serial delegate queue and no socket queue: what most users write.
  case gcdSeparate = "gcd-separate"
  /// The reference socket with a delegate queue and a socket queue that are not the same.
  case gcdTwoQueues = "gcd-two-queues"
  /// The reference socket with the main queue as delegate queue and no socket queue: what programs with a screen write.
  case gcdMain = "gcd-main"
  /// The run-loop class, all connections on the run loop of one thread.
  case runLoop = "run-loop"
  /// SwiftNIO with one event loop.
  case nio
  /// C: an epoll loop for echo and lines, a blocking loop for bulk, OpenSSL's own calls for TLS.
  case c

  /// Its name in tables.
  package var title: String {
    switch self {
    case .gcdSame: "GCDAsyncSocket, one queue"
    case .gcdSeparate: "GCDAsyncSocket, delegate queue"
    case .gcdTwoQueues: "GCDAsyncSocket, two queues"
    case .gcdMain: "GCDAsyncSocket, main queue"
    case .runLoop: "AsyncSocket, run loop"
    case .nio: "SwiftNIO"
    case .c: "C"
    }
  }

  /// Whether this is the library that is judged.
  package var isSubject: Bool { self != .nio && self != .c }
}

extension ServerRole {
  /// Whether this build has who serves it.
  var isBuilt: Bool {
    #if WITHOUT_NIOSSL
      !(contestant == .nio && kind.isSecure)
    #else
      true
    #endif
  }
}

/// What the reference socket does only for speed, by the names of the scenarios' `speed`.
package enum Shortcut: String, CaseIterable, Sendable { case deferral, fastPath, inlineDelivery, lending, polling }

/// One server: who, what, and its numbers.
package struct ServerRole: Hashable, Sendable {
  /// What it does.
  package var kind: ServerKind
  /// Who does it.
  package var contestant: Contestant
  /// Bytes of a piece, or of an answer's body; not used by echo and lines.
  package var size: Int
  /// How many writes, or reads, are queued ahead.
  package var depth: Int
  /// After how many lines or pieces a byte goes back.
  package var acknowledge: Int
  /// What the reference socket does without.
  package var without: Shortcut?

  /// Bytes of a message that is answered.
  package static let message = 64

  /// A role with the usual numbers.
  package init(
    _ kind: ServerKind, _ contestant: Contestant, size: Int = 65536, depth: Int = 1, acknowledge: Int = 1000,
    without: Shortcut? = nil
  ) {
    self.kind = kind
    self.contestant = contestant
    self.size = size
    self.depth = depth
    self.acknowledge = acknowledge
    self.without = without
  }
}
