import Foundation

/// Numbers as people read them: three digits that count, and a prefix.
package enum Quantity {
  /// 12.3k messages/s, 4.56 GB/s, 890 B.
  package static func text(_ value: Double, _ unit: String) -> String {
    guard value.isFinite else { return "—" }
    let prefixes: [(Double, String)] = [(1e9, "G"), (1e6, "M"), (1e3, "k")]
    for (factor, prefix) in prefixes where abs(value) >= factor {
      let number = digits(value / factor)
      // Bytes take the prefix, counted things follow it.
      return unit.hasPrefix("B") ? "\(number) \(prefix)\(unit)" : "\(number)\(prefix) \(unit)"
    }
    return "\(digits(value)) \(unit)"
  }

  /// 1.23 µs.
  package static func seconds(_ value: Double) -> String {
    guard value.isFinite else { return "—" }
    for (factor, unit) in [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")] where abs(value) >= factor {
      return "\(digits(value / factor)) \(unit)"
    }
    return "\(digits(value * 1e9)) ns"
  }

  /// Three digits that count; never an exponent.
  package static func digits(_ value: Double) -> String {
    guard value.isFinite else { return "—" }
    let decimals = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2
    return String(format: "%.\(decimals)f", value)
  }

  /// A limit as the table of workloads says it: 0.85, 3, 20000.
  package static func limit(_ value: Double) -> String {
    value == value.rounded() && abs(value) >= 3 ? String(format: "%.0f", value) : String(format: "%g", value)
  }

  /// 1, 10k, 1M.
  package static func size(_ value: Int) -> String {
    for (factor, prefix) in [(1 << 20, "Mi"), (1 << 10, "Ki")] where value >= factor && value % factor == 0 {
      return "\(value / factor)\(prefix)"
    }
    return value >= 1000 && value % 1000 == 0 ? "\(value / 1000)k" : "\(value)"
  }
}
