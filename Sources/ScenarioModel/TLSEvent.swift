/// Something that happened in a scripted peer's TLS, in the order in which the peer came to know of it.
package enum TLSEvent: Hashable, Sendable, Codable {
  /// From here on the connection carries records.
  case began(TLSRole)
  /// A handshake message by its name, or `handshake 99`. Sent means: on its way to the wire.
  case messageSent(String)
  case messageReceived(String)
  case alertSent(TLSAlert)
  case alertReceived(TLSAlert)
  /// The class the peer shows of its own; subject, names and validity on one line.
  case presents(CertificateName, String)
  /// One line for each certificate the other side showed, its own first.
  case certificates([String])
  case established(TLSFacts)
  /// What the peer did to its own bytes: `server-hello dropped`.
  case forged(String)
  /// The peer's TLS gave up, and why.
  case failed(String)
  /// Application data the peer gave to TLS, and got out of it.
  case plainSent([UInt8])
  case plainReceived([UInt8])
  /// What arrived after TLS was over, as it came: records can no longer be decrypted. Otherwise bytes in clear.
  case leftover([UInt8], areRecords: Bool)
  /// A line of the key log (NSS format), with which captures can be decrypted. It goes to `Trace.keyLog`, not among the
  /// events.
  case secret(String)
}

/// What an established session agreed on.
package struct TLSFacts: Hashable, Sendable, Codable {
  /// nil: a version the lab has no name for.
  package var version: TLSVersion?
  /// By its OpenSSL name.
  package var cipher: String
  /// The name the client asked for; empty: none.
  package var serverName: String
  /// The protocol agreed on; empty: none.
  package var alpn: String
  /// Whether an earlier session was resumed.
  package var isResumed: Bool

  package init(version: TLSVersion?, cipher: String, serverName: String, alpn: String, isResumed: Bool) {
    self.version = version
    self.cipher = cipher
    self.serverName = serverName
    self.alpn = alpn
    self.isResumed = isResumed
  }

  /// `tls1.3 TLS_AES_128_GCM_SHA256, for good.example, resumed`.
  package var text: String {
    var text = "\(version?.rawValue ?? "unknown version") \(cipher)"
    if !serverName.isEmpty { text += ", for \(serverName)" }
    if !alpn.isEmpty { text += ", speaking \(alpn)" }
    return isResumed ? text + ", resumed" : text
  }
}
