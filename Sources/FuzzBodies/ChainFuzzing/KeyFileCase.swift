import FuzzHarness

/// A file with private keys, encrypted ones among them, and how it is opened. What opens them is nonsense.
package struct KeyFileCase: Hashable, Sendable {
  package enum Block: Hashable, Sendable {
    case encrypted(DerivationPlan)
    /// Encrypted once more, as keys were before PKCS #8.
    case encryptedTwice(DerivationPlan)
    case key
    /// A block that is none: no base64.
    case malformed
    /// A block of some other kind.
    case other
  }

  static let mostBlocks = 5

  /// One key in DER, the first; else PEM.
  package var isDER = false
  /// Places in the tables of `ContainerCase`.
  package var passphrase: UInt8 = 0
  package var limit: UInt8 = 0
  package var blocks: [Block] = []

  package init() {}

  package init(_ input: inout FuzzInput) {
    isDER = input.bool()
    passphrase = input.byte()
    limit = input.byte()
    for _ in 0..<input.number(upTo: Self.mostBlocks) {
      switch input.byte() % 5 {
      case 0: blocks.append(.encrypted(DerivationPlan(&input)))
      case 1: blocks.append(.encryptedTwice(DerivationPlan(&input)))
      case 2: blocks.append(.key)
      case 3: blocks.append(.malformed)
      default: blocks.append(.other)
      }
    }
  }

  package func write(_ output: inout FuzzOutput) {
    output.bool(isDER)
    output.byte(passphrase)
    output.byte(limit)
    output.number(blocks.count, upTo: Self.mostBlocks)
    for block in blocks {
      switch block {
      case .encrypted(let plan):
        output.byte(0)
        plan.write(&output)
      case .encryptedTwice(let plan):
        output.byte(1)
        plan.write(&output)
      case .key: output.byte(2)
      case .malformed: output.byte(3)
      case .other: output.byte(4)
      }
    }
  }

  var readersPassphrase: String? { ContainerCase.passphrases[Int(passphrase) % 3] }
  var readersLimit: Int64 { ContainerCase.limits[Int(limit) % ContainerCase.limits.count] }

  /// What all of it takes. What is encrypted twice does not say, and so may take anything.
  var cost: Int64 {
    (isDER ? Array(blocks.prefix(1)) : blocks).reduce(0) { total, block in
      switch block {
      case .encrypted(let plan): ContainerCase.sum(total, plan.cost)
      case .encryptedTwice: isDER ? total : .max
      case .key, .malformed, .other: total
      }
    }
  }

  var bytes: [UInt8] { isDER ? der(blocks.first ?? .other) : blocks.flatMap(pem) }

  private func der(_ block: Block) -> [UInt8] {
    switch block {
    case .encrypted(let plan): BERWriter.sequence(plan.algorithm, BERWriter.octets(ContainerCase.nonsense))
    case .encryptedTwice: ContainerCase.nonsense + ContainerCase.nonsense
    case .key: ContainerCase.plainKey
    case .malformed: [0x30, 5, 1]
    case .other: [0x30, 0]
    }
  }

  private func pem(_ block: Block) -> [UInt8] {
    let (name, head) =
      switch block {
      case .encrypted, .malformed: ("ENCRYPTED PRIVATE KEY", "")
      case .encryptedTwice:
        ("ENCRYPTED PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n")
      case .key: ("PRIVATE KEY", "")
      case .other: ("SOMETHING ELSE", "")
      }
    let content = block == .malformed ? "!!!!" : Self.base64(der(block))
    return Array("-----BEGIN \(name)-----\n\(head)\(content)\n-----END \(name)-----\n".utf8)
  }

  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// In lines of 64 digits.
  static func base64(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      if start > 0, start.isMultiple(of: 48) { text.append(0x0A) }
      let group = bytes[start..<min(start + 3, bytes.count)]
      let number = (group + [0, 0]).prefix(3).reduce(0) { $0 << 8 | Int($1) }
      let coded = [18, 12, 6, 0].map { digits[number >> $0 & 63] }
      text += coded.prefix(group.count + 1) + [UInt8](repeating: UInt8(ascii: "="), count: 3 - group.count)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
