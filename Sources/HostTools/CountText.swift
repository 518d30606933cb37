import Foundation

/// Numbers for people.
package enum CountText {
  /// `1,234`.
  package static func count(_ number: Int) -> String {
    var digits = String(number)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }

  /// `1 case`, `2 cases`.
  package static func count(_ number: Int, _ noun: String) -> String {
    "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// `0.31 s`.
  package static func seconds(_ duration: Duration) -> String { String(format: "%.2f s", duration.inSeconds) }
}

extension Duration {
  /// In seconds, with fractions.
  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
