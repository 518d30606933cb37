import ScenarioModel

/// The lab's own certification authority: every class of certificate that a scenario can name, minted when first asked
/// for (TLS-44). Nothing is read from or written to disk, unless processes of a run share a folder (`MintedFolder`).
///
/// Laws
/// - The same `now` and `seed` give the same bytes in every process, whatever was asked for before.
/// - May be used from any thread. Of several that ask for the same class at once, one mints and the others wait.
/// - All errors are OpenSSL's or come from a `now` outside the years that certificates can state.
package final class TestPKI: Sendable {
  /// 2030-01-01T00:00:00Z in Unix seconds: the instant at which the lab's subjects and peers validate.
  package static let pinnedNow: Int64 = 1_893_456_000

  /// The lab's own, around the pinned instant.
  package static let shared = TestPKI(folder: MintedFolder())

  /// The variable of the environment that names the folder of a run, in which its processes share what they mint.
  package static let runFolderVariable = MintedFolder.variable

  /// The folder of the run that this process belongs to; nil: it belongs to none.
  package static let runFolder = MintedFolder()?.path

  /// The instant that the certificates are valid around, in Unix seconds.
  package let now: Int64
  /// What keys, serial numbers and signatures are drawn from.
  package let seed: UInt64
  let mint: Mint
  private let minted = CertificateCache()
  private let folder: MintedFolder?

  /// Certificates around `now` (Unix seconds), with keys and signatures drawn from `seed`.
  package convenience init(now: Int64 = TestPKI.pinnedNow, seed: UInt64 = 1) {
    self.init(now: now, seed: seed, folder: nil)
  }

  init(now: Int64 = TestPKI.pinnedNow, seed: UInt64 = 1, folder: MintedFolder?) {
    self.now = now
    self.seed = seed
    self.folder = folder
    mint = Mint(now: now, seed: seed)
  }

  /// What a peer presents as that class.
  package func identity(_ name: CertificateName) throws(CertificateFailure) -> TestIdentity {
    try made(name).identity
  }

  /// The certificate a subject must trust to find a path for the class, in PEM: mostly the test root; for the classes
  /// about roots, and those from elsewhere, their own; for `crossSigned` the test root and the old one.
  package func anchor(for name: CertificateName) throws(CertificateFailure) -> [UInt8] {
    try made(name).anchor
  }

  /// The test root, in PEM.
  package var rootPEM: [UInt8] {
    get throws(CertificateFailure) { PEMText.text(.certificate, try mint.testRoot().der) }
  }

  /// The revocation lists of the intermediate, of that of `revokedIntermediate` and of the root, in PEM, one after the
  /// other. Valid for a month around `now`; they name `revoked` and the intermediate of `revokedIntermediate`, and
  /// nothing else.
  package var revocationList: [UInt8] {
    get throws(CertificateFailure) {
      try lists(Validity(around: now, before: Validity.day, after: 30 * Validity.day))
    }
  }

  /// The same lists as they were two months ago: their successors were due a month ago.
  package var outdatedRevocationList: [UInt8] {
    get throws(CertificateFailure) {
      var validity = Validity(around: now, before: 60 * Validity.day, after: 0)
      validity.last = Validity(around: now, before: 30 * Validity.day, after: 0).first
      return try lists(validity)
    }
  }

  private func lists(_ validity: Validity) throws(CertificateFailure) -> [UInt8] {
    let root = try mint.testRoot()
    let lower = try mint.revocationList(
      of: try mint.testIntermediate(by: root), concern: "intermediate",
      revoked: [mint.serial(CertificateName.revoked.rawValue)], validity: validity)
    let revoked = CertificateName.revokedIntermediate.rawValue
    let beside = try mint.revocationList(
      of: try mint.otherIntermediate(revoked, by: root), concern: revoked, revoked: [], validity: validity)
    let upper = try mint.revocationList(
      of: root, concern: "root", revoked: [mint.serial(mint.intermediateConcern(revoked))], validity: validity)
    return [lower, beside, upper].flatMap { PEMText.text(.revocationList, $0) }
  }

  /// The class whose certificate this is, in DER; nil: none of those that anybody asked for yet.
  package func name(ofCertificate der: [UInt8]) -> CertificateName? {
    minted.name { $0.identity.chainDER.first == der }
  }

  private func made(_ name: CertificateName) throws(CertificateFailure) -> MintedClass {
    try minted.value(of: name) { () throws(CertificateFailure) in
      guard let folder else { return try mintClass(name) }
      return try folder.value(of: name.rawValue) { () throws(CertificateFailure) in try mintClass(name) }
    }
  }

  private func mintClass(_ name: CertificateName) throws(CertificateFailure) -> MintedClass {
    let chain = try mint.chain(name)
    let certificates = [chain.leaf.der] + chain.above
    return MintedClass(
      identity: TestIdentity(
        chain: certificates.flatMap { PEMText.text(.certificate, $0) },
        key: PEMText.text(.privateKey, try chain.leaf.key.privateDER()),
        chainDER: certificates, summary: chain.leaf.summary),
      anchor: chain.anchors.flatMap { PEMText.text(.certificate, $0) })
  }
}
