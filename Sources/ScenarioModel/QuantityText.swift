/// Durations, sizes, counts and decimals as people read them. (As scenario files write them is another matter: there
/// they must read back.)
package enum QuantityText {
  /// `250 µs`, `1.2 ms`, `120 ms`, `1.25 s`, `2 min 5 s`; negative durations carry a minus.
  package static func duration(_ duration: Duration) -> String {
    let seconds = duration.inSeconds
    guard seconds >= 0 else { return "-" + Self.duration(.zero - duration) }
    switch seconds {
    case 0: return "0 ms"
    case ..<0.001: return fraction(seconds * 1e6, digits: 0) + " µs"
    case ..<0.01: return fraction(seconds * 1e3, digits: 1) + " ms"
    case ..<0.9995: return fraction(seconds * 1e3, digits: 0) + " ms"
    case ..<60: return fraction(seconds, digits: 2) + " s"
    default:
      let whole = duration.components.seconds
      return "\(whole / 60) min \(whole % 60) s"
    }
  }

  /// `7 B`, `4 KiB`, `1.5 MiB`.
  package static func size(_ count: Int) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
    for (unit, scale) in units where count >= scale {
      return fraction(Double(count) / Double(scale), digits: 1) + " " + unit
    }
    return "\(count) B"
  }

  /// `12,345,678`.
  package static func count(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// `1 case`, `2,097 cases`.
  package static func count(_ number: Int, _ noun: String) -> String {
    "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// Milliseconds to three decimals: fine enough to compare, coarse enough to read.
  package static func milliseconds(_ duration: Duration) -> Double {
    (duration.inSeconds * 1e6).rounded() / 1e3
  }

  /// Decimal notation with exactly `decimals` decimals.
  package static func fixed(_ value: Double, decimals: Int) -> String {
    let text = fraction(value, digits: decimals)
    guard decimals > 0, text.allSatisfy({ $0.isNumber || $0 == "." || $0 == "-" }) else { return text }
    let parts = text.split(separator: ".")
    let have = parts.count > 1 ? parts[1].count : 0
    return text + (have == 0 ? "." : "") + String(repeating: "0", count: decimals - have)
  }

  /// Decimal notation with at most `digits` decimals, trailing zeros dropped; never an exponent.
  package static func fraction(_ value: Double, digits: Int) -> String {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    guard let scaled = Int(exactly: (value * scale).rounded()) else { return "\(value)" }
    let unit = Int(scale)
    let sign = scaled < 0 ? "-" : ""
    let magnitude = scaled.magnitude
    let whole = "\(sign)\(magnitude / UInt(unit))"
    var rest = String(magnitude % UInt(unit))
    guard magnitude % UInt(unit) != 0 else { return whole }
    rest = String(repeating: "0", count: digits - rest.count) + rest
    while rest.hasSuffix("0") { rest.removeLast() }
    return "\(whole).\(rest)"
  }
}

extension Duration {
  /// In seconds, with fractions; for a long duration as exact as a Double is.
  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
