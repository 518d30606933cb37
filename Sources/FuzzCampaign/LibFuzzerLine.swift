import Foundation

/// One line of libFuzzer's or a sanitizer's, read by itself.
package enum LibFuzzerLine: Hashable, Sendable {
  /// The word of a status line, which says why it was printed.
  package enum Moment: String, Hashable, Sendable {
    case read = "READ"
    case initialised = "INITED"
    case new = "NEW"
    case reduced = "REDUCE"
    case reloaded = "RELOAD"
    case pulse
    case done = "DONE"
    /// A line of fork mode, which has no word.
    case fork
  }

  /// `seconds` of the point is 0: the line does not say; `counts` are fork mode's.
  case status(Moment, SeriesPoint, counts: ForkCounts?)
  case statistic(String, Int)
  case loadedCounters(Int)
  case seed(UInt64)
  case forkMode
  /// `INFO: exiting: 70 time: 16s`, the end of fork mode.
  case forkEnd(Int)
  case emptyCorpus
  case noInterestingInputs
  /// Inputs were run and none was made.
  case replay
  case interrupted
  case artifact(String)
  case base64(String)
  /// What went wrong, and the sanitizer's word for it.
  case header(Finding.Kind, subject: String, detail: String)
  case fatal(String)
  case frame(StackFrame)
  case summary(String)
  /// Of libFuzzer itself: a folder that is not there, a flag it can't read.
  case complaint(String)
  case other(String)

  package struct ForkCounts: Hashable, Sendable {
    package var ooms: Int
    /// Inputs so far that took too long, over all jobs.
    package var timeouts: Int
    /// Crashes so far, over all jobs.
    package var crashes: Int
  }

  /// Total: a line that is none of the known ones is `other`.
  package init(_ line: some StringProtocol) {
    let text = line.trimmingTail
    self =
      Self.status(text) ?? Self.frame(text) ?? Self.information(text) ?? Self.header(text) ?? Self.note(text)
      ?? .other(text)
  }

  /// `violation of scanner/leftmost: expected 3, saw 4`, as `Violation.description` says it.
  package static func violation(_ text: String) -> (invariant: String, detail: String)? {
    guard let rest = text.after("violation of "), let end = rest.range(of: ":") else { return nil }
    return (String(rest[..<end.lowerBound]), rest[end.upperBound...].drop { $0 == " " }.description)
  }
}

extension LibFuzzerLine {
  private static func status(_ text: String) -> LibFuzzerLine? {
    guard text.first == "#" else { return nil }
    let words = text.dropFirst().split { $0 == " " || $0 == "\t" }.map(String.init)
    guard let first = words.first else { return nil }
    let isFork = first.last == ":"
    guard let executions = Int(isFork ? String(first.dropLast()) : first), executions >= 0 else { return nil }
    var moment = Moment.fork
    if !isFork {
      guard words.count > 1, let named = Moment(rawValue: words[1]), named != .fork else { return nil }
      moment = named
    }
    var point = SeriesPoint(seconds: 0, executions: executions)
    var counts: ForkCounts?
    for (key, value) in zip(words, words.dropFirst()) {
      switch key {
      case "cov:": point.coverage = count(value)
      case "ft:": point.features = count(value)
      case "exec/s:": point.rate = count(value)
      case "rss:": point.rssBytes = bytes(value) ?? 0
      case "corp:":
        let parts = value.split(separator: "/")
        point.corpusFiles = parts.first.map(count) ?? 0
        point.corpusBytes = parts.count > 1 ? bytes(String(parts[1])) ?? 0 : 0
      case "oom/timeout/crash:":
        let parts = value.split(separator: "/").compactMap { Int($0) }
        if parts.count == 3 { counts = ForkCounts(ooms: parts[0], timeouts: parts[1], crashes: parts[2]) }
      default: break
      }
    }
    return .status(moment, point, counts: counts)
  }

  private static func count(_ text: some StringProtocol) -> Int { Swift.max(0, Int(text) ?? 0) }

  /// `3b`, `12Kb`, `36Mb`; nil where it is none, or too large to count.
  private static func bytes(_ text: String) -> Int? {
    for (unit, scale) in [("Gb", 1 << 30), ("Mb", 1 << 20), ("Kb", 1 << 10), ("b", 1)] where text.hasSuffix(unit) {
      guard let count = Int(text.dropLast(unit.count)), count >= 0 else { return nil }
      let (product, overflows) = count.multipliedReportingOverflow(by: scale)
      return overflows ? nil : product
    }
    return nil
  }

