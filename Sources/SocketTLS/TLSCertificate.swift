import COpenSSL
import SocketCore

/// A certificate: its bytes, and what stands in it.
package struct TLSCertificate: Hashable, Sendable {
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
    ERR_clear_error()
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
    let der = Reading.der { i2d_X509(x509, $0) }
    guard !der.isEmpty, X509_up_ref(x509) == 1 else { return nil }
    self.der = der
    handle = Handle(owning: x509)
  }

  /// One or more certificates from PEM, or one from DER, in their order; none at all is `other`. Private keys and other
  /// blocks in PEM are passed over.
  package static func list(_ bytes: [UInt8]) throws(SocketFailure) -> [TLSCertificate] {
    guard Reading.looksLikePEM(bytes) else { return [try TLSCertificate(der: bytes)] }
    var certificates: [TLSCertificate] = []
    ERR_clear_error()
    Reading.withBIO(bytes) { bio in
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

  /// The certificates in a file, PEM or DER.
  package static func list(file path: String) throws(SocketFailure) -> [TLSCertificate] {
    let bytes = try Reading.file(path)
    do { return try list(bytes) } catch .other(let text) { throw .other("\(path): \(text)") }
  }

  package static func == (one: TLSCertificate, other: TLSCertificate) -> Bool { one.der == other.der }
  package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// A list of revoked certificates, signed by their issuer (CRL).
package struct TLSRevocationList: Sendable {
  let handle: Handle

  /// Owns one X509_CRL.
  ///
  /// Unchecked: as for certificates, never changed after it was parsed.
  final class Handle: @unchecked Sendable {
    let crl: OpaquePointer
    init(owning crl: OpaquePointer) { self.crl = crl }
    deinit { X509_CRL_free(crl) }
  }

  /// From PEM or DER; anything else is `other`.
  package init(_ bytes: [UInt8]) throws(SocketFailure) {
    ERR_clear_error()
    let crl = Reading.withBIO(bytes) { bio in
      bio.flatMap {
        Reading.looksLikePEM(bytes)
          ? PEM_read_bio_X509_CRL($0, nil, { _, _, _, _ in -1 }, nil) : d2i_X509_CRL_bio($0, nil)
      }
    }
    guard let crl else { throw OpenSSLErrors.failure("The bytes are no revocation list") }
    handle = Handle(owning: crl)
  }
}
