import COpenSSL
import FuzzHarness

/// A PKCS#12, and how it is opened.
///
/// Its MAC is never right, and what its private keys are encrypted with never opens them: what it takes to open it is
/// counted before either is looked at. The contents of its encrypted parts are right where the number of iterations is
/// small, because they have to be looked into to be counted.
package struct ContainerCase: Hashable, Sendable {
  package indirect enum Bag: Hashable, Sendable {
    case certificate
    case key
    case encryptedKey(DerivationPlan)
    case bags([Bag])
  }

  package struct Safe: Hashable, Sendable {
    /// nil: it is not encrypted.
    package var encryption: DerivationPlan?
    package var bags: [Bag]
    package init(_ encryption: DerivationPlan? = nil, _ bags: [Bag]) {
      self.encryption = encryption
      self.bags = bags
    }
  }

  static let passphrases: [String?] = ["secret", "", nil]
  static let limits: [Int64] = [4096, 0, 1, 99, 255, 256, 300, 1000, 2048]
  static let mostSafes = 3
  static let mostBags = 3
  static let mostDepth = 3
  /// Iterations beyond which encryption is not worth it.
  private static let dear: Int64 = 256

  /// Places in the tables above; of the file itself nil is none but the empty one.
  package var filePassphrase: UInt8 = 0
  package var passphrase: UInt8 = 0
  package var limit: UInt8 = 0
  /// nil: it has none; a place in `Count.all`.
  package var mac: UInt8? = 0
  /// Whether the MAC's key is derived by a scheme of its own (PBMAC1).
  package var macHasScheme = false
  /// Bits: lengths left open, octet strings in pieces.
  package var form: UInt8 = 0
  package var safes: [Safe] = []

  package init() {}

  package init(_ input: inout FuzzInput) {
    filePassphrase = input.byte()
    passphrase = input.byte()
    limit = input.byte()
    mac = input.bool() ? nil : input.byte()
    macHasScheme = input.bool()
    form = input.byte()
    for _ in 0..<input.number(upTo: Self.mostSafes) {
      let encryption = input.bool() ? DerivationPlan(&input) : nil
      safes.append(Safe(encryption, Self.bags(&input, depth: 0)))
    }
  }

  private static func bags(_ input: inout FuzzInput, depth: Int) -> [Bag] {
    (0..<input.number(upTo: mostBags)).map { _ in
      switch input.byte() % 4 {
      case 0: .encryptedKey(DerivationPlan(&input))
      case 1: depth < mostDepth ? .bags(bags(&input, depth: depth + 1)) : .key
      case 2: .key
      default: .certificate
      }
    }
  }

  package func write(_ output: inout FuzzOutput) {
    output.byte(filePassphrase)
    output.byte(passphrase)
    output.byte(limit)
    output.bool(mac == nil)
    if let mac { output.byte(mac) }
    output.bool(macHasScheme)
    output.byte(form)
    output.number(safes.count, upTo: Self.mostSafes)
    for safe in safes {
      output.bool(safe.encryption != nil)
      safe.encryption?.write(&output)
      Self.write(safe.bags, &output)
    }
  }

  private static func write(_ bags: [Bag], _ output: inout FuzzOutput) {
    output.number(bags.count, upTo: mostBags)
    for bag in bags {
      switch bag {
      case .encryptedKey(let plan):
        output.byte(0)
        plan.write(&output)
      case .bags(let inner):
        output.byte(1)
        write(inner, &output)
      case .key: output.byte(2)
      case .certificate: output.byte(3)
      }
    }
  }

  private var secret: String { Self.passphrases[Int(filePassphrase) % 3] ?? "" }
  var readersPassphrase: String? { Self.passphrases[Int(passphrase) % 3] }
  var readersLimit: Int64 { Self.limits[Int(limit) % Self.limits.count] }

  /// The iterations that it takes to open it, as far as whoever has the passphrase can know.
  var cost: Int64 {
    let own = mac.map { DerivationPlan(.standard, $0).cost } ?? 0
    return safes.reduce(own) { sum, safe in
      let (cost, isOpen) = (safe.encryption?.cost ?? 0, isOpen(safe))
      return Self.sum(sum, Self.sum(cost, isOpen ? Self.cost(of: safe.bags) : 0))
    }
  }

  private func isOpen(_ safe: Safe) -> Bool {
    guard let encryption = safe.encryption else { return true }
    return Self.isEncryptedRightly(encryption) && secret == readersPassphrase ?? ""
  }

  private static func isEncryptedRightly(_ plan: DerivationPlan) -> Bool {
    plan.scheme == .standard && plan.cost <= dear
  }

  private static func cost(of bags: [Bag]) -> Int64 {
    bags.reduce(0) { total, bag in
      switch bag {
      case .encryptedKey(let plan): sum(total, plan.cost)
      case .bags(let inner): sum(total, cost(of: inner))
      case .key, .certificate: total
      }
    }
  }

  static func sum(_ one: Int64, _ other: Int64) -> Int64 {
    let (sum, isOverflow) = one.addingReportingOverflow(other)
    return isOverflow ? .max : sum
  }
}

// MARK: - Its bytes

extension ContainerCase {
  private static let data = "1.2.840.113549.1.7.1"

