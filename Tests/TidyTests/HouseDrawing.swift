import Foundation

/// The house as a picture: a box for each module, a panel for each part, and an arrow for each import that does not
/// follow from others. The same table gives the same picture, byte by byte.
///
/// Modules stand in storeys, each above all that it imports. An arrow over several storeys has a place of its own in
/// each of them, so that it passes between the boxes and never behind one.
struct HouseDrawing {
  /// A box, or the place where an arrow passes a storey.
  private struct Place {
    /// nil: an arrow passes here.
    let module: String?
    let width: Double
    /// Where its middle may lie.
    let span: ClosedRange<Double>
    let storey: Int
    var middle: Double
    var neighbours: [Int] = []
  }

  private let table: ModuleTable
  private let storeys: [String: Int]
  /// From where to where each part goes.
  private let spans: [String: ClosedRange<Double>]
  private var places: [Place] = []
  /// Indices of places from the module that imports down to the one that is imported.
  private var arrows: [[Int]] = []

  private static let boxHeight = 30.0
  private static let storeyHeight = 74.0
  private static let gap = 16.0
  private static let margin = 20.0

  private static let titles = [
    "lab": "lab tower: judges", "subject": "subject tower: is judged", "both": "see both towers",
    "fuzz": "fuzz laboratory", "ground": "ground: mechanism only", "command": "the command line",
  ]
  private static let colours = [
    "lab": "#2f6f9f", "subject": "#a4532a", "both": "#6d4a99", "fuzz": "#3d7a43", "ground": "#5c5c5c",
    "command": "#8a6d00",
  ]

  init(of whole: ModuleTable) {
    table = ModuleTable(rows: whole.rows.filter { Self.titles[$0.part] != nil }, bans: [])
    storeys = Self.storeys(of: table)
    spans = Self.spans(of: table, storeys)
    build()
    for _ in 0..<60 { relax() }
  }

  /// The lowest storey that is above all imports, and where the part begins: towers on the ground, `both` above them,
  /// the command line above everything.
  private static func storeys(of table: ModuleTable) -> [String: Int] {
    let below: [String: Set<String>] = [
      "lab": ["ground"], "subject": ["ground"], "fuzz": ["ground"], "both": ["ground", "lab", "subject"],
      "command": ["ground", "lab", "subject", "both", "fuzz"],
    ]
    let arrows = table.arrows
    var storeys: [String: Int] = [:]
    // Each round settles one storey at least; a table with a cycle, which another test refuses, is given up.
    for _ in table.rows {
      for row in table.rows {
        let parts = below[row.part, default: []]
        let foundations = table.rows.filter { parts.contains($0.part) }.map(\.name)
        let highest = (foundations + arrows[row.name, default: []]).compactMap { storeys[$0] }.max() ?? -1
        storeys[row.name] = highest + 1
      }
    }
    return storeys
  }

  /// The three columns side by side, each as wide as its fullest storey, with room for arrows that pass.
  private static func spans(of table: ModuleTable, _ storeys: [String: Int]) -> [String: ClosedRange<Double>] {
    func width(_ part: String) -> Double {
      let byStorey = Dictionary(grouping: table.rows.filter { $0.part == part }) { storeys[$0.name] ?? 0 }
      return byStorey.values.map { $0.reduce(0) { $0 + boxWidth($1.name) + gap } }.max() ?? 0
    }
    let towers = max(width("lab") + width("subject") + 200, width("both") + 60)
    let lab = width("lab") * (towers - 100) / max(1, width("lab") + width("subject"))
    let middle = margin + lab + 50
    let right = margin + towers + gap
    let end = right + max(width("fuzz"), width("ground") + width("command") - towers) + 50
    return [
      "lab": margin...(middle - gap), "subject": middle...(right - gap), "both": margin...(right - gap),
      "fuzz": right...end, "ground": margin...end, "command": margin...end,
    ]
  }

  private static func boxWidth(_ name: String) -> Double { Double(name.count) * 7.8 + 18 }

