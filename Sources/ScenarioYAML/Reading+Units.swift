import ScenarioModel

/// A number in front of its unit, as written.
private struct Quantity {
  var sign: Bool
  /// Digits before and after the point.
  var whole: Substring
  var fraction: Substring
  /// What stands behind the digits of an `e`, if there is one.
  var exponent: Substring?
  var unit: Substring

  /// nil if the text does not begin like a number.
  init?(_ text: String) {
    var rest = text[...]
    sign = rest.first == "-"
    if sign { rest = rest.dropFirst() }
    whole = rest.prefix { $0.isASCII && $0.isNumber }
    rest = rest.dropFirst(whole.count)
    fraction = ""
    if rest.first == "." {
      fraction = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
      guard !fraction.isEmpty else { return nil }
      rest = rest.dropFirst(fraction.count + 1)
    }
    guard !whole.isEmpty else { return nil }
    if rest.first == "e" || rest.first == "E" {
      var digits = rest.dropFirst()
      if digits.first == "+" || digits.first == "-" { digits = digits.dropFirst() }
      let count = digits.prefix { $0.isASCII && $0.isNumber }.count
      if count > 0 {
        let length = rest.count - digits.count + count
        exponent = rest.dropFirst().prefix(length - 1)
        rest = rest.dropFirst(length)
      }
    }
    unit = rest
  }

  /// The number without its unit.
  var number: String {
    (sign ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction) + (exponent.map { "e" + $0 } ?? "")
  }
}

/// Units of time and how the author may have meant to write them.
private enum TimeUnit: String, CaseIterable {
  case us, ms, s, min

  /// Powers of ten of attoseconds in one unit, and what else to multiply by.
  var attoseconds: (digits: Int, factor: Int128) {
    switch self {
    case .us: (12, 1)
    case .ms: (15, 1)
    case .s: (18, 1)
    case .min: (18, 60)
    }
  }

  static func guess(_ unit: Substring) -> TimeUnit? {
    switch unit.lowercased() {
    case "µs", "μs", "usec", "micros": .us
    case "msec", "millis", "milliseconds", "mil": .ms
    case "sec", "secs", "second", "seconds": .s
    case "m", "mins", "minute", "minutes": .min
    default: nil
    }
  }
}

extension Reading {
  /// Waits, windows and limits may not be longer.
  static let longestDuration = Duration.seconds(86_400)

  /// A length of time such as `20ms`, `1.5s` or `2min`, exact to the attosecond; at most a day.
  mutating func duration(_ node: YAMLNode, of what: String) -> Duration? {
    guard let (quantity, unit) = timeQuantity(node, of: what) else { return nil }
    guard !quantity.sign else {
      report(.outOfRange, at: node.position, "\(what) cannot be negative")
      return nil
    }
    guard quantity.exponent == nil else {
      report(.badQuantity, at: node.position, "\(what) is written without an exponent", help: "for example `20ms`")
      return nil
    }
    let (digits, factor) = unit.attoseconds
    let fraction = quantity.fraction + String(repeating: "0", count: max(0, digits - quantity.fraction.count))
    guard quantity.whole.count <= 12, fraction.count == digits, let value = Int128(quantity.whole + fraction),
      Duration(attoseconds: value * factor) <= Self.longestDuration
    else {
      report(.outOfRange, at: node.position, "\(what) must be at most 24 h, and not finer than an attosecond")
      return nil
    }
    return Duration(attoseconds: value * factor)
  }

  /// A timeout as the API takes it: a time with a unit, possibly negative or absurd, or `never`, `nan`, `inf`.
  mutating func timeout(_ node: YAMLNode, of what: String) -> TimeoutValue? {
    switch node.word {
    case "never": return .never
    case "nan": return TimeoutValue(seconds: .nan)
    case "inf": return TimeoutValue(seconds: .infinity)
    case "-inf": return TimeoutValue(seconds: -.infinity)
    default: return seconds(node, of: what).map(TimeoutValue.init(seconds:))
    }
  }

