import Foundation
import SocketCore
import SocketTLS

extension TLSSettings {
  /// Reads the settings of `startTLS(_:)`: the keys of the library, of its first documents, and of this one. A constant
  /// that has the value of another one, such as `GCDAsyncSocketSSLPeerName`, is known by its own name, too.
  ///
  /// Unknown keys are ignored unless they begin like known ones, with GCDAsyncSocketSSL or kCFStreamSSL: a name that is
  /// not checked because its key has a slip would show in nothing else (TLS-19). That is an `otherError`, and so are
  /// two values for one setting and a known key with a value of the wrong type (TLS-18).
  public init(_ dictionary: [String: NSObject]) throws {
    self.init()
    do throws(SocketFailure) { try SettingsReader(dictionary).read(into: &self) } catch { throw error.error }
  }

  /// The same for the library itself; nil and empty settings are the defaults (TLS-11).
  static func reading(_ dictionary: [String: NSObject]?) -> Result<TLSSettings, SocketFailure> {
    var settings = TLSSettings()
    do {
      try SettingsReader(dictionary ?? [:]).read(into: &settings)
      return .success(settings)
    } catch {
      return .failure(error)
    }
  }
}

/// Reads one dictionary, key by key.
private struct SettingsReader {
  /// With the keys that `read` asks for.
  private let dictionary: [String: NSObject]

  /// Throws for a key that seems to be one, and for two values of one setting.
  init(_ dictionary: [String: NSObject]) throws(SocketFailure) {
    var found = dictionary
    for (name, key) in Self.otherNames {
      guard let value = found.removeValue(forKey: name) else { continue }
      if let other = found[key], other !== value, !other.isEqual(value) {
        throw Self.twoValues(name, key)
      }
      found[key] = value
    }
    let strangers = found.keys.filter { key in
      Self.beginnings.contains { key.hasPrefix($0) } && !Self.known.contains(key)
    }
    if let stranger = strangers.min() { throw .other("The TLS setting \(stranger) is not known: is it misspelt?") }
    self.dictionary = found
  }

  /// Constants with the value of another one, by their own names.
  private static let otherNames = [
    "GCDAsyncSocketSSLPeerName": kCFStreamSSLPeerName, "GCDAsyncSocketSSLCertificates": kCFStreamSSLCertificates,
    "GCDAsyncSocketSSLIsServer": kCFStreamSSLIsServer,
  ]

  /// How no key begins that is for somebody else.
  private static let beginnings = ["GCDAsyncSocketSSL", "kCFStreamSSL"]

  private static let known: Set<String> = [
    GCDAsyncSocketSSLPeerID, GCDAsyncSocketSSLProtocolVersionMin, GCDAsyncSocketSSLProtocolVersionMax,
    GCDAsyncSocketSSLSessionOptionFalseStart, GCDAsyncSocketSSLSessionOptionSendOneByteRecord,
    GCDAsyncSocketSSLCipherSuites, GCDAsyncSocketSSLALPN, GCDAsyncSocketSSLDiffieHellmanParameters,
    GCDAsyncSocketSSLTrustAnchors, GCDAsyncSocketSSLTrustAnchorsOnly, GCDAsyncSocketSSLRevocationLists,
    GCDAsyncSocketSSLVerifyDate, GCDAsyncSocketSSLClientCertificates, GCDAsyncSocketSSLClientSideAuthenticate,
    kCFStreamSSLLevel, kCFStreamSSLAllowsExpiredCertificates, kCFStreamSSLAllowsExpiredRoots,
    kCFStreamSSLAllowsAnyRoot, kCFStreamSSLValidatesCertificateChain, kCFStreamSSLPeerName, kCFStreamSSLCertificates,
    kCFStreamSSLIsServer,
  ]

  func read(into settings: inout TLSSettings) throws(SocketFailure) {
    try readIdentities(&settings)
    try readTrust(&settings)
    try readProtocol(&settings)
  }

  /// The own identity, and the peer's.
  private func readIdentities(_ settings: inout TLSSettings) throws(SocketFailure) {
    if let isServer = try flag(kCFStreamSSLIsServer) { settings.isServer = isServer }
    settings.peerName = try text(kCFStreamSSLPeerName)
    if let list = try list(kCFStreamSSLCertificates, of: "a SecIdentity first, then SecCertificates") {
      guard let identity = list.first as? SecIdentity else {
        throw wrong(kCFStreamSSLCertificates, "an array that begins with a SecIdentity", list.first)
      }
      let chain = list.dropFirst()
      for item in chain where !(item is SecCertificate) {
        throw wrong(kCFStreamSSLCertificates, "SecCertificates behind its SecIdentity", item)
      }
      settings.identity = identity
      settings.additionalCertificates = chain.compactMap { $0 as? SecCertificate }
    }
    settings.clientCertificates = try clientCertificates() ?? settings.clientCertificates
  }

  /// What a server asks of its clients: by a name, by the number of an `SSLAuthenticate`, or by both, if they agree.
  private func clientCertificates() throws(SocketFailure) -> TLSSettings.ClientCertificates? {
    let authenticate = "the number of an SSLAuthenticate"
    var wanted: TLSSettings.ClientCertificates?
    if let number = try value(GCDAsyncSocketSSLClientSideAuthenticate, NSNumber.self, authenticate) {
      switch Int32(exactly: number).flatMap(SSLAuthenticate.init(rawValue:)) {
      case .neverAuthenticate: wanted = TLSSettings.ClientCertificates.none
      case .alwaysAuthenticate: wanted = .required
      case .tryAuthenticate: wanted = .optional
      case nil: throw wrong(GCDAsyncSocketSSLClientSideAuthenticate, authenticate, number)
      }
    }
    if let name = try text(GCDAsyncSocketSSLClientCertificates) {
      guard let named = TLSSettings.ClientCertificates(rawValue: name) else {
        throw wrong(GCDAsyncSocketSSLClientCertificates, "none, optional or required", name as NSString)
      }
      guard wanted ?? named == named else {
        throw Self.twoValues(GCDAsyncSocketSSLClientSideAuthenticate, GCDAsyncSocketSSLClientCertificates)
      }
      wanted = named
    }
    return wanted
  }

