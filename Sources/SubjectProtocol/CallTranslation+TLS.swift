import ReportMarkup
import ScenarioModel

/// A certificate with its chain and its key, in PEM.
package struct PEMIdentity: Hashable, Sendable {
  /// The certificate itself first.
  package var chain: String
  /// Of the first certificate.
  package var key: String

  /// From PEM.
  package init(chain: String, key: String) { (self.chain, self.key) = (chain, key) }
}

/// The certificates of a case: what only the world can make.
package protocol CertificateDirectory {
  /// The instant that certificates are valid around, in Unix seconds.
  var validationTime: Int64 { get }
  /// nil: it can't be made.
  func identity(_ name: CertificateName) -> PEMIdentity?
  /// In PEM; nil: nothing but what the host trusts.
  func anchors(_ anchors: TLSCommand.Anchors) -> String?
  /// In PEM.
  func revocationLists(outdated: Bool) -> String?
}

// TLS: certificates come with the call.
extension CallTranslation {
  func startTLS(_ command: TLSCommand, _ certificates: some CertificateDirectory) throws(Obstacle) -> JSONNode {
    guard !command.passesNil, command.extra.isEmpty, command.level == nil, command.certificateFormat == .pem else {
      throw refuse("such settings of TLS")
    }
    try demandTLS(command)
    let identity = command.certificate.flatMap(certificates.identity)
    let lists =
      command.checksRevocation ? certificates.revocationLists(outdated: command.revocationIsOutdated) : nil
    return [
      "role": .text((command.role ?? .client).rawValue), "peerName": command.peerName.map(JSONNode.text),
      "time": .integer(Int(certificates.validationTime)),
      "anchors": certificates.anchors(command.anchors).map(JSONNode.text), "chain": identity.map { .text($0.chain) },
      "key": identity.map { .text($0.key) }, "revocationLists": lists.map(JSONNode.text),
      "manualTrust": command.manualTrust.map(JSONNode.flag),
      "minimum": command.minimumVersion.map { .text($0.rawValue) },
      "maximum": command.maximumVersion.map { .text($0.rawValue) },
      "ciphers": command.ciphers.isEmpty ? nil : .texts(command.ciphers),
      "alpn": command.alpn.isEmpty ? nil : .texts(command.alpn),
      "allowsExpiredCertificates": command.allowsExpiredCertificates.map(JSONNode.flag),
      "allowsExpiredRoots": command.allowsExpiredRoots.map(JSONNode.flag),
      "allowsAnyRoot": command.allowsAnyRoot.map(JSONNode.flag),
      "validatesChain": command.validatesChain.map(JSONNode.flag),
    ]
  }

  private func demandTLS(_ command: TLSCommand) throws(Obstacle) {
    if command.role == .server {
      try demand(.tlsServer, "server's side of TLS")
    } else {
      try demand(.tlsClient, "client's side of TLS")
      if command.certificate != nil { try demand(.tlsClientCertificate, "certificate of a client") }
    }
    if command.anchors == .host { try demand(.tlsHostAnchors, "trust in what the host trusts") }
    if command.manualTrust == true { try demand(.tlsManualTrust, "question about trust") }
    if command.checksRevocation { try demand(.tlsRevocation, "revocation lists") }
    if !command.ciphers.isEmpty { try demand(.tlsCiphers, "choice of cipher suites") }
    if !command.alpn.isEmpty { try demand(.tlsALPN, "ALPN") }
    let relaxations = [
      command.allowsExpiredCertificates, command.allowsExpiredRoots, command.allowsAnyRoot, command.validatesChain,
    ]
    if relaxations.contains(where: { $0 != nil }) { try demand(.tlsRelaxed, "TLS that looks away") }
    for version in [command.minimumVersion, command.maximumVersion].compactMap(\.self) { try demand(version) }
  }

  /// The version is one that the subject can speak.
  func demand(_ version: TLSVersion) throws(Obstacle) {
    switch version {
    case .tls10: try demand(.tls10, "TLS 1.0")
    case .tls11: try demand(.tls11, "TLS 1.1")
    case .tls12: try demand(.tls12, "TLS 1.2")
    case .tls13: try demand(.tls13, "TLS 1.3")
    }
  }
}
