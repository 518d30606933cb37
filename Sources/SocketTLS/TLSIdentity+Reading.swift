import COpenSSL
import SocketCore

extension TLSIdentity {
  /// From certificates (PEM, our own first; or one in DER) and a private key (PEM or DER), which may stand in the same
  /// PEM: then `key` is nil. The passphrase is for an encrypted key. Whatever is missing, malformed, locked or doesn't
  /// match is `other`. Nothing is copied from what is lent here but the certificates and the key themselves.
  package convenience init(
    certificates: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer? = nil, passphrase: String? = nil
  ) throws(SocketFailure) {
    let chain = try TLSCertificate.list(certificates)
    try self.init(chain: chain, key: try PrivateKey.read(key ?? certificates, passphrase: passphrase))
  }

  /// The same, from arrays; a key that takes more iterations to open than the limit is `other`, too.
  package convenience init(
    certificates: [UInt8], key: [UInt8]? = nil, passphrase: String? = nil,
    iterationLimit: Int64 = DerivationCost.limit
  ) throws(SocketFailure) {
    let chain = try TLSCertificate.list(certificates)
    let key = try (key ?? certificates).withUnsafeBufferPointer { bytes throws(SocketFailure) in
      try PrivateKey.read(UnsafeRawBufferPointer(bytes), passphrase: passphrase, iterationLimit: iterationLimit)
    }
    try self.init(chain: chain, key: key)
  }

  /// From files with the same contents.
  package convenience init(
    certificatesFile: String, keyFile: String? = nil, passphrase: String? = nil
  ) throws(SocketFailure) {
    let contents = try OpenSSLBytes.file(certificatesFile)
    let keyContents = if let keyFile { try OpenSSLBytes.file(keyFile) } else { contents }
    do throws(SocketFailure) {
      let chain = try contents.withBytes { bytes throws(SocketFailure) in
        try TLSCertificate.list(UnsafeRawBufferPointer(bytes))
      }
      let key = try keyContents.withBytes { bytes throws(SocketFailure) in
        try PrivateKey.read(UnsafeRawBufferPointer(bytes), passphrase: passphrase)
      }
      try self.init(chain: chain, key: key)
    } catch .other(let text) {
      throw .other("\(certificatesFile)\(keyFile.map { ", \($0)" } ?? ""): \(text)")
    }
  }

  /// From PKCS#12, with the passphrase it is locked with. Old files, with RC2 and 40 bits, can be read as well where
  /// OpenSSL's legacy provider is installed; what can't be opened is `other`.
  package convenience init(pkcs12 bytes: UnsafeRawBufferPointer, passphrase: String?) throws(SocketFailure) {
    let (chain, key) = try PKCS12Reader().read(bytes, passphrase: passphrase)
    try self.init(chain: chain, key: key)
  }

  /// The same, from an array; one that takes more iterations to open than the limit is `other`, too.
  package convenience init(
    pkcs12 bytes: [UInt8], passphrase: String?, iterationLimit: Int64 = DerivationCost.limit
  ) throws(SocketFailure) {
    let (chain, key) = try bytes.withUnsafeBufferPointer { bytes throws(SocketFailure) in
      try PKCS12Reader(iterationLimit: iterationLimit).read(UnsafeRawBufferPointer(bytes), passphrase: passphrase)
    }
    try self.init(chain: chain, key: key)
  }

  /// From a PKCS#12 file.
  package convenience init(pkcs12File path: String, passphrase: String?) throws(SocketFailure) {
    let contents = try OpenSSLBytes.file(path)
    do throws(SocketFailure) {
      let (chain, key) = try contents.withBytes { bytes throws(SocketFailure) in
        try PKCS12Reader().read(UnsafeRawBufferPointer(bytes), passphrase: passphrase)
      }
      try self.init(chain: chain, key: key)
    } catch .other(let text) {
      throw .other("\(path): \(text)")
    }
  }
}

extension TLSIdentity.PrivateKey {
  static func read(
    _ bytes: UnsafeRawBufferPointer, passphrase: String?, iterationLimit: Int64 = DerivationCost.limit
  ) throws(SocketFailure) -> TLSIdentity.PrivateKey {
    OpenSSLLibrary.begin()
    var answers = Passphrase(bytes: passphrase.map { SecretBytes(copying: $0) })
    let isPEM = OpenSSLBytes.looksLikePEM(bytes)
    guard DerivationCost.iterations(ofKeys: bytes, isPEM: isPEM) <= iterationLimit else {
      throw .other(
        "The private key can't be opened: to decrypt it takes more than \(iterationLimit) iterations. Export it anew, "
          + "with fewer.")
    }
    let pkey = withUnsafeMutablePointer(to: &answers) { state in
      OpenSSLBytes.withBIO(bytes) { bio -> OpaquePointer? in
        guard let bio else { return nil }
        if isPEM { return PEM_read_bio_PrivateKey(bio, nil, answer, state) }
        return d2i_PrivateKey_bio(bio, nil)
      }
        ?? (isPEM
          ? nil : OpenSSLBytes.withBIO(bytes) { $0.flatMap { d2i_PKCS8PrivateKey_bio($0, nil, answer, state) } })
    }
    let errors = OpenSSLErrors.take()
    if let pkey { return TLSIdentity.PrivateKey(owning: pkey) }
    if answers.wasAsked {
      guard answers.bytes != nil else { throw .other("The private key is encrypted, and no passphrase was given.") }
      throw .other("The passphrase does not open the private key: \(errors.text).")
    }
    guard isPEM else { throw .other("The bytes are no private key in DER: \(errors.text).") }
    guard OpenSSLBytes.contains(bytes, "PRIVATE KEY-----") else { throw .other("There is no private key in the PEM.") }
    throw .other("The private key in the PEM is malformed: \(errors.text).")
  }
}

/// The answer to OpenSSL's readers when they ask for a passphrase; without one they would ask on the terminal.
private struct Passphrase {
  var bytes: SecretBytes?
  var wasAsked = false
}

private func answer(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isForWriting: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let buffer, let passphrase = context?.assumingMemoryBound(to: Passphrase.self) else { return -1 }
  passphrase.pointee.wasAsked = true
  guard let secret = passphrase.pointee.bytes, secret.count <= size else { return -1 }
  secret.withBytes { UnsafeMutableRawPointer(buffer).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
  return Int32(secret.count)
}
