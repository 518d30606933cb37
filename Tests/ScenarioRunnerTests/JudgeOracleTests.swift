import ScenarioModel
import ScenarioRunner
import Testing

/// The judge against a naive oracle: the set of all callback sequences that an expectation allows, spelled out.
@Suite struct JudgeOracleTests {
  /// What a case may show on its two sockets, and whether some strict reading allows it.
  private struct Word: Hashable {
    /// Indices into the alphabet.
    var one: [Int] = []
    var other: [Int] = []

    static func + (left: Word, right: Word) -> Word {
      Word(one: left.one + right.one, other: left.other + right.other)
    }
  }

  private typealias Language = [Word: Bool]

  /// Larger languages are not spelled out; what is left out is simply not compared.
  private static let maxWords = 200

  /// nil: too many.
  private static func shuffles(_ left: [Int], _ right: [Int]) -> Set<[Int]>? {
    guard let first = left.first else { return [right] }
    guard let second = right.first else { return [left] }
    guard let one = shuffles(Array(left.dropFirst()), right), let other = shuffles(left, Array(right.dropFirst()))
    else { return nil }
    let all = Set(one.map { [first] + $0 }).union(other.map { [second] + $0 })
    return all.count <= maxWords ? all : nil
  }

  private static func joined(_ left: Language, _ right: Language, _ join: (Word, Word) -> [Word]?) -> Language? {
    var result: Language = [:]
    for (one, isStrict) in left {
      for (other, isStrictToo) in right {
        guard let words = join(one, other), result.count <= maxWords else { return nil }
        for word in words { result[word] = result[word] ?? false || isStrict && isStrictToo }
      }
    }
    return result.count <= maxWords ? result : nil
  }

  /// nil: it is too large, or a part of it is.
  private static func language(_ sequence: [Expectation]) -> Language? {
    var whole: Language? = [Word(): true]
    for expectation in sequence {
      guard let before = whole, let part = language(expectation) else { return nil }
      whole = joined(before, part) { [$0 + $1] }
    }
    return whole
  }

  private static func language(_ expectation: Expectation) -> Language? {
    switch expectation {
    case .event(let event): return language(event)
    case .stream(let stream):
      return Dictionary(uniqueKeysWithValues: cuts(stream.payload.materialised).map { (word($0, stream.socket), true) })
    case .nothing: return [Word(): true]
    case .anyOrder(let items, _):
      var whole: Language? = [Word(): true]
      for item in items {
        guard let before = whole, let part = language(item) else { return nil }
        whole = joined(before, part) { one, other in
          guard let firsts = shuffles(one.one, other.one), let seconds = shuffles(one.other, other.other) else {
            return nil
          }
          return firsts.flatMap { first in seconds.map { Word(one: first, other: $0) } }
        }
      }
      return whole
    case .oneOf(let alternatives, _):
      var result: Language = [:]
      for alternative in alternatives {
        guard let part = language(alternative.expectations) else { return nil }
        for (word, isStrict) in part {
          result[word] = result[word] ?? false || isStrict && alternative.grade == .pass
        }
      }
      return result
    }
  }

  private static func language(_ event: EventExpectation) -> Language? {
    let once: Language = letters(event).reduce(into: [:]) { $0[word([$1], event.socket)] = true }
    var words: Language = [Word(): true]
    for _ in 0..<event.times {
      guard let more = joined(words, once, { [$0 + $1] }) else { return nil }
      words = more
    }
    if event.optional { words[Word()] = true }
    return words
  }

  /// The alphabet: didWrite with tag 1 or 2, didRead of "a", "b" or "ab".
  private static let alphabet: [Callback] = [
    .didWrite(tag: 1), .didWrite(tag: 2), .didRead(bytes: [97], tag: 0), .didRead(bytes: [98], tag: 0),
    .didRead(bytes: [97, 98], tag: 0),
  ]

  private static func letters(_ event: EventExpectation) -> [Int] {
    alphabet.indices.filter { event.pattern.matches(delivered(alphabet[$0])) }
  }

  /// The ways to spell the bytes in letters.
  private static func cuts(_ bytes: [UInt8]) -> [[Int]] {
    guard !bytes.isEmpty else { return [[]] }
    return alphabet.indices.flatMap { letter -> [[Int]] in
      guard case .didRead(let start, _) = alphabet[letter], bytes.starts(with: start) else { return [] }
      return cuts(Array(bytes.dropFirst(start.count))).map { [letter] + $0 }
    }
  }

  private static func word(_ letters: [Int], _ socket: String) -> Word {
    socket == "socket" ? Word(one: letters) : Word(other: letters)
  }

  // MARK: - Random cases

  private struct Generator {
    var random: SplitMix64

    mutating func expectations(_ depth: Int) -> [Expectation] {
      (0..<(1 + random.below(3))).map { _ in expectation(depth) }
    }

