/// Protocol versions by the numbers that Secure Transport gives them, as values of
/// `GCDAsyncSocketSSLProtocolVersionMin` and `…Max`: `NSNumber(value: SSLProtocol.tlsProtocol12.rawValue)`.
public enum SSLProtocol: Int32, CaseIterable, Sendable {
  /// Leaves the choice to the library.
  case sslProtocolUnknown = 0
  /// Broken; refused.
  case sslProtocol3 = 2
  /// TLS 1.0.
  case tlsProtocol1 = 4
  /// TLS 1.1.
  case tlsProtocol11 = 7
  /// TLS 1.2.
  case tlsProtocol12 = 8
  /// TLS 1.3.
  case tlsProtocol13 = 10
  /// The newest there is: leaves the choice to the library.
  case tlsProtocolMaxSupported = 999
}
