/// Figures come from logs and files, so they may be as large as they like: sums stop at the end of the range instead of
/// trapping.
extension Sequence<Int> {
  /// The sum, or the end of the range that it would pass; 0 for no numbers.
  package var total: Int {
    reduce(0) { sum, next in
      let (result, overflows) = sum.addingReportingOverflow(next)
      return overflows ? (next > 0 ? .max : .min) : result
    }
  }
}

extension Int {
  /// The nearest whole number; the end of the range for what lies beyond it, 0 for what is no number.
  package init(nearest value: Double) {
    self = value.isNaN ? 0 : Int(exactly: value.rounded()) ?? (value > 0 ? .max : .min)
  }

  /// `12,345,678`.
  package var grouped: String {
    let digits = Array(String(magnitude))
    var text = self < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// Not below 0, and not beyond the range.
  func lessened(by other: Int) -> Int {
    let (result, overflows) = subtractingReportingOverflow(other)
    return overflows ? (other < 0 ? .max : 0) : Swift.max(0, result)
  }
}
