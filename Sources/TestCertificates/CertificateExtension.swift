/// An extension of a certificate or revocation list.
struct CertificateExtension {
  var identifier: [UInt64]
  var isCritical = false
  /// The extension's own DER.
  var value: [UInt8]

  var der: [UInt8] {
    DER.sequence(
      [DER.objectIdentifier(identifier)] + (isCritical ? [DER.boolean(true)] : []) + [DER.octetString(value)])
  }

  /// A name that a certificate is for.
  enum GeneralName {
    case dns(String)
    case address([UInt8])

    var der: [UInt8] {
      switch self {
      case .dns(let name): DER.implicit(2, Array(name.utf8))
      case .address(let bytes): DER.implicit(7, bytes)
      }
    }

    var text: String {
      switch self {
      case .dns(let name): "DNS \(name.replacing("\0", with: "\\0"))"
      case .address(let bytes):
        bytes.count == 4
          ? "IP \(bytes.map(String.init).joined(separator: "."))" : bytes == Self.loopback6 ? "IP ::1" : "IP"
      }
    }

    static let loopback4: [UInt8] = [127, 0, 0, 1]
    static let loopback6 = [UInt8](repeating: 0, count: 15) + [1]
  }

  /// What a key may be used for, the bits as in RFC 5280, 4.2.1.3.
  struct KeyUsage: OptionSet {
    var rawValue: UInt8
    static let digitalSignature = KeyUsage(rawValue: 0x80)
    static let nonRepudiation = KeyUsage(rawValue: 0x40)
    static let keyEncipherment = KeyUsage(rawValue: 0x20)
    static let keyCertSign = KeyUsage(rawValue: 0x04)
    static let listSign = KeyUsage(rawValue: 0x02)
  }

  /// What a certificate may be used for.
  enum Purpose {
    case server, client, any

    var identifier: [UInt64] {
      switch self {
      case .server: [1, 3, 6, 1, 5, 5, 7, 3, 1]
      case .client: [1, 3, 6, 1, 5, 5, 7, 3, 2]
      case .any: [2, 5, 29, 37, 0]
      }
    }
  }

  static func subjectKey(_ identifier: [UInt8]) -> Self {
    Self(identifier: [2, 5, 29, 14], value: DER.octetString(identifier))
  }

  static func authorityKey(_ identifier: [UInt8]) -> Self {
    Self(identifier: [2, 5, 29, 35], value: DER.sequence([DER.implicit(0, identifier)]))
  }

  static func keyUsage(_ usage: KeyUsage) -> Self {
    Self(identifier: [2, 5, 29, 15], isCritical: true, value: DER.namedBits(usage.rawValue))
  }

  static func names(_ names: [GeneralName], isCritical: Bool) -> Self {
    Self(identifier: [2, 5, 29, 17], isCritical: isCritical, value: DER.sequence(names.map(\.der)))
  }

  static func basicConstraints(isAuthority: Bool, pathLength: UInt64?) -> Self {
    let parts = (isAuthority ? [DER.boolean(true)] : []) + (pathLength.map { [DER.integer($0)] } ?? [])
    return Self(identifier: [2, 5, 29, 19], isCritical: true, value: DER.sequence(parts))
  }

  /// Subtrees of DNS names.
  static func nameConstraints(permitted: [String], excluded: [String]) -> Self {
    let lists = [permitted, excluded].enumerated().filter { !$1.isEmpty }
    let parts = lists.map { number, names in
      DER.explicit(UInt8(number), Array(names.map { DER.sequence([GeneralName.dns($0).der]) }.joined()))
    }
    return Self(identifier: [2, 5, 29, 30], isCritical: true, value: DER.sequence(parts))
  }

  static func purposes(_ purposes: [Purpose]) -> Self {
    Self(identifier: [2, 5, 29, 37], value: DER.sequence(purposes.map { DER.objectIdentifier($0.identifier) }))
  }

  /// An extension that no software knows: 2.999 is the arc for examples.
  static func unknown(isCritical: Bool, value: [UInt8]) -> Self {
    Self(identifier: [2, 999, 1], isCritical: isCritical, value: DER.octetString(value))
  }

  static func listNumber(_ number: UInt64) -> Self {
    Self(identifier: [2, 5, 29, 20], value: DER.integer(number))
  }
}
