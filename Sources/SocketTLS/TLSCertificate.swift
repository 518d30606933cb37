import COpenSSL
import SocketCore

/// A certificate: its bytes, and what stands in it.
package struct TLSCertificate: Hashable, Sendable {
  /// The certificate as a whole, in DER. Two certificates with the same bytes are equal.
  package let der: [UInt8]
  let handle: Handle

  /// Owns one X509.
  ///
  /// Unchecked: the certificate is never changed after it was parsed, and what OpenSSL works out about it later it
  /// guards with a lock of the certificate's own.
  final class Handle: @unchecked Sendable {
    let x509: OpaquePointer
    init(owning x509: OpaquePointer) { self.x509 = x509 }
    deinit { X509_free(x509) }
  }

  /// From DER, all of it; malformed bytes are `other`.
  package init(der: [UInt8]) throws(SocketFailure) {
    OpenSSLLibrary.begin()
    let parsed = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var position = bytes.baseAddress
      guard let start = position, let x509 = d2i_X509(nil, &position, bytes.count) else { return nil }
      guard position == start + bytes.count else {
        X509_free(x509)
        return nil
      }
      return x509
    }
    guard let parsed else { throw OpenSSLErrors.failure("The bytes are no certificate in DER") }
    self.der = der
    handle = Handle(owning: parsed)
  }

  /// Another reference to OpenSSL's object; nil when it can't be written as DER.
  init?(sharing x509: OpaquePointer?) {
    guard let x509 else { return nil }
    let der = OpenSSLBytes.der { i2d_X509(x509, $0) }
    guard !der.isEmpty, X509_up_ref(x509) == 1 else { return nil }
    self.der = der
    handle = Handle(owning: x509)
  }

  /// One or more certificates from PEM, or one from DER, in their order; none at all is `other`. Private keys and other
  /// blocks in PEM are passed over.
  package static func list(_ bytes: UnsafeRawBufferPointer) throws(SocketFailure) -> [TLSCertificate] {
    guard OpenSSLBytes.looksLikePEM(bytes) else { return [try TLSCertificate(der: Array(bytes))] }
    var certificates: [TLSCertificate] = []
    OpenSSLLibrary.begin()
    OpenSSLBytes.withBIO(bytes) { bio in
      guard let bio else { return }
      // An encrypted block would make OpenSSL ask for a passphrase on the terminal.
      while let x509 = PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) {
        defer { X509_free(x509) }
        if let certificate = TLSCertificate(sharing: x509) { certificates.append(certificate) }
      }
    }
    let errors = OpenSSLErrors.take()
    guard let last = errors.entries.last, last.library == ERR_LIB_PEM, last.reason == PEM_R_NO_START_LINE else {
      throw .other("Certificate \(certificates.count + 1) in the PEM is malformed: \(errors.text).")
    }
    guard !certificates.isEmpty else { throw .other("There is no certificate in the PEM.") }
    return certificates
  }

  /// The same, from an array.
  package static func list(_ bytes: [UInt8]) throws(SocketFailure) -> [TLSCertificate] {
    try bytes.withUnsafeBufferPointer { bytes throws(SocketFailure) in try list(UnsafeRawBufferPointer(bytes)) }
  }

  /// The certificates in a file, PEM or DER.
  package static func list(file path: String) throws(SocketFailure) -> [TLSCertificate] {
    let bytes = try OpenSSLBytes.file(path)
    do {
      return try bytes.withBytes { bytes throws(SocketFailure) in try list(UnsafeRawBufferPointer(bytes)) }
    } catch .other(let text) {
      throw .other("\(path): \(text)")
    }
  }

  package static func == (one: TLSCertificate, other: TLSCertificate) -> Bool { one.der == other.der }
  package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// A list of revoked certificates, signed by their issuer (CRL).
package struct TLSRevocationList: Equatable, Sendable {
  let handle: Handle

  /// Owns one X509_CRL.
  ///
  /// Unchecked: as for certificates, never changed after it was parsed.
  final class Handle: @unchecked Sendable {
    let crl: OpaquePointer
    init(owning crl: OpaquePointer) { self.crl = crl }
    deinit { X509_CRL_free(crl) }
  }

  private init(owning crl: OpaquePointer) { handle = Handle(owning: crl) }

  /// The lists in PEM, at least one, or the one in DER; anything else is `other`, and so is a list that OpenSSL does
  /// not use. No list is passed over: the revoked ones in it would be taken for good.
  package static func list(_ bytes: UnsafeRawBufferPointer) throws(SocketFailure) -> [TLSRevocationList] {
    OpenSSLLibrary.begin()
    let isPEM = OpenSSLBytes.looksLikePEM(bytes)
    var lists: [TLSRevocationList] = []
    var rest = 0
    OpenSSLBytes.withBIO(bytes) { bio in
      guard let bio else { return }
      guard isPEM else {
        if let crl = d2i_X509_CRL_bio(bio, nil) { lists.append(TLSRevocationList(owning: crl)) }
        rest = BIO_ctrl_pending(bio)
        return
      }
      while let crl = PEM_read_bio_X509_CRL(bio, nil, { _, _, _, _ in -1 }, nil) {
        lists.append(TLSRevocationList(owning: crl))
      }
    }
    let errors = OpenSSLErrors.take()
    if isPEM, !lists.isEmpty, errors.entries.last?.reason != PEM_R_NO_START_LINE {
      throw .other("Revocation list \(lists.count + 1) in the PEM is malformed: \(errors.text).")
    }
    guard !lists.isEmpty else { throw .other("The bytes are no revocation list: \(errors.text).") }
    if isPEM, blocksOfLists(bytes) != lists.count {
      throw .other(
        "The PEM has \(blocksOfLists(bytes)) blocks that may be revocation lists, of which \(lists.count) can be read.")
    }
    guard rest == 0 else { throw .other("Behind the revocation list are \(rest) bytes that don't belong to it.") }
    for list in lists where lab_tls_crl_is_passed_over(list.handle.crl) == 1 {
      let issuer = TLSCertificate.text(name: X509_CRL_get_issuer(list.handle.crl))
      throw .other(
        "The revocation list by \(issuer) is not a whole one of its own certificates, and only those are understood: "
          + "it is a delta, is indirect, is for some reasons only, or has a scope that makes no sense.")
    }
    return lists
  }

  /// How many blocks of a PEM seem to be lists, counted by the more frequent of their two marks: OpenSSL passes over a
  /// block whose first mark is damaged or has another label.
  private static func blocksOfLists(_ bytes: UnsafeRawBufferPointer) -> Int {
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    func count(_ mark: String) -> Int {
      lines.count { line in
        line.contains(mark) && !["CERTIFICATE", "KEY", "PARAMETERS"].contains { line.contains($0) }
      }
    }
    return max(count("-BEGIN "), count("-END "))
  }

  /// Whether both are one reading of a list.
  package static func == (one: TLSRevocationList, other: TLSRevocationList) -> Bool { one.handle === other.handle }
}
