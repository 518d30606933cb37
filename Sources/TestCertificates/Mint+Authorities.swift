/// A certificate with what is sent along with it, and what a peer must trust to find a path.
struct MintedChain {
  var leaf: MintedCertificate
  /// Sent after the leaf, in this order.
  var above: [[UInt8]]
  var anchors: [[UInt8]]
}

extension Mint {
  typealias Change = (inout CertificatePlan) -> Void

  /// From 5 years before now to 15 years after.
  var rootValidity: Validity { Validity(around: now, before: 5 * Validity.year, after: 15 * Validity.year) }

  /// From a year before now to 5 years after.
  var intermediateValidity: Validity { Validity(around: now, before: Validity.year, after: 5 * Validity.year) }

  /// From 40 days before now to 60 days after.
  var leafValidity: Validity { Validity(around: now, before: 40 * Validity.day, after: 60 * Validity.day) }

  func authorityPlan(_ concern: String, commonName: String, _ validity: Validity) -> CertificatePlan {
    CertificatePlan(
      concern: concern, commonName: commonName, validity: validity, isAuthority: true,
      keyUsage: [.keyCertSign, .listSign], purposes: nil)
  }

  func testRoot() throws(CertificateFailure) -> MintedCertificate {
    try certificate(authorityPlan("root", commonName: "SocketLab Test Root", rootValidity))
  }

  /// A root besides the test root.
  func otherRoot(_ concern: String, _ validity: Validity? = nil) throws(CertificateFailure) -> MintedCertificate {
    try certificate(
      authorityPlan(concern + " root", commonName: "SocketLab Root (\(concern))", validity ?? rootValidity))
  }

  func testIntermediate(by root: MintedCertificate) throws(CertificateFailure) -> MintedCertificate {
    try certificate(
      authorityPlan("intermediate", commonName: "SocketLab Test Intermediate", intermediateValidity), by: root)
  }

  /// The intermediate for leaves with RSA keys, so that the whole chain below the root is RSA.
  func rsaIntermediate(by root: MintedCertificate) throws(CertificateFailure) -> MintedCertificate {
    var plan = authorityPlan(
      "rsa intermediate", commonName: "SocketLab Test RSA Intermediate", intermediateValidity)
    plan.keyKind = .rsa2048
    return try certificate(plan, by: root)
  }

  /// Under which what is random about that intermediate is drawn, its serial number for one.
  func intermediateConcern(_ concern: String) -> String { concern + " intermediate" }

  /// An intermediate besides the test intermediate, with a name and a key of its own, so that no peer that knows a good
  /// one can take that instead.
  func otherIntermediate(
    _ concern: String, by issuer: MintedCertificate, _ change: Change = { _ in }
  ) throws(CertificateFailure) -> MintedCertificate {
    var plan = authorityPlan(
      intermediateConcern(concern), commonName: "SocketLab Intermediate (\(concern))", intermediateValidity)
    change(&plan)
    return try certificate(plan, by: issuer)
  }
}
