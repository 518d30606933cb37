/// The certificates that scenario files can ask for, by what is right or wrong with each (TLS-44).
///
/// Laws
/// - Each class differs from `leaf` in the one thing its name says; all else about it is right.
/// - All chain to the test root and are valid at the pinned instant unless said otherwise.
/// - *Sent* is what a peer presents in its handshake: the certificate itself and those that go with it.
/// - *To be trusted by name* means that the class has an anchor of its own, which the subject is set to trust.
package enum CertificateName: String, CaseIterable, Hashable, Sendable, Codable {
  // Ordinary.

  /// Good: for good.example, signed by the test intermediate, which is sent along; the root is not sent.
  case leaf

  /// Good: as leaf, with a key of RSA 2048 and an intermediate of RSA 2048 (PKCS #1 signatures with SHA-256).
  case leafRSA = "leaf-rsa"

  /// Good: for good.example, signed by the root itself; nothing else is sent.
  case leafOnlyRootSigned = "leaf-only-root-signed"

  /// Bad: for good.example, signed by its own key only; good once trusted by name.
  case selfSigned = "self-signed"

  /// Bad: as self-signed, and expired a month ago, so that trusting it by name does not help.
  case selfSignedExpired = "self-signed-expired"

  /// Bad: a faultless chain to an untrusted root, which is not sent; good once trusted by name.
  case unknownRoot = "unknown-root"

  /// Bad: faultless but for its serial number, which the revocation list names; only a peer that has the list can know.
  case revoked

  /// Bad: the leaf is faultless, and the root's revocation list names the intermediate above it; only a peer that has
  /// the list can know.
  case revokedIntermediate = "revoked-intermediate"

  // Times.

  /// Bad: the leaf expired a month ago.
  case expiredLeaf = "expired-leaf"

  /// Bad: the leaf's notAfter is one second before the pinned instant.
  case expiredLeafByOneSecond = "expired-leaf-by-one-second"

  /// Good: notAfter is the pinned instant itself, and X.509 counts both ends of the validity in (RFC 5280, 4.1.2.5);
  /// OpenSSL 3.0 does not, so it is disputed.
  case leafInItsLastSecond = "leaf-in-its-last-second"

  /// Bad: the leaf becomes valid in a month.
  case notYetValidLeaf = "not-yet-valid-leaf"

  /// Bad: the leaf's notBefore is one second after the pinned instant.
  case notYetValidLeafByOneSecond = "not-yet-valid-leaf-by-one-second"

  /// Good: notBefore is the pinned instant itself, which counts as valid (RFC 5280, 4.1.2.5).
  case leafInItsFirstSecond = "leaf-in-its-first-second"

  /// Bad: the leaf is in date, the intermediate above it expired a month ago.
  case expiredIntermediate = "expired-intermediate"

  /// Bad: the intermediate's notAfter is one second before the pinned instant.
  case expiredIntermediateByOneSecond = "expired-intermediate-by-one-second"

  /// Good: the intermediate's notAfter is the pinned instant; disputed as leaf-in-its-last-second is.
  case intermediateInItsLastSecond = "intermediate-in-its-last-second"

  /// Bad: the leaf is in date, the intermediate above it becomes valid in a month.
  case notYetValidIntermediate = "not-yet-valid-intermediate"

  /// Bad: the intermediate's notBefore is one second after the pinned instant.
  case notYetValidIntermediateByOneSecond = "not-yet-valid-intermediate-by-one-second"

  /// Good: the intermediate's notBefore is the pinned instant.
  case intermediateInItsFirstSecond = "intermediate-in-its-first-second"

  /// Bad: leaf and intermediate are in date, the root, to be trusted by name, expired a month ago.
  case expiredRoot = "expired-root"

  /// Bad: the notAfter of the root, to be trusted by name, is one second before the pinned instant.
  case expiredRootByOneSecond = "expired-root-by-one-second"

  /// Good: the notAfter of the root, to be trusted by name, is the pinned instant; disputed as for the leaf.
  case rootInItsLastSecond = "root-in-its-last-second"

  /// Bad: leaf and intermediate are in date, the root, to be trusted by name, becomes valid in a month.
  case notYetValidRoot = "not-yet-valid-root"

  /// Bad: the notBefore of the root, to be trusted by name, is one second after the pinned instant.
  case notYetValidRootByOneSecond = "not-yet-valid-root-by-one-second"

  /// Good: the notBefore of the root, to be trusted by name, is the pinned instant.
  case rootInItsFirstSecond = "root-in-its-first-second"

  // Names.

  /// Bad: faultless, but for other.example, and good.example is asked for.
  case wrongHost = "wrong-host"

  /// Good: for *.wild.example, and foo.wild.example is asked for.
  case wildcardLeaf = "wildcard-leaf"

  /// Bad: for f*.wild.example, and foo.wild.example is asked for; RFC 6125 let a peer accept it, RFC 9525 forbids it:
  /// disputed.
  case wildcardPartial = "wildcard-partial"

  /// Bad: for a.*.example; a star anywhere but in the leftmost label is no wildcard, so a.b.example does not match.
  case wildcardMiddle = "wildcard-middle"

  /// Bad: for *.wild.example, and a.b.wild.example is asked for; a star stands for one label only.
  case wildcardMultiLabel = "wildcard-multi-label"

  /// Bad: for *.wild.example, and wild.example is asked for; a star stands for one label, not for none.
  case wildcardBareDomain = "wildcard-bare-domain"

  /// Bad: for *.example, a wildcard right below the top level, which would match good.example if it counted; disputed.
  case wildcardTopLevel = "wildcard-top-level"

  /// Bad: for xn--*.wild.example, and xn--foo.wild.example is asked for; a star inside an A-label is no wildcard.
  case wildcardALabel = "wildcard-a-label"

  /// Good: for the addresses 127.0.0.1 and ::1 as iPAddress names, without a DNS name; 127.0.0.1 is asked for.
  case ipSAN = "ip-san"

  /// Bad: 127.0.0.1 stands there as a DNS name, where an address never matches.
  case ipAsDNSSAN = "ip-as-dns-san"

  /// Bad: good.example stands in the common name only; RFC 6125 let a peer accept it, RFC 9525 forbids it: disputed.
  case cnOnly = "cn-only"

  /// Bad: the common name says good.example, the subject alternative name other.example, and only the latter counts.
  case cnAndOtherSAN = "cn-and-other-san"

  /// Good: for GOOD.Example; names match without regard to case.
  case upperCaseName = "upper-case-name"

  /// Bad: for good.example, a NUL byte and .evil.example, in common name and SAN; a peer that stops at the NUL is
  /// fooled.
  case nulInName = "nul-in-name"

  /// Good: for xn--bcher-kva.example, the A-label of bücher.example, which is asked for in that form.
  case idnALabel = "idn-a-label"

  /// Bad: the SAN holds bücher.example as raw UTF-8, which IA5String can't; xn--bcher-kva.example is asked for.
  case idnULabel = "idn-u-label"

  /// Good: for under_score.example; no host name by the letter of RFC 1123, but an exact match: disputed.
  case underscoreName = "underscore-name"

  /// Bad: for good.example. with the root's dot, which no certificate may carry; good.example is asked for: disputed.
  case trailingDotName = "trailing-dot-name"

  /// Good: the subject is empty and the SAN, critical then, says good.example (RFC 5280, 4.2.1.6).
  case emptySubject = "empty-subject"

  /// Good: ten thousand DNS names, good.example the last; just below OpenSSL's limit of 100 KiB for a peer's chain.
  case tenThousandNames = "ten-thousand-names"

  // Chains.

  /// Bad: as leaf, but the intermediate is not sent, so no path leads to the root.
  case missingIntermediate = "missing-intermediate"

  /// Good: the leaf, then its two intermediates in the wrong order; RFC 8446, 4.4.2 asks to cope, TLS 1.2 forbids it:
  /// disputed.
  case reversedChain = "reversed-chain"

  /// Good: as leaf, with an unrelated certificate between leaf and intermediate; disputed in TLS 1.2.
  case extraCertificate = "extra-certificate"

  /// Good: as leaf, with the intermediate sent twice; disputed in TLS 1.2.
  case duplicatedIntermediate = "duplicated-intermediate"

  /// Good: as leaf, with the root sent along, which is allowed and needless.
  case rootIncluded = "root-included"

  /// Bad: the intermediate's basic constraints say that it is no CA.
  case intermediateWithoutCABit = "intermediate-without-ca-bit"

  /// Bad: the intermediate's key usage does not allow it to sign certificates.
  case intermediateWithoutKeyCertSign = "intermediate-without-key-cert-sign"

  /// Bad: two intermediates, of which the upper one allows none below it (path length 0).
  case pathLengthExceeded = "path-length-exceeded"

  /// Bad: an ordinary leaf (for leaf.example, no CA) has signed another one, for good.example.
  case leafAsCA = "leaf-as-ca"

  /// Good: the server's certificate is a CA's; RFC 5280 does not forbid it, some verifiers do: disputed.
  case caAsLeaf = "ca-as-leaf"

  /// Bad: the intermediate is of X.509 version 1, which can't say that it is a CA.
  case x509v1Intermediate = "x509-v1-intermediate"

  /// Bad: the intermediate may sign below allowed.example only, the leaf is for good.example.
  case nameConstraintPermittedViolated = "name-constraint-permitted-violated"

  /// Bad: the intermediate may sign for anything but good.example, for which the leaf is.
  case nameConstraintExcludedViolated = "name-constraint-excluded-violated"

  /// Good: the intermediate may sign below example but not below bad.example, and the leaf is for good.example.
  case nameConstraintKept = "name-constraint-kept"

  /// Good: a certificate sent along leads from the test root's key to an old root that has expired; the path that ends
  /// at the test root is valid, whether the old root is trusted too (by name) or not.
  case crossSigned = "cross-signed"

  /// Good: leaf and 10 intermediates of 7 KiB each, more than 64 KiB in all, every one of them needed.
  case hugeChain = "huge-chain"

  /// Bad: the leaf is below 40 intermediates that anybody could make; the topmost one claims to be from the test root.
  case forgedLongChain = "forged-long-chain"

  /// Bad: for *.wild.example, from an intermediate that may not sign for foo.wild.example, which is asked for.
  case nameConstraintBehindWildcard = "name-constraint-behind-wildcard"

  // Usages and extensions.

  /// Bad: the extended key usage allows clients only (clientAuth), and a server presents it.
  case wrongEKU = "wrong-eku"

  /// Bad: an extended key usage without any purpose, which the syntax of RFC 5280 does not allow.
  case emptyEKU = "empty-eku"

  /// Bad: the extended key usage is anyExtendedKeyUsage alone, which a peer may but need not take for a server's:
  /// disputed.
  case anyEKU = "any-eku"

  /// Bad: the key usage allows nonRepudiation only, and every handshake of the lab is signed with the key.
  case keyUsageWithoutDigitalSignature = "key-usage-without-digital-signature"

  /// Bad: the key usage of the RSA key allows keyEncipherment only; path validation lets it pass, a handshake that is
  /// signed must not (RFC 8446, 4.4.2.2): disputed.
  case keyUsageEncipherment = "key-usage-encipherment-only"

  /// Bad: an unknown critical extension (2.999.1).
  case unknownCriticalExtension = "unknown-critical-extension"

  /// Bad: the extension for the subject alternative name is there twice (good.example and other.example).
  case duplicateExtension = "duplicate-extension"

  // Keys and signatures.

  /// Bad: an RSA key of 1024 bits, 80 bits of security where 112 are asked for.
  case weakRSAKey = "weak-rsa-key"

  /// Bad: an EC key on P-192, 96 bits of security where 112 are asked for, and a curve TLS 1.3 does not know.
  case weakCurve = "weak-curve"

  /// Bad: the leaf is signed with ECDSA over SHA-1.
  case sha1Signature = "sha1-signature"

  /// Bad: the leaf is signed with RSA over MD5.
  case md5Signature = "md5-signature"

  /// Bad: the chain is that of leaf, the key another one: a peer that presents it can't prove to own it. The chain
  /// alone is valid.
  case mismatchedKey = "mismatched-key"

  /// Bad: one bit of the leaf's signature is flipped.
  case badSignature = "bad-signature"

  /// Bad: the algorithm inside the signed part (ECDSA with SHA-256) is not the one beside the signature (with SHA-384).
  case algorithmMismatch = "algorithm-mismatch"

  /// Bad: the last quarter of the leaf's DER is missing, so that it can't be parsed at all.
  case malformedDER = "malformed-der"

  /// Good: an RSA key of 8192 bits, slow to use; made of five primes, so that it is quick to make.
  case rsa8192 = "rsa-8192"

  /// Good: the serial number is -1, which RFC 5280 forbids authorities to give and asks peers to bear: disputed.
  case negativeSerial = "negative-serial"

  /// Good: the serial number has 32 bytes where RFC 5280 allows 20: disputed.
  case longSerial = "long-serial"

  /// Good: the serial number is 0, which RFC 5280 forbids authorities to give and asks peers to bear: disputed.
  case zeroSerial = "zero-serial"

  // Clients.

  /// Good: a client's certificate (clientAuth) for client.example, signed by the test intermediate.
  case client

  /// Bad: as client, expired a month ago.
  case clientExpired = "client-expired"

  /// Bad: as client, from an untrusted root; good once trusted by name.
  case clientWrongCA = "client-wrong-ca"

  /// Bad: a client presents a certificate whose extended key usage allows servers only.
  case clientWrongEKU = "client-wrong-eku"

  /// Bad: a client with a chain as in forgedLongChain.
  case clientForgedLongChain = "client-forged-long-chain"
}
