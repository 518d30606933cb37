import ScenarioModel

/// The leaves of all classes: each an ordinary one with the change that its name says.
extension Mint {
  func leafPlan(_ name: CertificateName) -> CertificatePlan {
    var plan = CertificatePlan(
      concern: name.rawValue, commonName: name.hostName, validity: leafValidity, names: [.dns(name.hostName)])
    if name.isForClients { plan.purposes = [.client] }
    if let fault = name.timeFault, fault.level == .leaf { plan.validity = fault.kind.applied(to: plan.validity, now) }
    changeNames(&plan, for: name)
    changeUsages(&plan, for: name)
    changeKeys(&plan, for: name)
    return plan
  }

  private func changeNames(_ plan: inout CertificatePlan, for name: CertificateName) {
    let only: String? =
      switch name {
      case .wrongHost: "other.example"
      case .wildcardLeaf, .wildcardMultiLabel, .wildcardBareDomain, .nameConstraintBehindWildcard: "*.wild.example"
      case .wildcardPartial: "f*.wild.example"
      case .wildcardMiddle: "a.*.example"
      case .wildcardTopLevel: "*.example"
      case .wildcardALabel: "xn--*.wild.example"
      case .upperCaseName: "GOOD.Example"
      case .nulInName: "good.example\0.evil.example"
      case .idnULabel: "b\u{FC}cher.example"
      case .trailingDotName: "good.example."
      default: nil
      }
    if let only {
      plan.commonName = only
      plan.names = [.dns(only)]
    }
    switch name {
    case .ipSAN:
      plan.commonName = "SocketLab addresses"
      plan.names = [
        .address(CertificatePlan.Name.loopback4), .address(CertificatePlan.Name.loopback6),
      ]
    case .cnOnly: plan.names = []
    case .cnAndOtherSAN: plan.names = [.dns("other.example")]
    case .emptySubject: plan.commonName = nil
    case .tenThousandNames: plan.names = Self.tenThousandNames + plan.names
    default: break
    }
  }

  /// 9,999 names of eight characters: with longer ones the certificate would pass the 100 KiB that OpenSSL takes.
  private static var tenThousandNames: [CertificatePlan.Name] {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    return (0..<9999).map { .dns(String([letters[$0 / 676], letters[$0 / 26 % 26], letters[$0 % 26]]) + ".test") }
  }

  private func changeUsages(_ plan: inout CertificatePlan, for name: CertificateName) {
    switch name {
    case .wrongEKU: plan.purposes = [.client]
    case .clientWrongEKU: plan.purposes = [.server]
    case .emptyEKU: plan.purposes = []
    case .anyEKU: plan.purposes = [.any]
    case .keyUsageWithoutDigitalSignature: plan.keyUsage = [.nonRepudiation]
    case .keyUsageEncipherment:
      plan.keyUsage = [.keyEncipherment]
      plan.keyKind = .rsa2048
    case .unknownCriticalExtension: plan.otherExtensions = [.unknown(isCritical: true, value: [])]
    case .duplicateExtension: plan.otherExtensions = [.names([.dns("other.example")], isCritical: false)]
    case .caAsLeaf:
      plan.isAuthority = true
      plan.keyUsage = [.digitalSignature, .keyCertSign]
    default: break
    }
  }

  private func changeKeys(_ plan: inout CertificatePlan, for name: CertificateName) {
    switch name {
    case .leafRSA:
      plan.keyKind = .rsa2048
      plan.keyUsage = [.digitalSignature, .keyEncipherment]
    case .weakRSAKey: plan.keyKind = .rsa(bits: 1024, primes: 2)
    case .weakCurve: plan.keyKind = .p192
    case .rsa8192: plan.keyKind = .rsa(bits: 8192, primes: 5)
    case .sha1Signature: plan.digest = .sha1
    case .md5Signature: plan.digest = .md5
    case .algorithmMismatch: plan.outerDigest = .sha384
    case .negativeSerial: plan.serial = [0xFF]
    case .zeroSerial: plan.serial = [0]
    case .longSerial: plan.serial = [0x40] + [UInt8](repeating: 0x55, count: 31)
    default: break
    }
  }
}

/// A validity that is wrong, or only just right.
enum TimeFault {
  case expired, expiredByOneSecond, inItsLastSecond, notYetValid, notYetValidByOneSecond, inItsFirstSecond

  enum Level {
    case leaf, intermediate, root
  }

  func applied(to validity: Validity, _ now: Int64) -> Validity {
    let month = 30 * Validity.day
    var faulty = validity
    switch self {
    case .expired: faulty.last = Validity(around: now, before: month, after: 0).first
    case .expiredByOneSecond: faulty.last = Validity(around: now, before: 1, after: 0).first
    case .inItsLastSecond: faulty.last = now
    case .notYetValid: faulty.first = Validity(around: now, before: 0, after: month).last
    case .notYetValidByOneSecond: faulty.first = Validity(around: now, before: 0, after: 1).last
    case .inItsFirstSecond: faulty.first = now
    }
    return faulty
  }
}

extension CertificateName {
  /// What is special about the validity, and whose.
  var timeFault: (kind: TimeFault, level: TimeFault.Level)? {
    switch self {
    case .expiredLeaf, .clientExpired, .selfSignedExpired: (.expired, .leaf)
    case .expiredLeafByOneSecond: (.expiredByOneSecond, .leaf)
    case .leafInItsLastSecond: (.inItsLastSecond, .leaf)
    case .notYetValidLeaf: (.notYetValid, .leaf)
    case .notYetValidLeafByOneSecond: (.notYetValidByOneSecond, .leaf)
    case .leafInItsFirstSecond: (.inItsFirstSecond, .leaf)
    case .expiredIntermediate: (.expired, .intermediate)
    case .expiredIntermediateByOneSecond: (.expiredByOneSecond, .intermediate)
    case .intermediateInItsLastSecond: (.inItsLastSecond, .intermediate)
    case .notYetValidIntermediate: (.notYetValid, .intermediate)
    case .notYetValidIntermediateByOneSecond: (.notYetValidByOneSecond, .intermediate)
    case .intermediateInItsFirstSecond: (.inItsFirstSecond, .intermediate)
    case .expiredRoot: (.expired, .root)
    case .expiredRootByOneSecond: (.expiredByOneSecond, .root)
    case .rootInItsLastSecond: (.inItsLastSecond, .root)
    case .notYetValidRoot: (.notYetValid, .root)
    case .notYetValidRootByOneSecond: (.notYetValidByOneSecond, .root)
    case .rootInItsFirstSecond: (.inItsFirstSecond, .root)
    default: nil
    }
  }
}
