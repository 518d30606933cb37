import COpenSSL
import ScenarioModel
import TestCertificates
import Testing

/// What path validation says about every class: the oracle of the whole lab.
@Suite struct VerifierTableTests {
  typealias Outcome = PathVerifier.Outcome

  /// At the pinned instant, under the test root (or the class's own, if it has one), for the name a client asks for,
  /// with names compared strictly and 112 bits of security.
  static let expected: [CertificateName: Outcome] = {
    var table: [CertificateName: Outcome] = [:]
    let good: [CertificateName] = [
      .leaf, .leafRSA, .leafOnlyRootSigned, .leafInItsFirstSecond, .intermediateInItsFirstSecond,
      .rootInItsFirstSecond, .wildcardLeaf, .ipSAN, .upperCaseName, .idnALabel, .underscoreName, .emptySubject,
      .tenThousandNames, .reversedChain, .extraCertificate, .duplicatedIntermediate, .rootIncluded, .caAsLeaf,
      .nameConstraintKept, .crossSigned, .hugeChain, .rsa8192, .negativeSerial, .longSerial, .zeroSerial, .client,
      .revoked, .revokedIntermediate, .mismatchedKey, .keyUsageEncipherment, .nameConstraintBehindWildcard,
    ]
    for name in good { table[name] = .ok }
    let bad: [(Int32, depth: Int32, [CertificateName])] = [
      (
        X509_V_ERR_CERT_HAS_EXPIRED, 0,
        [.expiredLeaf, .expiredLeafByOneSecond, .leafInItsLastSecond, .clientExpired]
      ),
      (
        X509_V_ERR_CERT_HAS_EXPIRED, 1,
        [.expiredIntermediate, .expiredIntermediateByOneSecond, .intermediateInItsLastSecond]
      ),
      (X509_V_ERR_CERT_HAS_EXPIRED, 2, [.expiredRoot, .expiredRootByOneSecond, .rootInItsLastSecond]),
      (X509_V_ERR_CERT_NOT_YET_VALID, 0, [.notYetValidLeaf, .notYetValidLeafByOneSecond]),
      (X509_V_ERR_CERT_NOT_YET_VALID, 1, [.notYetValidIntermediate, .notYetValidIntermediateByOneSecond]),
      (X509_V_ERR_CERT_NOT_YET_VALID, 2, [.notYetValidRoot, .notYetValidRootByOneSecond]),
      (X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, 0, [.selfSigned, .selfSignedExpired]),
      // A doubled extension makes a certificate one whose issuer OpenSSL does not look for.
      (X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, 0, [.missingIntermediate, .duplicateExtension]),
      (X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, 1, [.unknownRoot, .clientWrongCA]),
      (
        X509_V_ERR_HOSTNAME_MISMATCH, 0,
        [
          .wrongHost, .wildcardPartial, .wildcardMiddle, .wildcardMultiLabel, .wildcardBareDomain, .wildcardTopLevel,
          .wildcardALabel, .cnOnly, .cnAndOtherSAN, .nulInName, .idnULabel, .trailingDotName,
        ]
      ),
      (X509_V_ERR_IP_ADDRESS_MISMATCH, 0, [.ipAsDNSSAN]),
      (
        X509_V_ERR_INVALID_CA, 1,
        [.intermediateWithoutCABit, .intermediateWithoutKeyCertSign, .leafAsCA, .x509v1Intermediate]
      ),
      (X509_V_ERR_PATH_LENGTH_EXCEEDED, 2, [.pathLengthExceeded]),
      (X509_V_ERR_PERMITTED_VIOLATION, 0, [.nameConstraintPermittedViolated]),
      (X509_V_ERR_EXCLUDED_VIOLATION, 0, [.nameConstraintExcludedViolated]),
      (
        X509_V_ERR_INVALID_PURPOSE, 0,
        [.wrongEKU, .emptyEKU, .anyEKU, .keyUsageWithoutDigitalSignature, .clientWrongEKU]
      ),
      (X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION, 0, [.unknownCriticalExtension]),
      (X509_V_ERR_EE_KEY_TOO_SMALL, 0, [.weakRSAKey, .weakCurve]),
      (X509_V_ERR_CA_MD_TOO_WEAK, 0, [.sha1Signature, .md5Signature]),
      (X509_V_ERR_CERT_SIGNATURE_FAILURE, 0, [.badSignature, .algorithmMismatch]),
      (X509_V_ERR_CERT_SIGNATURE_FAILURE, 40, [.forgedLongChain, .clientForgedLongChain]),
    ]
    for (code, depth, names) in bad {
      for name in names { table[name] = .code(code, depth: depth) }
    }
    table[.malformedDER] = .unparsable
    return table
  }()

  /// Where path validation alone does not decide as the class is meant, and why.
  static let exceptions: [CertificateName: String] = [
    .leafInItsLastSecond: "OpenSSL counts the last second out",
    .intermediateInItsLastSecond: "OpenSSL counts the last second out",
    .rootInItsLastSecond: "OpenSSL counts the last second out",
    .revoked: "only who has the revocation list can know",
    .revokedIntermediate: "only who has the revocation list can know",
    .mismatchedKey: "the handshake finds out, not the path",
    .nameConstraintBehindWildcard: "OpenSSL holds the wildcard against the constraint, not the name that it covers",
    .keyUsageEncipherment: "the handshake finds out, not the path",
  ]

