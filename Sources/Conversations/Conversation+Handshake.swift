import ScenarioModel

extension Conversation {
  /// A TLS handshake that was completed, as far as it was looked into.
  package struct Handshake: Hashable, Sendable {
    /// The version agreed on.
    package var version = TLSVersion.tls13
    /// The cipher suite agreed on, by its OpenSSL name.
    package var suite = ""
    /// The name that the client asked for (SNI), in printable ASCII; nil: none.
    package var serverName: String?
    /// Protocols that the client offered (ALPN), in printable ASCII.
    package var offered: [String] = []
    /// The one that the server chose; nil: none.
    package var chosen: String?
    /// The server had the client say its hello again (HelloRetryRequest).
    package var isRetried = false
    /// For a key of this group, if it has a name here.
    package var retryGroup: String?
    /// The server asked for the client's certificate.
    package var asksForCertificate = false
    /// What the server showed of itself; nil: nothing, as in a session that is resumed.
    package var serverCertificate: Certificate?
    /// What the client showed of itself; nil: nothing.
    package var clientCertificate: Certificate?
    /// How many session tickets the server sent.
    package var tickets = 0
    /// From the ClientHello to the last message of the handshake.
    package var duration = Duration.zero

    package init() {}
  }

  /// A certificate that was shown.
  package struct Certificate: Hashable, Sendable {
    /// Subject, names and validity on one line.
    package var text: String
    /// Whether its key is one of RSA.
    package var isRSA: Bool

    package init(text: String, isRSA: Bool) {
      self.text = text
      self.isRSA = isRSA
    }
  }
}
