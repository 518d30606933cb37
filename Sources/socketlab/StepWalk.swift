import Glibc
import ScenarioRunner
import TerminalText

/// Shows the events of a case one at a time, by keys; all of them where there is no terminal.
enum StepWalk {
  static func show(_ text: StepText) {
    guard isatty(STDIN_FILENO) == 1, Console.isTerminal, let mode = RawMode() else {
      for place in 0..<text.count { for line in text.lines(place) { Console.print(line) } }
      return
    }
    defer { mode.end() }
    var cursor = StepCursor(count: text.count)
    draw(text, cursor)
    var key: UInt8 = 0
    while !cursor.isOver, read(STDIN_FILENO, &key, 1) == 1 {
      if cursor.take(key), !cursor.isOver { draw(text, cursor) }
    }
    Console.write("\r\n")
  }

  private static func draw(_ text: StepText, _ cursor: StepCursor) {
    if let digits = cursor.digits {
      Console.write("\r\u{1B}[Kgo to event: \(digits)")
      return
    }
    Console.write("\r\u{1B}[K" + text.lines(cursor.place).joined(separator: "\r\n") + "\r\n")
    Console.write(Console.styled("n next  p previous  g go to  q quit ", .quiet))
  }
}

/// A terminal that hands over each key as it is pressed.
final class RawMode {
  private var before = termios()

  /// nil: there is no terminal. `keepsSignals`: ctrl-C is a signal and not a key.
  init?(keepsSignals: Bool = false) {
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
    var raw = before
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | (keepsSignals ? 0 : ISIG))
    guard tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0 else { return nil }
  }

  func end() { tcsetattr(STDIN_FILENO, TCSANOW, &before) }
}
