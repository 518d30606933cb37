import CocoaAsyncSocket
import Glibc
import ScenarioModel
import SocketPOSIX
import SocketValues

/// The resolver of a case whose scenario has `hosts`: knows these names and numeric addresses, and nothing else.
struct ScenarioResolver: HostResolving {
  let hosts: [HostEntry]
  let gate: ClosingGate

  func resolve(_ host: String, port: UInt16) -> Result<[SocketAddress], LookupFailure> {
    let entry = hosts.first { $0.name == host }
    if let entry, entry.delay > .zero { _ = gate.hold(for: entry.delay) }
    let found = (entry?.addresses ?? [host]).compactMap { literal in
      SocketAddress(numeric: literal, port: port)
    }
    return found.isEmpty ? .failure(LookupFailure(code: EAI_NONAME)) : .success(found)
  }
}
