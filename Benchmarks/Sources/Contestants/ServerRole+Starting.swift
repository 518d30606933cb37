import BenchmarkModel

extension ServerRole {
  /// Opens a listener on loopback and serves on threads of its own until the process ends, or on the main queue, which
  /// must be served then (`dispatchMain`). Returns the port.
  package func start() throws -> UInt16 {
    switch contestant {
    case .c: try CServer(role: self).start()
    case .nio: try NIOServer(role: self).start()
    case .runLoop: try RunLoopServer.start(self)
    case .gcdSame, .gcdSeparate, .gcdTwoQueues, .gcdMain: try SubjectServer.start(self)
    }
  }
}

/// A server that could not be started.
package struct ServerFailure: Error, CustomStringConvertible {
  /// What went wrong.
  package let description: String

  /// A failure with its message.
  package init(description: String) { self.description = description }
}
