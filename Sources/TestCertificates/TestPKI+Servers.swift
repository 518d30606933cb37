/// Certificates for names of one's own: those of a proxy that stands where a server stood.
extension TestPKI {
  /// What a server of that name shows: an ordinary chain below the test root, with a key of its own. `name` is a host
  /// name of ASCII, which may begin with `*.`; nil: the server is known by its addresses only. `addresses` are 4 or 16
  /// bytes each.
  package func identity(
    ofServer name: String?, addresses: [[UInt8]] = []
  ) throws(CertificateFailure) -> TestIdentity {
    let root = try mint.testRoot()
    let intermediate = try mint.testIntermediate(by: root)
    let commonName = name ?? "SocketLab addresses"
    var plan = CertificatePlan(
      concern: "server \(commonName)", commonName: commonName, validity: mint.leafValidity)
    plan.names = (name.map { [.dns($0)] } ?? []) + addresses.map { .address($0) }
    let leaf = try mint.certificate(plan, by: intermediate)
    let chain = [leaf.der, intermediate.der]
    return TestIdentity(
      chain: chain.flatMap { PEMText.text(.certificate, $0) },
      key: PEMText.text(.privateKey, try leaf.key.privateDER()), chainDER: chain, summary: leaf.summary)
  }
}
