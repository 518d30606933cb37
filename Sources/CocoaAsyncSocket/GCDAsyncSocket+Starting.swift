import Dispatch
import Foundation
import SocketCore
import SocketPOSIX

// Starting: accept and connect.

extension GCDAsyncSocket {
  func connect(toFirstOf addresses: [Data]) throws {
    var failure = SocketFailure.badParam("The service has no addresses.").error
    for address in addresses {
      do {
        return try connect(toAddress: address)
      } catch {
        failure = error as NSError
      }
    }
    throw failure
  }
}

/// A resolved service, as far as connecting needs it.
open class NetService: NSObject {
  /// Raw sockaddrs in order of preference; nil: the service is not resolved.
  public let addresses: [Data]?

  /// A service with these addresses (raw sockaddrs, in order of preference).
  public init(addresses: [Data]?) { self.addresses = addresses }
}
