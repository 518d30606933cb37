/// Guesses which word the author meant.
package enum DidYouMean {
  /// Words longer than this are not compared: the cost is quadratic.
  private static let longest = 64

  /// The candidate closest to the word, if one is close enough to be a slip of the hand: at most a third of the
  /// letters wrong, left out, doubled or swapped with their neighbour, and never more than three. Upper and lower case
  /// count as equal. Among equals the first wins. The callback that tells of what the word says comes before all:
  /// `didConnect` for `connected`.
  package static func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
    let letters = Array(word.lowercased().unicodeScalars)
    guard !letters.isEmpty, letters.count <= longest else { return nil }
    if let callback = callback(for: word.lowercased(), among: candidates) { return callback }
    var best: String?
    var smallest = min(3, max(1, letters.count / 3)) + 1
    for candidate in candidates where candidate != word {
      let other = Array(candidate.lowercased().unicodeScalars)
      guard other.count <= longest, abs(other.count - letters.count) < smallest else { continue }
      let distance = distance(letters, other)
      if distance < smallest { (best, smallest) = (candidate, distance) }
    }
    return best
  }

  /// The one that begins with `did` and goes on with the verb of that participle.
  private static func callback(for participle: String, among candidates: some Sequence<String>) -> String? {
    let verbs = ["", "d", "ed"].filter { participle.hasSuffix($0) }.map { "did" + participle.dropLast($0.count) }
    return candidates.first { verbs.contains($0.lowercased()) }
  }

  /// Edits (insert, remove, replace, swap neighbours) that turn one into the other.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        var cost = last[column] + (left[row] == right[column] ? 0 : 1)
        cost = min(cost, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
