import ScenarioModel
import SocketPOSIX
import TestCertificates

/// The contexts of one lane, so that connections of one kind share their tickets.
///
/// Making a context takes longer than a handshake. Those of the ordinary kind are therefore made once per process;
/// their random values come from a seed of their own, so that it makes no difference which case made them.
final class PeerTLSContextCache: @unchecked Sendable {
  // Unchecked: it belongs to one machine, and a machine is used by one thread at a time, that of its case.
  let certificates: PeerCertificates
  private var contexts: [(settings: PeerTLS, context: PeerTLSContext)] = []

  private struct Kind: Hashable {
    var settings: PeerTLS
    var forges: Bool
  }

  private static let ordinary = LockedValue<[Kind: PeerTLSContext]>([:])

  init(_ certificates: PeerCertificates) { self.certificates = certificates }

  func context(for settings: PeerTLS, role: TLSRole, forges: Bool) throws(PeerTLSContext.Refusal) -> PeerTLSContext {
    // What concerns one handshake only makes no other context.
    var common = settings
    (common.until, common.edits, common.coalesces, common.failure) = (nil, [], false, nil)
    (common.role, common.recordSize, common.serverName) = (role, nil, nil)
    if let known = contexts.first(where: { $0.settings == common }) { return known.context }
    let context = try made(common, role: role, forges: forges)
    contexts.append((common, context))
    return context
  }

  private func made(_ settings: PeerTLS, role: TLSRole, forges: Bool) throws(PeerTLSContext.Refusal)
    -> PeerTLSContext
  {
    // Tickets make connections of one context know each other.
    guard settings.tickets == nil, certificates.arePinned else {
      return try PeerTLSContext(settings, role: role, forges: forges, certificates: certificates)
    }
    let kind = Kind(settings: settings, forges: forges)
    if let known = Self.ordinary.withLock({ $0[kind] }) { return known }
    let context = try SeededRandomness.with(seed: 1) { () throws(PeerTLSContext.Refusal) in
      try PeerTLSContext(settings, role: role, forges: forges)
    }
    // RSA keys gather state while they are used.
    guard !context.hasRSAKey else { return context }
    // The second thread uses the context of the first.
    return Self.ordinary.withLock { known in
      if let first = known[kind] { return first }
      known[kind] = context
      return context
    }
  }
}
