import Foundation
import Glibc

/// The terminal, or the pipe that stands in for one.
package enum Console {
  /// Whether standard output is a terminal.
  package static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Whether to colour: on a terminal that can, unless NO_COLOR says no.
  package static let hasColour: Bool = {
    let environment = ProcessInfo.processInfo.environment
    return isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }()

  /// Writes to standard output, with a line end.
  package static func print(_ line: String = "") { write(line + "\n", to: STDOUT_FILENO) }

  /// Writes to standard error, with a line end.
  package static func error(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

  /// Writes as it is, without a line end.
  package static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard written > 0 || errno == EINTR else { return }
      bytes = bytes.dropFirst(max(written, 0))
    }
  }

  package enum Style: String {
    case good = "32"
    case bad = "31"
    case caution = "33"
    case quiet = "2"
    case strong = "1"
  }

  /// The text in the style, or as it is where there is no colour.
  package static func styled(_ text: String, _ style: Style) -> String {
    hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}