  /// Seconds as a floating-point number, for values the API takes so.
  mutating func seconds(_ node: YAMLNode, of what: String) -> Double? {
    guard let (quantity, unit) = timeQuantity(node, of: what) else { return nil }
    guard let number = Double(quantity.number), number.isFinite else {
      report(.outOfRange, at: node.position, "\(what) is larger than a number can be", help: "write `inf`")
      return nil
    }
    return switch unit {
    case .us: number / 1_000_000
    case .ms: number / 1_000
    case .s: number
    case .min: number * 60
    }
  }

  private mutating func timeQuantity(_ node: YAMLNode, of what: String) -> (Quantity, TimeUnit)? {
    guard let text = node.word else {
      reportShape(node, of: what, expected: "a time such as `20ms`", help: "write it without quotes")
      return nil
    }
    guard let quantity = Quantity(text) else {
      report(
        .badQuantity, at: node.position, "\(what) is a time, not `\(text.shortened)`",
        help: "for example `500us`, `20ms`, `1.5s` or `2min`")
      return nil
    }
    if let unit = TimeUnit(rawValue: String(quantity.unit)) { return (quantity, unit) }
    guard !quantity.unit.isEmpty else {
      report(
        .missingUnit, at: node.position, "\(what) has no unit",
        help: "write `\(quantity.number)ms` or `\(quantity.number)s`")
      return nil
    }
    if quantity.unit.first == "," {
      report(
        .badQuantity, at: node.position, "\(what) is a time, not `\(text.shortened)`",
        help: "decimals stand behind a point: `\(text.shortened.replacing(",", with: "."))`")
      return nil
    }
    let guess = TimeUnit.guess(quantity.unit).map { "did you mean `\(quantity.number)\($0.rawValue)`? " } ?? ""
    report(
      .badQuantity, at: node.position, "`\(String(quantity.unit).shortened)` is not a unit of time",
      help: guess + "the units are us, ms, s and min")
    return nil
  }

  /// A number of bytes such as `64B` or `4KiB`; `max` is the largest number there is.
  mutating func size(_ node: YAMLNode, of what: String, atLeast least: Int = 0, atMost most: Int = .max) -> Int? {
    guard let text = node.word else {
      reportShape(node, of: what, expected: "a size such as `4KiB`", help: "write it without quotes")
      return nil
    }
    guard let size = size(text, of: what, at: node.position) else { return nil }
    guard size >= least else {
      report(.outOfRange, at: node.position, "\(what) must be at least \(least)B")
      return nil
    }
    guard size <= most else {
      report(.outOfRange, at: node.position, "\(what) must be at most \(SizeText.text(most))")
      return nil
    }
    return size
  }

  /// `4B..5B`, or one size for both ends.
  mutating func sizeRange(_ node: YAMLNode, of what: String) -> ClosedRange<Int>? {
    guard let text = node.word else {
      reportShape(node, of: what, expected: "a size such as `4B` or `4B..5B`", help: "write it without quotes")
      return nil
    }
    let scalars = Array(text.unicodeScalars)
    guard let dots = scalars.indices.dropLast().first(where: { scalars[$0] == "." && scalars[$0 + 1] == "." }) else {
      return size(text, of: what, at: node.position).map { $0...$0 }
    }
    let low = String(String.UnicodeScalarView(scalars[..<dots]))
    let high = String(String.UnicodeScalarView(scalars[(dots + 2)...]))
    guard let lower = size(low, of: what, at: node.position), let upper = size(high, of: what, at: node.position)
    else { return nil }
    guard lower <= upper else {
      report(
        .outOfRange, at: node.position, "\(what) ends before it begins", help: "write the smaller size first")
      return nil
    }
    return lower...upper
  }

