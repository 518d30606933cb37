import ReportMarkup
import ScenarioModel

/// In which way a case first diverged, and after which step, in words that are equal for cases of one cause.
struct FirstDivergence: Hashable {
  /// What cases of one cause have in common.
  let key: String
  private let what: String
  /// `a read to a delimiter`; nil: no step says more.
  private let step: String?
  /// `a read`
  private let stepKind: String?

  private static let limit = 120

  init(_ result: CaseResult) {
    let (key, what, step) = Self.parts(result)
    self.what = what
    self.step = step
    stepKind = step.map { $0.hasPrefix(Self.read) ? Self.read : $0 }
    // What a peer does not see is one cause, whatever was called last; the call only says where to look.
    let divider = result.deviations.first?.kind == .peer ? nil : stepKind
    self.key = key + (divider.map { ", after \($0)" } ?? "")
  }

  /// In words for all of a cause, the first of which says what differs in details.
  static func title(_ divergences: [FirstDivergence]) -> String {
    guard let first = divergences.first else { return "" }
    let steps = Set(divergences.compactMap(\.step)).sorted()
    let step = steps.count > 2 ? first.stepKind : steps.isEmpty ? nil : steps.joined(separator: " or ")
    return VisibleText.clipped(first.what + (step.map { ", after \($0)" } ?? ""), to: limit)
  }

  fileprivate static let read = "a read"

  private static func parts(_ result: CaseResult) -> (key: String, what: String, step: String?) {
    if result.canary { return ("canary", "a canary does not fail", nil) }
    if result.endedItsProcess {
      let frame = BacktraceExcerpt(result.backtrace, maxFrames: 1).frames.first
      let text = "\(result.verdict.label) in \(frame.map(function) ?? "the process that ran the case")"
      return (text, text, nil)
    }
    guard let deviation = result.deviations.first else {
      let text = "\(result.verdict.label): \(VariantNeutral.text(result.reason ?? result.verdict.meaning))"
      return (text, text, nil)
    }
    if deviation.kind == .invariant, let requirement = deviation.requirement {
      let words = deviation.expected.firstRange(of: ": ").map { deviation.expected[..<$0.lowerBound] }
      return (requirement, "\(requirement) is broken: \(words.map(String.init) ?? deviation.expected)", nil)
    }
    let event = deviation.traceIndex.flatMap { index in
      result.trace.events.indices.contains(index) ? result.trace.events[index] : nil
    }
    let expected = name(deviation.expected)
    let seen = event.map { EventWords($0.kind).word } ?? name(deviation.actual)
    let what = what(deviation, expected: expected, seen: seen)
    guard deviation.kind.isOfCourse else { return (what, what, nil) }
    let concerned = expected.isCallback ? expected : seen
    return (what, what, step(concerned, before: deviation.traceIndex, in: result.trace))
  }

  private static func what(_ deviation: Deviation, expected: String, seen: String) -> String {
    let words = VariantNeutral.text(deviation.expected)
    return switch deviation.kind {
    case .missing: expected.isCallback ? "\(expected) does not come" : "missing: \(words)"
    case .unexpected: expected.isCallback ? "\(seen) comes instead of \(expected)" : "\(seen) comes unasked"
    case .wrongContent: "\(expected.isCallback ? expected : seen) comes with wrong content"
    case .wrongOrder: "\(seen) comes before \(expected)"
    case .early: "\(expected) comes too early"
    case .late: "\(expected) comes too late"
    case .ending: "the connection ends in another way than by \(words)"
    case .refusal: "wrong answer to \(seen)"
    case .check: "the property \(seen) is wrong"
    case .invariant: "\(deviation.requirement ?? "an invariant") is broken: \(words)"
    case .peer: "the peer does not see what it should: \(words)"
    case .hang: "a call does not return"
    case .disputed: "a disputed behaviour has changed"
    case .crash: "the process ended"
    case .violation: "the subject breaks the protocol: \(words)"
    case .resource: "resources: \(words)"
    }
  }

  /// The last step before the divergence that has to do with the callback.
  private static func step(_ word: String, before index: Int?, in trace: Trace) -> String? {
    let wanted = CallbackKind(rawValue: word).flatMap(\.call)
    for event in trace.events.prefix(max(0, index ?? trace.events.count)).reversed() {
      switch event.kind {
      case .command(let command, _, _, _):
        guard let wanted else { return command.step }
        if let step = command.flattened.last(where: { $0.name == wanted })?.step { return step }
      case .peerAction(.finish, _) where wanted == nil, .peerAction(.close, _) where wanted == nil:
        return "the peer's end"
      case .peerAction(.reset, _) where wanted == nil: return "the peer's reset"
      default: break
      }
    }
    return nil
  }

  /// The first word, without the socket that it is of: `didRead` of `child.didRead { tag: 1 }`.
  private static func name(_ words: String) -> String {
    let word = words.prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" || $0 == "-" }
    return String(word.split(separator: ".").last ?? word)
  }

  /// A frame without its place in the source.
  private static func function(_ frame: String) -> String {
    frame.firstRange(of: " at ").map { String(frame[..<$0.lowerBound]) } ?? frame
  }
}

extension CaseResult {
  /// Whether what it showed is where its process stood: it crashed, or had to be ended.
  var endedItsProcess: Bool { verdict == .crash || verdict == .hang && !backtrace.isEmpty }
}

extension String {
  fileprivate var isCallback: Bool { CallbackKind(rawValue: self) != nil }
}

extension Deviation.Kind {
  /// Whether the step before it says more of it.
  fileprivate var isOfCourse: Bool {
    switch self {
    case .missing, .unexpected, .wrongContent, .wrongOrder, .early, .late, .ending, .peer: true
    case .refusal, .check, .invariant, .hang, .disputed, .crash, .violation, .resource: false
    }
  }
}

extension CallbackKind {
  /// The call that it answers; nil: none, or many.
  fileprivate var call: String? {
    switch self {
    case .didRead, .didReadPartial, .shouldTimeoutRead: "read"
    case .didWrite, .didWritePartial, .shouldTimeoutWrite: "write"
    case .didConnect, .didConnectToURL, .willConnect: "connect"
    case .didSecure, .didReceiveTrust: "startTLS"
    case .didAccept, .newSocketQueue, .wantsRunLoop: "listen"
    case .didCloseRead, .didDisconnect, .willDisconnect: nil
    }
  }
}

extension SubjectCommand {
  /// The command, or those that run inside of `perform(_:)`.
  fileprivate var flattened: [SubjectCommand] {
    guard case .perform(let commands) = self else { return [self] }
    return commands.flatMap(\.flattened)
  }

  fileprivate var step: String {
    guard case .read(let read) = self else { return name == "write" ? "a write" : name }
    return switch read.boundary {
    case .available: "\(FirstDivergence.read) of what is there"
    case .exactly: "\(FirstDivergence.read) to a length"
    case .through: "\(FirstDivergence.read) to a delimiter"
    }
  }
}
