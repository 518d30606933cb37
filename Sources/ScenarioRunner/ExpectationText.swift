import ScenarioModel
import ScriptedPeer

/// Expectations and callbacks in the words of a scenario file, for deviations.
enum ExpectationText {
  static func text(_ node: ExpectationNode) -> String {
    switch node {
    case .event(let event): text(event.expectation)
    case .stream(let stream): "stream of \(Wording.count(stream.bytes.count)): \(Wording.bytes(stream.bytes))"
    case .nothing(let nothing): "nothing for \(Wording.duration(nothing.duration))"
    case .anyOrder(let group): "in any order: " + group.items.flatMap { $0.map(text) }.joined(separator: ", ")
    case .oneOf(let group): text(group)
    }
  }

  static func position(_ node: ExpectationNode) -> SourcePosition? {
    switch node {
    case .event(let event): event.expectation.position
    case .stream(let stream): stream.position
    case .nothing(let nothing): nothing.position
    case .anyOrder(let group): group.items.first?.first.flatMap(position)
    case .oneOf(let group): group.position
    }
  }

  static func text(_ event: EventExpectation) -> String {
    var text = self.text(event.pattern, socket: event.socket)
    if event.times > 1 { text += " \(event.times) times" }
    if let window = event.window { text += " " + self.text(window) }
    return text
  }

  /// What an alternative expects, as messages and the record say it.
  static func text(_ alternative: Alternative) -> String {
    alternative.expectations.isEmpty
      ? "nothing more" : alternative.expectations.map(text(of:)).joined(separator: ", then ")
  }

  private static func text(of expectation: Expectation) -> String {
    switch expectation {
    case .event(let event): text(event)
    case .stream(let stream): "stream of \(Wording.count(stream.payload.count))"
    case .nothing(let duration, _, _): "nothing for \(Wording.duration(duration))"
    case .anyOrder(let items, _): "in any order: " + items.map(text(of:)).joined(separator: ", ")
    case .oneOf(let alternatives, _): "one of: " + alternatives.map(text).joined(separator: "; or ")
    }
  }

  static func text(_ pattern: CallbackPattern, socket: String) -> String {
    let fields = CallbackField.all(of: pattern)
    let name = prefix(socket) + pattern.kind.rawValue
    return fields.isEmpty ? name : "\(name) { \(fields.map { "\($0.name): \($0.text)" }.joined(separator: ", ")) }"
  }

  static func text(_ delivered: DeliveredCallback) -> String {
    var fields = fields(of: delivered.callback)
    if let loop = delivered.runLoop, loop != RunLoopName.main { fields.append("on: \(loop)") }
    if let mode = delivered.mode, mode != RunLoopName.defaultMode { fields.append("mode: \(mode)") }
    let name = prefix(delivered.socket) + delivered.callback.kind.rawValue
    return fields.isEmpty ? name : "\(name) { \(fields.joined(separator: ", ")) }"
  }

  static func text(_ error: SubjectError?) -> String {
    error.map { "\($0.name) (\($0.origin.map { "\($0): " } ?? "")\($0.message))" } ?? "none"
  }

  private static func prefix(_ socket: String) -> String { socket == "socket" ? "" : socket + "." }

  private static func text(_ group: OneOfNode) -> String {
    guard !group.alternatives.isEmpty else { return "one of several, none of which applies under this profile" }
    let alternatives = group.alternatives.map { alternative in
      alternative.nodes.isEmpty ? "nothing more" : alternative.nodes.map(text).joined(separator: ", then ")
    }
    return "one of: " + alternatives.joined(separator: "; or ")
  }

  private static func text(_ window: TimeWindow) -> String {
    let origin =
      switch window.origin {
      case .previous: "the previous"
      case .start: "the start"
      case .point(let name): name
      }
    let span =
      switch (window.earliest, window.latest) {
      case (let earliest?, let latest?) where earliest == latest: "at \(Wording.duration(earliest))"
      case (let earliest?, let latest?): "between \(Wording.duration(earliest)) and \(Wording.duration(latest))"
      case (let earliest?, nil): "not before \(Wording.duration(earliest))"
      case (nil, let latest?): "within \(Wording.duration(latest))"
      case (nil, nil): "at any time"
      }
    return "\(span) from \(origin)"
  }

