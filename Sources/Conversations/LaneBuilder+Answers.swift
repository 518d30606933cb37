import ScenarioModel

/// What a turn is compared by: its bytes, in the form in which they stand where they are sent.
extension LaneBuilder {
  private enum Answer {
    /// The bytes, and a comment behind them or nothing.
    case payload(PayloadText.Form, gist: String)
    /// Fields, and a comment behind them or nothing.
    case count(String, gist: String)
  }

  /// What the peer waits for.
  mutating func expecting(_ move: Move) -> [String] {
    switch answered(move) {
    case .payload(.inline(let text), let gist): ["- expect: \(text)\(gist)"]
    case .payload(.lines(let texts), _): step("expect", .lines(texts))
    case .count(let fields, let gist): ["- expect: { \(fields) }\(gist)"]
    }
  }

  /// What the subject has to read.
  mutating func didRead(_ move: Move, tag: Int, times: Int = 1) -> [String] {
    let event = "- \(prefix)didRead:"
    let end = times == 1 ? " }" : ", times: \(times) }"
    switch answered(move) {
    case .payload(.inline(let text), let gist): return ["\(event) { tag: \(tag), bytes: \(text)\(end)\(gist)"]
    case .payload(.lines(let texts), _):
      let fields = ["    tag: \(tag)"] + (times == 1 ? [] : ["    times: \(times)"])
      return [event] + fields + ["    bytes:"] + texts.map { "      - \($0)" }
    case .count(let fields, let gist): return ["\(event) { tag: \(tag), \(fields)\(end)\(gist)"]
    }
  }

  /// Compares bytes, which show where two turns differ, and how; a hash where the file has no room for the bytes twice;
  /// and only the number of bytes where some are unknown.
  private mutating func answered(_ move: Move) -> Answer {
    guard let bytes = move.bytes else { return .count("length: \(move.count)B", gist: "") }
    if let short = PayloadText.short(bytes, joinsLines: true) {
      return .payload(.inline(short), gist: PayloadText.comment(bytes))
    }
    let gist = PayloadText.gist(bytes).map { "  # begins: \($0)" } ?? ""
    guard comparedCount + bytes.count <= PayloadBudget.maxCompared else {
      return .count("length: \(bytes.count)B, hash: \"\(ContentHash(of: bytes).text)\"", gist: gist)
    }
    comparedCount += bytes.count
    let sent = move.side == peerSide ? Self.sendings(move.pieces) : Self.groups(move.pieces).map(\.content)
    let form = payloads.form(whole: bytes, sent: sent.map { Move.joined($0) }, side: move.side.rawValue)
    return .payload(form, gist: gist)
  }

  /// What goes out in one step each.
  private static func sendings(_ pieces: [Move.Piece]) -> [[Move.Content]] {
    var sendings: [[Move.Content]] = []
    var rest = pieces[...]
    while !rest.isEmpty {
      let count = drip(rest) ?? 1
      sendings.append(rest.prefix(count).flatMap(\.content))
      rest = rest.dropFirst(count)
    }
    return sendings
  }
}
