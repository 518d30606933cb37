import FuzzHarness
import SocketCore
import TestCertificates
import Testing

@testable import ChainFuzzing

/// The body of certificates, keys and containers lets the library pass, and its laws can be broken.
@Suite struct CredentialTests {
  /// A place in the table of counts.
  private static func place(_ value: Int64) -> UInt8 {
    UInt8(BERWriter.Count.all.firstIndex { $0.value == value } ?? 0)
  }

  private static func container(_ change: (inout ContainerCase) -> Void) -> CredentialProgram {
    var made = ContainerCase()
    (made.mac, made.limit) = (place(100), 5)
    change(&made)
    return .container(made)
  }

  private static func keys(_ blocks: [KeyFileCase.Block], isDER: Bool = false) -> CredentialProgram {
    var made = KeyFileCase()
    (made.blocks, made.isDER, made.limit) = (blocks, isDER, 5)
    return .keys(made)
  }

  private static func points(_ parts: Int, _ relative: Int, absolute: Int = 0, form: UInt8 = 0) -> CredentialProgram {
    var made = PointsCase()
    (made.parts, made.relative, made.absolute, made.form) = (parts, relative, absolute, form)
    return .points(made)
  }

  private static func message(
    _ entries: Int, isTLS13: Bool = true, cut: UInt8 = 0, _ payload: [UInt8] = []
  ) -> CredentialProgram {
    var made = MessageCase()
    (made.entries, made.isTLS13, made.cut, made.payload, made.length) = (entries, isTLS13, cut, payload, 3)
    return .message(made)
  }

  private static let small = DerivationPlan(.standard, place(100))
  private static let large = DerivationPlan(.standard, place(1 << 31))

  static let cheap: [CredentialProgram] = [
    container { _ in }, container { $0.mac = nil }, container { $0.safes = [.init(nil, [.certificate, .key])] },
    container { $0.safes = [.init(small, [.certificate])] },
    container { ($0.limit, $0.safes) = (0, [.init(small, [.encryptedKey(small)])]) },
    // Nobody without the passphrase knows what is inside.
    container { ($0.passphrase, $0.safes) = (1, [.init(small, [.encryptedKey(large)])]) },
    container { $0.safes = [.init(DerivationPlan(.unknown, 0), [.encryptedKey(large)])] },
    keys([]), keys([.key]), keys([.encrypted(small)]), keys([.encrypted(small)], isDER: true),
    keys([.malformed, .other, .encrypted(small), .encrypted(small)]), keys([.encryptedTwice(small)], isDER: true),
    points(1, 256), points(16, 16), points(300, 0, absolute: 3), points(0, 400), points(256, 1, form: 3),
    message(128), message(128, isTLS13: false), message(129, cut: 9), message(0),
  ]

  static let dear: [CredentialProgram] = [
    container { $0.mac = place(257) }, container { ($0.mac, $0.macHasScheme) = (place(1 << 31), true) },
    container { $0.mac = UInt8(BERWriter.Count.all.count - 1) },
    container { $0.safes = [.init(nil, [.bags([.bags([.encryptedKey(large)])])])] },
    container { $0.safes = [.init(small, [.encryptedKey(small)])] },
    container { ($0.form, $0.safes) = (3, [.init(large, []), .init(nil, [.encryptedKey(large)])]) },
    container { ($0.filePassphrase, $0.passphrase, $0.safes) = (1, 2, [.init(small, [.encryptedKey(large)])]) },
    container { $0.safes = [.init(DerivationPlan(.old, place(1 << 20)), [])] },
    container { $0.safes = [.init(DerivationPlan(.memory, place(1)), [])] },
    keys([.encrypted(large)]), keys([.encrypted(large)], isDER: true), keys([.key, .malformed, .encrypted(large)]),
    keys([.encrypted(small), .encrypted(small), .encrypted(small)]), keys([.encryptedTwice(small)]),
    points(1, 257), points(300, 1), points(257, 1, form: 1), points(4, 65, form: 1), points(2, 129, absolute: 2),
    message(129), message(129, isTLS13: false), message(1, [9, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x01]),
  ]

  /// Certificates and a key as files have them, and a container.
  static let anything: [CredentialProgram] = {
    guard let identity = try? TestPKI.shared.identity(.leaf) else { return [] }
    var nameless = PointsCase()
    nameless.form = 4
    let files = [identity.chain, identity.key] + identity.chainDER + [nameless.der]
    let container = (try? identity.pkcs12(passphrase: "secret")) ?? []
    let lists = (try? TestPKI.shared.revocationList) ?? []
    return (files + [container, lists]).map { .anything($0) }
  }()

  static var programs: [CredentialProgram] { cheap + dear + anything }

  @Test func seedsPass() {
    for program in Self.programs { #expect(CredentialFuzzing.check(program, .init()) == nil, "\(program)") }
  }

  @Test func readsWhatItWrites() {
    for program in Self.programs {
      #expect(program.encoded.withUnsafeBytes { CredentialProgram($0) } == program, "\(program)")
    }
  }

  @Test func lawsCanBeBroken() {
    var credulous = CredentialFuzzing.Readers()
    credulous.container = { _ in }
    credulous.keys = { _ in }
    credulous.message = { _, _ in nil }
    credulous.verdict = { _ in nil }
    var suspicious = credulous
    suspicious.container = { throw SocketFailure.other("it takes more than \($0.readersLimit) iterations") }
    suspicious.keys = { throw SocketFailure.other("it takes more than \($0.readersLimit) iterations") }
    suspicious.message = { _, _ in "too many" }
    suspicious.verdict = { _ in "too many parts" }
    for (programs, right, wrong) in [(Self.cheap, credulous, suspicious), (Self.dear, suspicious, credulous)] {
      for program in programs {
        #expect(CredentialFuzzing.check(program, right) == nil, "\(program)")
        #expect(CredentialFuzzing.check(program, wrong) != nil, "\(program)")
      }
    }
    struct Failure: Error {}
    credulous.container = { _ in throw Failure() }
    #expect(CredentialFuzzing.check(Self.cheap[0], credulous)?.invariant == "credentials/kind")
  }

  @Test func anythingIsAProgram() {
    for input in ManyInputs.short {
      #expect(input.withUnsafeBytes { CredentialFuzzing.body($0) } == nil, "\(input)")
    }
  }
}
