import SocketCore

/// The security levels of CFStream, by the values of their constants (TLS-16).
///
/// A level is a promise about the protocol, so those that no safe protocol can keep are refused instead of being
/// quietly replaced: "none" would mean clear text behind a call named startTLS, SSL 2 and 3 are broken.
package enum TLSLevel: String, CaseIterable, Sendable {
  case none = "kCFStreamSocketSecurityLevelNone"
  case ssl2 = "kCFStreamSocketSecurityLevelSSLv2"
  case ssl3 = "kCFStreamSocketSecurityLevelSSLv3"
  /// TLS 1.0 and everything newer.
  case tls1 = "kCFStreamSocketSecurityLevelTLSv1"
  /// The best that both sides have, of what is considered safe: what is done without a level, too.
  case negotiated = "kCFStreamSocketSecurityLevelNegotiatedSSL"

  /// The level of that name; an unknown one is `other`.
  package init(named name: String) throws(SocketFailure) {
    guard let level = TLSLevel(rawValue: name) else {
      let known = TLSLevel.allCases.map(\.rawValue).joined(separator: ", ")
      throw .other("\"\(name)\" is no security level; there are \(known).")
    }
    self = level
  }
}

extension TLSConfiguration {
  /// Sets the versions a level stands for; explicit versions are set after it. Levels that can't be had safely are
  /// `other`.
  package mutating func apply(_ level: TLSLevel) throws(SocketFailure) {
    switch level {
    case .none:
      throw .other("The security level \(level.rawValue) means no TLS; without TLS, don't start it.")
    case .ssl2, .ssl3:
      throw .other("The security level \(level.rawValue) asks for a broken protocol, which is not available.")
    case .tls1: minimumVersion = .tls10
    case .negotiated: minimumVersion = nil
    }
  }
}
