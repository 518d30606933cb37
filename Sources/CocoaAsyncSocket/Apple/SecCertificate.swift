import Foundation
import SocketCore
import SocketTLS

/// An X.509 certificate, under the name it has on Apple's systems. An `NSObject`, so that it can stand in the settings
/// of `startTLS(_:)`; immutable.
public final class SecCertificate: NSObject, Sendable {
  let core: TLSCertificate

  init(core: TLSCertificate) { self.core = core }

  /// A certificate in DER, or the first one in PEM; an `otherError` that says what is wrong with the bytes.
  public convenience init(data: Data) throws {
    guard let first = try Self.cores(data).first else {
      throw SocketFailure.other("There is no certificate in the data.").error
    }
    self.init(core: first)
  }

  /// A certificate in DER and nothing else.
  package convenience init(der: Data) throws {
    do throws(SocketFailure) { self.init(core: try TLSCertificate(der: [UInt8](der))) } catch { throw error.error }
  }

  /// All certificates of a file in PEM or DER.
  public static func certificates(contentsOfFile path: String) throws -> [SecCertificate] {
    do throws(SocketFailure) {
      return try TLSCertificate.list(file: path).map(SecCertificate.init(core:))
    } catch {
      throw error.error
    }
  }

  /// All certificates in PEM, or the one in DER.
  public static func certificates(_ data: Data) throws -> [SecCertificate] {
    try cores(data).map(SecCertificate.init(core:))
  }

  private static func cores(_ data: Data) throws -> [TLSCertificate] {
    try data.withUnsafeBytes { bytes in
      do throws(SocketFailure) { return try TLSCertificate.list(bytes) } catch { throw error.error }
    }
  }

  /// The certificate in DER.
  public var data: Data { Data(core.der) }
  /// The subject's distinguished name, in one line.
  public var subject: String { core.subject }
  /// The issuer's distinguished name, in one line.
  public var issuer: String { core.issuer }
  /// The serial number in hexadecimal digits.
  public var serialNumber: String { core.serial }
  /// The serial number as it stands in DER, without tag and length.
  package var serialNumberData: Data { Data(core.serialBytes) }
  /// The DNS names it is for.
  public var dnsNames: [String] { core.dnsNames }
  /// The numeric addresses it is for.
  public var ipAddresses: [String] { core.ipAddresses }
  /// Valid from then on; nil if the field makes no sense.
  public var notValidBefore: Date? { core.notBefore.map { Date(timeIntervalSince1970: TimeInterval($0)) } }
  /// Valid until then; nil if the field makes no sense.
  public var notValidAfter: Date? { core.notAfter.map { Date(timeIntervalSince1970: TimeInterval($0)) } }

  /// The subject, for logs.
  public override var description: String { "SecCertificate(\(core.subject))" }
  /// Equal bytes, equal certificates.
  public override func isEqual(_ object: Any?) -> Bool { (object as? SecCertificate)?.core == core }
  /// Of the bytes.
  public override var hash: Int { core.hashValue }
}

/// A certificate with its private key, under the name it has on Apple's systems. Immutable.
public final class SecIdentity: NSObject, Sendable {
  let core: TLSIdentity

  init(core: TLSIdentity) { self.core = core }

  /// From PEM: the own certificate, those to send along, and the key (in `key`, or in the same bytes). An `otherError`
  /// says what is missing, malformed, encrypted with another passphrase, or does not fit together.
  ///
  /// What the library itself makes of keys and passphrases is overwritten after use; the data and the string given here
  /// are the caller's, and so is their end.
  public convenience init(pem certificates: Data, key: Data? = nil, passphrase: String? = nil) throws {
    let core = try certificates.withUnsafeBytes { certificates in
      try (key ?? Data()).withUnsafeBytes { bytes in
        do throws(SocketFailure) {
          return try TLSIdentity(certificates: certificates, key: key == nil ? nil : bytes, passphrase: passphrase)
        } catch {
          throw error.error
        }
      }
    }
    self.init(core: core)
  }

  /// From files in PEM.
  public convenience init(
    certificateFile path: String, keyFile: String? = nil, passphrase: String? = nil
  ) throws {
    do throws(SocketFailure) {
      self.init(core: try TLSIdentity(certificatesFile: path, keyFile: keyFile, passphrase: passphrase))
    } catch {
      throw error.error
    }
  }

  /// From PKCS#12. Old files, as Keychain Access and OpenSSL before version 3 write them (RC2 with 40 bits), need
  /// OpenSSL's legacy provider on this machine; the `otherError` says so where it is missing.
  public convenience init(pkcs12 data: Data, passphrase: String?) throws {
    let core = try data.withUnsafeBytes { bytes in
      do throws(SocketFailure) { return try TLSIdentity(pkcs12: bytes, passphrase: passphrase) } catch {
        throw error.error
      }
    }
    self.init(core: core)
  }

  /// From a file in PKCS#12.
  public convenience init(pkcs12File path: String, passphrase: String?) throws {
    do throws(SocketFailure) {
      self.init(core: try TLSIdentity(pkcs12File: path, passphrase: passphrase))
    } catch {
      throw error.error
    }
  }

  /// The own certificate first, then what is sent along.
  public var certificates: [SecCertificate] { core.chain.map(SecCertificate.init(core:)) }

  /// The subject, for logs.
  public override var description: String { "SecIdentity(\(core.chain.first?.subject ?? ""))" }
}
