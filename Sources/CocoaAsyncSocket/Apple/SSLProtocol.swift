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

/// Protocol versions by the numbers that they have in TLS, as later interfaces of Apple's name them. The settings take
/// them as well, `NSNumber(value: tls_protocol_version_t.TLSv12.rawValue)`, where Secure Transport, as far as its
/// source is public, refuses them: no number means two things.
public enum tls_protocol_version_t: UInt16, Sendable {
  /// TLS 1.0.
  case TLSv10 = 0x0301
  /// TLS 1.1.
  case TLSv11 = 0x0302
  /// TLS 1.2.
  case TLSv12 = 0x0303
  /// TLS 1.3.
  case TLSv13 = 0x0304
  /// DTLS 1.0, which is for datagrams; refused.
  case DTLSv10 = 0xFEFF
  /// DTLS 1.2, which is for datagrams; refused.
  case DTLSv12 = 0xFEFD
}

extension SSLProtocol {
  /// The version of a setting, by Secure Transport's number or by that in TLS; nil: it is neither, or for datagrams.
  init?(setting number: Int32) {
    if let version = SSLProtocol(rawValue: number) {
      self = version
      return
    }
    switch UInt16(exactly: number).flatMap(tls_protocol_version_t.init(rawValue:)) {
    case .TLSv10: self = .tlsProtocol1
    case .TLSv11: self = .tlsProtocol11
    case .TLSv12: self = .tlsProtocol12
    case .TLSv13: self = .tlsProtocol13
    case .DTLSv10, .DTLSv12, nil: return nil
    }
  }
}
