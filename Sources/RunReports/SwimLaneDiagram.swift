import ReportMarkup
import ScenarioModel

/// A case as a picture: peers on the left, the wire in the middle, the subject's sockets on the right, time downwards.
///
/// The picture shows what was seen and where. Sends and receives are arrows between a lane and the wire, because the
/// lab sees both ends but not the moment at which the kernel hands bytes over. Space between rows grows with the
/// logarithm of the time between them. Expectations that were met have a tick and their line; deviations stand as red
/// boxes right below the event that shows them, and those that no event shows stand at the end.
struct SwimLaneDiagram {
  private let rows: [DiagramRow]
  private let unplaced: [Deviation]
  private let layout: LaneLayout
  /// Fragment of a source line; nil when the page does not show it.
  private let anchor: (Int) -> String?
  /// Decimals of the clock's milliseconds, the same for all rows.
  private let decimals: Int
  private var svg: Markup = ""
  private var y = 44

  private static let rowHeight = 25
  private static let lineHeight = 15
  private static let maxLabelLines = 5

  /// The `<svg>` element. `anchor` gives the fragment of a source line, nil when the page does not show it.
  static func make(
    _ rows: [DiagramRow], unplaced: [Deviation], title: String, anchor: @escaping (Int) -> String?
  ) -> Markup {
    var diagram = SwimLaneDiagram(rows, unplaced: unplaced, anchor: anchor)
    return diagram.draw(title: VisibleText.scrub(title, singleLine: true))
  }

  private init(_ rows: [DiagramRow], unplaced: [Deviation], anchor: @escaping (Int) -> String?) {
    self.rows = rows
    self.unplaced = unplaced
    layout = LaneLayout(rows)
    let end = rows.last?.until ?? .zero
    decimals = end < .milliseconds(100) ? 2 : end < .seconds(10) ? 1 : 0
    self.anchor = anchor
  }

  private mutating func draw(title: String) -> Markup {
    var previous: Duration?
    var previousY = y
    for row in rows {
      let gap = row.at - (previous ?? row.at)
      y += Self.rowHeight + Self.space(for: gap)
      if gap >= .milliseconds(1) { drawGap(gap, from: previousY) }
      draw(row, showsTime: previous != row.at)
      for deviation in row.deviations { draw(deviation) }
      previous = row.until
      previousY = y
    }
    for deviation in unplaced { draw(deviation) }
    let height = y + 24
    var picture: Markup = "<svg class=\"lanes\" viewBox=\"0 0 \(layout.width) \(height)\" width=\"\(layout.width)\""
    picture += " height=\"\(height)\" role=\"img\"><title>\(title)</title>"
    picture += lifelines(height: height) + svg + "</svg>"
    return picture
  }

  /// Extra height for time that passed: none below a millisecond, then growing by the logarithm.
  private static func space(for gap: Duration) -> Int {
    var milliseconds = min(QuantityText.milliseconds(gap), 1e7)
    guard milliseconds >= 1 else { return 0 }
    var doublings = 0
    while milliseconds >= 2 {
      milliseconds /= 2
      doublings += 1
    }
    return 12 + 2 * doublings
  }

  private func clock(_ instant: Duration) -> String {
    QuantityText.fixed(instant.inSeconds * 1000, decimals: decimals)
  }

  private func lifelines(height: Int) -> Markup {
    let foot = height - 10
    var lines: Markup = "<rect class=\"wire\" x=\"\(layout.wire.left)\" y=\"34\" width=\""
    lines += "\(layout.wire.right - layout.wire.left)\" height=\"\(foot - 34)\" rx=\"6\"/>"
    lines += "<text class=\"head quiet\" x=\"\((layout.wire.left + layout.wire.right) / 2)\" y=\"22\">wire</text>"
    lines += "<text class=\"time\" x=\"\(LaneLayout.clock)\" y=\"22\">ms</text>"
    for (lanes, kind) in [(layout.peers, "peer"), (layout.sockets, "socket")] {
      for head in layout.heads(lanes) {
        let text = VisibleText.clipped(head.text, to: 13)
        let width = max(54, text.count * 8 + 18)
        lines += "<path class=\"life\" d=\"M\(head.x) 34V\(foot)\"/>"
        lines += "<rect class=\"headbox \(kind)\" x=\"\(head.x - width / 2)\" y=\"6\" width=\"\(width)\" height=\"24\""
        lines += " rx=\"12\"/><text class=\"head\" x=\"\(head.x)\" y=\"22\">\(text)</text>"
      }
    }
    return lines
  }

