import SocketPOSIX

/// Turns host names into raw socket addresses; a seam so that tests and the lab decide what names mean.
package protocol HostResolving: Sendable {
  /// Blocks; called on a background thread. Raw sockaddrs with the port set, in the resolver's order.
  func resolve(_ host: String, port: UInt16) -> Result<[[UInt8]], HostResolutionFailure>

  /// Whether the answer depends on the host alone: then those who look it up at the same time share one.
  var sharesAnswers: Bool { get }
}

extension HostResolving {
  package var sharesAnswers: Bool { false }
}

/// A resolver's failure: getaddrinfo's code and its text (ERR-06).
package struct HostResolutionFailure: Error, Hashable, Sendable {
  package var code: Int32
  package var message: String

  package init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }
}

/// The system's resolver.
package struct SystemResolver: HostResolving {
  package init() {}

  package var sharesAnswers: Bool { true }

  package func resolve(_ host: String, port: UInt16) -> Result<[[UInt8]], HostResolutionFailure> {
    do {
      return .success(try HostLookup.resolve(host, port: port).map(\.bytes))
    } catch {
      return .failure(HostResolutionFailure(code: error.code, message: error.message))
    }
  }
}
