/// Makes moves of events, see `Move`.
struct MoveBuilder {
  /// The length from which a piece may be a full segment.
  private static let fullSegment = 512
  /// Pieces of a turn that stand apart; what follows joins the last one.
  private static let maxPieces = 40
  /// The same of pieces with pauses between them.
  private static let maxPaced = 400

  private let pacing: Pacing
  private(set) var moves: [Move] = []
  private var last = Duration.zero

  /// The moves of these events.
  static func moves(of events: [Conversation.Event], pacing: Pacing) -> [Move] {
    var maker = MoveBuilder(pacing: pacing)
    for event in events { maker.take(event) }
    return maker.moves.map(\.joined)
  }

  private init(pacing: Pacing) { self.pacing = pacing }

  private mutating func take(_ event: Conversation.Event) {
    let pause = pacing.pause(max(event.at - last, .zero))
    last = max(last, event.at)
    switch event.act {
    case .bytes(let bytes):
      guard !bytes.isEmpty else { return }
      say(.bytes(bytes), event.side, after: pause)
    case .missing(let count, let lack):
      guard count > 0 else { return }
      say(.missing(count, lack), event.side, after: pause)
    case .urgent(let byte): add(.urgent(byte), event.side, after: pause)
    case .finish: add(.finish, event.side, after: pause)
    case .reset: add(.reset, event.side, after: pause)
    case .window(let isOpen): add(.window(isOpen: isOpen), event.side, after: pause)
    case .handshake(let handshake):
      add(.handshake(handshake), event.side, after: pause)
      // Its own messages take their time again.
      last = max(last, event.at + handshake.duration)
    case .closeNotify: add(.closeNotify, event.side, after: pause)
    case .alert(let alert): add(.alert(alert), event.side, after: pause)
    case .keyUpdate(let requested): add(.keyUpdate(requested: requested), event.side, after: pause)
    }
  }

  private mutating func add(_ kind: Move.Kind, _ side: Conversation.Side, after pause: RecordedPause) {
    moves.append(Move(side: side, pause: pause, kind: kind))
  }

  private mutating func say(_ content: Move.Content, _ side: Conversation.Side, after pause: RecordedPause) {
    let piece = Move.Piece(pause: pause, content: [content])
    guard let place = moves.indices.last, moves[place].side == side, case .turn(var pieces) = moves[place].kind else {
      return add(.turn([piece]), side, after: pause)
    }
    // The one array of the pieces is here now; it would be copied otherwise.
    moves[place].kind = .finish
    let end = pieces.count - 1
    // Joined when all is there: it would be copied again and again otherwise.
    let isFull = (pieces[end].content.last?.count ?? 0) >= Self.fullSegment
    if pieces.count >= (pause == .zero ? Self.maxPieces : Self.maxPaced) || pause == .zero && isFull {
      pieces[end].content.append(content)
    } else {
      pieces.append(piece)
    }
    moves[place].kind = .turn(pieces)
  }
}

extension Move {
  /// More stretches of bytes than this are not told one by one, of a piece or of a turn.
  private static let maxContents = 48, maxPerTurn = 240

  /// Neighbours of one kind as one.
  static func joined(_ contents: [Content], most: Int = maxContents) -> [Content] {
    guard contents.count > 1 else { return contents }
    var joined: [Content] = []
    var known: [UInt8] = []
    func close() {
      if !known.isEmpty { joined.append(.bytes(known)) }
      known = []
    }
    for content in contents {
      switch content {
      case .bytes(let bytes): known += bytes
      case .missing(let count, let lack):
        close()
        if case .missing(let before, let same)? = joined.last, same == lack {
          joined[joined.count - 1] = .missing(before + count, lack)
        } else {
          joined.append(content)
        }
      }
    }
    close()
    guard joined.count > most + 1 else { return joined }
    let rest = joined[most...].reduce(0) { $0 + $1.count }
    return joined[..<most] + [.missing(rest, .scattered)]
  }

  /// With the contents of each piece joined.
  fileprivate var joined: Move {
    guard case .turn(let pieces) = kind else { return self }
    var move = self
    var left = Self.maxPerTurn
    move.kind = .turn(
      pieces.map { piece in
        let content = Self.joined(piece.content, most: min(Self.maxContents, left))
        left = max(0, left - content.count + 1)
        return Piece(pause: piece.pause, content: content)
      })
    return move
  }
}