  /// `#3 0x55 in NAME PLACE` of most sanitizers, `#3 NAME PLACE` of ThreadSanitizer. A place is the last word or
  /// begins with a bracket; C++ names hold spaces.
  private static func frame(_ text: String) -> LibFuzzerLine? {
    let body = text.drop { $0 == " " }
    guard body.count < text.count, body.first == "#" else { return nil }
    let number = body.dropFirst().prefix { $0.isNumber }
    var rest = body.dropFirst(1 + number.count)
    guard !number.isEmpty, rest.first == " " else { return nil }
    rest = rest.drop { $0 == " " }
    if rest.hasPrefix("0x") {
      let name = rest.drop { $0 != " " }.drop { $0 == " " }
      // Without a name there is only the library in brackets.
      guard name.hasPrefix("in ") else { return .frame(StackFrame(function: "", place: String(name))) }
      rest = name.dropFirst(3)
    }
    if let library = rest.range(of: " ("), !rest[..<library.lowerBound].contains("::") {
      let head = rest[..<library.lowerBound]
      return .frame(split(head, otherwise: String(rest[library.lowerBound...].dropFirst())))
    }
    return .frame(split(rest, otherwise: ""))
  }

  private static func split(_ text: Substring, otherwise place: String) -> StackFrame {
    guard let space = text.lastIndex(of: " "), text[space...].contains("/") || text[space...].contains(":"),
      !text.hasPrefix(StackFrame.runtimeFailure) || text[space...].contains("/")
    else { return StackFrame(function: String(text), place: place) }
    return StackFrame(
      function: String(text[..<space]), place: place.isEmpty ? String(text[space...].dropFirst()) : place)
  }

  private static func information(_ text: String) -> LibFuzzerLine? {
    if let rest = text.after("stat::"), text.hasPrefix("stat::"), let colon = rest.firstIndex(of: ":") {
      let value = rest[rest.index(after: colon)...].trimmingTail.drop { $0 == " " }
      return Int(value).map { .statistic(String(rest[..<colon]), Swift.max(0, $0)) }
    }
    guard text.hasPrefix("INFO: ") else { return nil }
    if let rest = text.after("inline 8-bit counters): "), text.contains("Loaded") {
      return Int(rest.prefix { $0.isNumber }).map { .loadedCounters($0) }
    }
    if let rest = text.after("INFO: Seed: ") { return UInt64(rest).map { .seed($0) } }
    if let rest = text.after("INFO: exiting: ") { return Int(rest.prefix { $0.isNumber }).map { .forkEnd($0) } }
    if text.hasPrefix("INFO: -fork=") { return .forkMode }
    return text.contains("A corpus is not provided") ? .emptyCorpus : nil
  }

  private static func header(_ text: String) -> LibFuzzerLine? {
    if let rest = text.after("ERROR: libFuzzer: ") {
      let kind: Finding.Kind = rest.hasPrefix("timeout") ? .timeout : rest.hasPrefix("out-of-memory") ? .oom : .crash
      let subject = rest.hasPrefix("timeout") ? "timeout" : rest.hasPrefix("out-of-memory") ? "out-of-memory" : rest
      return .header(kind, subject: String(subject), detail: String(rest))
    }
    if text.contains("ERROR: LeakSanitizer: ") {
      return .header(.leak, subject: "leak", detail: "detected memory leaks")
    }
    if let rest = text.after("ERROR: AddressSanitizer: ") {
      return .header(.memory, subject: memorySubject(rest), detail: withoutAddresses(rest))
    }
    if let rest = text.after("WARNING: ThreadSanitizer: ") {
      let subject = rest.range(of: " (pid=").map { rest[..<$0.lowerBound] } ?? rest
      return .header(.race, subject: String(subject), detail: String(subject))
    }
    return nil
  }

  private static func memorySubject(_ rest: Substring) -> String {
    if rest.hasPrefix("attempting double-free") { return "double-free" }
    if rest.hasPrefix("attempting free") { return "bad-free" }
    return String(rest.prefix { $0 != " " && $0 != ":" })
  }

  /// Addresses differ each time and say nothing later.
  private static func withoutAddresses(_ rest: Substring) -> String {
    String(rest.range(of: " on address 0x").map { rest[..<$0.lowerBound] } ?? rest)
  }

  private static func note(_ text: String) -> LibFuzzerLine? {
    if let rest = text.after("Test unit written to ") { return .artifact(String(rest)) }
    if text.hasPrefix("Base64: ") { return .base64(String(text.dropFirst(8))) }
    if let rest = text.after("Fatal error: ") { return .fatal(String(rest)) }
    if text.hasPrefix("SUMMARY: ") { return .summary(String(text.dropFirst(9))) }
    if text.contains("libFuzzer: run interrupted") { return .interrupted }
    if text.contains("no interesting inputs were found") { return .noInterestingInputs }
    if text.contains("NOTE: fuzzing was not performed") || text.hasSuffix("time(s) each.") { return .replay }
    if text.hasPrefix("ERROR: ") { return .complaint(String(text.dropFirst(7))) }
    return nil
  }
}

extension StringProtocol {
  /// What stands behind the first place of the words.
  func after(_ words: String) -> Substring? {
    range(of: words).map { Substring(self[$0.upperBound...]) }
  }

  /// Without line ends and blanks at the end.
  fileprivate var trimmingTail: String {
    String(reversed().drop { $0.isWhitespace || $0.isNewline }.reversed())
  }
}
