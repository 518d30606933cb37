/// Why a call was refused or a connection ended, in the terms of the public error domains (ERR-01, ERR-04, ERR-06).
package enum SocketFailure: Error, Hashable, Sendable {
  /// The socket is not set up for what was asked: no delegate, already started, both families off.
  case badConfig(String)
  /// An argument makes no sense: an empty host, an unknown interface, an ill-formed address.
  case badParam(String)
  case connectTimeout
  case readTimeout
  case writeTimeout
  case readMaxedOut
  /// The peer ended its stream.
  case closedByPeer
  /// Anything else; the text is the description.
  case other(String)
  /// A system call failed: its errno and its name.
  case posix(code: Int32, call: String)
  /// Name resolution failed: the resolver's code and text.
  case lookup(code: Int32, message: String)
  /// TLS failed; the code is one of Secure Transport's (ERR-07), the message says what and why.
  case tls(code: Int32, message: String)
}

extension SocketFailure {
  private static let brokenPipe: Int32 = 32
  private static let connectionReset: Int32 = 104

  /// The failure that SO_ERROR of a connection means; nil if there is no error. A reset that arrives behind the peer's
  /// FIN leaves EPIPE there, as the result of writes; without a write the failure is the reset (HALF-09, ERR-11).
  package static func pending(_ errno: Int32, call: String) -> SocketFailure? {
    errno == 0 ? nil : .posix(code: errno == brokenPipe ? connectionReset : errno, call: call)
  }
}
