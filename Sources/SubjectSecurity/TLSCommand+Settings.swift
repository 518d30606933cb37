import CocoaAsyncSocket
import Foundation
import ScenarioModel
import SocketCore
import Synchronization
import TestCertificates

/// What a scenario's `startTLS` passes to the subject: the dictionary of the original's API, with the lab's own
/// certificates, judged at the pinned instant.
extension TLSCommand {
  /// nil where the scenario says so. Certificates that can't be made into an identity are the caller's error.
  package func settings() throws -> [String: NSObject]? {
    guard !passesNil else { return nil }
    var settings: [String: NSObject] = [:]
    settings[GCDAsyncSocketSSLVerifyDate] = NSDate(timeIntervalSince1970: TimeInterval(TestPKI.pinnedNow))
    try addIdentities(to: &settings)
    addFlags(to: &settings)
    settings[kCFStreamSSLPeerName] = peerName.map { $0 as NSString }
    settings[kCFStreamSSLLevel] = level.map { $0 as NSString }
    settings[GCDAsyncSocketSSLProtocolVersionMin] = minimumVersion.map(Self.number)
    settings[GCDAsyncSocketSSLProtocolVersionMax] = maximumVersion.map(Self.number)
    if !ciphers.isEmpty { settings[GCDAsyncSocketSSLCipherSuites] = ciphers.map { $0 as NSString } as NSArray }
    if !alpn.isEmpty { settings[GCDAsyncSocketSSLALPN] = alpn.map { $0 as NSString } as NSArray }
    for entry in extra { settings[entry.key] = entry.value.object }
    return settings
  }

  /// The same for the class that has nobody to ask about trust, and leaves that key out.
  package var withoutManualTrust: TLSCommand {
    var command = self
    command.manualTrust = nil
    command.extra.removeAll { $0.key == GCDAsyncSocketManuallyEvaluateTrust }
    return command
  }

  /// What makes the subject's session, for a world that drives the machine itself and is as random as its seed: what
  /// connections of one kind share is drawn from a seed of its own.
  package func sessionMaker() throws -> StreamMachine.SessionMaker {
    // RSA keys gather state while they are used, which the next case would notice.
    let isOrdinary = certificate ?? .leaf == .leaf
    if isOrdinary, let known = Self.makers.withLock({ $0[self] }) { return known }
    let make = TLSSettings.sessionMaker(try settings(), sharing: isOrdinary ? .withoutTime : .never)
    guard isOrdinary else { return make }
    let maker: StreamMachine.SessionMaker = { SeededRandomness.with(seed: 1) { make() } }
    Self.makers.withLock { $0[self] = maker }
    return maker
  }

  private static let makers = Mutex<[TLSCommand: StreamMachine.SessionMaker]>([:])

  private func addIdentities(to settings: inout [String: NSObject]) throws {
    let pki = TestPKI.shared
    switch anchors {
    case .testRoot: settings[GCDAsyncSocketSSLTrustAnchors] = try Self.anchors(try pki.rootPEM)
    case .host: break
    case .certificate(let name): settings[GCDAsyncSocketSSLTrustAnchors] = try Self.anchors(try pki.anchor(for: name))
    }
    // The host's own store would make a case depend on the host.
    settings[GCDAsyncSocketSSLTrustAnchorsOnly] = NSNumber(value: anchors != .host)
    if checksRevocation {
      settings[GCDAsyncSocketSSLRevocationLists] =
        Self.lists(
          revocationIsOutdated ? try pki.outdatedRevocationList : try pki.revocationList) as NSArray
    }
    guard let certificate else { return }
    let identity = try pki.identity(certificate)
    let made =
      switch certificateFormat {
      case .pem: try SecIdentity(pem: Data(identity.chain), key: Data(identity.key))
      case .pkcs12:
        try SecIdentity(pkcs12: Data(try identity.pkcs12(passphrase: Self.passphrase)), passphrase: Self.passphrase)
      }
    settings[kCFStreamSSLCertificates] = [made] as NSArray
  }

  private static let passphrase = "as is usual"

  private func addFlags(to settings: inout [String: NSObject]) {
    let flags: [(String, Bool?)] = [
      (kCFStreamSSLIsServer, role.map { $0 == .server }), (GCDAsyncSocketManuallyEvaluateTrust, manualTrust),
      (kCFStreamSSLAllowsExpiredCertificates, allowsExpiredCertificates),
      (kCFStreamSSLAllowsExpiredRoots, allowsExpiredRoots), (kCFStreamSSLAllowsAnyRoot, allowsAnyRoot),
      (kCFStreamSSLValidatesCertificateChain, validatesChain),
    ]
    for (key, value) in flags { settings[key] = value.map { NSNumber(value: $0) } }
  }

  private static func anchors(_ pem: [UInt8]) throws -> NSArray {
    try SecCertificate.certificates(Data(pem)) as NSArray
  }

  /// The lists of a PEM, each by itself.
  private static func lists(_ pem: [UInt8]) -> [NSData] {
    let end = "-----END X509 CRL-----"
    return String(decoding: pem, as: UTF8.self).components(separatedBy: end).dropLast().map {
      Data(($0 + end + "\n").utf8) as NSData
    }
  }

  private static func number(_ version: TLSVersion) -> NSNumber {
    let number: SSLProtocol =
      switch version {
      case .tls10: .tlsProtocol1
      case .tls11: .tlsProtocol11
      case .tls12: .tlsProtocol12
      case .tls13: .tlsProtocol13
      }
    return NSNumber(value: number.rawValue)
  }
}

extension TLSCommand.Value {
  fileprivate var object: NSObject {
    switch self {
    case .null: NSNull()
    case .flag(let value): NSNumber(value: value)
    case .number(let value): NSNumber(value: value)
    case .text(let value): value as NSString
    case .bytes(let value): Data(value) as NSData
    case .list(let values): values.map(\.object) as NSArray
    }
  }
}
