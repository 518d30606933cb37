/// A pattern over ids: `?` is one character, `*` any within a component, `**` any. One without a slash may fit the last
/// component alone.
package struct Glob: Hashable, Sendable {
  private let pattern: [Character]
  private let hasSlash: Bool

  package init(_ text: String) {
    pattern = Array(text)
    hasSlash = text.contains("/")
  }

  /// Whether it fits the whole id. Costs the product of both lengths at most.
  package func matches(_ id: String) -> Bool {
    let characters = Array(id)
    if matches(characters[...]) { return true }
    guard !hasSlash, let slash = characters.lastIndex(of: "/") else { return false }
    return matches(characters[(slash + 1)...])
  }

  /// Simulates all ways at once: the set of pattern places reached so far. Linear in both lengths.
  private func matches(_ characters: ArraySlice<Character>) -> Bool {
    var places = closure([0])
    for character in characters {
      var next = Set<Int>()
      for place in places where place < pattern.count {
        switch pattern[place] {
        case "*": if isDouble(place) || character != "/" { next.insert(place) }
        case "?": if character != "/" { next.insert(place + 1) }
        default: if pattern[place] == character { next.insert(place + 1) }
        }
      }
      places = closure(next)
    }
    return places.contains(pattern.count)
  }

  /// Stars may stand for nothing.
  private func closure(_ places: Set<Int>) -> Set<Int> {
    var all = places
    var pending = Array(places)
    while let place = pending.popLast() {
      guard place < pattern.count, pattern[place] == "*", all.insert(place + 1).inserted else { continue }
      pending.append(place + 1)
    }
    return all
  }

  private func isDouble(_ place: Int) -> Bool {
    place + 1 < pattern.count && pattern[place + 1] == "*" || place > 0 && pattern[place - 1] == "*"
  }
}