  private mutating func size(_ text: String, of what: String, at position: SourcePosition) -> Int? {
    if text == "max" { return Int.max }
    guard let quantity = Quantity(text), quantity.fraction.isEmpty, quantity.exponent == nil, !quantity.sign else {
      report(
        .badQuantity, at: position, "\(what) is a whole number of bytes, not `\(text.shortened)`",
        help: "for example `64B`, `4KiB`, `1MiB` or `8GiB`")
      return nil
    }
    guard !quantity.unit.isEmpty else {
      report(.missingUnit, at: position, "\(what) has no unit", help: "write `\(quantity.whole)B` for bytes")
      return nil
    }
    guard let shift = SizeText.units.first(where: { $0.name == quantity.unit })?.shift else {
      let guess = SizeText.units.first { $0.name.first?.lowercased() == quantity.unit.first?.lowercased() }
      let hint = guess.map { "did you mean `\(quantity.whole)\($0.name)`? " } ?? ""
      report(
        .badQuantity, at: position, "`\(String(quantity.unit).shortened)` is not a unit of size",
        help: hint + "the units are B, KiB, MiB and GiB")
      return nil
    }
    guard let number = Int(quantity.whole), case (let size, false) = number.multipliedReportingOverflow(by: 1 << shift)
    else {
      report(.outOfRange, at: position, "\(what) is larger than a number can be", help: "write `max`")
      return nil
    }
    return size
  }

  /// A whole number, decimal or `0x…`.
  mutating func number(_ node: YAMLNode, of what: String, in range: ClosedRange<Int>) -> Int? {
    guard let text = node.word else {
      reportShape(node, of: what, expected: "a number", help: "write it without quotes")
      return nil
    }
    guard let digits = WholeNumber(text) else {
      report(.badNumber, at: node.position, "\(what) is a whole number, not `\(text.shortened)`")
      return nil
    }
    guard let value = digits.value(as: Int.self), range.contains(value) else {
      report(.outOfRange, at: node.position, "\(what) must be \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return value
  }

  /// A whole number written without quotes; nil, without a remark, for anything else.
  func plainNumber(_ node: YAMLNode) -> Int? { node.word.flatMap(WholeNumber.init)?.value(as: Int.self) }

  /// How often something is repeated: 1 to 100,000 unless the place says otherwise.
  mutating func times(
    _ node: YAMLNode, of what: String, atLeast least: Int = 1, atMost most: Int = 100_000
  ) -> Int? {
    guard let text = node.word, let digits = WholeNumber(text) else {
      return number(node, of: what, in: least...most)
    }
    guard let value = digits.value(as: Int.self), value <= most else {
      report(.tooMany, at: node.position, "\(what) may be at most \(most)")
      return nil
    }
    return number(node, of: what, in: least...most).map { _ in value }
  }

  /// A number of 64 bits without sign.
  mutating func seed(_ node: YAMLNode, of what: String) -> UInt64? {
    guard let text = node.word, let digits = WholeNumber(text), let value = digits.value(as: UInt64.self) else {
      _ = number(node, of: what, in: 0...Int.max)
      return nil
    }
    return value
  }
}

/// The digits of a whole number, decimal or hexadecimal.
private struct WholeNumber {
  private var digits: String
  private var radix: Int

  init?(_ text: String) {
    let isNegative = text.hasPrefix("-")
    let body = isNegative ? text.dropFirst() : text[...]
    let isHex = body.hasPrefix("0x")
    let rest = isHex ? body.dropFirst(2) : body
    let isDigit: (UInt8) -> Bool = { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): isHex
      default: false
      }
    }
    guard !rest.isEmpty, rest.utf8.allSatisfy(isDigit) else { return nil }
    digits = (isNegative ? "-" : "") + rest
    radix = isHex ? 16 : 10
  }

  /// nil if it does not fit.
  func value<Number: FixedWidthInteger>(as type: Number.Type) -> Number? { Number(digits, radix: radix) }
}

/// Sizes as scenario files write them.
enum SizeText {
  static let units: [(name: String, shift: Int)] = [("B", 0), ("KiB", 10), ("MiB", 20), ("GiB", 30)]

  /// In the largest unit that divides it.
  static func text(_ size: Int) -> String {
    if size == .max { return "max" }
    let unit = units.last { size > 0 && size % (1 << $0.shift) == 0 } ?? units[0]
    return "\(size >> unit.shift)\(unit.name)"
  }
}
