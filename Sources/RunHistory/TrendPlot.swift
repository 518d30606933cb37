import ReportMarkup
import RunComparison
import ScenarioModel

/// The figures of a measure as an inline SVG: a point for each entry, with its interval or the spread of its samples,
/// joined where they may be compared with the last one.
///
/// The axis begins at zero, so that a small change looks small, and says where it begins and ends.
struct TrendPlot {
  private static let width = 340.0
  private static let height = 126.0
  private static let left = 12.0
  private static let right = 12.0
  private static let top = 20.0
  private static let bottom = 26.0

  private let course: Trend.Course
  /// How many entries there are.
  private let count: Int
  private let names: [String]

  /// - Parameter names: of the entries, in order of time.
  init(_ course: Trend.Course, names: [String]) {
    (self.course, self.names) = (course, names)
    count = names.count
  }

  var markup: Markup {
    let spreads = course.points.map(Self.spread)
    let lowest = spreads.map(\.low).min() ?? 0
    let highest = spreads.map(\.high).max() ?? 1
    let least = min(0, lowest)
    let most = highest > least ? highest : least + 1
    let y = { (value: Double) in
      Self.top + (most - value) / (most - least) * (Self.height - Self.top - Self.bottom)
    }
    let x = { (place: Int) in
      Self.left + (Double(place) + 0.5) / Double(max(1, count)) * (Self.width - Self.left - Self.right)
    }
    let label = "\(course.name): \(course.last.text) now, \(course.points.count) figures"
    var svg: Markup = """
      <svg class="trend" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" \
      aria-label="\(label, clipped: 200)">
      """
    svg += scale(least, most, of: lowest...max(lowest, highest), y)
    for (point, spread) in zip(course.points, spreads) where spread.high > spread.low {
      let place = Self.fix(x(point.place))
      svg += "<path class=\"spread\" d=\"M\(place) \(Self.fix(y(spread.low)))V\(Self.fix(y(spread.high)))\"/>"
    }
    svg += "<path class=\"line\" d=\"\(line(x, y))\"/>"
    for point in course.points {
      let isLast = point.place == course.points[course.points.count - 1].place
      let kind = !point.isComparable ? "other" : isLast ? "last \(course.judgement.change.rawValue)" : "point"
      let title = "\(names[point.place]): \(point.measure.text)"
      svg += """
        <circle class="\(kind)" cx="\(Self.fix(x(point.place)))" cy="\(Self.fix(y(point.measure.value)))" \
        r="\(isLast ? "4.5" : "3")"><title>\(title, clipped: 160)</title></circle>
        """
    }
    return svg + axis + "</svg>"
  }

  /// Where the axis begins and ends, and between what the figures are.
  private func scale(
    _ least: Double, _ most: Double, of figures: ClosedRange<Double>, _ y: (Double) -> Double
  ) -> Markup {
    let unit = course.last.unit
    let right = Self.fix(Self.width - Self.right)
    let lines = [most, least].map { value -> Markup in
      let height = Self.fix(y(value))
      let label = Self.fix(y(value) - 3)
      return """
        <path class="scale" d="M\(Self.fix(Self.left)) \(height)H\(right)"/>\
        <text x="\(Self.fix(Self.left))" y="\(label)">\(HistoryMeasure.text(value, unit))</text>
        """
    }
    let (low, high) = (HistoryMeasure.text(figures.lowerBound, unit), HistoryMeasure.text(figures.upperBound, unit))
    let words = low == high ? low : "\(low) to \(high)"
    return """
      \(lines)<text class="end" x="\(right)" y="\(Self.fix(Self.top - 3))">\(words)</text>
      """
  }

  private var axis: Markup {
    let base = Self.fix(Self.height - 8)
    let first = names.first.map { String($0.prefix(10)) } ?? ""
    let last = names.last.map { String($0.prefix(10)) } ?? ""
    return """
      <text x="\(Self.fix(Self.left))" y="\(base)">\(first)</text>\
      <text class="end" x="\(Self.fix(Self.width - Self.right))" y="\(base)">\(last)</text>
      """
  }

  /// Of comparable points, one after the other.
  private func line(_ x: (Int) -> Double, _ y: (Double) -> Double) -> String {
    let places = course.points.filter(\.isComparable).map {
      "\(Self.fix(x($0.place))) \(Self.fix(y($0.measure.value)))"
    }
    return "M" + places.joined(separator: "L")
  }

  /// A share's interval, or the least and the greatest of the samples.
  private static func spread(_ point: Trend.Point) -> (low: Double, high: Double) {
    let measure = point.measure
    if measure.noise == .counted, let counted = measure.counted, counted.all > 0 {
      let interval = FailureRate(failures: counted.of, runs: counted.all).interval
      return (min(interval.lowerBound, measure.value), max(interval.upperBound, measure.value))
    }
    let values = measure.samples.filter(\.isFinite) + [measure.value]
    return (values.min() ?? measure.value, values.max() ?? measure.value)
  }

  private static func fix(_ value: Double) -> String { QuantityText.fraction(value, digits: 1) }
}
