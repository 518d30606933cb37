import ScenarioModel
import ScriptedPeer

extension PropertyCheck {
  /// Whether the property's actual value is the expected one. `port` is the number that a port reference in the
  /// expected value stands for, nil when it is not known (then the check cannot hold).
  func holds(_ actual: PropertyValue, port: UInt16?) -> Bool {
    switch expected {
    case .value(let value): value == actual || value.isAbsent && actual.isAbsent && isAbsentWhenZero
    case .payload(let payload): Self.holds(actual, payload)
    case .present: !actual.isAbsent && actual != .flag(false)
    case .port: port.map { actual == .number(Double($0)) } ?? false
    case .mentions(let texts): Self.holds(actual, mentioning: texts)
    case .progress(let tag, let done, let total, let active): Self.holds(actual, tag, done, total, active)
    }
  }

  private static func holds(_ actual: PropertyValue, _ payload: Payload) -> Bool {
    guard case .bytes(let bytes) = actual else { return false }
    return bytes.count == payload.count && bytes == payload.materialised
  }

  private static func holds(_ actual: PropertyValue, mentioning texts: [String]) -> Bool {
    guard case .text(let actual) = actual else { return false }
    return texts.allSatisfy(actual.contains)
  }

  /// The port reference in the expected value, if there is one.
  var portReference: PortReference? {
    if case .port(let reference) = expected { return reference }
    return nil
  }

  /// Ports are 0 where other properties are nil.
  private var isAbsentWhenZero: Bool {
    switch property {
    case .connectedPort, .localPort: true
    case .progressOfRead, .progressOfWrite: expected == .value(.none)
    default: false
    }
  }

  private static func holds(
    _ actual: PropertyValue, _ tag: Int?, _ done: ClosedRange<Int>?, _ total: Int?, _ active: Bool
  ) -> Bool {
    guard case .progress(let actualTag, let actualDone, let actualTotal, let fraction) = actual else {
      return actual == .none && !active
    }
    guard active else { return fraction.isNaN }
    return !fraction.isNaN && (tag == nil || tag == actualTag) && (done?.contains(actualDone) ?? true)
      && (total == nil || total == actualTotal)
  }

  /// In words.
  func text(_ socket: String) -> String {
    let subject = (socket == "socket" ? "" : socket + ".") + property.rawValue + (name.map { ".\($0)" } ?? "")
    switch expected {
    case .value(let value): return "\(subject): \(value.text)"
    case .payload(let payload): return "\(subject): \(PropertyValue.bytes(payload.materialised).text)"
    case .present: return "\(subject): present"
    case .port(.number(let number)): return "\(subject): \(number)"
    case .mentions(let texts): return "\(subject) with " + texts.map { "\"\($0)\"" }.joined(separator: ", ")
    case .port(.peer(let name)), .port(.listener(let name)): return "\(subject): the port of \(name)"
    case .progress(_, _, _, active: false): return "\(subject): none"
    case .progress(let tag, let done, let total, active: true):
      var parts: [String] = []
      if let tag { parts.append("tag \(tag)") }
      if let done { parts.append("done \(done.lowerBound)B..\(done.upperBound)B") }
      if let total { parts.append("total \(total)B") }
      return "\(subject): { \(parts.joined(separator: ", ")) }"
    }
  }
}

extension PropertyValue {
  /// None, 0, empty, or progress of nothing.
  fileprivate var isAbsent: Bool {
    switch self {
    case .none: true
    case .flag: false
    case .number(let number): number == 0
    case .text(let text): text.isEmpty
    case .bytes(let bytes): bytes.isEmpty
    case .names(let names): names.isEmpty
    case .progress(_, _, _, let fraction): fraction.isNaN
    }
  }

  /// In words.
  var text: String {
    switch self {
    case .none: "none"
    case .flag(let flag): "\(flag)"
    case .number(let number):
      number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
    case .text(let text): "\"\(text)\""
    case .bytes(let bytes): Wording.bytes(bytes)
    case .names(let names): names.joined(separator: ", ")
    case .progress(let tag, let done, let total, let fraction):
      fraction.isNaN ? "no progress" : "tag \(tag), \(done) of \(total) bytes, fraction \(fraction)"
    }
  }
}
