/// Certificates and revocation lists described one by one, right or wrong, for whoever searches through combinations
/// of them instead of asking for a class.
///
/// The description says who really signed what, so it can be judged without any cryptography.
package enum CertificateGraph {
  /// A key usage; `none` leaves the extension out.
  package enum Usage: UInt8, CaseIterable, Hashable, Sendable {
    case none, everything, certificates, lists, handshakes

    package var signsCertificates: Bool { self == .none || self == .everything || self == .certificates }
    package var signsLists: Bool { self == .none || self == .everything || self == .lists }
  }

  /// An extended key usage; `none` leaves the extension out.
  package enum Purpose: UInt8, CaseIterable, Hashable, Sendable { case none, server, client, any }

  package struct Certificate: Hashable, Sendable {
    /// Common names. Equal ones are meant to be the same party.
    package var subject: String
    package var issuer: String
    /// The number of its own key and of the one that signed it, whatever the names say.
    package var key: Int
    package var signer: Int
    /// One bit of the signature is flipped.
    package var isDamaged = false
    /// Seconds from the pinned instant, both counted in.
    package var first: Int64 = -Validity.day
    package var last: Int64 = Validity.day
    /// nil: no basic constraints.
    package var isAuthority: Bool?
    package var pathLength: UInt8?
    package var usage = Usage.none
    package var purpose = Purpose.none
    package var hosts: [String] = []
    package var addresses: [[UInt8]] = []
    package var permittedHosts: [String] = []
    package var excludedHosts: [String] = []
    package var serial: UInt8 = 1
    /// Whether it names its own key and its signer's.
    package var namesKeys = true
    package var hasUnknownCriticalExtension = false

    package init(subject: String, issuer: String, key: Int, signer: Int) {
      self.subject = subject
      self.issuer = issuer
      self.key = key
      self.signer = signer
    }
  }

  package struct List: Hashable, Sendable {
    package var issuer: String
    package var signer: Int
    package var isDamaged = false
    package var first: Int64 = -Validity.day
    package var last: Int64 = Validity.day
    package var revoked: [UInt8] = []
    package var namesKey = true

    package init(issuer: String, signer: Int) {
      self.issuer = issuer
      self.signer = signer
    }
  }
}

/// Makes what a graph describes. Equal descriptions make equal bytes. Confined to one thread at a time.
package final class GraphMint {
  private let mint = Mint(now: TestPKI.pinnedNow, seed: 1)
  private var keys: [Int: KeyPair] = [:]
  /// What was made lately: most of a graph is as in the one before.
  private var known: [CertificateGraph.Certificate: [UInt8]] = [:]

  package init() {}

  package func der(_ certificate: CertificateGraph.Certificate) throws(CertificateFailure) -> [UInt8] {
    if let der = known[certificate] { return der }
    let signer = try party(certificate.issuer, certificate.signer)
    let made = try mint.certificate(plan(certificate), key: key(certificate.key), by: signer)
    if known.count >= 4096 { known = [:] }
    let der = damaged(made.der, certificate.isDamaged)
    known[certificate] = der
    return der
  }

  package func der(_ list: CertificateGraph.List) throws(CertificateFailure) -> [UInt8] {
    let made = try mint.revocationList(
      of: try party(list.issuer, list.signer), concern: "graph", revoked: list.revoked.map { [$0 & 0x7F] },
      validity: validity(list.first, list.last), namesKey: list.namesKey)
    return damaged(made, list.isDamaged)
  }

  private func damaged(_ bytes: [UInt8], _ isDamaged: Bool) -> [UInt8] {
    var bytes = bytes
    if isDamaged { bytes[bytes.count - 1] ^= 1 }
    return bytes
  }

  private func key(_ number: Int) throws(CertificateFailure) -> KeyPair {
    if let known = keys[number] { return known }
    let key = try mint.key("graph \(number)")
    keys[number] = key
    return key
  }

  private func party(_ name: String, _ key: Int) throws(CertificateFailure) -> MintedCertificate {
    MintedCertificate(commonName: name, der: [], key: try self.key(key), summary: "")
  }

  private func validity(_ first: Int64, _ last: Int64) -> Validity {
    var validity = Validity(around: mint.now, before: -first, after: last)
    // One that ends before it begins is nobody's to state.
    validity.last = max(validity.first, validity.last)
    return validity
  }

  private func plan(_ certificate: CertificateGraph.Certificate) -> CertificatePlan {
    var plan = CertificatePlan(
      concern: "graph", commonName: certificate.subject, validity: validity(certificate.first, certificate.last))
    plan.names = certificate.hosts.map { .dns($0) } + certificate.addresses.map { .address($0) }
    plan.isAuthority = certificate.isAuthority
    if certificate.isAuthority == true { plan.pathLength = certificate.pathLength.map(UInt64.init) }
    plan.keyUsage =
      switch certificate.usage {
      case .none: nil
      case .everything: [.keyCertSign, .listSign, .digitalSignature]
      case .certificates: [.keyCertSign]
      case .lists: [.listSign]
      case .handshakes: [.digitalSignature]
      }
    plan.purposes =
      switch certificate.purpose {
      case .none: nil
      case .server: [.server]
      case .client: [.client]
      case .any: [.any]
      }
    plan.serial = [certificate.serial & 0x7F]
    plan.namesKeys = certificate.namesKeys
    if !certificate.permittedHosts.isEmpty || !certificate.excludedHosts.isEmpty {
      plan.otherExtensions.append(
        .nameConstraints(permitted: certificate.permittedHosts, excluded: certificate.excludedHosts))
    }
    if certificate.hasUnknownCriticalExtension { plan.otherExtensions.append(.unknown(isCritical: true, value: [])) }
    return plan
  }
}
