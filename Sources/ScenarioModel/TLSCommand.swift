/// The versions of TLS the lab speaks of.
package enum TLSVersion: String, CaseIterable, Hashable, Sendable, Codable {
  case tls10 = "tls1.0"
  case tls11 = "tls1.1"
  case tls12 = "tls1.2"
  case tls13 = "tls1.3"
}

/// A side of a TLS handshake.
package enum TLSRole: String, CaseIterable, Hashable, Sendable, Codable {
  case client, server
}

/// What a `startTLS` step passes as settings. nil and empty fields are not passed at all.
package struct TLSCommand: Hashable, Sendable, Codable {
  /// The certificates that the subject is set to trust, besides those of the host.
  package enum Anchors: Hashable, Sendable, Codable {
    /// The root of the lab's own test certificates.
    case testRoot
    /// Nothing is said: only what the host trusts.
    case host
    /// The certificate of that name alone.
    case certificate(CertificateName)
  }

  /// How the identity reaches the subject.
  package enum CertificateFormat: String, CaseIterable, Hashable, Sendable, Codable { case pem, pkcs12 }

  /// nil: the setting is left out, which means client.
  package var role: TLSRole?
  /// The name or address the certificate must be for; a name is a client's SNI, too. nil: the setting is left out.
  package var peerName: String?
  /// `testRoot` unless written.
  package var anchors: Anchors
  /// The subject's own identity: a server's, or a client's certificate.
  package var certificate: CertificateName?
  /// `pem` unless written.
  package var certificateFormat: CertificateFormat
  /// Passes a revocation list of the test root's.
  package var checksRevocation: Bool
  /// That list is out of date.
  package var revocationIsOutdated: Bool
  /// Whether the delegate is asked about the certificate instead of the library; nil: the setting is left out.
  package var manualTrust: Bool?
  /// The lowest version the subject may agree to; nil: the setting is left out.
  package var minimumVersion: TLSVersion?
  /// The highest version the subject may agree to; nil: the setting is left out.
  package var maximumVersion: TLSVersion?
  /// Cipher suites by their OpenSSL or IANA names.
  package var ciphers: [String]
  /// Protocols to offer or to accept, the preferred one first.
  package var alpn: [String]
  /// `kCFStreamSSLAllowsExpiredCertificates`; nil: the setting is left out.
  package var allowsExpiredCertificates: Bool?
  /// `kCFStreamSSLAllowsExpiredRoots`; nil: the setting is left out.
  package var allowsExpiredRoots: Bool?
  /// `kCFStreamSSLAllowsAnyRoot`; nil: the setting is left out.
  package var allowsAnyRoot: Bool?
  /// `kCFStreamSSLValidatesCertificateChain`; nil: the setting is left out.
  package var validatesChain: Bool?
  /// The value of kCFStreamSSLLevel, as it stands in the file.
  package var level: String?
  /// Any other settings, by key, as they stand in the file: for wrong types and unknown keys.
  package var extra: [Extra]
  /// Whether the settings are nil instead of a dictionary; only sensible when nothing else is set.
  package var passesNil: Bool

  /// A setting that no other field stands for.
  package struct Extra: Hashable, Sendable, Codable {
    /// The key in the dictionary of settings.
    package var key: String
    /// The value in the dictionary of settings.
    package var value: Value

    package init(key: String, value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// The value of an extra setting, of the type that it has in the file.
  package indirect enum Value: Hashable, Sendable, Codable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case bytes([UInt8])
    case list([Value])
  }

  package init() {
    anchors = .testRoot
    certificateFormat = .pem
    checksRevocation = false
    revocationIsOutdated = false
    ciphers = []
    alpn = []
    extra = []
    passesNil = false
  }
}