  private static func twoValues(_ name: String, _ other: String) -> SocketFailure {
    .other("The TLS settings \(name) and \(other) are the same setting, and have two values.")
  }

  /// The checks of the peer's certificates, their anchors, and the date they refer to.
  private func readTrust(_ settings: inout TLSSettings) throws(SocketFailure) {
    if let value = try flag(GCDAsyncSocketManuallyEvaluateTrust) { settings.evaluatesTrustManually = value }
    if let value = try flag(kCFStreamSSLValidatesCertificateChain) { settings.validatesCertificateChain = value }
    if let value = try flag(kCFStreamSSLAllowsExpiredCertificates) { settings.allowsExpiredCertificates = value }
    if let value = try flag(kCFStreamSSLAllowsExpiredRoots) { settings.allowsExpiredRoots = value }
    if let value = try flag(kCFStreamSSLAllowsAnyRoot) { settings.allowsAnyRoot = value }
    if let list = try list(GCDAsyncSocketSSLTrustAnchors, of: "SecCertificates") {
      settings.trustAnchors = try list.map { item throws(SocketFailure) in
        guard let anchor = item as? SecCertificate else {
          throw wrong(GCDAsyncSocketSSLTrustAnchors, "SecCertificates", item)
        }
        return anchor
      }
    }
    if let value = try flag(GCDAsyncSocketSSLTrustAnchorsOnly) { settings.trustsAnchorsOnly = value }
    if let list = try list(GCDAsyncSocketSSLRevocationLists, of: "Data") {
      for item in list {
        guard let data = item as? Data else { throw wrong(GCDAsyncSocketSSLRevocationLists, "Data", item) }
        settings.revocationLists.append(data)
      }
    }
    settings.verifyDate = try value(GCDAsyncSocketSSLVerifyDate, NSDate.self, "a date").map { $0 as Date }
  }

  /// The protocol.
  private func readProtocol(_ settings: inout TLSSettings) throws(SocketFailure) {
    settings.level = try text(kCFStreamSSLLevel)
    settings.minimumVersion = try version(GCDAsyncSocketSSLProtocolVersionMin)
    settings.maximumVersion = try version(GCDAsyncSocketSSLProtocolVersionMax)
    if let list = try list(GCDAsyncSocketSSLCipherSuites, of: "numbers or names") {
      for item in list {
        if let name = item as? String {
          settings.cipherSuites.append(name)
        } else if let number = item as? NSNumber, let suite = UInt16(exactly: number) {
          settings.cipherSuites.append("0x" + String(suite, radix: 16))
        } else {
          throw wrong(GCDAsyncSocketSSLCipherSuites, "numbers of 16 bits, or names", item)
        }
      }
    }
    if let list = try list(GCDAsyncSocketSSLALPN, of: "strings") {
      for item in list {
        guard let name = item as? String else { throw wrong(GCDAsyncSocketSSLALPN, "strings", item) }
        settings.applicationProtocols.append(name)
      }
    }
    if let value = try flag(GCDAsyncSocketSSLSessionOptionFalseStart) { settings.usesFalseStart = value }
    if let value = try flag(GCDAsyncSocketSSLSessionOptionSendOneByteRecord) { settings.sendsOneByteRecords = value }
    settings.peerID = try value(GCDAsyncSocketSSLPeerID, NSData.self, "data").map { $0 as Data }
    // Known to the original, without effect here: OpenSSL chooses the group itself (TLS-40).
    _ = try value(GCDAsyncSocketSSLDiffieHellmanParameters, NSData.self, "data")
  }

  // MARK: Types

  private func value<Value: NSObject>(
    _ key: String, _ type: Value.Type, _ what: String
  ) throws(SocketFailure) -> Value? {
    guard let found = dictionary[key] else { return nil }
    guard let value = found as? Value else { throw wrong(key, what, found) }
    return value
  }

  private func flag(_ key: String) throws(SocketFailure) -> Bool? {
    guard let number = try value(key, NSNumber.self, "a Boolean") else { return nil }
    // A fraction is false to Foundation on Linux, and true on Apple's systems: either may turn a check off.
    guard Int64(exactly: number.doubleValue) != nil else { throw wrong(key, "a Boolean", number) }
    return number.boolValue
  }

  private func text(_ key: String) throws(SocketFailure) -> String? {
    try value(key, NSString.self, "a string").map { $0 as String }
  }

  private func list(_ key: String, of what: String) throws(SocketFailure) -> [Any]? {
    try value(key, NSArray.self, "an array (\(what))").map { $0.map { $0 } }
  }

  private func version(_ key: String) throws(SocketFailure) -> SSLProtocol? {
    guard let number = try value(key, NSNumber.self, "the number of an SSLProtocol") else { return nil }
    guard let code = Int32(exactly: number), let version = SSLProtocol(setting: code) else {
      throw .other("The TLS setting \(key) must be the number of an SSLProtocol or of a version of TLS, not \(number).")
    }
    return version
  }

  private func wrong(_ key: String, _ wanted: String, _ found: Any?) -> SocketFailure {
    let what = found.map { "\(type(of: $0))" } ?? "nothing"
    return .other("The TLS setting \(key) must be \(wanted), not \(what).")
  }
}