  private let pki = TestPKI.shared

  private func usualAnchor(of name: CertificateName) throws -> [UInt8] {
    name.hasOwnAnchor ? try pki.anchor(for: name) : try pki.rootPEM
  }

  @Test(arguments: CertificateName.allCases)
  func openSSLSaysWhatTheTableSays(_ name: CertificateName) throws {
    let outcome = PathVerifier(time: pki.now)
      .verify(try pki.identity(name).chainDER, as: name, anchors: try usualAnchor(of: name))
    #expect(outcome == Self.expected[name], "\(name.rawValue): \(outcome)")
    #expect((outcome == .ok) == (name.isGood != (Self.exceptions[name] != nil)))
  }

  /// What is good stays good when nothing but its own anchor is trusted, and so do the strangers become.
  @Test(arguments: CertificateName.allCases)
  func theOwnAnchorLeadsToTheSameOrMakesAStrangerKnown(_ name: CertificateName) throws {
    let outcome = PathVerifier(time: pki.now)
      .verify(try pki.identity(name).chainDER, as: name, anchors: try pki.anchor(for: name))
    switch name {
    case .selfSigned, .unknownRoot, .clientWrongCA: #expect(outcome == .ok)
    case .selfSignedExpired: #expect(outcome == .code(X509_V_ERR_CERT_HAS_EXPIRED, depth: 0))
    default: #expect(outcome == Self.expected[name])
    }
  }

  /// OpenSSL left to its defaults: the older rules for names, 80 bits of security.
  @Test(arguments: CertificateName.allCases)
  func theDefaultsOfOpenSSLLetFourMorePass(_ name: CertificateName) throws {
    let outcome = PathVerifier(time: pki.now, level: 1, hasStrictNames: false)
      .verify(try pki.identity(name).chainDER, as: name, anchors: try usualAnchor(of: name))
    let lax: Set<CertificateName> = [.wildcardPartial, .cnOnly, .weakRSAKey, .weakCurve]
    #expect(outcome == (lax.contains(name) ? .ok : Self.expected[name]))
  }

  @Test func theRevocationListNamesTheRevokedOneAlone() throws {
    let verifier = PathVerifier(time: pki.now, revocationList: try pki.revocationList)
    let root = try pki.rootPEM
    let revoked = verifier.verify(try pki.identity(.revoked).chainDER, as: .revoked, anchors: root)
    #expect(revoked == .code(X509_V_ERR_CERT_REVOKED, depth: 0))
    let above = verifier.verify(
      try pki.identity(.revokedIntermediate).chainDER, as: .revokedIntermediate, anchors: root)
    #expect(above == .code(X509_V_ERR_CERT_REVOKED, depth: 1))
    for name in [CertificateName.leaf, .wildcardLeaf, .client, .leafOnlyRootSigned] {
      #expect(verifier.verify(try pki.identity(name).chainDER, as: name, anchors: root) == .ok)
    }
  }

  @Test func theOutdatedListIsOutdated() throws {
    let verifier = PathVerifier(time: pki.now, revocationList: try pki.outdatedRevocationList)
    let outcome = verifier.verify(try pki.identity(.leaf).chainDER, as: .leaf, anchors: try pki.rootPEM)
    #expect(outcome == .code(X509_V_ERR_CRL_HAS_EXPIRED, depth: 0))
  }

  /// The classes of one second are exact: a second to the other side, and they are as the ordinary one.
  @Test func oneSecondDecides() throws {
    let rows: [(CertificateName, shift: Int64)] = [
      (.expiredLeafByOneSecond, -2), (.expiredIntermediateByOneSecond, -2), (.expiredRootByOneSecond, -2),
      (.leafInItsLastSecond, -1), (.intermediateInItsLastSecond, -1), (.rootInItsLastSecond, -1),
      (.notYetValidLeafByOneSecond, 1), (.notYetValidIntermediateByOneSecond, 1), (.notYetValidRootByOneSecond, 1),
    ]
    for (name, shift) in rows {
      let outcome = PathVerifier(time: pki.now + shift)
        .verify(try pki.identity(name).chainDER, as: name, anchors: try pki.anchor(for: name))
      #expect(outcome == .ok, "\(name.rawValue): \(outcome)")
    }
    for name in [CertificateName.leafInItsFirstSecond, .intermediateInItsFirstSecond, .rootInItsFirstSecond] {
      let outcome = PathVerifier(time: pki.now - 1)
        .verify(try pki.identity(name).chainDER, as: name, anchors: try pki.anchor(for: name))
      #expect(outcome != .ok, "\(name.rawValue)")
    }
  }

  @Test func theTableIsWhole() {
    #expect(Set(Self.expected.keys) == Set(CertificateName.allCases))
  }
}