  /// The imports that do not follow from others.
  private static func essentialArrows(of table: ModuleTable) -> [(from: String, to: String)] {
    let reach = table.reach
    let arrows = table.arrows
    return table.rows.flatMap { row in
      let imported = arrows[row.name, default: []]
      return table.rows.map(\.name).filter { target in
        imported.contains(target) && !imported.contains { $0 != target && reach[$0, default: []].contains(target) }
      }.map { (row.name, $0) }
    }
  }

  private mutating func build() {
    var index: [String: Int] = [:]
    for row in table.rows {
      let width = Self.boxWidth(row.name)
      let span = spans[row.part, default: 0...0]
      let inner = (span.lowerBound + 8 + width / 2)...(span.upperBound - 8 - width / 2)
      // Spread in the order of the table, to begin with.
      let mates = table.rows.filter { $0.part == row.part && storeys[$0.name] == storeys[row.name] }.map(\.name)
      let share = Double(mates.firstIndex(of: row.name)! + 1) / Double(mates.count + 1)
      index[row.name] = places.count
      places.append(
        Place(
          module: row.name, width: width, span: inner, storey: storeys[row.name, default: 0],
          middle: span.lowerBound + share * (span.upperBound - span.lowerBound)))
    }
    for (from, to) in Self.essentialArrows(of: table) {
      guard let top = index[from], let bottom = index[to] else { continue }
      var line = [top]
      let height = Double(places[top].storey - places[bottom].storey)
      for storey in stride(from: places[top].storey - 1, to: places[bottom].storey, by: -1) {
        let share = Double(places[top].storey - storey) / height
        line.append(places.count)
        places.append(
          Place(
            module: nil, width: 2, span: 8...(width - 8), storey: storey,
            middle: places[top].middle * (1 - share) + places[bottom].middle * share))
      }
      line.append(bottom)
      for (upper, lower) in zip(line, line.dropFirst()) {
        places[upper].neighbours.append(lower)
        places[lower].neighbours.append(upper)
      }
      arrows.append(line)
    }
  }

  /// Draws everything towards the middle of its neighbours, storey by storey, and then apart where it overlaps.
  private mutating func relax() {
    for storey in 0...(places.map(\.storey).max() ?? 0) {
      let here = places.indices.filter { places[$0].storey == storey }
      for index in here where !places[index].neighbours.isEmpty {
        let sum = places[index].neighbours.reduce(0) { $0 + places[$1].middle }
        let wish = sum / Double(places[index].neighbours.count)
        places[index].middle = clamp((places[index].middle + wish) / 2, to: places[index].span)
      }
      spread(here.sorted { (places[$0].middle, $0) < (places[$1].middle, $1) })
    }
  }

  /// Pushes places of one storey apart, from the left and from the right in turn, and keeps their order.
  private mutating func spread(_ order: [Int]) {
    for _ in 0..<400 {
      for (left, right) in zip(order, order.dropFirst()) {
        let wanted = (places[left].width + places[right].width) / 2 + Self.gap
        let lacking = wanted - (places[right].middle - places[left].middle)
        guard lacking > 0 else { continue }
        places[left].middle = clamp(places[left].middle - lacking / 2, to: places[left].span)
        let rest = wanted - (places[right].middle - places[left].middle)
        places[right].middle = clamp(places[right].middle + max(0, rest), to: places[right].span)
      }
    }
  }

  private func clamp(_ value: Double, to span: ClosedRange<Double>) -> Double {
    min(max(value, span.lowerBound), span.upperBound)
  }
}

extension HouseDrawing {
  private var width: Double { (spans["ground"]?.upperBound ?? 0) + Self.margin }

  private var height: Double { Double((storeys.values.max() ?? 0) + 1) * Self.storeyHeight + 40 }

  private func top(ofStorey storey: Int) -> Double {
    height - 20 - Double(storey + 1) * Self.storeyHeight + (Self.storeyHeight - Self.boxHeight) / 2 + 6
  }

