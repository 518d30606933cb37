import ScenarioModel

/// The chains of all classes: most are the ordinary one of leaf, test intermediate and test root.
extension Mint {
  func chain(_ name: CertificateName) throws(CertificateFailure) -> MintedChain {
    if let fault = name.timeFault, fault.level != .leaf { return try chain(name, fault.kind, at: fault.level) }
    switch name {
    case .leafOnlyRootSigned:
      let root = try testRoot()
      return MintedChain(leaf: try certificate(leafPlan(name), by: root), above: [], anchors: [root.der])
    case .selfSigned, .selfSignedExpired:
      let leaf = try certificate(leafPlan(name))
      return MintedChain(leaf: leaf, above: [], anchors: [leaf.der])
    case .unknownRoot, .clientWrongCA:
      let root = try otherRoot(name.rawValue)
      return try chain(name, under: [root, try otherIntermediate(name.rawValue, by: root)])
    case .leafRSA, .md5Signature:
      let root = try testRoot()
      return try chain(name, under: [root, try rsaIntermediate(by: root)])
    case .missingIntermediate, .duplicatedIntermediate, .rootIncluded, .extraCertificate, .mismatchedKey,
      .badSignature, .malformedDER:
      return try tampered(name)
    case .crossSigned:
      return try crossSigned()
    case .hugeChain:
      return try hugeChain()
    case .forgedLongChain, .clientForgedLongChain:
      return try forgedChain(name)
    case .reversedChain, .pathLengthExceeded, .leafAsCA:
      return try withTwoIntermediates(name)
    case .intermediateWithoutCABit, .intermediateWithoutKeyCertSign, .x509v1Intermediate,
      .nameConstraintPermittedViolated, .nameConstraintExcludedViolated, .nameConstraintKept,
      .nameConstraintBehindWildcard, .revokedIntermediate:
      let root = try testRoot()
      let intermediate = try otherIntermediate(name.rawValue, by: root) { Self.changeIntermediate(&$0, for: name) }
      return try chain(name, under: [root, intermediate])
    default:
      let root = try testRoot()
      return try chain(name, under: [root, try testIntermediate(by: root)])
    }
  }

  /// The class's leaf below authorities, from the root down, of which all but the root are sent.
  private func chain(
    _ name: CertificateName, under authorities: [MintedCertificate]
  ) throws(CertificateFailure) -> MintedChain {
    let leaf = try certificate(leafPlan(name), by: authorities.last)
    return MintedChain(
      leaf: leaf, above: authorities.dropFirst().reversed().map(\.der), anchors: authorities.prefix(1).map(\.der))
  }

  private func chain(
    _ name: CertificateName, _ fault: TimeFault, at level: TimeFault.Level
  ) throws(CertificateFailure) -> MintedChain {
    let root =
      level == .root
      ? try otherRoot(name.rawValue, fault.applied(to: rootValidity, now)) : try testRoot()
    let intermediate = try otherIntermediate(name.rawValue, by: root) { plan in
      if level == .intermediate { plan.validity = fault.applied(to: plan.validity, now) }
    }
    return try chain(name, under: [root, intermediate])
  }

  private static func changeIntermediate(_ plan: inout CertificatePlan, for name: CertificateName) {
    switch name {
    case .intermediateWithoutCABit: plan.isAuthority = false
    case .intermediateWithoutKeyCertSign: plan.keyUsage = [.digitalSignature, .listSign]
    case .x509v1Intermediate: plan.isVersion1 = true
    case .nameConstraintPermittedViolated:
      plan.otherExtensions = [.nameConstraints(permitted: ["allowed.example"], excluded: [])]
    case .nameConstraintExcludedViolated:
      plan.otherExtensions = [.nameConstraints(permitted: [], excluded: ["good.example"])]
    case .nameConstraintBehindWildcard:
      plan.otherExtensions = [.nameConstraints(permitted: [], excluded: ["foo.wild.example"])]
    case .nameConstraintKept:
      plan.otherExtensions = [.nameConstraints(permitted: ["example"], excluded: ["bad.example"])]
    default: break
    }
  }

