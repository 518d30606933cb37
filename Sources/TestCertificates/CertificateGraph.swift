/// Certificates and revocation lists described one by one, right or wrong, for searches through combinations of them.
///
/// The description says who really signed what, so it can be judged without any cryptography.
package enum CertificateGraph {
  /// A key usage; `none` leaves the extension out.
  package enum Usage: UInt8, CaseIterable, Hashable, Sendable {
    case none, everything, certificates, lists, handshakes

    /// Whether a key with this usage may sign certificates; without the extension a key may do everything.
    package var signsCertificates: Bool { self == .none || self == .everything || self == .certificates }
    /// Whether a key with this usage may sign revocation lists.
    package var signsLists: Bool { self == .none || self == .everything || self == .lists }
  }

  /// An extended key usage; `none` leaves the extension out.
  package enum Purpose: UInt8, CaseIterable, Hashable, Sendable { case none, server, client, any }

  /// One certificate as it is to be made.
  package struct Certificate: Hashable, Sendable {
    /// Common names. Equal ones are meant to be the same party.
    package var subject: String
    /// The common name that it states as its issuer's, whichever key really signs it.
    package var issuer: String
    /// The number of its own key. Equal numbers are equal keys.
    package var key: Int
    /// The number of the key that really signs it, whatever the names say.
    package var signer: Int
    /// One bit of the signature is flipped.
    package var isDamaged = false
    /// The first valid second, counted from the pinned instant.
    package var first: Int64 = -Validity.day
    /// The last valid second, counted from the pinned instant; not before `first`.
    package var last: Int64 = Validity.day
    /// What the basic constraints say; nil: there are none.
    package var isAuthority: Bool?
    /// How many intermediates may follow below it; nil: any number. Left out unless `isAuthority` is true.
    package var pathLength: UInt8?
    /// What its key may be used for.
    package var usage = Usage.none
    /// What the holder of its key may be.
    package var purpose = Purpose.none
    /// The DNS names it is for.
    package var hosts: [String] = []
    /// The addresses it is for, each of 4 or 16 bytes in network order.
    package var addresses: [[UInt8]] = []
    /// The DNS names that certificates below it may have, with all names below them. No name constraints are written
    /// where this and `excludedHosts` are empty.
    package var permittedHosts: [String] = []
    /// The DNS names that certificates below it may not have, with all names below them.
    package var excludedHosts: [String] = []
    /// The serial number, of which the low seven bits count.
    package var serial: UInt8 = 1
    /// Whether it names its own key and its signer's.
    package var namesKeys = true
    /// Whether it has an unknown critical extension, so that it must not be accepted.
    package var hasUnknownCriticalExtension = false

    package init(subject: String, issuer: String, key: Int, signer: Int) {
      self.subject = subject
      self.issuer = issuer
      self.key = key
      self.signer = signer
    }
  }

  /// One revocation list as it is to be made.
  package struct List: Hashable, Sendable {
    /// The common name that it states as its issuer's.
    package var issuer: String
    /// The number of the key that really signs it.
    package var signer: Int
    /// One bit of the signature is flipped.
    package var isDamaged = false
    /// When it was issued, in seconds from the pinned instant.
    package var first: Int64 = -Validity.day
    /// When the next one is due, in seconds from the pinned instant; not before `first`.
    package var last: Int64 = Validity.day
    /// The serial numbers of the revoked certificates, of which the low seven bits count.
    package var revoked: [UInt8] = []
    /// Whether it names the key that signs it.
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

  /// The certificate in DER. The errors are OpenSSL's, or `first` or `last` is outside of the years that certificates
  /// can state.
  package func der(_ certificate: CertificateGraph.Certificate) throws(CertificateFailure) -> [UInt8] {
    if let der = known[certificate] { return der }
    let signer = try party(certificate.issuer, certificate.signer)
    let made = try mint.certificate(plan(certificate), key: key(certificate.key), by: signer)
    if known.count >= 4096 { known = [:] }
    let der = damaged(made.der, certificate.isDamaged)
    known[certificate] = der
    return der
  }

  /// The revocation list in DER. The errors are those of certificates.
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
    // A certificate must not end before it begins.
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
