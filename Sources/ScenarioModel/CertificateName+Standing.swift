extension CertificateName {
  /// Whether a peer that presents the class must be accepted when the right anchor is trusted (the test root, or the
  /// class's own where `hasOwnAnchor`), `hostName` is asked for, and 112 bits of security are wanted, as today's
  /// clients do.
  package var isGood: Bool {
    switch self {
    case .leaf, .leafRSA, .leafOnlyRootSigned, .leafInItsLastSecond, .leafInItsFirstSecond,
      .intermediateInItsLastSecond, .intermediateInItsFirstSecond, .rootInItsLastSecond, .rootInItsFirstSecond,
      .wildcardLeaf, .ipSAN, .upperCaseName, .idnALabel, .underscoreName, .emptySubject, .tenThousandNames,
      .reversedChain, .extraCertificate, .duplicatedIntermediate, .rootIncluded, .caAsLeaf, .nameConstraintKept,
      .crossSigned, .hugeChain, .rsa8192, .negativeSerial, .longSerial, .zeroSerial, .client:
      true
    default:
      false
    }
  }

  /// Whether the class is about its validity, or an issuer's, so that nothing is known of it without the instant at
  /// which it is judged.
  package var isAboutTime: Bool {
    ["expired", "not-yet-valid", "in-its-"].contains { rawValue.lowercased().contains($0) }
  }

  /// The name a client asks for when it meets the class: a DNS name, or an address where `isAddress`.
  package var hostName: String {
    switch self {
    case .wildcardLeaf, .wildcardPartial, .nameConstraintBehindWildcard: "foo.wild.example"
    case .wildcardMiddle: "a.b.example"
    case .wildcardMultiLabel: "a.b.wild.example"
    case .wildcardBareDomain: "wild.example"
    case .wildcardALabel: "xn--foo.wild.example"
    case .ipSAN, .ipAsDNSSAN: "127.0.0.1"
    case .idnALabel, .idnULabel: "xn--bcher-kva.example"
    case .underscoreName: "under_score.example"
    case .client, .clientExpired, .clientWrongCA, .clientWrongEKU, .clientForgedLongChain: "client.example"
    default: "good.example"
    }
  }

  /// Whether `hostName` is an IPv4 address.
  package var isAddress: Bool { self == .ipSAN || self == .ipAsDNSSAN }

  /// Whether a client presents the class, not a server.
  package var isForClients: Bool {
    switch self {
    case .client, .clientExpired, .clientWrongCA, .clientWrongEKU, .clientForgedLongChain: true
    default: false
    }
  }

  /// Whether the class is judged under an anchor of its own instead of the test root: those whose point is the root.
  package var hasOwnAnchor: Bool {
    switch self {
    case .expiredRoot, .expiredRootByOneSecond, .rootInItsLastSecond, .notYetValidRoot, .notYetValidRootByOneSecond,
      .rootInItsFirstSecond:
      true
    default:
      false
    }
  }
}
