import Conversations

/// Whether a segment that came again has other bytes than those that came first.
///
/// Laws
/// - What is compared with is what the conversation holds anyway: no byte is kept for it.
/// - Bounded: no further back than `reach` bytes and `maxEvents` events; what lies before that says nothing.
enum Contradiction {
  private static let reach = 64 << 10
  /// How many of the newest events may be asked.
  static let maxEvents = 256

  /// - Parameters:
  ///   - bytes: of the segment.
  ///   - old: so far before the end of what was said the segment begins.
  ///   - said: by the same side, the newest first.
  static func isIn(
    _ bytes: ArraySlice<UInt8>, beginning old: Int, before said: some Sequence<Conversation.Act>
  ) -> Bool {
    // A probe that keeps a connection alive has one byte of no meaning in the place of the last one.
    guard old > 0, old <= reach, old > 1 || bytes.count > 1 else { return false }
    // The end of the act at hand, as a place in the segment.
    var end = old
    for act in said {
      switch act {
      case .bytes(let known):
        let start = end - known.count
        let (low, high) = (max(start, 0), min(end, bytes.count))
        if low < high, !known[low - start..<high - start].elementsEqual(bytes.behind(low).prefix(high - low)) {
          return true
        }
        end = start
      case .urgent(let byte):
        end -= 1
        if end >= 0, end < bytes.count, bytes[at: end] != byte { return true }
      case .missing(let count, _): end -= min(count, end)
      case .finish, .reset, .window, .handshake, .closeNotify, .alert, .keyUpdate: continue
      }
      guard end > 0 else { break }
    }
    return false
  }
}
