/// What of a simulated case's schedule is drawn; everything else takes its quietest value: nothing is late, nothing is
/// cut, what is set off first comes first.
///
/// Scenarios leave this to the case's seed. One that was made smaller says it itself, so that it shows the same with
/// every seed.
package struct Schedule: Hashable, Sendable, Codable {
  /// One draw of a case: the stream it comes from, and its number there, from 0.
  package struct Draw: Hashable, Sendable, Codable, Comparable {
    /// Such as `delivery.0`: the concern, and the link, queue or socket.
    package var stream: String
    /// How many draws of the stream come before it.
    package var number: Int

    package init(stream: String, number: Int) {
      self.stream = stream
      self.number = number
    }

    /// `delivery.0.3`; nil: the text is not of that form.
    package init?(text: String) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy({ $0.isASCII && $0.isLetter }),
        UInt16(parts[1]) != nil, let number = UInt32(parts[2]), parts.dropFirst().allSatisfy({ $0.first != "+" })
      else { return nil }
      self.init(stream: "\(parts[0]).\(parts[1])", number: Int(number))
    }

    /// As a file writes it.
    package var text: String { "\(stream).\(number)" }

    package static func < (left: Draw, right: Draw) -> Bool {
      (left.stream, left.number) < (right.stream, right.number)
    }
  }

  /// What the draws that are left are drawn from.
  package var seed: UInt64
  /// The draws that are left; nil: all of them.
  package var draws: Set<Draw>?
  /// Whether the world tells in the trace how much was drawn. No file says that.
  package var isTold: Bool

  package init(seed: UInt64 = 1, draws: Set<Draw>? = [], isTold: Bool = false) {
    self.seed = seed
    self.draws = draws
    self.isTold = isTold
  }

  /// Nothing is drawn.
  package static let quiet = Schedule()

  private static let remark = "drawn: "

  /// How often each stream was drawn from, as the world tells it.
  package static func note(_ counts: [String: Int]) -> String {
    remark + counts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }

  /// All draws of a case whose world was to tell them; nil: it did not.
  package static func draws(in trace: Trace) -> [Draw]? {
    for event in trace.events.reversed() {
      guard case .note(let note) = event.kind, note.hasPrefix(remark) else { continue }
      return note.dropFirst(remark.count).split(separator: " ").flatMap { word -> [Draw] in
        let parts = word.split(separator: "=")
        guard parts.count == 2, let count = Int(parts[1]) else { return [] }
        return (0..<count).map { Draw(stream: String(parts[0]), number: $0) }
      }
    }
    return nil
  }
}
