/// A certificate of the lab's own with its key and what is sent along with it.
package struct TestIdentity: Hashable, Sendable {
  /// What is sent, in PEM: the certificate itself first, then whatever goes with it (for some classes too little, too
  /// much, or in the wrong order).
  package var chain: [UInt8]
  /// The private key, in PEM (PKCS #8, not encrypted).
  package var key: [UInt8]
  /// What is sent, each certificate as the bytes that go into the handshake. For `malformedDER` this is what counts:
  /// no library can read the PEM and send it again.
  package var chainDER: [[UInt8]]
  /// Subject, names and validity on one line, for reports.
  package var summary: String
}
