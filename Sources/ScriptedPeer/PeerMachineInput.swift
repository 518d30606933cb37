import ScenarioModel

/// Bytes a peer received and no step has consumed yet: the chunks as they came, never joined or copied.
struct PeerMachineInput: Sendable {
  private var chunks: [[UInt8]] = []
  private var head = 0
  private var offset = 0
  private(set) var count = 0
  /// Bytes consumed before the first one here: the stream offset of that one.
  private(set) var consumed = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    chunks.append(bytes)
    count += bytes.count
  }

  /// Consumes bytes as long as they continue `expected` from `matched` on, and moves `matched`.
  /// Returns false when the next byte here differs from the next one expected; neither is consumed then.
  mutating func consume(continuing expected: [UInt8], from matched: inout Int) -> Bool {
    while count > 0, matched < expected.count {
      let length = min(chunks[head].count - offset, expected.count - matched)
      let difference = ByteComparison.firstDifference(
        chunks[head], from: offset, expected, from: matched, count: length)
      matched += difference ?? length
      drop(difference ?? length)
      if difference != nil { return false }
    }
    return true
  }

  /// Consumes at most `limit` bytes into the hash; returns how many.
  mutating func consume(_ limit: Int, into hash: inout ContentHash) -> Int {
    var left = min(limit, count)
    let total = left
    while left > 0 {
      let length = min(chunks[head].count - offset, left)
      hash.update(chunks[head][offset..<offset + length])
      drop(length)
      left -= length
    }
    return total
  }

  /// Consumes and returns what the first chunk still has, at most `limit` bytes.
  mutating func takeChunk(limit: Int) -> [UInt8] {
    guard count > 0, limit > 0 else { return [] }
    let chunk = chunks[head]
    let length = min(chunk.count - offset, limit)
    let bytes = length == chunk.count ? chunk : Array(chunk[offset..<offset + length])
    drop(length)
    return bytes
  }

  /// The next byte, not consumed.
  var first: UInt8? { count > 0 ? chunks[head][offset] : nil }

  /// The first bytes here, for messages.
  func preview(_ limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var start = offset
    for chunk in chunks[head...] where bytes.count < limit {
      bytes.append(contentsOf: chunk[start...].prefix(limit - bytes.count))
      start = 0
    }
    return bytes
  }

  private mutating func drop(_ length: Int) {
    count -= length
    consumed += length
    offset += length
    guard offset == chunks[head].count else { return }
    chunks[head] = []
    head += 1
    offset = 0
    if head == chunks.count || head > 64 && head * 2 > chunks.count {
      chunks.removeFirst(head)
      head = 0
    }
  }
}
