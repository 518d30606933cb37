import BenchmarkModel
import Foundation

/// Pieces of SVG.
package enum Drawing {
  /// Text between tags or in a quoted attribute. Characters that XML has no place for become U+FFFD.
  package static func escape(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\t", "\n", "\r": escaped += " "
      default: escaped.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar)
      }
    }
    return escaped
  }

  /// A coordinate; what is no number or out of all bounds stays at the edge.
  package static func fix(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let rounded = (min(max(value, -1e5), 1e5) * 10).rounded() / 10
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }

  static func text(_ content: String, x: Double, y: Double, class name: String = "") -> String {
    let attribute = name.isEmpty ? "" : " class=\"\(name)\""
    return "<text\(attribute) x=\"\(fix(x))\" y=\"\(fix(y))\">\(escape(content))</text>"
  }

  static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, class name: String) -> String {
    "<path class=\"\(name)\" d=\"M\(fix(x1)) \(fix(y1))L\(fix(x2)) \(fix(y2))\"/>"
  }

  static func svg(class name: String, width: Double, height: Double, label: String, _ content: String) -> String {
    "<svg class=\"\(name)\" viewBox=\"0 0 \(fix(width)) \(fix(height))\" role=\"img\" "
      + "aria-label=\"\(escape(label))\">\(content)</svg>"
  }
}

/// Horizontal bars with whiskers at the quartiles; each has a line of text above it.
struct BarChart {
  struct Bar {
    var name: String
    var value: String
    /// A class of the page: what colour.
    var tone: String
    var spread: Spread
    /// What was asked, and what is hoped for.
    var bar: Double?
    var aim: Double?
  }

  let label: String
  let bars: [Bar]

  private static let width = 540.0
  private static let step = 42.0
  private static let thickness = 13.0

  func svg() -> String {
    let most = bars.flatMap { [$0.spread.upperQuartile, $0.bar ?? 0, $0.aim ?? 0] }.filter(\.isFinite).max() ?? 1
    let x = { (value: Double) in max(0, value) / (most > 0 ? most : 1) * (Self.width - 8) + 1 }
    var content = ""
    for (index, bar) in bars.enumerated() {
      let top = Double(index) * Self.step + 20
      let middle = top + Self.thickness / 2
      content += "<g class=\"\(Drawing.escape(bar.tone))\">"
      content += Drawing.text(bar.name, x: 0, y: top - 5)
      content += Drawing.text(bar.value, x: Self.width, y: top - 5, class: "value")
      content += "<rect class=\"well\" x=\"0\" y=\"\(Drawing.fix(top))\" width=\"\(Drawing.fix(Self.width))\" "
      content += "height=\"\(Drawing.fix(Self.thickness))\" rx=\"3\"/>"
      content += "<rect class=\"amount\" x=\"0\" y=\"\(Drawing.fix(top))\" "
      content += "width=\"\(Drawing.fix(x(bar.spread.median)))\" height=\"\(Drawing.fix(Self.thickness))\" rx=\"3\"/>"
      let (low, high) = (x(bar.spread.lowerQuartile), x(bar.spread.upperQuartile))
      content += Drawing.line(low, middle, high, middle, class: "whisker")
      for end in [low, high] { content += Drawing.line(end, middle - 4, end, middle + 4, class: "whisker") }
      if let asked = bar.bar { content += Drawing.line(x(asked), top - 3, x(asked), top + 16, class: "asked") }
      if let aim = bar.aim { content += Drawing.line(x(aim), top - 3, x(aim), top + 16, class: "hoped") }
      content += "</g>"
    }
    return Drawing.svg(
      class: "bars", width: Self.width, height: Double(bars.count) * Self.step + 4, label: label, content)
  }
}

/// Cost against size, both logarithmic, so that a power law is a straight line and its slope the exponent.
struct GrowthPlot {
  let series: GrowthResult

  private static let width = 540.0
  private static let height = 280.0
  private static let left = 64.0
  private static let right = 14.0
  private static let top = 14.0
  private static let bottom = 40.0

  /// Decades, at least one, around the values.
  private struct Axis {
    let low, high: Double

    init?(_ values: [Double]) {
      let logs = values.filter { $0 > 0 && $0.isFinite }.map { log10($0) }
      guard let least = logs.min(), let most = logs.max() else { return nil }
      low = least.rounded(.down)
      high = max(most.rounded(.up), low + 1)
    }

