import COpenSSL

/// The versions of TLS that can be negotiated, oldest first.
package enum ProtocolVersion: Int32, CaseIterable, Comparable, Sendable, CustomStringConvertible {
  case tls10 = 0x0301
  case tls11 = 0x0302
  case tls12 = 0x0303
  case tls13 = 0x0304

  package static func < (one: ProtocolVersion, other: ProtocolVersion) -> Bool { one.rawValue < other.rawValue }

  package var description: String {
    switch self {
    case .tls10: "TLS 1.0"
    case .tls11: "TLS 1.1"
    case .tls12: "TLS 1.2"
    case .tls13: "TLS 1.3"
    }
  }
}
