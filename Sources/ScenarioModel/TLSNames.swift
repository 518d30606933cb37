/// Messages of a TLS handshake by their names in scenario files: what happens between two of them is addressed so.
package enum HandshakeMessage: String, CaseIterable, Hashable, Sendable, Codable {
  case helloRequest = "hello-request"
  case clientHello = "client-hello"
  case serverHello = "server-hello"
  case newSessionTicket = "new-session-ticket"
  case endOfEarlyData = "end-of-early-data"
  case encryptedExtensions = "encrypted-extensions"
  case certificate
  case serverKeyExchange = "server-key-exchange"
  case certificateRequest = "certificate-request"
  case serverHelloDone = "server-hello-done"
  case certificateVerify = "certificate-verify"
  case clientKeyExchange = "client-key-exchange"
  case finished
  case certificateStatus = "certificate-status"
  case keyUpdate = "key-update"
  /// A record of its own kind; told and addressed like a message.
  case changeCipherSpec = "change-cipher-spec"

  /// The type in the message's first byte; nil for change-cipher-spec, which has none.
  package var number: UInt8? {
    switch self {
    case .helloRequest: 0
    case .clientHello: 1
    case .serverHello: 2
    case .newSessionTicket: 4
    case .endOfEarlyData: 5
    case .encryptedExtensions: 8
    case .certificate: 11
    case .serverKeyExchange: 12
    case .certificateRequest: 13
    case .serverHelloDone: 14
    case .certificateVerify: 15
    case .clientKeyExchange: 16
    case .finished: 20
    case .certificateStatus: 22
    case .keyUpdate: 24
    case .changeCipherSpec: nil
    }
  }

  /// nil: no message of these names has the type.
  package init?(number: UInt8) {
    guard let message = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = message
  }
}

/// The type of a TLS record: any number, five of which have names.
package struct TLSRecordType: RawRepresentable, Hashable, Sendable, Codable {
  package var rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The type 20.
  package static let changeCipherSpec = Self(rawValue: 20)
  /// The type 21.
  package static let alert = Self(rawValue: 21)
  /// The type 22.
  package static let handshake = Self(rawValue: 22)
  /// The type 23.
  package static let applicationData = Self(rawValue: 23)
  /// The type 24.
  package static let heartbeat = Self(rawValue: 24)

  private static let names: [(String, UInt8)] = [
    ("change-cipher-spec", 20), ("alert", 21), ("handshake", 22), ("application-data", 23), ("heartbeat", 24),
  ]

  /// The names that scenario files may write, by ascending number.
  package static var allNames: [String] { names.map(\.0) }

  /// nil: no type has the name.
  package init?(name: String) {
    guard let number = Self.names.first(where: { $0.0 == name })?.1 else { return nil }
    rawValue = number
  }

  /// `handshake`, or the number.
  package var text: String { Self.names.first { $0.1 == rawValue }?.0 ?? "\(rawValue)" }
}

/// An alert as it stands on the wire.
package struct TLSAlert: Hashable, Sendable, Codable {
  /// 1 is a warning, 2 is fatal; a hostile peer may say anything.
  package var level: UInt8
  /// The number of what it says, such as 42 for bad_certificate.
  package var description: UInt8

  package init(level: UInt8, description: UInt8) {
    self.level = level
    self.description = description
  }

  /// The description of close_notify.
  package static let closeNotify: UInt8 = 0

  private static let names: [(String, UInt8)] = [
    ("close_notify", 0), ("unexpected_message", 10), ("bad_record_mac", 20), ("decryption_failed", 21),
    ("record_overflow", 22), ("decompression_failure", 30), ("handshake_failure", 40), ("no_certificate", 41),
    ("bad_certificate", 42), ("unsupported_certificate", 43), ("certificate_revoked", 44), ("certificate_expired", 45),
    ("certificate_unknown", 46), ("illegal_parameter", 47), ("unknown_ca", 48), ("access_denied", 49),
    ("decode_error", 50), ("decrypt_error", 51), ("export_restriction", 60), ("protocol_version", 70),
    ("insufficient_security", 71), ("internal_error", 80), ("inappropriate_fallback", 86), ("user_canceled", 90),
    ("no_renegotiation", 100), ("missing_extension", 109), ("unsupported_extension", 110),
    ("certificate_unobtainable", 111), ("unrecognized_name", 112), ("bad_certificate_status_response", 113),
    ("bad_certificate_hash_value", 114), ("unknown_psk_identity", 115), ("certificate_required", 116),
    ("no_application_protocol", 120),
  ]

  /// All names of descriptions, by ascending number.
  package static var allNames: [String] { names.map(\.0) }

  /// The number of an alert's name in the RFCs.
  package static func number(of name: String) -> UInt8? { names.first { $0.0 == name }?.1 }

  /// The name, or `alert 99`.
  package static func name(of number: UInt8) -> String { names.first { $0.1 == number }?.0 ?? "alert \(number)" }

  /// `fatal bad_certificate`.
  package var text: String {
    let level = level == 1 ? "warning" : level == 2 ? "fatal" : "level \(level)"
    return "\(level) \(Self.name(of: description))"
  }
}

/// Which alert is meant.
package enum AlertPattern: Hashable, Sendable, Codable {
  case any
  /// One of these descriptions.
  case oneOf([UInt8])

  /// Whether the alert's description is accepted; its level is not looked at.
  package func matches(_ alert: TLSAlert) -> Bool {
    switch self {
    case .any: true
    case .oneOf(let descriptions): descriptions.contains(alert.description)
    }
  }

  /// As a scenario file writes it, for messages.
  package var text: String {
    switch self {
    case .any: "any alert"
    case .oneOf(let descriptions): descriptions.map(TLSAlert.name(of:)).joined(separator: " or ")
    }
  }
}
