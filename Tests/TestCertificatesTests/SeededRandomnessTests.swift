import COpenSSL
import Foundation
import TestCertificates
import Testing

/// Whether OpenSSL takes all its randomness from where the lab wants it to.
@Suite struct SeededRandomnessTests {
  /// Draws of all kinds, each as bytes that depend on randomness.
  private static let draws: [(name: String, draw: @Sendable () -> [UInt8])] = [
    ("RAND_bytes", { bytes(RAND_bytes) }),
    ("RAND_priv_bytes", { bytes(RAND_priv_bytes) }),
    ("a key on P-256", { publicKey("EC", group: "P-256") }),
    ("a key on X25519", { publicKey("X25519") }),
    ("a key on Ed25519", { publicKey("ED25519") }),
    ("an RSA key", { publicKey("RSA", bits: 1024) }),
    ("an ECDSA signature", { ecdsaSignature() }),
    ("a ClientHello", { SecuredPair.clientHello() }),
    ("both halves of a handshake", { SecuredPair().transcript(tickets: 0) }),
  ]

  @Test(arguments: draws.indices)
  func theSeedDecides(_ index: Int) {
    let (name, draw) = Self.draws[index]
    let first = SeededRandomness.with(seed: 7) { draw() }
    #expect(!first.isEmpty, "\(name)")
    #expect(SeededRandomness.with(seed: 7) { draw() } == first, "\(name)")
    #expect(SeededRandomness.with(seed: 8) { draw() } != first, "\(name)")
    #expect(draw() != draw(), "\(name) outside of `with`")
  }

  /// Tickets hold the time, so their bytes may differ, but nothing else about them.
  @Test func ticketsKeepTheirLengths() {
    let first = SeededRandomness.with(seed: 7) { SecuredPair().transcript(tickets: 2) }
    let second = SeededRandomness.with(seed: 7) { SecuredPair().transcript(tickets: 2) }
    #expect(first.count == second.count)
    #expect(first.count > SeededRandomness.with(seed: 7) { SecuredPair().transcript(tickets: 0) }.count)
  }

  @Test func nestsAndRestores() {
    let plain = SeededRandomness.with(seed: 1) { Self.bytes(RAND_bytes) + Self.bytes(RAND_bytes) }
    let nested = SeededRandomness.with(seed: 1) {
      let head = Self.bytes(RAND_bytes)
      let inner = SeededRandomness.with(seed: 1) { Self.bytes(RAND_bytes) }
      #expect(inner == head)
      return head + Self.bytes(RAND_bytes)
    }
    #expect(nested == plain)
  }

  @Test func restoresWhenTheBodyThrows() {
    struct Stop: Error {}
    #expect(throws: Stop.self) { try SeededRandomness.with(seed: 1) { throw Stop() } }
    let seeded = SeededRandomness.with(seed: 1) { Self.bytes(RAND_bytes) }
    #expect(Self.bytes(RAND_bytes) != seeded)
  }

  @Test func goesOnWithAStreamOfTheCallers() {
    var stream = SeededStream(seed: 3)
    let parts = (0..<2).flatMap { _ in SeededRandomness.with(&stream) { Self.bytes(RAND_bytes) } }
    #expect(parts == SeededRandomness.with(seed: 3) { Self.bytes(RAND_bytes) + Self.bytes(RAND_bytes) })
  }

  @Test func threadsDoNotDisturbEachOther() {
    let alone = (0..<8).map { seed in SeededRandomness.with(seed: UInt64(seed)) { Self.bytes(RAND_bytes, 4096) } }
    DispatchQueue.concurrentPerform(iterations: 64) { index in
      let seed = index % 8
      let drawn = SeededRandomness.with(seed: UInt64(seed)) {
        (0..<64).flatMap { _ in Self.bytes(RAND_priv_bytes, 64) }
      }
      #expect(drawn == alone[seed])
    }
  }

  @Test func installingTwiceIsOnce() {
    SeededRandomness.install()
    SeededRandomness.install()
    #expect(RAND_status() == 1)
    RAND_seed([1, 2, 3], 3)
    RAND_add([1, 2, 3], 3, 1)
    var nothing: UInt8 = 0
    #expect(RAND_bytes(&nothing, 0) == 1)
  }

  // MARK: - Draws

  private static func bytes(
    _ draw: (UnsafeMutablePointer<UInt8>?, Int32) -> Int32, _ count: Int = 40
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    return draw(&bytes, Int32(count)) == 1 ? bytes : []
  }

  private static func key(_ kind: String, group: String? = nil, bits: Int32? = nil) -> OpaquePointer? {
    let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil)
    defer { EVP_PKEY_CTX_free(context) }
    EVP_PKEY_keygen_init(context)
    if let group { EVP_PKEY_CTX_set_group_name(context, group) }
    if let bits { EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) }
    var key: OpaquePointer?
    EVP_PKEY_generate(context, &key)
    return key
  }

  private static func publicKey(_ kind: String, group: String? = nil, bits: Int32? = nil) -> [UInt8] {
    let key = key(kind, group: group, bits: bits)
    defer { EVP_PKEY_free(key) }
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = Int(i2d_PUBKEY(key, &bytes))
    defer { CRYPTO_free(bytes, #file, #line) }
    return Array(UnsafeBufferPointer(start: bytes, count: max(count, 0)))
  }

  /// By the key of `leaf`, which is always the same: what differs is the nonce.
  private static func ecdsaSignature() -> [UInt8] {
    guard let pem = try? TestPKI.shared.identity(.leaf).key else { return [] }
    let source = BIO_new_mem_buf(pem, Int32(pem.count))
    defer { BIO_free(source) }
    let key = PEM_read_bio_PrivateKey(source, nil, nil, nil)
    defer { EVP_PKEY_free(key) }
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key)
    var signature = [UInt8](repeating: 0, count: 128)
    var count = signature.count
    return EVP_DigestSign(context, &signature, &count, [1, 2, 3], 3) == 1 ? Array(signature.prefix(count)) : []
  }
}
