import Foundation

/// What a server under test does with its connections.
public enum ServerKind: String, CaseIterable, Sendable {
  /// What comes in goes out.
  case echo
  /// CRLF lines are handed out one by one; a byte back after every so many.
  case lines
  /// Pieces of one size are handed out; a byte back after every so many.
  case receive
  /// Pieces of one size are written for as long as the client takes them.
  case send
}

/// Who serves.
public enum Contestant: String, CaseIterable, Sendable {
  /// The reference socket; its delegate queue is its socket queue, so callbacks come without a hop.
  case gcdSame = "gcd-same"
  /// The reference socket with a serial delegate queue and no socket queue: what most users write.
  case gcdSeparate = "gcd-separate"
  /// The reference socket with a delegate queue and a socket queue that are not the same.
  case gcdTwoQueues = "gcd-two-queues"
  /// SwiftNIO with one event loop.
  case nio
  /// C: an epoll loop for echo and lines, a blocking loop for bulk.
  case c

  /// Whether this is the library that is judged.
  public var isSubject: Bool { self == .gcdSame || self == .gcdSeparate || self == .gcdTwoQueues }
}

/// One server: who, what, and its numbers.
public struct ServerRole: Hashable, Sendable {
  /// What it does.
  public var kind: ServerKind
  /// Who does it.
  public var contestant: Contestant
  /// Bytes of a piece; not used by echo and lines.
  public var size: Int
  /// How many writes, or reads, are queued ahead.
  public var depth: Int
  /// After how many lines or pieces a byte goes back.
  public var acknowledge: Int

  /// A role with the usual numbers.
  public init(
    _ kind: ServerKind, _ contestant: Contestant, size: Int = 65536, depth: Int = 1, acknowledge: Int = 1000
  ) {
    self.kind = kind
    self.contestant = contestant
    self.size = size
    self.depth = depth
    self.acknowledge = acknowledge
  }

  /// Opens a listener on loopback and serves on threads of its own until the process ends. Returns the port.
  public func start() throws -> UInt16 {
    switch contestant {
    case .c: try CServer(role: self).start()
    case .nio: try NIOServer(role: self).start()
    case .gcdSame, .gcdSeparate, .gcdTwoQueues: try SubjectServer.start(self)
    }
  }
}

/// A server that could not be started.
public struct ServerFailure: Error, CustomStringConvertible {
  /// What went wrong.
  public let description: String

  /// A failure with its message.
  public init(description: String) { self.description = description }
}
