import ScenarioModel

/// Renders diagnostics for people: the place, the message, the line it is about with a mark under it, and the help.
///
/// Law: the mark stands under the character the position names, whatever stands before it: tabs, wide characters and
/// combining marks are counted in terminal cells. Long lines are cut to a window around the mark.
package struct DiagnosticPrinter {
  /// Cells of source text shown of one line.
  private static let widest = 100
  private static let tabWidth = 4

  private let path: String
  private let lines: LineTable
  private let colour: Bool

  /// Of `path`, what would move the cursor is printed as its picture; `source` is the file's text; `colour` adds ANSI
  /// colours.
  package init(path: String, source: String, colour: Bool = false) {
    self.path = path
    self.colour = colour
    let start =
      source.unicodeScalars.first == "\u{FEFF}" ? source.unicodeScalars.dropFirst() : source.unicodeScalars[...]
    lines = LineTable(String(start))
  }

  /// As `init(path:source:colour:)`, for a file that may not be valid UTF-8.
  package init(path: String, bytes: [UInt8], colour: Bool = false) {
    self.init(path: path, source: String(decoding: bytes, as: UTF8.self), colour: colour)
  }

  /// One diagnostic, in several lines, without a line break at the end.
  package func text(_ diagnostic: Diagnostic) -> String {
    let position = lines.clamped(diagnostic.position)
    let number = String(position.line)
    let margin = String(repeating: " ", count: number.utf8.count)
    let window = Window(lines.scalars(ofLine: position.line), column: position.column, widest: Self.widest)
    let tint: Tint = diagnostic.severity == .error ? .red : .yellow
    let word = painted("\(diagnostic.severity.rawValue)[\(diagnostic.code)]", tint)
    let place = painted("\(Self.visible(path)):\(position.line):\(position.column):", .bold)
    var text = "\(place) \(word): \(Self.visible(diagnostic.message))\n"
    text += painted(" \(margin) |", .dim) + "\n"
    text += painted(" \(number) |", .dim) + (window.text.isEmpty ? "" : " \(window.text)") + "\n"
    text += painted(" \(margin) |", .dim) + " " + String(repeating: " ", count: window.mark) + painted("^", tint)
    if let help = diagnostic.help { text += "\n" + painted(" \(margin) = ", .dim) + "help: \(Self.visible(help))" }
    return text
  }

  /// Several diagnostics with an empty line between them.
  package func text(_ diagnostics: [Diagnostic]) -> String {
    diagnostics.map { text($0) }.joined(separator: "\n\n")
  }

  private enum Tint: String {
    case bold = "1"
    case dim = "2"
    case red = "1;31"
    case yellow = "1;33"
  }

  private func painted(_ text: String, _ tint: Tint) -> String {
    colour ? "\u{1B}[\(tint.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Control characters would move the cursor; they are shown by their pictures.
  private static func visible(_ text: String) -> String {
    text.unicodeScalars.map { CellWidth.visible($0) }.joined()
  }

  /// The part of a line that is shown.
  private struct Window {
    var text = ""
    /// Cells before the mark.
    var mark = 0

    init(_ line: String.UnicodeScalarView.SubSequence, column: Int, widest: Int) {
      var cells: [(text: String, width: Int)] = []
      var width = 0
      for scalar in line {
        let isTab = scalar == "\t"
        let shown = CellWidth.visible(scalar)
        let cell = isTab ? tabWidth - width % tabWidth : CellWidth.width(of: shown.unicodeScalars.first ?? scalar)
        cells.append((isTab ? String(repeating: " ", count: cell) : shown, cell))
        width += cell
      }
      let index = min(column - 1, cells.count)
      var first = 0
      var last = cells.count
      if width > widest {
        (first, last) = Self.range(around: index, cells.map(\.width), widest: widest)
      }
      text = (first > 0 ? "…" : "") + cells[first..<last].map(\.text).joined() + (last < cells.count ? "…" : "")
      mark = (first > 0 ? 1 : 0) + cells[first..<index].reduce(0) { $0 + $1.width }
      if first == 0, last == cells.count { text = Self.trimmed(text) }
    }

    private static func trimmed(_ text: String) -> String {
      var scalars = text.unicodeScalars[...]
      while scalars.last == " " { scalars = scalars.dropLast() }
      return String(scalars)
    }

    /// Indices of cells that fit, two thirds of them before the mark where there are so many.
    private static func range(around index: Int, _ widths: [Int], widest: Int) -> (Int, Int) {
      var first = index
      var left = widest * 2 / 3
      while first > 0, widths[first - 1] <= left {
        first -= 1
        left -= widths[first]
      }
      var last = index
      var room = widest - (widest * 2 / 3 - left)
      while last < widths.count, widths[last] <= room {
        room -= widths[last]
        last += 1
      }
      while first > 0, widths[first - 1] <= room {
        first -= 1
        room -= widths[first]
      }
      return (first, last)
    }
  }
}

/// How many terminal cells a character takes.
enum CellWidth {
  static func width(of scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return isWide(scalar.value) ? 2 : 1
    }
  }

  /// The character, or a picture of it if it is a control character.
  static func visible(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value).map(String.init) ?? "?"
    case 0x7F: "␡"
    case 0x80...0x9F, 0x2028, 0x2029: "\u{FFFD}"
    case 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
    default: String(scalar)
    }
  }

  /// East Asian wide and full-width characters, and emoji.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