  /// The ordinary chain, with something wrong about what is sent.
  private func tampered(_ name: CertificateName) throws(CertificateFailure) -> MintedChain {
    let root = try testRoot()
    let ordinary: Set<CertificateName> = [.missingIntermediate, .mismatchedKey]
    var chain = try chain(ordinary.contains(name) ? .leaf : name, under: [root, try testIntermediate(by: root)])
    switch name {
    case .missingIntermediate: chain.above = []
    case .duplicatedIntermediate: chain.above += chain.above
    case .rootIncluded: chain.above.append(root.der)
    case .extraCertificate:
      var plan = leafPlan(.wrongHost)
      plan.concern = "stranger"
      plan.commonName = "stranger.example"
      chain.above.insert(try certificate(plan).der, at: 0)
    case .mismatchedKey: chain.leaf.key = try key(name.rawValue)
    case .badSignature: chain.leaf.der[chain.leaf.der.count - 1] ^= 1
    case .malformedDER: chain.leaf.der.removeLast(chain.leaf.der.count / 4)
    default: break
    }
    return chain
  }

  private func withTwoIntermediates(_ name: CertificateName) throws(CertificateFailure) -> MintedChain {
    let root = try testRoot()
    let upper = try otherIntermediate(name.rawValue + " upper", by: root) { plan in
      if name == .pathLengthExceeded { plan.pathLength = 0 }
    }
    let lower: MintedCertificate
    if name == .leafAsCA {
      var plan = leafPlan(.leaf)
      plan.concern = name.rawValue + " upper leaf"
      plan.commonName = "leaf.example"
      plan.names = [.dns("leaf.example")]
      lower = try certificate(plan, by: upper)
    } else {
      lower = try otherIntermediate(name.rawValue + " lower", by: upper)
    }
    var chain = try chain(name, under: [root, upper, lower])
    if name == .reversedChain { chain.above.reverse() }
    return chain
  }

  /// The test root's key with a certificate from an old root that has expired, as authorities do to be trusted where
  /// they are still unknown. A peer that insists on following it ends at the old root.
  private func crossSigned() throws(CertificateFailure) -> MintedChain {
    let root = try testRoot()
    let old = try otherRoot("old", TimeFault.expired.applied(to: rootValidity, now))
    let plan = authorityPlan("cross", commonName: "SocketLab Test Root", intermediateValidity)
    let cross = try certificate(plan, key: root.key, by: old)
    var chain = try chain(.crossSigned, under: [root, try testIntermediate(by: root)])
    chain.above.append(cross.der)
    chain.anchors = [root.der, old.der]
    return chain
  }

  private func hugeChain() throws(CertificateFailure) -> MintedChain {
    var authorities = [try testRoot()]
    for number in 1...10 {
      let concern = "\(CertificateName.hugeChain.rawValue) \(number)"
      authorities.append(
        try otherIntermediate(concern, by: authorities[number - 1]) { plan in
          plan.otherExtensions = [.unknown(isCritical: false, value: [UInt8](repeating: UInt8(number), count: 7168))]
        })
    }
    return try chain(.hugeChain, under: authorities)
  }

  /// The topmost certificate says the test root's name and no key's, so that the signature alone gives it away.
  private func forgedChain(_ name: CertificateName) throws(CertificateFailure) -> MintedChain {
    var authorities = [try testRoot()]
    for number in 1...40 {
      let concern = "\(name.rawValue) \(number)"
      var issuer = authorities[number - 1]
      if number == 1 { issuer.key = try key(name.rawValue + " stranger") }
      authorities.append(
        try otherIntermediate(concern, by: issuer) { plan in plan.namesKeys = number > 1 })
    }
    return try chain(name, under: authorities)
  }
}
