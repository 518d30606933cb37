/// Finds out which of many things are needed, by leaving things out.
///
/// Laws
/// - What is left passes the test that all things together pass: something is left out only after a test has accepted
///   it.
/// - Nothing that is left can be left out alone, as far as the test says so (1-minimal).
/// - A test is asked about many candidates at a time, because it can run them side by side. n things of which k are
///   needed take about k · log n rounds.
package enum DeltaDebugging {
  /// The places of things that are needed, ascending.
  ///
  /// - Parameters:
  ///   - count: how many things there are; all of them together are taken to pass the test.
  ///   - test: says of each candidate, which are the places of the things that stay, whether it still shows what it
  ///     should. A test that accepts nothing any more ends the search soon.
  ///   - accepted: is called with each candidate that the search goes on with.
  package static func minimise(
    _ count: Int, test: ([[Int]]) throws -> [Bool], accepted: ([Int]) -> Void = { _ in }
  ) rethrows -> [Int] {
    guard count > 0 else { return [] }
    if try test([[]]) == [true] {
      accepted([])
      return []
    }
    var kept = Array(0..<count)
    var size = (count + 1) / 2
    while true {
      let pieces = stride(from: 0, to: kept.count, by: size).map { $0..<min($0 + size, kept.count) }
      let dispensable = try dispensable(of: kept, in: pieces, test)
      if !dispensable.isEmpty {
        kept = kept.indices.filter { place in !dispensable.contains { $0.contains(place) } }.map { kept[$0] }
        accepted(kept)
        if kept.isEmpty { return [] }
        size = min(size, kept.count)
      } else if size == 1 {
        return kept
      } else {
        size = (size + 1) / 2
      }
    }
  }

  /// The pieces that can be left out together: all that can alone, or the first half of them, and so on.
  private static func dispensable(
    of kept: [Int], in pieces: [Range<Int>], _ test: ([[Int]]) throws -> [Bool]
  ) rethrows -> [Range<Int>] {
    func without(_ left: ArraySlice<Range<Int>>) -> [Int] {
      kept.indices.filter { place in !left.contains { $0.contains(place) } }.map { kept[$0] }
    }
    let answers = try test(pieces.indices.map { without(pieces[$0...$0]) })
    var alone = zip(pieces, answers).filter(\.1).map(\.0)
    while alone.count > 1 {
      if try test([without(alone[...])]) == [true] { return alone }
      alone.removeLast(alone.count - (alone.count + 1) / 2)
    }
    return alone
  }
}
