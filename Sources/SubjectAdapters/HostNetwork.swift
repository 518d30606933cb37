import NetworkNamespaces
import ScenarioModel
import SocketPOSIX

/// Which network a process plays its cases in.
package enum HostNetwork: Sendable {
  /// The machine's. Scenarios that have a network of their own can't be played in it.
  case shared
  /// A network of this process alone; further ones can be made beside it. `noResolver`: why its resolver does not ask
  /// the lab's name server; nil: it does.
  case own(NetworkNamespace, noResolver: String?)
  /// The process was to have its own, and this is why it has not.
  case refused(String)

  /// Gives the process a network of its own. To be called before it makes its first thread.
  package static func enterOwn() -> HostNetwork {
    do throws(SystemCallFailure) {
      let own = try NetworkNamespace.enterNew()
      // Tries once what every case will need, so that all fail for the same reason.
      _ = try TunnelInterface(name: "lab0")
      do throws(SystemCallFailure) {
        try NetworkNamespace.useNameServer(at: NetworkLink.address(.ipv4, of: .peer, place: 0))
        return .own(own, noResolver: nil)
      } catch {
        return .own(own, noResolver: "the lab's name server can't be put into /etc/resolv.conf (\(error))")
      }
    } catch {
      let help =
        error.call.contains("tun")
        ? "load the module tun and make /dev/net/tun readable and writable"
        : "run as root, or allow unprivileged user namespaces"
      return .refused("the system allows no network namespaces of the run's own (\(error)); \(help)")
    }
  }
}