  private mutating func drawGap(_ gap: Duration, from top: Int) {
    svg += "<text class=\"gap\" x=\"\(LaneLayout.clock)\" y=\"\((top + y) / 2 + 3)\">"
    svg += "+\(QuantityText.duration(gap))</text>"
  }

  private mutating func draw(_ row: DiagramRow, showsTime: Bool) {
    if showsTime {
      svg += "<text class=\"time\" x=\"\(LaneLayout.clock)\" y=\"\(y + 4)\">\(clock(row.at))</text>"
    }
    switch row.content {
    case .omitted(let count):
      svg += "<text class=\"note\" x=\"\(layout.width / 2)\" y=\"\(y + 4)\">⋮ \(count) rows left out ⋮</text>"
    case .event(let words):
      svg += "<text class=\"index\" x=\"0\" y=\"\(y + 4)\">\(row.index)</text>"
      let tone = !row.deviations.isEmpty ? " bad" : words.isTrouble ? " odd" : ""
      svg += "<g class=\"\(words.kind.style)\(words.records == nil ? "" : " sealed")\(tone)\">"
      switch words.kind {
      case .point: drawPoint(words)
      case .note: drawNote(words)
      case .packet: drawPacket(words, row)
      case .call, .callback, .check, .action, .sight, .tls, .network: draw(words, row)
      }
      svg += "</g>"
    }
  }

  private mutating func drawPoint(_ words: EventWords) {
    let label = VisibleText.clipped("⚑ \(words.word)", to: 40)
    svg += "<path d=\"M\(LaneLayout.clock + 14) \(y)H\(layout.width - 64)\"/>"
    svg += "<text x=\"\((layout.wire.left + layout.wire.right) / 2)\" y=\"\(y + 4)\">\(label)</text>"
  }

  /// How far a packet's arrow reaches beyond the wire.
  private static let reach = 34

  /// An arrow across the wire; one that is broken off did not come through as it was.
  private mutating func drawPacket(_ words: EventWords, _ row: DiagramRow) {
    let (left, right) = (layout.wire.left - Self.reach, layout.wire.right + Self.reach)
    let (from, to) = words.flow == .toSubject ? (left, right) : (right, left)
    let back = to > from ? -6 : 6
    svg += "<path class=\"arrow\" d=\"M\(from) \(y)H\(to)m\(back) -4L\(to) \(y)l\(back) 4\"/>"
    let x = right + 10
    let limit = max(8, (layout.width - x - 24) / LaneLayout.character)
    let count = row.times > 1 ? " ×\(row.times)" : ""
    svg += "<text class=\"detail\" x=\"\(x)\" y=\"\(y + 4)\">\(words.detail + count, clipped: limit)</text>"
  }

  private mutating func drawNote(_ words: EventWords) {
    let middle = (LaneLayout.clock + layout.width) / 2
    let label = VisibleText.clipped(words.word, to: (layout.width - LaneLayout.clock - 40) / LaneLayout.character)
    svg += "<text class=\"note\" x=\"\(middle)\" y=\"\(y + 4)\">\(label)</text>"
  }

  private mutating func draw(_ words: EventWords, _ row: DiagramRow) {
    guard let x = layout.x(of: words.lane) else { return }
    drawArrow(words, at: x)
    svg += EventGlyph.path(words.kind, x: x, y: y)
    if !row.deviations.isEmpty { svg += "<circle class=\"ring\" cx=\"\(x)\" cy=\"\(y)\" r=\"9\"/>" }
    if let met = row.met {
      let tick: Markup = "<text class=\"tick\" x=\"\(layout.width - 4)\" y=\"\(y + 4)\">✓ \(met.line)</text>"
      svg += anchor(met.line).map { "<a href=\"#\($0)\">\(tick)</a>" } ?? tick
    }
    drawLabel(words, row, at: x)
  }
}

