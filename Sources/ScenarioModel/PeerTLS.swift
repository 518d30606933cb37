/// How a scripted peer takes its side of a TLS handshake. What is left out is what a sound peer does.
package struct PeerTLS: Hashable, Sendable, Codable {
  /// What a server does about its client's certificate.
  package enum ClientCertificate: String, CaseIterable, Hashable, Sendable, Codable { case ignore, request, require }

  /// nil: server if the lane accepted the connection, client if it connected.
  package var role: TLSRole?
  /// nil: `leaf` for a server, none for a client.
  package var certificate: CertificateName?
  /// The lowest version the peer agrees to; nil: TLS 1.0.
  package var minimumVersion: TLSVersion?
  /// The highest version the peer agrees to; nil: TLS 1.3.
  package var maximumVersion: TLSVersion?
  /// Cipher suites by their OpenSSL names; those of TLS 1.3 begin with `TLS_`. Empty: OpenSSL's choice.
  package var ciphers: [String]
  /// Key exchange groups such as `P-256` or `X25519`, the preferred one first. Empty: OpenSSL's choice.
  package var groups: [String]
  /// Protocols it speaks, the preferred one first.
  package var alpn: [String]
  /// A client only: the name it asks for (SNI).
  package var serverName: String?
  /// A server only; `ignore` unless written.
  package var clientCertificate: ClientCertificate
  /// Which certificates the other side's must chain to; nil: it is not verified.
  package var anchors: TLSCommand.Anchors?
  /// A server only: how many tickets follow the handshake (in TLS 1.2 one at most); nil: as many as servers
  /// usually send.
  package var tickets: Int?
  /// The most payload bytes of a record, 1 to 16384. Handshake messages in clear and application data obey to the byte,
  /// encrypted handshake messages from 512 on.
  package var recordSize: Int?
  /// The step ends when this message was sent or has come, whichever happens; what the peer would have sent after it is
  /// held back until another `tls` step goes on.
  package var until: HandshakeMessage?
  /// What becomes of its own messages on their way out.
  package var edits: [HandshakeEdit]
  /// A whole flight is one record where its messages are of one kind and key.
  package var coalesces: Bool
  /// The handshake must fail: through one of these alerts of the subject, or (`any`) in whatever way.
  package var failure: AlertPattern?

  package init() {
    clientCertificate = .ignore
    ciphers = []
    groups = []
    alpn = []
    edits = []
    coalesces = false
  }
}

/// What is done to one of the peer's own handshake messages before it goes out. Offsets count in the message's body,
/// behind its header of four bytes.
package struct HandshakeEdit: Hashable, Sendable, Codable {
  /// What is done to the message.
  package enum Change: Hashable, Sendable, Codable {
    case drop
    /// Sent twice in a row.
    case double
    /// Changes places with the message behind it.
    case swapWithNext
    /// That many bytes are cut off at the end; the length is adjusted.
    case truncate(Int)
    /// Bytes are added at the end; the length says so.
    case extend(Payload)
    /// The lowest bit of one byte is inverted: at this offset, or in the last byte.
    case flip(at: Int?)
    /// Bytes from this offset on are replaced.
    case overwrite(at: Int, Payload)
    /// Another type in the header.
    case retype(UInt8)
    /// The body goes.
    case empty
    /// The length in the header is so much more (or less) than the truth.
    case wrongLength(by: Int)
    /// The record around the message says another type, version or length.
    case reframe(type: TLSRecordType?, version: UInt16?, length: Int?)
  }

  /// The name of the messages: every one of the peer's own that has it is edited.
  package var message: HandshakeMessage
  /// What is done to each of them.
  package var change: Change

  package init(message: HandshakeMessage, change: Change) {
    self.message = message
    self.change = change
  }
}

/// A record made by hand.
package struct HandMadeRecord: Hashable, Sendable, Codable {
  /// Which bit of the finished record is inverted.
  package enum Corruption: String, CaseIterable, Hashable, Sendable, Codable {
    /// One bit of the authentication tag; of the last byte when there is none.
    case tag
    /// One bit of the first byte behind the header.
    case body
    /// One bit of the header's version.
    case header
  }

  /// In the header.
  package var type: TLSRecordType
  /// In the header; 0x0303 unless written.
  package var version: UInt16
  /// The content, before encryption if there is one.
  package var payload: Payload
  /// nil: encrypted if the peer has keys to send with.
  package var encrypts: Bool?
  /// nil: the record is left sound.
  package var corruption: Corruption?
  /// What the header says instead of the true length.
  package var length: Int?
  /// The type inside an encrypted record of TLS 1.3; nil: that of the header. 0 adds no type at all.
  package var innerType: TLSRecordType?
  /// The number of zero bytes behind the inner type.
  package var padding: Int

  package init(type: TLSRecordType = .applicationData, payload: Payload = .bytes([])) {
    self.type = type
    version = 0x0303
    self.payload = payload
    padding = 0
  }
}

/// What must have come of a peer's handshake; nil fields are not looked at.
package struct TLSExpectation: Hashable, Sendable, Codable {
  /// What the other side's own certificate must be.
  package enum Certificate: Hashable, Sendable, Codable {
    case nobody
    case named(CertificateName)
  }

  /// The version agreed on.
  package var version: TLSVersion?
  /// By its OpenSSL name.
  package var cipher: String?
  /// The server name that the client asked for; empty: none.
  package var serverName: String?
  /// The protocol agreed on; empty: none.
  package var alpn: String?
  /// What the other side showed of itself.
  package var certificate: Certificate?
  /// Whether an earlier session was resumed.
  package var isResumed: Bool?

  package init() {}
}