    mutating func expectation(_ depth: Int) -> Expectation {
      let socket = random.below(3) == 0 ? "other" : "socket"
      switch random.below(depth > 0 ? 8 : 5) {
      case 0: return stream(["a", "ab", "aab"][random.below(3)], on: socket)
      case 1: return event(.didRead, on: socket, optional: random.below(2) == 0)
      case 2: return event(.didWrite, on: socket, times: 1 + random.below(2), optional: random.below(3) == 0)
      case 3, 4:
        let tag = 1 + random.below(2)
        return event(.didWrite, on: socket, optional: random.below(3) == 0) { $0.tag = tag }
      case 5: return .anyOrder((0..<(1 + random.below(3))).map { _ in expectation(depth - 1) }, position: line(1))
      default:
        let alternatives = (0..<(1 + random.below(3))).map { number in
          Alternative(
            grade: random.below(3) == 0 ? .nonStrict : .pass, profile: nil,
            expectations: number > 0 && random.below(4) == 0 ? [] : expectations(depth - 1))
        }
        return .oneOf(alternatives, position: line(1))
      }
    }

    /// The letters of a word in some order that keeps each socket's own, now and then damaged.
    mutating func events(_ word: Word) -> [TraceEvent] {
      var one = word.one[...]
      var other = word.other[...]
      var events: [TraceEvent] = []
      while !one.isEmpty || !other.isEmpty {
        let takesFirst = other.isEmpty || !one.isEmpty && random.below(2) == 0
        if takesFirst, let letter = one.popFirst() { events.append(callback(alphabet[letter])) }
        if !takesFirst, let letter = other.popFirst() { events.append(callback(alphabet[letter], on: "other")) }
      }
      switch random.below(4) {
      case 0 where !events.isEmpty: events.remove(at: random.below(events.count))
      case 1:
        let letter = alphabet[random.below(alphabet.count)]
        events.insert(
          callback(letter, on: random.below(2) == 0 ? "other" : "socket"), at: random.below(events.count + 1))
      default: break
      }
      return events
    }
  }

  /// Short words for a tree of expectations.
  private static func text(_ expectations: [Expectation]) -> String {
    expectations.map { expectation in
      switch expectation {
      case .event(let event):
        "\(event.socket).\(event.pattern.kind)\(event.pattern.tag ?? 0)×\(event.times)\(event.optional ? "?" : "")"
      case .stream(let stream): "\(stream.socket).stream \(stream.payload.materialised)"
      case .nothing: "nothing"
      case .anyOrder(let items, _): "any(\(text(items)))"
      case .oneOf(let alternatives, _): "one(\(alternatives.map { text($0.expectations) }.joined(separator: " | ")))"
      }
    }.joined(separator: ", ")
  }

  private static func mentions(_ socket: String, _ expectations: [Expectation]) -> Bool {
    expectations.contains { expectation in
      switch expectation {
      case .event(let event): event.socket == socket
      case .stream(let stream): stream.socket == socket
      case .nothing(_, let name, _): name == socket
      case .anyOrder(let items, _): mentions(socket, items)
      case .oneOf(let alternatives, _): alternatives.contains { mentions(socket, $0.expectations) }
      }
    }
  }

  @Test(arguments: 0..<8) func agreesWithTheSpelledOutLanguage(_ seed: Int) throws {
    var generator = Generator(random: SplitMix64(seed: UInt64(seed)))
    var compared = 0
    while compared < 150 {
      let expectations = generator.expectations(2)
      guard let language = Self.language(expectations), !language.isEmpty else { continue }
      compared += 1
      let words = language.keys.sorted { ($0.one + [9] + $0.other).lexicographicallyPrecedes($1.one + [9] + $1.other) }
      let events = generator.events(words[generator.random.below(words.count)]).filter { event in
        guard case .callback(let delivered) = event.kind else { return false }
        return Self.mentions(delivered.socket, expectations)
      }
      try compare(expectations, language, events)
    }
  }

  private func compare(_ expectations: [Expectation], _ language: Language, _ events: [TraceEvent]) throws {
    var judge = Judge(
      scenario: scenario(expectations), profile: .documented, tolerance: Tolerance(early: .zero, late: .zero))
    var seen = Word()
    for (index, event) in events.enumerated() {
      guard case .callback(let delivered) = event.kind else { continue }
      guard let letter = Self.alphabet.firstIndex(of: delivered.callback) else { continue }
      if delivered.socket == "socket" { seen.one.append(letter) } else { seen.other.append(letter) }
      judge.observe(event, index: index)
      let isPossible = language.keys.contains { $0.one.starts(with: seen.one) && $0.other.starts(with: seen.other) }
      try #require(judge.deviations.isEmpty == isPossible, "\(Self.text(expectations)) after \(seen)")
      guard isPossible else { return }
      let isStrict = language[seen]
      try #require(judge.isSatisfied == (isStrict != nil), "\(Self.text(expectations)) after \(seen)")
      if let isStrict { try #require(judge.isNonStrict == !isStrict, "\(Self.text(expectations)) after \(seen)") }
    }
    #expect(judge.matches.count == events.count)
  }
}