    func part(_ value: Double) -> Double { (log10(max(value, 1e-300)) - low) / (high - low) }
    var decades: [Double] { Array(stride(from: low, through: high, by: max(1, ((high - low) / 6).rounded(.up)))) }
  }

  /// Empty without points.
  func svg() -> String {
    let points = series.lines.flatMap(\.points)
    guard let across = Axis(points.map { Double($0.size) }),
      let up = Axis(points.flatMap { [$0.cost.lowerQuartile, $0.cost.upperQuartile] })
    else { return "" }
    let x = { (value: Double) in Self.left + across.part(value) * (Self.width - Self.left - Self.right) }
    let y = { (value: Double) in
      Self.height - Self.bottom - up.part(value) * (Self.height - Self.top - Self.bottom)
    }
    var content = ""
    for decade in up.decades {
      let value = pow(10, decade)
      content += Drawing.line(Self.left, y(value), Self.width - Self.right, y(value), class: "grid")
      content += Drawing.text(Quantity.decade(seconds: decade), x: Self.left - 6, y: y(value) + 4, class: "y")
    }
    for decade in across.decades {
      let value = pow(10, decade)
      content += Drawing.line(x(value), Self.top, x(value), Self.height - Self.bottom, class: "grid")
      let label = Quantity.text(value, "").trimmed.replacing(".00", with: "").replacing(".0", with: "")
      content += Drawing.text(label, x: x(value), y: Self.height - Self.bottom + 15, class: "x")
    }
    content += Drawing.text(series.size, x: Self.width - Self.right, y: Self.height - 6, class: "y")
    for (index, line) in series.lines.enumerated() { content += self.line(line, index, x, y) }
    return Drawing.svg(
      class: "growth", width: Self.width, height: Self.height, label: "\(series.title): cost in seconds", content)
  }

  private func line(
    _ line: GrowthResult.Line, _ index: Int, _ x: (Double) -> Double, _ y: (Double) -> Double
  ) -> String {
    let places = line.points.map { "\(Drawing.fix(x(Double($0.size)))) \(Drawing.fix(y($0.cost.median)))" }
    var content = "<g class=\"\(series.tone(of: index))\">"
    content += "<path class=\"course\" d=\"M\(places.joined(separator: "L"))\"/>"
    for point in line.points {
      let place = x(Double(point.size))
      content += Drawing.line(
        place, y(max(point.cost.lowerQuartile, 1e-12)), place, y(max(point.cost.upperQuartile, 1e-12)),
        class: "whisker")
      content += "<circle cx=\"\(Drawing.fix(place))\" cy=\"\(Drawing.fix(y(point.cost.median)))\" r=\"3\"/>"
    }
    if let reference = linear(from: line), line.isSubject {
      content += Drawing.line(
        x(reference.from.0), y(reference.from.1), x(reference.to.0), y(reference.to.1), class: "linear")
    }
    return content + "</g>"
  }

  /// How the cost would grow linearly from the middle on.
  private func linear(from line: GrowthResult.Line) -> (from: (Double, Double), to: (Double, Double))? {
    let upper = line.points.suffix(max(3, (line.points.count + 1) / 2))
    guard let first = upper.first, let last = upper.last, first.size > 0, last.size > first.size else { return nil }
    let factor = Double(last.size) / Double(first.size)
    return ((Double(first.size), first.cost.median), (Double(last.size), first.cost.median * factor))
  }
}

extension GrowthResult {
  /// A class of the page: blues for subjects, warm colours for rivals.
  func tone(of index: Int) -> String {
    let before = lines[..<index].filter { $0.isSubject == lines[index].isSubject }.count
    return (lines[index].isSubject ? ["line0", "line2"] : ["line1", "line3"])[before % 2]
  }
}

extension Quantity {
  /// 1 µs, 10 µs, 100 µs: powers of ten of a second.
  package static func decade(seconds exponent: Double) -> String {
    let power = Int(max(-12, min(6, exponent)))
    let units = ["ps", "ns", "µs", "ms", "s"]
    let group = min((power + 12) / 3, units.count - 1)
    let factor = power + 12 - group * 3
    return "1" + String(repeating: "0", count: max(0, factor)) + " " + units[group]
  }
}