  private static func fields(of callback: Callback) -> [String] {
    switch callback {
    case .didConnect(let host, let port): ["host: \(host)", "port: \(port)"]
    case .didConnectToURL(let path): ["path: \(path)"]
    case .didAccept(let child): ["child: \(child)"]
    case .didRead(let bytes, let tag): ["tag: \(tag)", "bytes: \(Wording.bytes(bytes))"]
    case .didReadPartial(let count, let tag), .didWritePartial(let count, let tag):
      ["tag: \(tag)", "length: \(count)B"]
    case .didWrite(let tag): ["tag: \(tag)"]
    case .shouldTimeoutRead(let tag, let elapsed, let done), .shouldTimeoutWrite(let tag, let elapsed, let done):
      ["tag: \(tag)", "elapsed: \(elapsed)s", "bytesDone: \(done)B"]
    case .didDisconnect(let error), .willDisconnect(let error): ["error: \(text(error))"]
    case .newSocketQueue, .didCloseRead, .didSecure, .didReceiveTrust, .willConnect, .wantsRunLoop: []
    }
  }
}

/// One field that a pattern looks at, and what it says.
struct CallbackField {
  var name: String
  var text: String
  /// The pattern with this field alone.
  var alone: CallbackPattern

  static func all(of pattern: CallbackPattern) -> [CallbackField] {
    var fields: [CallbackField] = []
    func add(_ name: String, _ text: String?, _ set: (inout CallbackPattern) -> Void) {
      guard let text else { return }
      var alone = CallbackPattern(kind: pattern.kind)
      set(&alone)
      fields.append(CallbackField(name: name, text: text, alone: alone))
    }
    add("tag", pattern.tag.map(String.init)) { $0.tag = pattern.tag }
    add("bytes", pattern.bytes.map { Wording.bytes($0.materialised) }) { $0.bytes = pattern.bytes }
    add("length", pattern.count.map(range)) { $0.count = pattern.count }
    add("hash", pattern.hash) { $0.hash = pattern.hash }
    add("host", pattern.host) { $0.host = pattern.host }
    add("port", pattern.port.map { String($0) }) { $0.port = pattern.port }
    add("path", pattern.path) { $0.path = pattern.path }
    add("error", pattern.error?.text) { $0.error = pattern.error }
    add("elapsed", pattern.elapsed.map { "\($0)s" }) { $0.elapsed = pattern.elapsed }
    add("bytesDone", pattern.bytesDone.map(range)) { $0.bytesDone = pattern.bytesDone }
    add("child", pattern.child) { $0.child = pattern.child }
    add("delegate", pattern.delegate) { $0.delegate = pattern.delegate }
    add("on", pattern.runLoop) { $0.runLoop = pattern.runLoop }
    add("mode", pattern.mode) { $0.mode = pattern.mode }
    return fields
  }

  private static func range(_ range: ClosedRange<Int>) -> String {
    range.lowerBound == range.upperBound ? "\(range.lowerBound)B" : "\(range.lowerBound)B..\(range.upperBound)B"
  }

  /// Which fields of the pattern the callback contradicts, in words; the first differing byte for bytes.
  static func mismatch(_ pattern: CallbackPattern, _ delivered: DeliveredCallback) -> String {
    let wrong = all(of: pattern).filter { !$0.alone.matches(delivered) }
    return wrong.map { field in
      switch field.name {
      case "bytes":
        guard case .didRead(let actual, _) = delivered.callback, let expected = pattern.bytes?.materialised else {
          return "bytes differs"
        }
        return difference(expected, actual)
      case "delegate": return "delegate is \(delivered.delegate)"
      case "on": return delivered.runLoop.map { "it came on \($0)" } ?? "it came on no run loop"
      case "mode": return delivered.mode.map { "it came in the mode \($0)" } ?? "it came on no run loop"
      default: return "\(field.name) differs"
      }
    }.joined(separator: "; ")
  }

  /// Where two byte strings part.
  static func difference(_ expected: [UInt8], _ actual: [UInt8]) -> String {
    let common = min(expected.count, actual.count)
    if let offset = ByteComparison.firstDifference(expected, from: 0, actual, from: 0, count: common) {
      return "bytes differ first at offset \(offset): expected \(Wording.byte(expected[offset])), "
        + "got \(Wording.byte(actual[offset]))"
    }
    return "bytes differ in length: expected \(Wording.count(expected.count)), got \(Wording.count(actual.count))"
  }
}