  private func part(of module: String) -> String { table.rows.first { $0.name == module }?.part ?? "" }

  /// The picture.
  var svg: String {
    let size = "\(Self.text(width)) \(Self.text(height))"
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" font-family="ui-monospace, monospace" role="img">
      <title>The modules and what they import</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      """
    ]
    let parts = ["ground", "lab", "subject", "both", "fuzz", "command"]
    lines += parts.map(panel)
    lines += parts.map { part in
      """
      <marker id="\(part)" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
      <path d="M0 0L8 4L0 8z" fill="\(Self.colours[part, default: "#000"])"/></marker>
      """
    }
    lines += arrows.map(curve)
    lines += places.compactMap(box)
    lines += parts.map(title)
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }

  /// The y of a panel's upper edge and its height.
  private func extent(_ part: String) -> (y: Double, height: Double) {
    let rows = table.rows.filter { $0.part == part }.compactMap { storeys[$0.name] }
    let y = top(ofStorey: rows.max() ?? 0) - 26
    return (y, top(ofStorey: rows.min() ?? 0) + Self.boxHeight + 12 - y)
  }

  private func panel(_ part: String) -> String {
    let span = spans[part, default: 0...0]
    let colour = Self.colours[part, default: "#000"]
    let extent = extent(part)
    return """
      <rect x="\(Self.text(span.lowerBound))" y="\(Self.text(extent.y))" \
      width="\(Self.text(span.upperBound - span.lowerBound))" height="\(Self.text(extent.height))" rx="6" \
      fill="\(colour)" fill-opacity="0.08" stroke="\(colour)" stroke-opacity="0.35"/>
      """
  }

  /// On top of everything, with a halo where an arrow passes.
  private func title(_ part: String) -> String {
    """
    <text x="\(Self.text(spans[part, default: 0...0].lowerBound + 10))" y="\(Self.text(extent(part).y + 16))" \
    font-size="12.5" fill="\(Self.colours[part, default: "#000"])" stroke="#ffffff" stroke-width="4" \
    paint-order="stroke">\(Self.titles[part, default: part])</text>
    """
  }

  private func box(_ place: Place) -> String? {
    guard let module = place.module else { return nil }
    let colour = Self.colours[part(of: module), default: "#000"]
    let y = top(ofStorey: place.storey)
    return """
      <rect x="\(Self.text(place.middle - place.width / 2))" y="\(Self.text(y))" \
      width="\(Self.text(place.width))" height="\(Self.text(Self.boxHeight))" rx="4" fill="#ffffff" \
      stroke="\(colour)" stroke-width="1.5"/>
      <text x="\(Self.text(place.middle))" y="\(Self.text(y + 19))" font-size="13" text-anchor="middle" \
      fill="#1a1a1a">\(module)</text>
      """
  }

  private func curve(_ line: [Int]) -> String {
    let importer = places[line[0]].module.map(part) ?? ""
    var path = ""
    var y = top(ofStorey: places[line[0]].storey) + Self.boxHeight
    path += "M\(Self.text(places[line[0]].middle)) \(Self.text(y))"
    for (from, to) in zip(line, line.dropFirst()) {
      let entry = top(ofStorey: places[to].storey)
      let bend = Self.text((y + entry) / 2)
      path += "C\(Self.text(places[from].middle)) \(bend) \(Self.text(places[to].middle)) \(bend) "
      path += "\(Self.text(places[to].middle)) \(Self.text(entry))"
      y = entry
      if places[to].module == nil {
        y += Self.boxHeight
        path += "V\(Self.text(y))"
      }
    }
    return """
      <path d="\(path)" fill="none" stroke="\(Self.colours[importer, default: "#000"])" stroke-width="1.3" \
      stroke-opacity="0.8" marker-end="url(#\(importer))"/>
      """
  }

  /// Whole numbers: they read well in a diff, and no machine rounds them otherwise.
  private static func text(_ value: Double) -> String { String(Int(value.rounded())) }
}
