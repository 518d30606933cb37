import ScenarioModel
import ScenarioYAML

/// What the two sides say.
extension LaneBuilder {
  /// Pieces as equal as this many are a drip.
  private static let fewestDrops = 4

  mutating func peerSays(_ move: Move, _ pieces: [Move.Piece]) {
    guard !peerHasFinished, !peerIsGone else { return }
    note(move, pieces)
    peer += sending(pieces)
    guard !subjectHasEnded else { return remarkUnread(move) }
    tag += 1
    subject.append(Self.reading(move, tag: tag))
    expectations += didRead(move, tag: tag)
    urgentIsUnread = false
    awaited = "{ didRead: { tag: \(tag) } }"
    lastRead = "{ \(prefix)didRead: { tag: \(tag) } }"
  }

  mutating func subjectSays(_ move: Move, _ pieces: [Move.Piece]) {
    guard !subjectHasEnded, !peerIsGone else { return }
    catchUp()
    note(move, pieces)
    for group in Self.groups(pieces) {
      wait(group.pause, in: \.subject)
      tag += 1
      subject += writing(group.content, tag: tag)
      expectations.append("- \(prefix)didWrite: { tag: \(tag) }")
    }
    readAgain()
    peer += expecting(move)
    lastRead = nil
  }

  private mutating func remarkUnread(_ move: Move) {
    remark(
      "What the \(move.side.rawValue) said after the end of the other's stream is sent, and not read: the library ends "
        + "both directions at once.")
  }

  // MARK: - The peer's lines

  mutating func sending(_ pieces: [Move.Piece]) -> [String] {
    var lines: [String] = []
    var rest = pieces[...]
    while let piece = rest.first {
      if piece.pause > .zero {
        pauses += piece.pause.length
        lines.append(Self.waiting(piece.pause))
      }
      if let drip = Self.drip(rest) {
        let every = rest[rest.startIndex + 1].pause.length
        pauses += every * (drip - 1)
        let content = Self.joined(rest.prefix(drip))
        let end = "chunk: \(piece.count)B, every: \(ScenarioWriter.duration(every))"
        switch payloads.form(content, side: peerSide.rawValue) {
        case .inline(let text): lines.append("- drip: { bytes: \(text), \(end) }")
        case .lines(let texts): lines.append("- drip: { bytes: [\(texts.joined(separator: ", "))], \(end) }")
        }
        rest = rest.dropFirst(drip)
      } else {
        lines += step("send", payloads.form(piece.content, side: peerSide.rawValue), comment: Self.comment(on: piece))
        rest = rest.dropFirst()
      }
    }
    return lines
  }

  /// How many of the pieces, from the first on, are a drip; nil: they are none.
  static func drip(_ pieces: ArraySlice<Move.Piece>) -> Int? {
    guard pieces.count >= fewestDrops, let first = pieces.first else { return nil }
    let every = pieces[pieces.startIndex + 1].pause
    guard every > .zero, !every.isCut else { return nil }
    var count = 1
    for piece in pieces.dropFirst() {
      guard piece.pause == every, piece.count <= first.count else { break }
      count += 1
      if piece.count < first.count { break }
    }
    return count >= fewestDrops ? count : nil
  }

  // MARK: - The subject's lines

  static func reading(_ move: Move, tag: Int) -> String { "- read: { length: \(move.count)B, tag: \(tag) }" }

  mutating func writing(_ content: [Move.Content], tag: Int) -> [String] {
    switch payloads.form(Move.joined(content), side: peerSide.other.rawValue) {
    case .inline(let text): ["- write: { bytes: \(text), tag: \(tag) }"]
    case .lines(let texts): ["- write:", "    tag: \(tag)", "    bytes:"] + texts.map { "      - \($0)" }
    }
  }

  /// Pieces between which there is no pause are one write.
  static func groups(_ pieces: [Move.Piece]) -> [Move.Piece] {
    var groups: [Move.Piece] = []
    for piece in pieces {
      if piece.pause == .zero, !groups.isEmpty {
        groups[groups.count - 1].content += piece.content
      } else {
        groups.append(piece)
      }
    }
    return groups
  }

  /// - Parameter comment: with its number sign, for what stands on one line.
  func step(_ word: String, _ form: PayloadText.Form, comment: String = "") -> [String] {
    switch form {
    case .inline(let text): ["- \(word): \(text)\(comment)"]
    case .lines(let texts): ["- \(word):"] + texts.map { "    - \($0)" }
    }
  }

  private static func comment(on piece: Move.Piece) -> String {
    guard piece.count <= PayloadText.maxHex, case .bytes(let bytes)? = piece.content.first, piece.content.count == 1
    else { return "" }
    return PayloadText.comment(bytes)
  }

  static func joined(_ pieces: some Collection<Move.Piece>) -> [Move.Content] {
    Move.joined(pieces.flatMap(\.content))
  }

  /// Writes comments above the peer's step: which bytes are unknown, and what can be seen of encrypted ones.
  mutating func note(_ move: Move, _ pieces: [Move.Piece]) {
    for case .missing(let count, let lack) in pieces.flatMap(\.content) {
      let what = "\(QuantityText.count(count, "byte")) of the \(move.side.rawValue)"
      peer += DraftText.wrapped("\(what) that \(lack.text) stand as a pattern.")
      remark("Patterns stand for bytes that are not known; the comments at their places say why.")
    }
    guard speaksTLS, let bytes = move.bytes, let words = RecordHeaders.words(bytes) else { return }
    peer += DraftText.wrapped("TLS of the \(move.side.rawValue): \(words).")
  }
}
