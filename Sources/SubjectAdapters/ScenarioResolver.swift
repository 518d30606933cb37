import CocoaAsyncSocket
import Glibc
import ScenarioModel
import SocketPOSIX

/// The resolver of a case whose scenario has `hosts`: knows these names and numeric addresses, and nothing else.
struct ScenarioResolver: HostResolving {
  let hosts: [HostEntry]
  let gate: ClosingGate

  func resolve(_ host: String, port: UInt16) -> Result<[[UInt8]], HostResolutionFailure> {
    let entry = hosts.first { $0.name == host }
    if let entry, entry.delay > .zero { _ = gate.hold(for: entry.delay) }
    let found = (entry?.addresses ?? [host]).compactMap { literal in
      RawAddress.ipv4(literal, port: port) ?? RawAddress.ipv6(literal, port: port)
    }
    guard !found.isEmpty else {
      let failure = LookupFailure(code: EAI_NONAME)
      return .failure(HostResolutionFailure(code: failure.code, message: failure.message))
    }
    return .success(found.map(\.bytes))
  }
}
