import ReportMarkup
import ScenarioModel

// What the values of properties are, as Subjects/README.md says it.
extension SubjectProperty {
  /// What is wrong with the kind of a value, in words; nil: the property may have such a value. Of properties that the
  /// protocol does not have nothing is said.
  package func trouble(with value: PropertyValue) -> String? {
    guard let (isRight, wanted) = judge(value), !isRight else { return nil }
    return "`\(rawValue)` must be \(wanted), and is \(value.told)"
  }

  private func judge(_ value: PropertyValue) -> (isRight: Bool, wanted: String)? {
    switch self {
    case .isConnected, .isDisconnected, .isSecure, .isIPv4, .isIPv6, .ipv4Enabled, .ipv6Enabled, .ipv4Preferred,
      .autoDisconnectOnClosedReadStream:
      return (value.isFlag, "true or false")
    case .connectedHost, .localHost, .connectedURL, .userData:
      return (value.isNone || value.isText, "a text or null")
    case .connectedPort, .localPort:
      return (value.isPort, "a whole number between 0 and 65535")
    case .alternateAddressDelay:
      return (value.isNumber, "a number of seconds")
    case .connectedAddress, .localAddress, .peerCertificate:
      return (value.isNone || value.isBytes, "{\"base64\": …} or null")
    case .progressOfRead, .progressOfWrite:
      return (value.isProgress, "{\"tag\": …, \"done\": …, \"total\": …}")
    case .buffer, .unreadData, .canSafelySetDelegate, .runLoopModes, .description:
      return nil
    }
  }
}

extension PropertyValue {
  fileprivate var isNone: Bool { if case .none = self { true } else { false } }
  fileprivate var isFlag: Bool { if case .flag = self { true } else { false } }
  fileprivate var isNumber: Bool { if case .number = self { true } else { false } }
  fileprivate var isText: Bool { if case .text = self { true } else { false } }
  fileprivate var isBytes: Bool { if case .bytes = self { true } else { false } }
  fileprivate var isProgress: Bool { if case .progress = self { true } else { false } }

  fileprivate var isPort: Bool {
    guard case .number(let number) = self, let whole = Int(exactly: number) else { return false }
    return (0...65_535).contains(whole)
  }

  /// For a sentence.
  fileprivate var told: String {
    switch self {
    case .none: "null"
    case .flag(let flag): "\(flag)"
    case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
    case .text(let text): "the text \"\(VisibleText.clipped(text, to: 60))\""
    case .bytes: "bytes in base64"
    case .names: "a list"
    case .progress: "a progress"
    }
  }
}
