import COpenSSL
import SocketCore

extension TLSIdentity {
  /// From certificates (PEM, our own first; or one in DER) and a private key (PEM or DER), which may stand in the same
  /// PEM: then `key` is nil. The passphrase is for an encrypted key. Whatever is missing, malformed, locked or doesn't
  /// match is `other`.
  package convenience init(certificates: [UInt8], key: [UInt8]? = nil, passphrase: String? = nil) throws(SocketFailure)
  {
    let chain = try TLSCertificate.list(certificates)
    try self.init(chain: chain, key: try PrivateKey.read(key ?? certificates, passphrase: passphrase))
  }

  /// From files with the same contents.
  package convenience init(
    certificatesFile: String, keyFile: String? = nil, passphrase: String? = nil
  ) throws(SocketFailure) {
    let certificates = try Reading.file(certificatesFile)
    let key: [UInt8]? = if let keyFile { try Reading.file(keyFile) } else { nil }
    do { try self.init(certificates: certificates, key: key, passphrase: passphrase) } catch .other(let text) {
      throw .other("\(certificatesFile)\(keyFile.map { ", \($0)" } ?? ""): \(text)")
    }
  }

  /// From PKCS#12, with the passphrase it is locked with. The algorithms of old files (RC2, 40 bits) are not available
  /// in OpenSSL 3 by default; that is `other` as well.
  package convenience init(pkcs12 bytes: [UInt8], passphrase: String?) throws(SocketFailure) {
    guard passphrase?.utf8.contains(0) != true else { throw .other("The passphrase contains NUL.") }
    ERR_clear_error()
    guard let container = Reading.withBIO(bytes, { $0.flatMap { d2i_PKCS12_bio($0, nil) } }) else {
      throw OpenSSLErrors.failure("The bytes are no PKCS#12")
    }
    defer { PKCS12_free(container) }
    var pkey: OpaquePointer?
    var own: OpaquePointer?
    var others: OpaquePointer?
    defer {
      X509_free(own)
      lab_tls_stack_free(others)
    }
    guard PKCS12_parse(container, passphrase, &pkey, &own, &others) == 1 else {
      let errors = OpenSSLErrors.take()
      guard !errors.has(library: ERR_LIB_PKCS12, reason: PKCS12_R_MAC_VERIFY_FAILURE) else {
        throw .other("The passphrase does not open the PKCS#12 (\(errors.text)).")
      }
      throw .other("The PKCS#12 can't be opened: \(errors.text).")
    }
    guard let pkey else { throw .other("There is no private key in the PKCS#12.") }
    let key = PrivateKey(owning: pkey)
    var chain: [TLSCertificate] = []
    if let certificate = TLSCertificate(sharing: own) { chain.append(certificate) }
    for index in 0..<max(0, lab_tls_stack_count(others)) {
      if let certificate = TLSCertificate(sharing: lab_tls_stack_at(others, index)) { chain.append(certificate) }
    }
    guard own != nil else { throw .other("There is no certificate for the key in the PKCS#12.") }
    try self.init(chain: chain, key: key)
  }

  /// From a PKCS#12 file.
  package convenience init(pkcs12File path: String, passphrase: String?) throws(SocketFailure) {
    let bytes = try Reading.file(path)
    do { try self.init(pkcs12: bytes, passphrase: passphrase) } catch .other(let text) {
      throw .other("\(path): \(text)")
    }
  }
}

extension TLSIdentity.PrivateKey {
  static func read(_ bytes: [UInt8], passphrase: String?) throws(SocketFailure) -> TLSIdentity.PrivateKey {
    ERR_clear_error()
    var answers = Passphrase(bytes: passphrase.map { Array($0.utf8) })
    let isPEM = Reading.looksLikePEM(bytes)
    let pkey = withUnsafeMutablePointer(to: &answers) { state in
      Reading.withBIO(bytes) { bio -> OpaquePointer? in
        guard let bio else { return nil }
        if isPEM { return PEM_read_bio_PrivateKey(bio, nil, answer, state) }
        return d2i_PrivateKey_bio(bio, nil)
      } ?? (isPEM ? nil : Reading.withBIO(bytes) { $0.flatMap { d2i_PKCS8PrivateKey_bio($0, nil, answer, state) } })
    }
    let errors = OpenSSLErrors.take()
    if let pkey { return TLSIdentity.PrivateKey(owning: pkey) }
    if answers.wasAsked {
      guard answers.bytes != nil else { throw .other("The private key is encrypted, and no passphrase was given.") }
      throw .other("The passphrase does not open the private key: \(errors.text).")
    }
    guard isPEM else { throw .other("The bytes are no private key in DER: \(errors.text).") }
    guard Reading.contains(bytes, "PRIVATE KEY-----") else { throw .other("There is no private key in the PEM.") }
    throw .other("The private key in the PEM is malformed: \(errors.text).")
  }
}

/// What OpenSSL's readers are answered when they ask for a passphrase; without an answer of ours they would ask on the
/// terminal.
private struct Passphrase {
  var bytes: [UInt8]?
  var wasAsked = false
}

private func answer(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isForWriting: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let buffer, let passphrase = context?.assumingMemoryBound(to: Passphrase.self) else { return -1 }
  passphrase.pointee.wasAsked = true
  guard let bytes = passphrase.pointee.bytes, bytes.count <= size else { return -1 }
  UnsafeMutableRawPointer(buffer).copyMemory(from: bytes, byteCount: bytes.count)
  return Int32(bytes.count)
}
