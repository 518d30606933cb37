import Foundation
import ReportMarkup
import ScenarioModel

/// A crash report in a few lines: what the process died of, and where the subject was.
package struct BacktraceExcerpt: Hashable, Sendable {
  /// Lines that say what happened, such as a trap's message.
  package private(set) var messages: [String] = []
  /// The first frames in the subject's code; without any, the first in code that is not the system's; each a function
  /// and its place in the source. A repeated frame is listed once, with its count.
  package private(set) var frames: [String] = []
  /// Lines that are left out.
  package private(set) var omitted: Int

  private static let maxMessages = 2
  private static let maxLength = 240

  /// Reads the first 2,000 lines. Where none is of a known form, the first of them stand in `messages` as they are, but
  /// for those of threads that wait in the kernel.
  package init(_ lines: [String], maxFrames: Int = 4) {
    if let exception = Self.pythonException(lines) {
      messages = [VisibleText.clipped(exception.message, to: Self.maxLength)]
      frames = exception.frames.suffix(maxFrames).reversed().map { VisibleText.clipped($0, to: Self.maxLength) }
      omitted = max(0, lines.count - messages.count - frames.count)
      return
    }
    var all: [Frame] = []
    for line in lines.prefix(2_000) {
      if let frame = Frame(line) {
        all.append(frame)
      } else if messages.count < Self.maxMessages, let message = Self.message(line) {
        messages.append(VisibleText.clipped(message, to: Self.maxLength))
      }
    }
    let subject = all.filter(\.isOfSubject)
    let user = subject.isEmpty ? all.filter { !$0.isOfSystem } : subject
    frames = Self.told(user.isEmpty ? all : user, most: maxFrames)
    if messages.isEmpty, frames.isEmpty {
      // Not the form of any backtrace known: its first lines, as they are.
      messages = lines.lazy.filter { !$0.allSatisfy(\.isWhitespace) && !Self.isWaiting($0) }.prefix(maxFrames).map {
        VisibleText.clipped($0, to: Self.maxLength)
      }
    }
    omitted = max(0, lines.count - messages.count - frames.count)
  }

  /// The last exception that Python told. It comes behind its frames, of which the innermost is the last.
  private static func pythonException(_ lines: [String]) -> (message: String, frames: [String])? {
    guard let start = lines.lastIndex(where: { $0.hasPrefix("Traceback (most recent call last):") }) else { return nil }
    let rest = lines[(start + 1)...]
    guard let end = rest.firstIndex(where: { $0.first?.isWhitespace == false }) else { return nil }
    let frames = rest[..<end].compactMap { line -> String? in
      let parts = line.trimming { $0.isWhitespace }.split(separator: "\"", maxSplits: 2)
      guard parts.count == 3, parts[0] == "File ", parts[2].hasPrefix(", line ") else { return nil }
      let place = parts[2].dropFirst(", line ".count).split(separator: ", in ", maxSplits: 1)
      return place.count == 2 ? "\(place[1]) at \(parts[1]):\(place[0])" : "\(parts[1]):\(place[0])"
    }
    return (rest[end], frames)
  }

  private static func told(_ frames: [Frame], most: Int) -> [String] {
    var order: [String] = []
    var times: [String: Int] = [:]
    for frame in frames {
      if times[frame.text] == nil { order.append(frame.text) }
      times[frame.text, default: 0] += 1
    }
    return order.prefix(most).map { text in
      let count = times[text] ?? 1
      return VisibleText.clipped(text, to: maxLength) + (count > 1 ? ", \(QuantityText.count(count)) times" : "")
    }
  }

  private static let waits = ["recv", "futex", "poll", "select", "accept", "read", "sleep", "wait"]

  /// Whether the line says only that some thread waits, such as `0  __libc_recv`, or which one: every idle thread does.
  private static func isWaiting(_ line: String) -> Bool {
    let words = line.split(separator: " ")
    guard words.count == 2 else { return false }
    if words[0] == "thread" { return words[1].allSatisfy(\.isNumber) }
    return words[0].allSatisfy(\.isNumber) && words[1].allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" }
      && waits.contains { words[1].contains($0) }
  }

  private static let signs = [
    "Fatal error", "fatal error", "Assertion failed", "assertion", "crashed:", "overflow", "AddressSanitizer",
    "ThreadSanitizer", "terminate called", "Out of memory", "signal",
  ]

  private static func message(_ line: String) -> String? {
    guard signs.contains(where: line.contains) else { return nil }
    return line.trimming { $0 == "*" || $0.isWhitespace || $0 == "💣" }
  }

  /// A line such as `3 [ra] 0x5d1 Prebuffer.drop(_:) + 60 in socketlab at /src/Sources/SocketCore/Prebuffer.swift:88:5`
  /// of the toolchain's backtraces, or `3  Prebuffer.drop(_:) at Sources/SocketCore/Prebuffer.swift:88` of a worker's.
  private struct Frame {
    var text: String
    var isOfSubject: Bool
    var isOfSystem: Bool

    private static let modules = ["CocoaAsyncSocket", "SocketCore", "SocketPOSIX", "SocketTLS", "Security"]

    init?(_ line: String) {
      var rest = line.drop(while: \.isWhitespace)
      if rest.first == "#" { rest = rest.dropFirst() }
      let number = rest.prefix(while: \.isNumber)
      rest = rest.dropFirst(number.count)
      guard !number.isEmpty, number.count < 6, rest.first?.isWhitespace == true else { return nil }
      var marks: [Substring] = []
      rest = rest.drop(while: \.isWhitespace)
      while rest.first == "[", let close = rest.firstIndex(of: "]") {
        marks.append(rest[...close])
        rest = rest[rest.index(after: close)...].drop(while: \.isWhitespace)
      }
      let hasAddress = rest.hasPrefix("0x")
      if hasAddress { rest = rest.drop { !$0.isWhitespace }.drop(while: \.isWhitespace) }
      let place = rest.range(of: " at ", options: .backwards).map { rest[$0.upperBound...] }
      // A line of source below a frame has neither of these.
      guard !rest.isEmpty, hasAddress || place != nil || rest.contains("+0x") else { return nil }
      var function = place.map { rest[..<rest.index($0.startIndex, offsetBy: -4)] } ?? rest
      if hasAddress {
        // Names of closures have an `in` as well, and the binary's is the last.
        if let binary = function.range(of: " in ", options: .backwards) { function = function[..<binary.lowerBound] }
        if let offset = function.range(of: " + ", options: .backwards) { function = function[..<offset.lowerBound] }
      }
      let path = place.map { path in
        path.range(of: "Sources/", options: .backwards).map { path[$0.lowerBound...] } ?? path
      }
      text = path.map { "\(function) at \($0)" } ?? String(function)
      isOfSubject = path.map { path in Self.modules.contains { path.hasPrefix("Sources/\($0)/") } } ?? false
      isOfSystem = marks.contains("[system]") || place == nil
    }
  }
}

extension String {
  /// Without what fits at either end.
  fileprivate func trimming(_ fits: (Character) -> Bool) -> String {
    let head = drop(while: fits)
    return String(head.dropLast(head.reversed().prefix(while: fits).count))
  }
}
