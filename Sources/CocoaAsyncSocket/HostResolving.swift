import SocketPOSIX
import SocketValues

/// Turns host names into socket addresses; a seam so that tests and the lab decide what names mean.
package protocol HostResolving: Sendable {
  /// Resolves the host; blocks, and is called on a background thread. Addresses have the port set and are in the
  /// resolver's order (ERR-06).
  func resolve(_ host: String, port: UInt16) -> Result<[SocketAddress], LookupFailure>

  /// Whether the answer depends on the host alone: then simultaneous lookups of one host share one answer.
  var sharesAnswers: Bool { get }
}

extension HostResolving {
  package var sharesAnswers: Bool { false }
}

/// The system's resolver.
package struct SystemResolver: HostResolving {
  package init() {}

  package var sharesAnswers: Bool { true }

  package func resolve(_ host: String, port: UInt16) -> Result<[SocketAddress], LookupFailure> {
    Result { () throws(LookupFailure) in try HostLookup.resolve(host, port: port) }
  }
}

extension AsyncSocket {
  /// The resolver for host names; the system's unless the lab or a test says otherwise.
  package var hostResolver: any HostResolving {
    get { driver.look { driver.resolver } }
    set { driver.look { driver.resolver = newValue } }
  }
}
