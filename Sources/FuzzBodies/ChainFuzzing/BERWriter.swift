/// Writes ASN.1 in the ways that readers take, also those that no library would choose.
enum BERWriter {
  /// A number of iterations, as the bytes of an INTEGER.
  struct Count: Hashable, Sendable {
    var bytes: [UInt8]
    /// What whoever reads it has to reckon with: what is no number of iterations may be any.
    var value: Int64

    init(_ value: Int64) { self.init(bytes: BERWriter.integer(value), value) }

    init(bytes: [UInt8], _ value: Int64) {
      self.bytes = bytes
      self.value = value
    }

    /// Below, at and beyond what limits there are; zero, less than it, and more than 64 bits.
    static let all =
      ([1, 2, 7, 64, 100, 127, 128, 255, 256, 257, 2048, 4095, 4096, 4097, 1 << 20, 1 << 25, 1 << 31, .max] as [Int64])
      .map { Count($0) } + [
        Count(bytes: [0], .max), Count(bytes: [0xFF], .max), Count(bytes: [0x80, 0, 0, 0], .max),
        Count(bytes: [1, 0, 0, 0, 0, 0, 0, 0, 0], .max),
      ]
  }

  static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
    let length = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0.drop { $0 == 0 }) }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }

  static func sequence(_ parts: [UInt8]..., isIndefinite: Bool = false) -> [UInt8] {
    let content = Array(parts.joined())
    return isIndefinite ? [0x30, 0x80] + content + [0, 0] : element(0x30, content)
  }

  static func explicit(_ content: [UInt8]) -> [UInt8] { element(0xA0, content) }

  /// In two pieces, if it is to be.
  static func octets(_ content: [UInt8], inPieces: Bool = false) -> [UInt8] {
    guard inPieces else { return element(0x04, content) }
    let half = content.count / 2
    return element(0x24, element(0x04, Array(content[..<half])) + element(0x04, Array(content[half...])))
  }

  static func identifier(_ text: String) -> [UInt8] {
    let arcs = text.split(separator: ".").compactMap { UInt32($0) }
    let merged = [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2)
    return element(
      0x06,
      merged.flatMap { arc in
        var bytes = [UInt8(arc & 0x7F)]
        var rest = arc >> 7
        while rest > 0 {
          bytes.insert(0x80 | UInt8(rest & 0x7F), at: 0)
          rest >>= 7
        }
        return bytes
      })
  }

  /// The shortest bytes in two's complement.
  private static func integer(_ value: Int64) -> [UInt8] {
    var bytes = withUnsafeBytes(of: value.bigEndian, Array.init)
    while bytes.count > 1, bytes[0] == 0, bytes[1] < 0x80 { bytes.removeFirst() }
    return bytes
  }
}

/// By which a key is derived from a passphrase.
package struct DerivationPlan: Hashable, Sendable {
  package enum Scheme: UInt8, CaseIterable, Sendable {
    /// PBES2 with PBKDF2, and with scrypt; of PKCS #12; one that nobody knows.
    case standard, memory, old, unknown
  }

  package var scheme = Scheme.standard
  /// A place in `Count.all`.
  package var count: UInt8 = 0

  package init(_ scheme: Scheme = .standard, _ count: UInt8 = 0) {
    self.scheme = scheme
    self.count = count
  }

  var iterations: BERWriter.Count { BERWriter.Count.all[Int(count) % BERWriter.Count.all.count] }

  /// How often the derivation hashes: what scrypt does for each parallel part is bounded, and counts as so many.
  var cost: Int64 {
    switch scheme {
    case .standard, .old: iterations.value
    case .memory: iterations.value < .max >> 20 ? iterations.value << 20 : .max
    case .unknown: 0
    }
  }

  static let salt: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
  static let vector = [UInt8](repeating: 7, count: 16)

  /// The AlgorithmIdentifier.
  var algorithm: [UInt8] {
    let count = BERWriter.element(0x02, iterations.bytes)
    let salt = BERWriter.octets(Self.salt)
    let derivation: [UInt8]
    switch scheme {
    case .old:
      return BERWriter.sequence(BERWriter.identifier("1.2.840.113549.1.12.1.3"), BERWriter.sequence(salt, count))
    case .unknown: return BERWriter.sequence(BERWriter.identifier("1.2.840.113549.1.12.1.99"), [0x05, 0])
    case .standard:
      let function = BERWriter.sequence(BERWriter.identifier("1.2.840.113549.2.9"), [0x05, 0])
      derivation = BERWriter.sequence(
        BERWriter.identifier("1.2.840.113549.1.5.12"), BERWriter.sequence(salt, count, function))
    case .memory:
      let two = BERWriter.element(0x02, [2])
      derivation = BERWriter.sequence(
        BERWriter.identifier("1.3.6.1.4.1.11591.4.11"), BERWriter.sequence(salt, two, two, count))
    }
    return BERWriter.sequence(
      BERWriter.identifier("1.2.840.113549.1.5.13"),
      BERWriter.sequence(
        derivation,
        BERWriter.sequence(BERWriter.identifier("2.16.840.1.101.3.4.1.42"), BERWriter.octets(Self.vector))))
  }
}
