/// Makes certificates, each a function of the seed, the instant and its plan alone: nothing is remembered, so the order
/// in which things are asked for can't matter, and threads need no lock.
struct Mint {
  let now: Int64
  let seed: UInt64

  private func stream(_ concern: String) -> SeededStream { SeededStream(seed: seed, concern: concern) }

  func key(_ concern: String, _ kind: KeyPair.Kind = .p256) throws(CertificateFailure) -> KeyPair {
    var stream = stream("key of " + concern)
    return try KeyPair(kind, from: &stream)
  }

  /// Eight bytes, positive and of full length.
  func serial(_ concern: String) -> [UInt8] {
    var stream = stream("serial of " + concern)
    var bytes = (0..<8).map { _ in stream.nextByte() }
    bytes[0] = bytes[0] & 0x7F | 0x40
    return bytes
  }

  /// The certificate of the plan, signed by the issuer, or by its own key; `key` stands in for a key of its own.
  func certificate(
    _ plan: CertificatePlan, key given: KeyPair? = nil, by issuer: MintedCertificate? = nil
  ) throws(CertificateFailure) -> MintedCertificate {
    let key = if let given { given } else { try self.key(plan.concern, plan.keyKind) }
    let signer = issuer?.key ?? key
    let algorithm = signer.signatureAlgorithm(plan.digest)
    var parts = plan.isVersion1 ? [] : [DER.explicit(0, DER.integer(2))]
    parts += [
      DER.integer(content: plan.serial ?? serial(plan.concern)), algorithm, issuer?.subject ?? plan.subject,
      try plan.validity.der, plan.subject, try key.publicDER(),
    ]
    if !plan.isVersion1 {
      let extensions = try self.extensions(plan, key: key, signer: signer)
      parts.append(DER.explicit(3, DER.sequence(extensions.map(\.der))))
    }
    let signed = DER.sequence(parts)
    var stream = stream("signature of " + plan.concern)
    let signature = try signer.signature(over: signed, plan.digest, from: &stream)
    let outer = plan.outerDigest.map(signer.signatureAlgorithm) ?? algorithm
    let issuerName = issuer.map { $0.commonName ?? "nobody" } ?? "itself"
    return MintedCertificate(
      commonName: plan.commonName, der: DER.sequence([signed, outer, DER.bitString(signature)]), key: key,
      summary: try plan.summary(issuer: issuerName))
  }

  private func extensions(
    _ plan: CertificatePlan, key: KeyPair, signer: KeyPair
  ) throws(CertificateFailure) -> [CertificateExtension] {
    var list: [CertificateExtension] = []
    if plan.namesKeys {
      list = [.subjectKey(try key.identifier()), .authorityKey(try signer.identifier())]
    }
    if let isAuthority = plan.isAuthority {
      list.append(.basicConstraints(isAuthority: isAuthority, pathLength: plan.pathLength))
    }
    if let usage = plan.keyUsage { list.append(.keyUsage(usage)) }
    if let purposes = plan.purposes { list.append(.purposes(purposes)) }
    if !plan.names.isEmpty { list.append(.names(plan.names, isCritical: plan.commonName == nil)) }
    return list + plan.otherExtensions
  }

  /// A revocation list (version 2) of the issuer's, unless told otherwise valid from a day before now to a month after.
  func revocationList(
    of issuer: MintedCertificate, concern: String, revoked: [[UInt8]], validity given: Validity? = nil,
    namesKey: Bool = true
  ) throws(CertificateFailure) -> [UInt8] {
    let validity = given ?? Validity(around: now, before: Validity.day, after: 30 * Validity.day)
    let algorithm = issuer.key.signatureAlgorithm(.sha256)
    let date = try CertificateTime(validity.first).der
    var parts = [DER.integer(1), algorithm, issuer.subject, date, try CertificateTime(validity.last).der]
    if !revoked.isEmpty {
      parts.append(DER.sequence(revoked.map { DER.sequence([DER.integer(content: $0), date]) }))
    }
    var extensions = [CertificateExtension.listNumber(1)]
    if namesKey { extensions.insert(.authorityKey(try issuer.key.identifier()), at: 0) }
    parts.append(DER.explicit(0, DER.sequence(extensions.map(\.der))))
    let signed = DER.sequence(parts)
    var stream = stream("signature of list of " + concern)
    let signature = try issuer.key.signature(over: signed, .sha256, from: &stream)
    return DER.sequence([signed, algorithm, DER.bitString(signature)])
  }
}
