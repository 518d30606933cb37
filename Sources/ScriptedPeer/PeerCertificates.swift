import ScenarioModel
import TestCertificates

/// The test certificates that a peer shows, and the instant at which it judges those of the other end.
package struct PeerCertificates: Sendable {
  /// nil: the lab's own, which are looked for when a handshake needs them.
  private let own: TestPKI?

  /// Around the pinned instant, as in every case of a scenario; shared by all of the process.
  package static let pinned = PeerCertificates(own: nil)

  private init(own: TestPKI?) { self.own = own }

  /// Around this instant (Unix seconds), under the same keys: a client that trusts the lab's root and looks at its own
  /// clock takes them.
  package init(around instant: Int64) { own = instant == TestPKI.pinnedNow ? nil : TestPKI(now: instant) }

  var pki: TestPKI { own ?? TestPKI.shared }

  /// Whether they are those of every case.
  var arePinned: Bool { own == nil }

  func identity(_ name: CertificateName) throws(PeerTLSContext.Refusal) -> TestIdentity {
    do throws(CertificateFailure) {
      return try pki.identity(name)
    } catch {
      throw PeerTLSContext.Refusal(reason: "no certificate \(name.rawValue): \(error.description)")
    }
  }

  /// What a peer that shows this certificate sends first; nil if it cannot be made.
  func leaf(_ name: CertificateName) -> [UInt8]? { try? identity(name).chainDER.first }

  /// Subject, names and validity of the certificate on one line; nil if it cannot be made.
  func summary(_ name: CertificateName) -> String? { try? identity(name).summary }
}
