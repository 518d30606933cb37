/// Finds the members of a list by which something happens, by running halves of it.
///
/// `happens` is asked about parts of the list, and is normally true for a part if it is true for one of its members. If
/// it is true for a part and for neither half, the part itself is the answer.
package enum Narrowing {
  /// The smallest parts found, the first ones first; at most `most`, because each costs twice the list's length in
  /// runs.
  package static func parts<Element, Failure: Error>(
    of list: [Element], most: Int, happens: ([Element]) throws(Failure) -> Bool
  ) throws(Failure) -> [[Element]] {
    var found: [[Element]] = []
    try narrow(list, most: most, into: &found, happens: happens)
    return found
  }

  private static func narrow<Element, Failure: Error>(
    _ list: [Element], most: Int, into found: inout [[Element]], happens: ([Element]) throws(Failure) -> Bool
  ) throws(Failure) {
    guard list.count > 1 else { return found.append(list) }
    let middle = list.count / 2
    var isInHalf = false
    for half in [Array(list[..<middle]), Array(list[middle...])] where found.count < most {
      guard try happens(half) else { continue }
      isInHalf = true
      try narrow(half, most: most, into: &found, happens: happens)
    }
    if !isInHalf, found.count < most { found.append(list) }
  }
}
