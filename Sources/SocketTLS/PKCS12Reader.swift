import COpenSSL
import SocketCore

/// Opens PKCS#12.
///
/// What Keychain Access and OpenSSL before version 3 write is encrypted with RC2 and 40 bits, which OpenSSL 3 has in a
/// provider of its own, "legacy", only. Such a file is opened in a library context apart from everything else, and what
/// is in it then moves to the ordinary one: no other part of the process gets to use these algorithms.
struct PKCS12Reader {
  private let old: LegacyProvider
  private let iterationLimit: Int64

  init(old: LegacyProvider = .shared, iterationLimit: Int64 = DerivationCost.limit) {
    self.old = old
    self.iterationLimit = iterationLimit
  }

  /// The certificates, the key's own first, and the key; `other` says why there are none.
  func read(
    _ bytes: UnsafeRawBufferPointer, passphrase: String?
  ) throws(SocketFailure) -> (chain: [TLSCertificate], key: TLSIdentity.PrivateKey) {
    guard passphrase?.utf8.contains(0) != true else { throw .other("The passphrase contains NUL.") }
    let secret = passphrase.map { SecretBytes(copying: $0, terminated: true) }
    if let contents = try Contents(bytes, secret, iterationLimit, libraryContext: nil) {
      return try contents.identity()
    }
    let old = try self.old.libraryContext()
    guard let contents = try Contents(bytes, secret, iterationLimit, libraryContext: old) else {
      throw .other("The PKCS#12 can't be opened: its algorithms are unknown.")
    }
    return try contents.identity()
  }

  /// What was found in a file: OpenSSL's objects, owned.
  private final class Contents {
    private var key: OpaquePointer?
    private var own: OpaquePointer?
    private var others: OpaquePointer?
    /// Newer versions of OpenSSL make keys and certificates in the context of the container.
    private let isForeign: Bool

    /// nil: this library context does not have the algorithms.
    init?(
      _ bytes: UnsafeRawBufferPointer, _ passphrase: SecretBytes?, _ iterationLimit: Int64,
      libraryContext: OpaquePointer?
    ) throws(SocketFailure) {
      isForeign = libraryContext != nil
      OpenSSLLibrary.begin()
      var container = PKCS12_init_ex(NID_pkcs7_data, libraryContext, nil)
      defer { PKCS12_free(container) }
      // Frees the container when it fails.
      guard container != nil, OpenSSLBytes.withBIO(bytes, { $0.flatMap { d2i_PKCS12_bio($0, &container) } }) != nil
      else {
        throw OpenSSLErrors.failure("The bytes are no PKCS#12")
      }
      guard DerivationCost.iterations(of: container, passphrase, upTo: iterationLimit) <= iterationLimit else {
        throw .other(
          "The PKCS#12 can't be opened: to derive its keys takes more than \(iterationLimit) iterations. Export it "
            + "anew, with fewer.")
      }
      guard !parse(container, passphrase) else { return }
      let errors = OpenSSLErrors.take()
      // The NUL alone is the empty passphrase.
      if let passphrase, passphrase.count > 1, PKCS12_mac_present(container) == 0 {
        throw .other(
          "The PKCS#12 has no MAC, so a passphrase can't be told from a wrong one, and what is in the file is not "
            + "protected against changes. Export it anew, with a MAC.")
      }
      guard !errors.has(library: ERR_LIB_PKCS12, reason: PKCS12_R_MAC_VERIFY_FAILURE) else {
        throw .other("The passphrase does not open the PKCS#12 (\(errors.text)).")
      }
      if !isForeign, errors.entries.contains(where: { $0.reason == lab_tls_unsupported_reason() }) { return nil }
      throw .other("The PKCS#12 can't be opened: \(errors.text).")
    }

    private func parse(_ container: OpaquePointer?, _ passphrase: SecretBytes?) -> Bool {
      guard let passphrase else { return PKCS12_parse(container, nil, &key, &own, &others) == 1 }
      return passphrase.withBytes { bytes in
        PKCS12_parse(container, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), &key, &own, &others) == 1
      }
    }

    deinit {
      EVP_PKEY_free(key)
      X509_free(own)
      lab_tls_stack_free(others)
    }

    func identity() throws(SocketFailure) -> (chain: [TLSCertificate], key: TLSIdentity.PrivateKey) {
      guard let found = key else { throw .other("There is no private key in the PKCS#12.") }
      guard own != nil else { throw .other("There is no certificate for the key in the PKCS#12.") }
      var chain: [TLSCertificate] = []
      for certificate in [own] + (0..<max(0, lab_tls_stack_count(others))).map({ lab_tls_stack_at(others, $0) }) {
        guard let shared = TLSCertificate(sharing: certificate) else { continue }
        chain.append(isForeign ? try TLSCertificate(der: shared.der) : shared)
      }
      guard isForeign else {
        key = nil
        return (chain, TLSIdentity.PrivateKey(owning: found))
      }
      // By way of PKCS#8, whose memory OpenSSL cleanses.
      ERR_clear_error()
      let packed = EVP_PKEY2PKCS8(found)
      defer { PKCS8_PRIV_KEY_INFO_free(packed) }
      guard let packed, let moved = EVP_PKCS82PKEY(packed) else {
        throw OpenSSLErrors.failure("The private key in the PKCS#12 can't be used")
      }
      return (chain, TLSIdentity.PrivateKey(owning: moved))
    }
  }
}

/// A library context of OpenSSL with the old algorithms, made when it is first needed.
///
/// Unchecked: it is made inside the initialiser of a static or a test's value, and OpenSSL guards library contexts with
/// locks.
final class LegacyProvider: @unchecked Sendable {
  static let shared = LegacyProvider()

  private let context: OpaquePointer?
  private let providers: [OpaquePointer]
  private let failure: String?

  /// `provider`: the name of the provider that has them.
  init(provider: String = "legacy") {
    OpenSSLLibrary.begin()
    context = OSSL_LIB_CTX_new()
    providers =
      context.map { context in
        ["default", provider].compactMap { (name: String) in OSSL_PROVIDER_load(context, name) }
      } ?? []
    failure = providers.count == 2 ? nil : OpenSSLErrors.take().text
    ERR_clear_error()
  }

  deinit {
    for provider in providers { OSSL_PROVIDER_unload(provider) }
    OSSL_LIB_CTX_free(context)
  }

  /// The context, or `other` that says how to get it.
  func libraryContext() throws(SocketFailure) -> OpaquePointer {
    guard failure == nil, let context else {
      throw .other(
        "The PKCS#12 is encrypted with an old algorithm (such as RC2 with 40 bits) that only OpenSSL's legacy provider "
          + "has, and it can't be loaded: \(failure ?? "no reason given"). Install it (legacy.so, on Debian a part of "
          + "libssl3 or openssl-provider-legacy), or export the file anew with AES.")
    }
    return context
  }
}
