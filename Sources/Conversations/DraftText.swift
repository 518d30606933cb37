import ScenarioModel
import ScenarioYAML

/// The file around the lanes of a draft.
struct DraftText {
  let conversation: Conversation
  let settings: ScenarioDraft.Settings
  let peer: Conversation.Side
  let lanes: LaneBuilder

  /// A scenario has 10 s unless it says more.
  private static let standardLimit = Duration.seconds(10)
  private static let maxColumns = 118
  /// Text behind more pieces than these says little about the conversation.
  private static let maxUntold = 4

  var text: String {
    var lines: [String] = []
    if let schema = settings.schema { lines.append("# yaml-language-server: $schema=\(schema)") }
    lines += comments
    lines.append("title: " + ScenarioWriter.scalar(title))
    lines.append("requirements: [\(lanes.requirements.joined(separator: ", "))]")
    lines.append("tags: [\(settings.tag)]")
    if let reason = lanes.onlyLoopback {
      lines.append("worlds: { only: loopback, because: \(ScenarioWriter.quoted(reason)) }")
    }
    // Told in the file's own words, because everybody who reads one asks.
    lines.append("# GCDAsyncSocket alone: AsyncSocket drops completions not told when the end comes (LIFE-13).")
    lines.append("matrix: { subject: gcd }")
    if lanes.pauses > Self.standardLimit / 2 {
      let seconds = (lanes.pauses + Self.standardLimit).components.seconds
      lines.append("limit: \(seconds)s")
    }
    lines.append("peer:")
    lines += lanes.peer.map { "  " + $0 }
    lines += subject
    if !lanes.reactions.isEmpty { lines += ["reactions:"] + lanes.reactions.map { "  " + $0 } }
    lines.append("expect:")
    lines += lanes.expectations.map { "  " + $0 }
    lines.append("ending: \(lanes.ending)")
    return lines.joined(separator: "\n") + "\n"
  }

  private var subject: [String] {
    guard lanes.isChild else { return ["subject:"] + lanes.subject.map { "  " + $0 } }
    return ["subjects:", "  socket:", "    - listen", "  child:"] + lanes.subject.map { "    " + $0 }
  }

  private var title: String {
    let role = "The subject plays the \(peer.other.rawValue) of a recorded conversation"
    return told.map { "\(role); the \($0.side.rawValue) \($0.word): \($0.text)" } ?? role
  }

  /// The first text among the first pieces, and its sender.
  private var told: (side: Conversation.Side, word: String, text: String)? {
    let pieces = conversation.events.lazy.compactMap { event -> (side: Conversation.Side, bytes: [UInt8])? in
      if case .bytes(let bytes) = event.act { (event.side, bytes) } else { nil }
    }
    for (index, piece) in pieces.prefix(Self.maxUntold).enumerated() {
      if let text = PayloadText.gist(piece.bytes) { return (piece.side, index == 0 ? "begins" : "says", text) }
    }
    return nil
  }

  private var comments: [String] {
    let began = conversation.startedAt.flatMap { $0 > 0 ? ", began \(InstantText.text($0))" : nil } ?? ""
    let counts = Conversation.Side.allCases.map {
      "\(QuantityText.count(conversation.count(of: $0), "byte")) from the \($0.rawValue)"
    }
    var notes = [
      "\(settings.source)\(began): client \(conversation.client), server \(conversation.server).",
      "The peer plays the \(peer.rawValue), the subject the \(peer.other.rawValue); "
        + counts.joined(separator: ", ") + ".",
    ]
    notes += conversation.notes + lanes.remarks
    return notes.flatMap(Self.wrapped)
  }

  /// A sentence as lines of comment. Its text comes from outside and must not end the comment.
  static func wrapped(_ sentence: String) -> [String] {
    var lines: [String] = []
    var line = "#"
    for word in sentence.split(whereSeparator: \.isWhitespace) {
      let word = word.unicodeScalars.map { $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F ? Character($0) : "?" }
      if line.count + 1 + word.count > maxColumns, line != "#" {
        lines.append(line)
        line = "#"
      }
      line += " " + String(word)
    }
    return lines + [line]
  }
}
