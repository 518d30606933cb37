/// The known bytes of one side in one array, because a text that is searched for may be cut anywhere.
struct StreamText {
  let side: Conversation.Side
  /// Whether bytes were left out at the limit.
  private(set) var isCut = false
  private(set) var bytes: [UInt8] = []
  private var places: [(event: Int, range: Range<Int>)] = []

  /// Shorter runs of visible bytes do not count as text.
  private static let fewest = 6

  init(_ conversation: Conversation, _ side: Conversation.Side, most: Int) {
    self.side = side
    for (index, event) in conversation.events.enumerated() where event.side == side {
      guard case .bytes(let said) = event.act else { continue }
      // Of a piece that crosses the limit, what is before it.
      let known = said.prefix(most - bytes.count)
      places.append((index, bytes.count..<bytes.count + known.count))
      bytes += known
      guard known.count == said.count else {
        isCut = true
        break
      }
    }
  }

  /// The rows of visible bytes, lines and all, in their order.
  var texts: [Range<Int>] {
    var found: [Range<Int>] = []
    var start = 0
    for place in 0...bytes.count {
      // Bytes from 0x80 on are letters in some encoding, where text stands around them.
      if place < bytes.count, case let byte = bytes[place],
        byte >= 0x20 && byte != 0x7F || byte == 0x09 || byte == 0x0A || byte == 0x0D
      {
        continue
      }
      if place - start >= Self.fewest { found.append(start..<place) }
      start = place + 1
    }
    return found
  }

  /// By as many bytes.
  mutating func replace(_ range: Range<Int>, with replacement: [UInt8]) {
    bytes.replaceSubrange(range, with: replacement)
  }

  func write(into conversation: inout Conversation) {
    for place in places {
      guard case .bytes(var said) = conversation.events[place.event].act else { continue }
      said.replaceSubrange(0..<place.range.count, with: bytes[place.range])
      conversation.events[place.event].act = .bytes(said)
    }
  }
}
