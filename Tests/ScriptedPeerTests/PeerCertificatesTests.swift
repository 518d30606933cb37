import ScenarioModel
import TestCertificates
import Testing

@testable import ScriptedPeer

/// What peers show to clients with other clocks than that of scenarios.
@Suite struct PeerCertificatesTests {
  @Test("certificates around an instant are those that are exported for it")
  func instants() throws {
    let instant: Int64 = 1_800_000_000
    let own = PeerCertificates(around: instant)
    #expect(own.pki.now == instant && !own.arePinned)
    let exported = try TestPKI(now: instant).identity(.leaf).chainDER.first
    #expect(exported != nil && own.leaf(.leaf) == exported)
    #expect(own.leaf(.leaf) != PeerCertificates.pinned.leaf(.leaf))
    #expect(own.summary(.leaf) != PeerCertificates.pinned.summary(.leaf))
  }

  @Test("around the pinned instant they are shared with all cases")
  func pinned() {
    let pinned = PeerCertificates(around: TestPKI.pinnedNow)
    #expect(pinned.arePinned && pinned.pki === TestPKI.shared)
  }
}
