import FuzzCampaign
import ReportMarkup
import ScenarioModel

/// Growth of coverage as an inline SVG: each trial a thin line, their median a thick one, and the band between the
/// lowest and the highest.
struct GrowthChart {
  enum Axis {
    /// Linear, seconds.
    case time
    /// Logarithmic: half of what there is to find comes with the first thousandth of the executions.
    case executions
  }

  let axis: Axis
  let trials: [[SeriesPoint]]

  private static let width = 460.0
  private static let height = 190.0
  private static let left = 46.0
  private static let right = 30.0
  private static let top = 12.0
  private static let bottom = 30.0
  private static let steps = 60

  /// nil: nothing to draw.
  init?(_ runs: [FuzzRun], _ axis: Axis) {
    self.axis = axis
    trials = runs.map { run in run.series.filter(Self.canBeDrawn) }
      .filter { !$0.isEmpty }
    guard !trials.isEmpty else { return nil }
  }

  private static func canBeDrawn(_ point: SeriesPoint) -> Bool {
    point.seconds >= 0 && point.seconds < 1e9 && point.executions >= 0 && point.coverage >= 0
  }

  func markup(label: String) -> Markup {
    let (least, most) = range
    let peak = Double(max(1, trials.flatMap { $0.map(\.coverage) }.max() ?? 1))
    let y = { (value: Double) in Self.height - Self.bottom - value / peak * (Self.height - Self.top - Self.bottom) }
    let x = { (value: Double) in
      Self.left + (value - least) / max(most - least, 1e-9) * (Self.width - Self.left - Self.right)
    }
    var svg: Markup = "<svg class=\"growth\" viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" role=\"img\" "
    svg += "aria-label=\"\(VisibleText.scrub(label, singleLine: true))\">"
    svg += grid(least, most, peak, x, y)
    let spreads = trials.count > 1 ? spreads(least, most) : []
    if !spreads.isEmpty { svg += band(spreads, x, y) }
    for trial in trials { svg += "<path class=\"trial\" d=\"\(path(trial, x, y))\"/>" }
    if !spreads.isEmpty { svg += "<path class=\"median\" d=\"\(medianPath(spreads, x, y))\"/>" }
    return svg + "</svg>"
  }

  private func place(_ point: SeriesPoint) -> Double {
    switch axis {
    case .time: point.seconds
    case .executions: Self.log10(Double(max(1, point.executions)))
    }
  }

  private var range: (least: Double, most: Double) {
    let places = trials.flatMap { $0.map(place) }
    let most = places.max() ?? 1
    return (0, max(most, axis == .time ? 0.1 : 1))
  }

  /// Tens and what lies between, without a library.
  private static func log10(_ value: Double) -> Double {
    let bits = value.exponent
    var mantissa = value.significand
    var log = Double(bits)
    var part = 0.5
    for _ in 0..<24 {
      mantissa *= mantissa
      if mantissa >= 2 {
        mantissa /= 2
        log += part
      }
      part /= 2
    }
    return log * 0.301029995663981195
  }

  private func grid(
    _ least: Double, _ most: Double, _ peak: Double, _ x: (Double) -> Double, _ y: (Double) -> Double
  ) -> Markup {
    var svg: Markup = ""
    for share in [0.0, 0.5, 1.0] {
      let value = (peak * share).rounded()
      svg += "<path class=\"grid\" d=\"M\(Self.fix(Self.left)) \(Self.fix(y(value)))"
      svg += "H\(Self.fix(Self.width - Self.right))\"/>"
      svg += "<text class=\"y\" x=\"\(Self.fix(Self.left - 6))\" y=\"\(Self.fix(y(value) + 3.5))\">"
      svg += "\(CampaignWords.short(value))</text>"
    }
    for (place, label) in ticks(most) {
      svg += "<text class=\"x\" x=\"\(Self.fix(x(place)))\" y=\"\(Self.fix(Self.height - 10))\">\(label)</text>"
      svg += "<path class=\"grid\" d=\"M\(Self.fix(x(place))) \(Self.fix(Self.height - Self.bottom))v4\"/>"
    }
    return svg
  }

  private func ticks(_ most: Double) -> [(Double, String)] {
    switch axis {
    case .time: return [0, 0.25, 0.5, 0.75, 1].map { ($0 * most, CampaignWords.seconds($0 * most)) }
    case .executions:
      let step = most > 6 ? 2 : 1
      return stride(from: 0, through: Int(most), by: step).map { exponent in
        (Double(exponent), CampaignWords.short((0..<exponent).reduce(1.0) { power, _ in power * 10 }))
      }
    }
  }

  /// Steps: coverage holds until it grows.
  private func path(_ trial: [SeriesPoint], _ x: (Double) -> Double, _ y: (Double) -> Double) -> String {
    var path = ""
    for point in trial {
      let (across, up) = (Self.fix(x(place(point))), Self.fix(y(Double(point.coverage))))
      path += path.isEmpty ? "M\(across) \(up)" : "H\(across)V\(up)"
    }
    return path
  }

  /// Lowest, median and highest at places that lie evenly. A trial that had not begun counts as 0, one that is over as
  /// its end.
  private func spreads(_ least: Double, _ most: Double) -> [(place: Double, Spread)] {
    let curves = trials.map { trial in (places: trial.map(place), coverage: trial.map(\.coverage)) }
    return (0...Self.steps).compactMap { step in
      let place = least + (most - least) * Double(step) / Double(Self.steps)
      let values = curves.map { curve in
        curve.places.lastIndex { $0 <= place }.map { Double(curve.coverage[$0]) } ?? 0
      }
      return Spread(values).map { (place, $0) }
    }
  }

  private func band(_ spreads: [(place: Double, Spread)], _ x: (Double) -> Double, _ y: (Double) -> Double) -> Markup {
    let upper = spreads.map { "\(Self.fix(x($0))) \(Self.fix(y($1.high)))" }
    let lower = spreads.reversed().map { "\(Self.fix(x($0))) \(Self.fix(y($1.low)))" }
    return "<path class=\"band\" d=\"M\((upper + lower).joined(separator: "L"))Z\"/>"
  }

  private func medianPath(
    _ spreads: [(place: Double, Spread)], _ x: (Double) -> Double, _ y: (Double) -> Double
  ) -> String {
    "M" + spreads.map { "\(Self.fix(x($0))) \(Self.fix(y($1.median)))" }.joined(separator: "L")
  }

  private static func fix(_ value: Double) -> String { QuantityText.fraction(value, digits: 1) }
}