extension SwimLaneDiagram {
  private mutating func drawLabel(_ words: EventWords, _ row: DiagramRow, at x: Int) {
    var isPeer = false
    var word = words.isNested ? "↳ \(words.word)" : words.word
    switch words.lane {
    case .peer(let name):
      isPeer = true
      if layout.isShared(words.lane) { word = "\(name): \(word)" }
    case .socket(let name): if layout.isShared(words.lane) { word = "\(name): \(word)" }
    case .wire, .all: break
    }
    guard !words.wraps || row.times > 1 else { return drawWrapped(words, word, row, at: x) }
    var count = row.times > 1 ? "×\(row.times)" : ""
    let span = row.until - row.at
    if !isPeer, row.times > 1, span >= .milliseconds(1) { count += " over \(QuantityText.duration(span))" }
    let width = isPeer ? x - LaneLayout.clock - 26 : layout.width - x - (row.met == nil ? 24 : 66)
    let limit = max(8, width / LaneLayout.character - (count.isEmpty ? 0 : count.count + 1))
    word = VisibleText.clipped(word, to: limit)
    let detail = VisibleText.clipped(words.detail, to: max(0, limit - word.count - 1))
    svg += "<text class=\"label\" x=\"\(isPeer ? x - 14 : x + 14)\" y=\"\(y + 4)\">"
    if detail.count < words.detail.count || word.count < words.word.count {
      svg += "<title>\(words.text, clipped: 400)</title>"
    }
    svg += "\(word)"
    if !detail.isEmpty { svg += "<tspan class=\"detail\"> \(detail)</tspan>" }
    if !count.isEmpty { svg += "<tspan class=\"count\"> \(count)</tspan>" }
    svg += "</text>"
  }

  /// A label that takes as many lines as it needs, up to a few.
  private mutating func drawWrapped(_ words: EventWords, _ word: String, _ row: DiagramRow, at x: Int) {
    let isPeer = x < layout.wire.left
    let width = isPeer ? x - LaneLayout.clock - 26 : layout.width - x - (row.met == nil ? 24 : 66)
    let text = words.detail.isEmpty ? word : "\(word) \(words.detail)"
    let lines = TextWrap.lines(text, width: max(8, width / LaneLayout.character), most: Self.maxLabelLines)
    for (number, line) in lines.enumerated() {
      if number > 0 { y += Self.lineHeight }
      svg += "<text class=\"label\" x=\"\(isPeer ? x - 14 : x + 14)\" y=\"\(y + 4)\">"
      if number == 0, lines.last?.hasSuffix("…") == true {
        svg += "<title>\(words.text, clipped: 1_000)</title>"
      }
      let head = number == 0 ? line.prefix(line.hasPrefix(word) ? word.count : 0) : ""
      svg += "\(head)<tspan class=\"detail\">"
      svg += "\(line.dropFirst(head.count))</tspan></text>"
    }
  }

  /// The arrow between the lifeline and the near edge of the wire, with what is on it.
  private mutating func drawArrow(_ words: EventWords, at x: Int) {
    guard words.flow != .none else { return }
    let isPeer = x < layout.wire.left
    let edge = isPeer ? layout.wire.left : layout.wire.right
    let near = isPeer ? x + 10 : x - 10
    let (from, to) = words.flow == .toWire ? (near, edge) : (edge, near)
    let back = to > from ? -6 : 6
    let kind = words.wire == "RST" ? "arrow rst" : words.payload == nil ? "arrow sign" : "arrow"
    svg += "<path class=\"\(kind)\" d=\"M\(from) \(y)H\(to)m\(back) -4L\(to) \(y)l\(back) 4\"/>"
    // The text stands next to the wire, where no lifeline of a further lane crosses it.
    let text = (words.records == nil ? words.payload : words.records?.plain).map { $0.preview(limit: 24) } ?? words.wire
    guard !text.isEmpty else { return }
    let anchor = isPeer ? edge - 84 : edge + 84
    svg += "<text class=\"cargo\" x=\"\(anchor)\" y=\"\(y - 4)\">\(text)</text>"
  }

