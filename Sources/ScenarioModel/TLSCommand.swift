/// The versions of TLS the lab speaks of.
package enum TLSVersion: String, CaseIterable, Hashable, Sendable, Codable {
  case tls10 = "tls1.0"
  case tls11 = "tls1.1"
  case tls12 = "tls1.2"
  case tls13 = "tls1.3"
}

package enum TLSRole: String, CaseIterable, Hashable, Sendable, Codable {
  case client, server
}

/// What a `startTLS` step passes as settings. nil and empty fields are not passed at all.
package struct TLSCommand: Hashable, Sendable, Codable {
  /// Which certificates the subject is told to trust, besides those of the host.
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
  package var peerName: String?
  package var anchors: Anchors
  /// The subject's own identity: a server's, or a client's certificate.
  package var certificate: CertificateName?
  package var certificateFormat: CertificateFormat
  /// Passes a revocation list of the test root's.
  package var checksRevocation: Bool
  /// That list is out of date.
  package var revocationIsOutdated: Bool
  package var manualTrust: Bool?
  package var minimumVersion: TLSVersion?
  package var maximumVersion: TLSVersion?
  /// Cipher suites by their OpenSSL or IANA names.
  package var ciphers: [String]
  package var alpn: [String]
  package var allowsExpiredCertificates: Bool?
  package var allowsExpiredRoots: Bool?
  package var allowsAnyRoot: Bool?
  package var validatesChain: Bool?
  /// The value of kCFStreamSSLLevel, as it stands in the file.
  package var level: String?
  /// Any other settings, by key, as they stand in the file: for wrong types and unknown keys.
  package var extra: [Extra]
  /// Whether the settings are nil instead of a dictionary; only sensible when nothing else is set.
  package var passesNil: Bool

  package struct Extra: Hashable, Sendable, Codable {
    package var key: String
    package var value: Value

    package init(key: String, value: Value) {
      self.key = key
      self.value = value
    }
  }

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
