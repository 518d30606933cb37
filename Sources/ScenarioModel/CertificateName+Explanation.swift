extension CertificateName {
  /// What the class is and why a peer with it is good or bad, in one sentence, for lists and pages.
  package var explanation: String { Self.explanations[self] ?? rawValue }

  private static let explanations: [CertificateName: String] = [ordinary, times, names, chains, usages, keys, clients]
    .reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }

  private static let ordinary: [CertificateName: String] = [
    .leaf: "Good: for good.example, signed by the test intermediate, which is sent along; the root is not sent.",
    .leafRSA:
      "Good: as leaf, with a key of RSA 2048 and an intermediate of RSA 2048 (PKCS #1 signatures with SHA-256).",
    .leafOnlyRootSigned: "Good: for good.example, signed by the root itself; nothing else is sent.",
    .selfSigned: "Bad: for good.example, signed by its own key and by nobody else; good once trusted by name.",
    .selfSignedExpired: "Bad: as self-signed, and expired a month ago, so that trusting it by name does not help.",
    .unknownRoot: "Bad: a faultless chain to a root that nobody trusts, which is not sent; good once trusted by name.",
    .revoked:
      "Bad: faultless but for its serial number, which the revocation list names; only a peer that has the "
      + "list can know.",
    .revokedIntermediate:
      "Bad: the leaf is faultless, and the root's revocation list names the intermediate above it; only a peer that "
      + "has the list can know.",
  ]

  private static let times: [CertificateName: String] = [
    .expiredLeaf: "Bad: the leaf expired a month ago.",
    .expiredLeafByOneSecond: "Bad: the leaf's notAfter is one second before the pinned instant.",
    .leafInItsLastSecond:
      "Good: notAfter is the pinned instant itself, and X.509 counts both ends of the validity in (RFC "
      + "5280, 4.1.2.5); OpenSSL 3.0 does not, so it is disputed.",
    .notYetValidLeaf: "Bad: the leaf becomes valid in a month.",
    .notYetValidLeafByOneSecond: "Bad: the leaf's notBefore is one second after the pinned instant.",
    .leafInItsFirstSecond: "Good: notBefore is the pinned instant itself, which counts as valid (RFC 5280, 4.1.2.5).",
    .expiredIntermediate: "Bad: the leaf is in date, the intermediate above it expired a month ago.",
    .expiredIntermediateByOneSecond: "Bad: the intermediate's notAfter is one second before the pinned instant.",
    .intermediateInItsLastSecond:
      "Good: the intermediate's notAfter is the pinned instant; disputed as leaf-in-its-last-second is.",
    .notYetValidIntermediate: "Bad: the leaf is in date, the intermediate above it becomes valid in a month.",
    .notYetValidIntermediateByOneSecond: "Bad: the intermediate's notBefore is one second after the pinned instant.",
    .intermediateInItsFirstSecond: "Good: the intermediate's notBefore is the pinned instant.",
    .expiredRoot: "Bad: leaf and intermediate are in date, the root, to be trusted by name, expired a month ago.",
    .expiredRootByOneSecond:
      "Bad: the notAfter of the root, to be trusted by name, is one second before the pinned instant.",
    .rootInItsLastSecond:
      "Good: the notAfter of the root, to be trusted by name, is the pinned instant; disputed as for the leaf.",
    .notYetValidRoot:
      "Bad: leaf and intermediate are in date, the root, to be trusted by name, becomes valid in a month.",
    .notYetValidRootByOneSecond:
      "Bad: the notBefore of the root, to be trusted by name, is one second after the pinned instant.",
    .rootInItsFirstSecond: "Good: the notBefore of the root, to be trusted by name, is the pinned instant.",
  ]

  private static let names: [CertificateName: String] = [
    .wrongHost: "Bad: faultless, but for other.example, and good.example is asked for.",
    .wildcardLeaf: "Good: for *.wild.example, and foo.wild.example is asked for.",
    .wildcardPartial:
      "Bad: for f*.wild.example, and foo.wild.example is asked for; RFC 6125 let a peer accept it, RFC 9525 "
      + "forbids it: disputed.",
    .wildcardMiddle:
      "Bad: for a.*.example; a star anywhere but in the leftmost label is no wildcard, so a.b.example does not match.",
    .wildcardMultiLabel:
      "Bad: for *.wild.example, and a.b.wild.example is asked for; a star stands for one label only.",
    .wildcardBareDomain:
      "Bad: for *.wild.example, and wild.example is asked for; a star stands for one label, not for none.",
    .wildcardTopLevel:
      "Bad: for *.example, a wildcard right below the top level, which would match good.example if it "
      + "counted; disputed.",
    .wildcardALabel:
      "Bad: for xn--*.wild.example, and xn--foo.wild.example is asked for; a star inside an A-label is no wildcard.",
    .ipSAN: "Good: for the addresses 127.0.0.1 and ::1 as iPAddress names, without a DNS name; 127.0.0.1 is asked for.",
    .ipAsDNSSAN: "Bad: 127.0.0.1 stands there as a DNS name, where an address never matches.",
    .cnOnly:
      "Bad: good.example stands in the common name only; RFC 6125 let a peer accept it, RFC 9525 forbids it: disputed.",
    .cnAndOtherSAN:
      "Bad: the common name says good.example, the subject alternative name other.example, and only the latter counts.",
    .upperCaseName: "Good: for GOOD.Example; names match without regard to case.",
    .nulInName:
      "Bad: for good.example, a NUL byte and .evil.example, in common name and SAN; a peer that stops at "
      + "the NUL is fooled.",
    .idnALabel: "Good: for xn--bcher-kva.example, the A-label of bücher.example, which is asked for in that form.",
    .idnULabel:
      "Bad: the SAN holds bücher.example as raw UTF-8, which IA5String can't; xn--bcher-kva.example is asked for.",
    .underscoreName:
      "Good: for under_score.example; no host name by the letter of RFC 1123, but an exact match: disputed.",
    .trailingDotName:
      "Bad: for good.example. with the root's dot, which no certificate may carry; good.example is asked "
      + "for: disputed.",
    .emptySubject: "Good: the subject is empty and the SAN, critical then, says good.example (RFC 5280, 4.2.1.6).",
    .tenThousandNames:
      "Good: ten thousand DNS names, good.example the last; just below OpenSSL's limit of 100 KiB for a peer's chain.",
  ]

  private static let chains: [CertificateName: String] = [
    .missingIntermediate: "Bad: as leaf, but the intermediate is not sent, so no path leads to the root.",
    .reversedChain:
      "Good: the leaf, then its two intermediates in the wrong order; RFC 8446, 4.4.2 asks to cope, TLS 1.2 "
      + "forbids it: disputed.",
    .extraCertificate:
      "Good: as leaf, with a certificate between leaf and intermediate that belongs to nobody there; "
      + "disputed in TLS 1.2.",
    .duplicatedIntermediate: "Good: as leaf, with the intermediate sent twice; disputed in TLS 1.2.",
    .rootIncluded: "Good: as leaf, with the root sent along, which is allowed and needless.",
    .intermediateWithoutCABit: "Bad: the intermediate's basic constraints say that it is no CA.",
    .intermediateWithoutKeyCertSign: "Bad: the intermediate's key usage does not allow it to sign certificates.",
    .pathLengthExceeded: "Bad: two intermediates, of which the upper one allows none below it (path length 0).",
    .leafAsCA: "Bad: an ordinary leaf (for leaf.example, no CA) has signed another one, for good.example.",
    .caAsLeaf: "Good: the server's certificate is a CA's; RFC 5280 does not forbid it, some verifiers do: disputed.",
    .x509v1Intermediate: "Bad: the intermediate is of X.509 version 1, which can't say that it is a CA.",
    .nameConstraintPermittedViolated:
      "Bad: the intermediate may sign below allowed.example only, the leaf is for good.example.",
    .nameConstraintExcludedViolated:
      "Bad: the intermediate may sign for anything but good.example, for which the leaf is.",
    .nameConstraintKept:
      "Good: the intermediate may sign below example but not below bad.example, and the leaf is for good.example.",
    .crossSigned:
      "Good: a certificate sent along leads from the test root's key to an old root that has expired; the "
      + "path that ends at the test root is valid, whether the old root is trusted too (by name) or not.",
    .hugeChain: "Good: leaf and 10 intermediates of 7 KiB each, more than 64 KiB in all, every one of them needed.",
    .forgedLongChain:
      "Bad: the leaf is below 40 intermediates that anybody could make, and the topmost one claims to be from the "
      + "test root, which never signed it; whoever gives up on the way must not take that for trust.",
    .nameConstraintBehindWildcard:
      "Bad: for *.wild.example, from an intermediate that may not sign for foo.wild.example, which is asked for; "
      + "verifiers that hold only the names in certificates against constraints accept it.",
  ]

  private static let usages: [CertificateName: String] = [
    .wrongEKU: "Bad: the extended key usage allows clients only (clientAuth), and a server presents it.",
    .emptyEKU: "Bad: an extended key usage without any purpose, which the syntax of RFC 5280 does not allow.",
    .anyEKU:
      "Bad: the extended key usage is anyExtendedKeyUsage alone, which a peer may but need not take for a "
      + "server's: disputed.",
    .keyUsageWithoutDigitalSignature:
      "Bad: the key usage allows nonRepudiation only, and every handshake of the lab is signed with the key.",
    .keyUsageEncipherment:
      "Bad: the key usage of the RSA key allows keyEncipherment only; path validation lets it pass, a "
      + "handshake that is signed must not (RFC 8446, 4.4.2.2): disputed.",
    .unknownCriticalExtension: "Bad: a critical extension (2.999.1) that nobody knows.",
    .duplicateExtension:
      "Bad: the extension for the subject alternative name is there twice (good.example and other.example).",
  ]

  private static let keys: [CertificateName: String] = [
    .weakRSAKey: "Bad: an RSA key of 1024 bits, 80 bits of security where 112 are asked for.",
    .weakCurve:
      "Bad: an EC key on P-192, 96 bits of security where 112 are asked for, and a curve TLS 1.3 does not know.",
    .sha1Signature: "Bad: the leaf is signed with ECDSA over SHA-1.",
    .md5Signature: "Bad: the leaf is signed with RSA over MD5.",
    .mismatchedKey:
      "Bad: the chain is that of leaf, the key another one: whoever presents it can't prove to own it. The "
      + "chain alone is valid.",
    .badSignature: "Bad: one bit of the leaf's signature is flipped.",
    .algorithmMismatch:
      "Bad: the algorithm inside the signed part (ECDSA with SHA-256) is not the one beside the signature "
      + "(with SHA-384).",
    .malformedDER: "Bad: the last quarter of the leaf's DER is missing, so that it can't be parsed at all.",
    .rsa8192: "Good: an RSA key of 8192 bits, slow to use; made of five primes, so that it is quick to make.",
    .negativeSerial:
      "Good: the serial number is -1, which RFC 5280 forbids authorities to give and asks peers to bear: disputed.",
    .longSerial: "Good: the serial number has 32 bytes where RFC 5280 allows 20: disputed.",
    .zeroSerial:
      "Good: the serial number is 0, which RFC 5280 forbids authorities to give and asks peers to bear: disputed.",
  ]

  private static let clients: [CertificateName: String] = [
    .client: "Good: a client's certificate (clientAuth) for client.example, signed by the test intermediate.",
    .clientExpired: "Bad: as client, expired a month ago.",
    .clientWrongCA: "Bad: as client, from a root that nobody trusts; good once trusted by name.",
    .clientWrongEKU: "Bad: a client presents a certificate whose extended key usage allows servers only.",
    .clientForgedLongChain: "Bad: as client, below 40 intermediates as in forged-long-chain.",
  ]
}