  private mutating func draw(_ deviation: Deviation) {
    let left = LaneLayout.clock + 14
    let limit = (layout.width - left - 110) / LaneLayout.character
    let expected = TextWrap.lines(deviation.expected, width: limit, most: 4)
    let actual = TextWrap.lines(deviation.actual, width: limit, most: 4)
    let height = 32 + 17 * (expected.count + actual.count)
    let top = y + 16
    var facts = [deviation.kind.label]
    if let requirement = deviation.requirement { facts.append(requirement) }
    if let position = deviation.position { facts.append("line \(position.line)") }
    svg += "<g class=\"deviation\"><rect x=\"\(left)\" y=\"\(top)\" width=\"\(layout.width - left - 4)\""
    svg += " height=\"\(height)\" rx=\"6\"/><text class=\"what\" x=\"\(left + 12)\" y=\"\(top + 18)\">✕ "
    svg += "\(facts.joined(separator: " · "), clipped: limit)</text>"
    var line = top + 37
    for (name, lines) in [("expected", expected), ("actual", actual)] {
      svg += "<text class=\"side\" x=\"\(left + 12)\" y=\"\(line)\">\(name)</text>"
      for text in lines {
        svg += "<text class=\"\(name)\" x=\"\(left + 84)\" y=\"\(line)\">\(text)</text>"
        line += 17
      }
    }
    svg += "</g>"
    y = top + height + 2
  }
}

extension EventWords.Kind {
  /// The class of the page's style sheet: what happens on the wire itself has the colours of others.
  fileprivate var style: String {
    switch self {
    case .packet: EventWords.Kind.sight.rawValue
    case .network: EventWords.Kind.check.rawValue
    case .call, .callback, .check, .action, .sight, .tls, .point, .note: rawValue
    }
  }
}

/// The marks that tell kinds of events apart, also without colour.
enum EventGlyph {
  /// A shape around the point: a triangle for calls, a disc for callbacks, a diamond for checks, a square for what a
  /// peer does, an open square for what it sees and a padlock for what its TLS does.
  static func path(_ kind: EventWords.Kind, x: Int, y: Int) -> Markup {
    switch kind {
    case .call: "<path class=\"mark\" d=\"M\(x + 5) \(y - 6)v12l-10 -6z\"/>"
    case .callback: "<circle class=\"mark\" cx=\"\(x)\" cy=\"\(y)\" r=\"5\"/>"
    case .check: "<path class=\"mark open\" d=\"M\(x) \(y - 6)l6 6l-6 6l-6 -6z\"/>"
    case .action: "<path class=\"mark\" d=\"M\(x - 5) \(y - 5)h10v10h-10z\"/>"
    case .sight: "<path class=\"mark open\" d=\"M\(x - 4) \(y - 4)h8v8h-8z\"/>"
    case .tls:
      "<path class=\"mark shackle\" d=\"M\(x - 3) \(y - 1)v-2.5a3 3 0 0 1 6 0v2.5\"/>"
        + "<path class=\"mark\" d=\"M\(x - 5) \(y - 2)h10v7h-10z\"/>"
    case .network: "<path class=\"mark\" d=\"M\(x - 6) \(y)l6 -6l6 6l-6 6z\"/>"
    case .packet, .point, .note: ""
    }
  }
}

/// Breaks text into lines of a fixed number of characters, at spaces where there are some.
enum TextWrap {
  static func lines(_ text: String, width: Int, most: Int) -> [String] {
    var lines: [String] = []
    var rest = VisibleText.scrub(text, singleLine: true)[...]
    while lines.count < most - 1, rest.count > width {
      let line = rest.prefix(width)
      let cut = line.lastIndex(of: " ") ?? line.endIndex
      let end = line.distance(from: line.startIndex, to: cut) * 2 < width ? line.endIndex : cut
      lines.append(String(rest[..<end]))
      rest = rest[end...].drop { $0 == " " }
    }
    lines.append(VisibleText.clipped(String(rest), to: width))
    return lines
  }
}