  var bytes: [UInt8] {
    let (isIndefinite, inPieces) = (form & 1 != 0, form & 2 != 0)
    let safes = BERWriter.sequence(Array(safes.map(contentInfo).joined()), isIndefinite: isIndefinite)
    let content = BERWriter.sequence(
      BERWriter.identifier(Self.data), BERWriter.explicit(BERWriter.octets(safes, inPieces: inPieces)))
    return BERWriter.sequence(
      BERWriter.element(0x02, [3]), content, mac.map(macData) ?? [], isIndefinite: isIndefinite)
  }

  private func macData(_ count: UInt8) -> [UInt8] {
    let plan = DerivationPlan(.standard, count)
    let digest = BERWriter.sequence(BERWriter.identifier("2.16.840.1.101.3.4.2.1"), [0x05, 0])
    let own = BERWriter.octets([UInt8](repeating: 9, count: 32))
    let salt = BERWriter.octets(DerivationPlan.salt)
    guard macHasScheme else {
      let number = BERWriter.element(0x02, plan.iterations.bytes)
      return BERWriter.sequence(BERWriter.sequence(digest, own), salt, number)
    }
    // The number that stands where it always did means nothing then.
    let derivation = BERWriter.sequence(
      BERWriter.identifier("1.2.840.113549.1.5.12"),
      BERWriter.sequence(salt, BERWriter.element(0x02, plan.iterations.bytes), BERWriter.element(0x02, [32])))
    let code = BERWriter.sequence(BERWriter.identifier("1.2.840.113549.2.9"), [0x05, 0])
    let scheme = BERWriter.sequence(
      BERWriter.identifier("1.2.840.113549.1.5.14"), BERWriter.sequence(derivation, code))
    return BERWriter.sequence(BERWriter.sequence(scheme, own), salt, BERWriter.element(0x02, [1]))
  }

  private func contentInfo(_ safe: Safe) -> [UInt8] {
    let bags = BERWriter.sequence(Array(safe.bags.map(Self.bag).joined()))
    guard let plan = safe.encryption else {
      let octets = BERWriter.octets(bags, inPieces: form & 2 != 0)
      return BERWriter.sequence(BERWriter.identifier(Self.data), BERWriter.explicit(octets))
    }
    let encrypted = Self.isEncryptedRightly(plan) ? Self.encrypted(bags, secret, plan.cost) : Self.nonsense
    let inner = BERWriter.sequence(
      BERWriter.identifier(Self.data), plan.algorithm, BERWriter.element(0x80, encrypted))
    return BERWriter.sequence(
      BERWriter.identifier("1.2.840.113549.1.7.6"),
      BERWriter.explicit(BERWriter.sequence(BERWriter.element(0x02, [0]), inner)))
  }

  static let nonsense = [UInt8](repeating: 0xAA, count: 32)

  static let plainKey = BERWriter.sequence(
    BERWriter.element(0x02, [0]), BERWriter.sequence(BERWriter.identifier("1.3.101.112")),
    BERWriter.octets(BERWriter.octets([UInt8](repeating: 5, count: 32))))

  private static func bag(_ bag: Bag) -> [UInt8] {
    func made(_ kind: Int, _ content: [UInt8]) -> [UInt8] {
      BERWriter.sequence(BERWriter.identifier("1.2.840.113549.1.12.10.1.\(kind)"), BERWriter.explicit(content))
    }
    switch bag {
    case .key: return made(1, plainKey)
    case .encryptedKey(let plan): return made(2, BERWriter.sequence(plan.algorithm, BERWriter.octets(nonsense)))
    case .certificate:
      let kind = BERWriter.identifier("1.2.840.113549.1.9.22.1")
      return made(3, BERWriter.sequence(kind, BERWriter.explicit(BERWriter.octets([0x30, 0]))))
    case .bags(let inner): return made(6, BERWriter.sequence(Array(inner.map(Self.bag).joined())))
    }
  }

  /// With AES and a key that is derived from the passphrase.
  private static func encrypted(_ bytes: [UInt8], _ passphrase: String, _ iterations: Int64) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: 32)
    PKCS5_PBKDF2_HMAC(
      passphrase, Int32(passphrase.utf8.count), DerivationPlan.salt, Int32(DerivationPlan.salt.count),
      Int32(iterations), EVP_sha256(), Int32(key.count), &key)
    guard let context = EVP_CIPHER_CTX_new() else { return nonsense }
    defer { EVP_CIPHER_CTX_free(context) }
    var result = [UInt8](repeating: 0, count: bytes.count + 16)
    var (count, rest): (Int32, Int32) = (0, 0)
    EVP_EncryptInit_ex(context, EVP_aes_256_cbc(), nil, key, DerivationPlan.vector)
    EVP_EncryptUpdate(context, &result, &count, bytes, Int32(bytes.count))
    result.withUnsafeMutableBufferPointer { _ = EVP_EncryptFinal_ex(context, $0.baseAddress! + Int(count), &rest) }
    return Array(result.prefix(Int(count + rest)))
  }
}

extension DerivationPlan {
  package init(_ input: inout FuzzInput) {
    scheme = input.choice(of: Scheme.allCases)
    count = input.byte()
  }

  package func write(_ output: inout FuzzOutput) {
    output.byte(scheme.rawValue)
    output.byte(count)
  }
}
