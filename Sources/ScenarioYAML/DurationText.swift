/// Times as scenario files write them.
enum DurationText {
  /// Exact, in the shortest of the units us, ms and s.
  static func text(_ duration: Duration) -> String {
    let attoseconds = duration.attoseconds
    let units: [(name: String, size: Int128)] = [
      ("s", 1_000_000_000_000_000_000), ("ms", 1_000_000_000_000_000), ("us", 1_000_000_000_000),
    ]
    for unit in units where attoseconds % unit.size == 0 { return "\(attoseconds / unit.size)\(unit.name)" }
    let second = units[0].size
    var fraction = String(attoseconds % second)
    fraction = String(repeating: "0", count: 18 - fraction.count) + fraction
    while fraction.last == "0" { fraction.removeLast() }
    return "\(attoseconds / second).\(fraction)s"
  }

  /// Seconds as the API takes them, in a form that reads back as the same number.
  static func text(seconds: Double) -> String {
    if seconds == -1 { return "never" }
    if seconds.isNaN { return "nan" }
    if seconds.isInfinite { return seconds < 0 ? "-inf" : "inf" }
    return plain(seconds: seconds)
  }

  /// As `text(seconds:)`, for places that know no keywords.
  static func plain(seconds: Double) -> String {
    let text = "\(seconds)"
    return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + "s"
  }
}
