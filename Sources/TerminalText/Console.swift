import Foundation
import Glibc
import HostTools
import ReportMarkup
import Synchronization

/// The terminal, or the pipe that stands in for one.
package enum Console {
  /// Whether standard output is a terminal.
  package static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Whether to colour: on a terminal that can, unless NO_COLOR says no.
  package static let hasColour: Bool = {
    let environment = ProcessInfo.processInfo.environment
    return isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }()

  /// Writes to standard output, with a line end; see `fit`.
  package static func print(_ line: String = "") { write(fit(line) + "\n", to: STDOUT_FILENO) }

  /// Writes to standard error, with a line end; see `fit`.
  package static func error(_ line: String) { write(fit(line) + "\n", to: STDERR_FILENO) }

  /// Text from outside, such as a subject's or a path, as it may stand in a line: control characters as their pictures,
  /// line ends among them, and nothing that turns the line around.
  package static func visible(_ text: String) -> String { VisibleText.scrub(text, singleLine: true) }

  /// A line from another program, to stand alone. One that a runner of continuous integration would take for a command
  /// of the lab's (`::error`) is marked as a quotation: runners pass over the blanks before it.
  package static func quotation(_ line: String) -> String {
    let text = visible(line)
    return text.drop { $0.isWhitespace }.hasPrefix("::") ? "| \(text)" : text
  }

  /// Begins a style; an escape and this.
  private static let introducer = "\u{1B}["
  /// All that may follow it: the styles here and those of `DiagnosticPrinter`.
  private static let styles = (["0", "1;31", "1;33"] + Style.allCases.map(\.rawValue)).map { "\($0)m" }

  /// What was forgotten to be made visible does no harm: pictures of all control characters but tabs, line ends, and
  /// styles where there are any.
  static func fit(_ text: String, hasColour: Bool = hasColour) -> String {
    guard hasColour, text.contains(introducer) else { return VisibleText.scrub(text) }
    let parts = text.components(separatedBy: introducer)
    return VisibleText.scrub(parts[0])
      + parts.dropFirst().map { part in
        guard let style = styles.first(where: part.hasPrefix) else { return VisibleText.scrub(introducer + part) }
        return introducer + style + VisibleText.scrub(String(part.dropFirst(style.count)))
      }.joined()
  }

  /// Writes as it is, without a line end. That standard output can't be written is said once; see `hasLostText`.
  package static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
    let problem = WholeWrite.write(text.utf8, to: descriptor)
    // A reader that leaves, such as head, has what it wanted.
    guard let problem, problem != EPIPE, descriptor == STDOUT_FILENO else { return }
    guard lostText.exchange(true, ordering: .relaxed) == false else { return }
    error("Standard output can't be written: \(systemError(problem)). What was to stand there is lost.")
  }

  private static let lostText = Atomic(false)

  /// Whether something that was to stand on standard output does not, because of a full disk, say. Who reads it has
  /// less than there was, so that the command has not succeeded. A reader that left is no loss.
  package static var hasLostText: Bool { lostText.load(ordering: .relaxed) }

  package enum Style: String, CaseIterable {
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
