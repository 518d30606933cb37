/// What a server asks of its clients, by the numbers that Secure Transport gives it, as values of
/// `GCDAsyncSocketSSLClientSideAuthenticate`: `NSNumber(value: SSLAuthenticate.alwaysAuthenticate.rawValue)`.
public enum SSLAuthenticate: Int32, CaseIterable, Sendable {
  /// No certificate.
  case neverAuthenticate = 0
  /// A certificate; a client without one is refused.
  case alwaysAuthenticate = 1
  /// A certificate, if the client has one.
  case tryAuthenticate = 2
}
