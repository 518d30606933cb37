/// A certificate of the lab's own with its key and what is sent along with it.
package struct TestIdentity: Sendable {
  /// What is sent, in PEM: the certificate itself first, then whatever goes with it (for some classes too little, too
  /// much, or in the wrong order).
  package var chain: [UInt8]
  /// The private key, in PEM.
  package var key: [UInt8]
}
