/// A message without what differs from variant to variant, or from run to run, though the same thing happened:
/// instants and durations, addresses, ports and paths, counts of bytes, places in memory.
///
/// Quoted text stays as it is: it is what went over the wire. So do bare numbers that count no bytes: a tag says which.
package enum VariantNeutral {
  /// The message with a `#` in the place of each.
  ///
  /// - Parameter keepsCounts: counts of bytes stay: for one case in two runs, in which as many must have come.
  package static func text(_ message: String, keepsCounts: Bool = false) -> String {
    guard message.utf8.contains(where: { isDigit($0) || $0 == slash }) else { return message }
    let words = split(Array(message.utf8))
    var out: [UInt8] = []
    out.reserveCapacity(message.utf8.count)
    for (index, word) in words.enumerated() {
      let neutral = word.isQuoted ? nil : placeholder(index, words, keepsCounts: keepsCounts)
      if let neutral { out.append(contentsOf: neutral) } else { out.append(contentsOf: word.bytes) }
      out.append(contentsOf: word.gap)
    }
    return String(decoding: out, as: UTF8.self)
  }

  private struct Word {
    var bytes: ArraySlice<UInt8>
    /// What separates it from the next one.
    var gap: ArraySlice<UInt8>
    var isQuoted: Bool
  }

  private static func split(_ text: [UInt8]) -> [Word] {
    var words: [Word] = []
    var place = 0
    while place < text.count {
      let start = place
      let isQuoted = text[place] == quote
      if isQuoted { place = endOfQuote(text, from: place) }
      while !isQuoted, place < text.count, text[place] != quote, !isGap(text[place]) { place += 1 }
      let end = place
      while place < text.count, isGap(text[place]) { place += 1 }
      words.append(Word(bytes: text[start..<end], gap: text[end..<place], isQuoted: isQuoted))
    }
    return words
  }

  private static func endOfQuote(_ text: [UInt8], from start: Int) -> Int {
    var place = start + 1
    while place < text.count, text[place] != quote { place += text[place] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(place + 1, text.count)
  }

  /// What stands for the word at `index`; nil: itself.
  private static func placeholder(_ index: Int, _ words: [Word], keepsCounts: Bool) -> [UInt8]? {
    let (units, counters) = keepsCounts ? (times, ports) : (Self.units, Self.counters)
    let word = words[index].bytes
    let core = body(of: word)
    guard let first = core.first else { return nil }
    let tail = word[core.endIndex...]
    if first == slash, core.count > 1 { return [mark] + tail }
    if core.starts(with: "0x".utf8), core.count > 6 { return [mark] + tail }
    if isAddress(core) { return [mark] + tail }
    // The port behind an address in brackets.
    if first == colon, core.count > 1, core.dropFirst().allSatisfy(isDigit) { return [colon, mark] + tail }
    guard isDigit(first) || first == minus && core.count > 1 else { return nil }
    let unit = core.drop { isDigit($0) || $0 == dot || $0 == comma || $0 == minus }
    if !unit.isEmpty { return units.contains(Array(unit)) ? [mark] + tail : nil }
    let before = index > 0 ? body(of: words[index - 1].bytes) : []
    let after = index + 1 < words.count ? body(of: words[index + 1].bytes) : []
    return counters.contains(Array(before)) || units.contains(Array(after)) ? [mark] + tail : nil
  }

  /// The word without the punctuation behind it.
  private static func body(of word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    word.dropLast(word.reversed().prefix { ends.contains($0) }.count)
  }

  /// `127.0.0.1`, `127.0.0.1:80`, `::1`, `fe80::1%lo`, `localhost:40001`.
  private static func isAddress(_ word: ArraySlice<UInt8>) -> Bool {
    let colons = word.count { $0 == colon }
    if colons >= 2 {
      let digits = word.prefix { $0 != UInt8(ascii: "%") }
      return digits.allSatisfy { isHexDigit($0) || $0 == colon || $0 == dot }
    }
    let host = word.prefix { $0 != colon }
    let port = word.dropFirst(host.count + 1)
    if colons == 1, port.count >= 4, port.allSatisfy(isDigit), !host.isEmpty { return true }
    return host.count { $0 == dot } == 3 && host.allSatisfy { isDigit($0) || $0 == dot }
      && port.allSatisfy(isDigit)
  }

  private static func isGap(_ byte: UInt8) -> Bool { gaps.contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  private static let (quote, slash, minus, dot) = (
    UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: ".")
  )
  private static let (comma, colon, mark) = (UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "#"))
  private static let gaps = Set(" \n\t()[]{};='".utf8)
  /// Punctuation behind a word.
  private static let ends = Set(",.:".utf8)
  /// A bare number behind them is a port.
  private static let ports = Set(["port"].map { Array($0.utf8) })
  /// What a bare number behind them counts is bytes.
  private static let places = Set(["after", "offset", "length"].map { Array($0.utf8) })
  private static let times = Set(["ns", "us", "µs", "ms", "s", "min"].map { Array($0.utf8) })
  private static let sizes = Set(["B", "KiB", "MiB", "GiB", "byte", "bytes", "of"].map { Array($0.utf8) })
  private static let units = times.union(sizes)
  private static let counters = ports.union(places)
}
