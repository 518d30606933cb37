import ScenarioModel
import ScenarioYAML

/// Payloads in the lines of a scenario file, and what is too long for them in files beside it.
struct PayloadText {
  /// A payload behind its key: on the same line, or as a list below it.
  enum Form: Hashable {
    case inline(String)
    case lines([String])
  }

  /// The folder of the files, below the scenario's.
  let folder: String
  /// By their paths relative to the scenario's folder, in the order in which they were needed.
  private(set) var files: [(path: String, bytes: [UInt8])] = []
  private var textInAll = 0
  /// Places in `files`, by the content's hash.
  private var known: [UInt64: [Int]] = [:]

  private static let maxInline = 72
  private static let maxLine = 96
  private static let maxLines = 24
  private static let maxText = 1_200
  static let maxHex = 48
  /// Of all payloads together: a scenario file has a limit.
  private static let maxTotalText = 200_000
  private static let fewestRepeated = 32
  private static let fewestGist = 4
  /// The length from which a first line alone says enough.
  private static let fewestAlone = 8
  /// The number of printable bytes in a row that are no accident.
  private static let fewestOfBinary = 12
  private static let maxGist = 40

  init(folder: String) { self.folder = folder }

  /// The payload of these contents; `side` is a word for the name of a file.
  mutating func form(_ contents: [Move.Content], side: String) -> Form {
    guard let first = contents.first, contents.count == 1 else {
      let parts = contents.map { part($0, side: side) }
      return .lines(parts)
    }
    guard case .bytes(let bytes) = first else { return .inline(part(first, side: side)) }
    if let short = Self.short(bytes) { return .inline(short) }
    if let lines = shownLines(bytes) { return .lines(lines) }
    return .inline(file(bytes, side: side))
  }

  /// One below the other; nil: it is no text, or there is too much of it.
  private mutating func shownLines(_ bytes: [UInt8]) -> [String]? {
    guard textInAll < Self.maxTotalText, let lines = Self.lines(bytes) else { return nil }
    textInAll += bytes.count
    return lines.map(ScenarioWriter.quoted)
  }

  /// The same of what was sent in several steps: a text as a whole if it is short enough for that, otherwise step by
  /// step, so that it has the same files.
  mutating func form(whole bytes: [UInt8], sent: [[Move.Content]], side: String) -> Form {
    guard sent.count > 1 else { return form([.bytes(bytes)], side: side) }
    if let lines = shownLines(bytes) { return .lines(lines) }
    let parts = sent.flatMap { contents -> [String] in
      switch form(contents, side: side) {
      case .inline(let text): [text]
      case .lines(let texts): texts
      }
    }
    return .lines(parts)
  }

  private mutating func part(_ content: Move.Content, side: String) -> String {
    switch content {
    case .bytes(let bytes): Self.short(bytes) ?? file(bytes, side: side)
    // The bytes are unknown: a pattern of the same length is easily told from bytes that were seen.
    case .missing(let count, _): "{ pattern: { seed: 0, size: \(count)B } }"
    }
  }

  /// On one line; nil: it is too long for that.
  ///
  /// - Parameter joinsLines: several lines of text may stand on one, too.
  static func short(_ bytes: [UInt8], joinsLines: Bool = false) -> String? {
    if let first = bytes.first, bytes.count >= fewestRepeated, bytes.allSatisfy({ $0 == first }) {
      let unit = text([first]).map(ScenarioWriter.quoted) ?? "{ hex: \"\(ScenarioWriter.hexDigits([first]))\" }"
      return "{ repeat: \(unit), times: \(bytes.count) }"
    }
    let isLine = bytes.count <= maxInline && (joinsLines || !bytes.dropLast().contains(UInt8(ascii: "\n")))
    if isLine, let text = text(bytes) {
      let quoted = ScenarioWriter.quoted(text)
      if quoted.utf8.count <= maxInline { return quoted }
    }
    guard bytes.count <= maxHex, text(bytes) == nil else { return nil }
    return "{ hex: \"\(ScenarioWriter.hexDigits(bytes))\" }"
  }

  /// One below the other; nil: it is no text, or too long.
  private static func lines(_ bytes: [UInt8]) -> [String]? {
    guard bytes.count <= maxText, let text = text(bytes) else { return nil }
    var lines: [String] = []
    var line = ""
    for scalar in text.unicodeScalars {
      line.unicodeScalars.append(scalar)
      guard scalar == "\n" || line.unicodeScalars.count >= maxLine else { continue }
      lines.append(line)
      line = ""
    }
    if !line.isEmpty { lines.append(line) }
    return lines.count <= maxLines ? lines : nil
  }

  /// nil: the bytes are no text that people would read.
  static func text(_ bytes: [UInt8]) -> String? {
    isText(bytes[...]) ? String(validating: bytes, as: UTF8.self) : nil
  }

  /// Whether there are few enough controls among the bytes.
  private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    var controls = 0
    for byte in bytes where byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D || byte == 0x7F {
      controls += 1
    }
    return controls * 8 <= bytes.count
  }

  /// The beginning of a text, for a title or a comment: its first line, or the first few where that one is short. Of
  /// what goes on as something else than text, a first line that is long enough counts, too. nil: it is no text.
  static func gist(_ bytes: [UInt8]) -> String? {
    guard let first = lines(of: bytes[...]).first(where: { _ in true }) else { return nil }
    if first.count >= fewestOfBinary || isText(bytes.prefix(maxText)), first.count >= fewestAlone {
      return shortened(first[...])
    }
    guard isText(bytes.prefix(maxText)) else { return nil }
    var words: [UInt8] = []
    for line in lines(of: bytes[...]) where words.count <= maxGist {
      words += (words.isEmpty ? [] : [0x20]) + line
    }
    return words.count >= fewestGist ? shortened(words[...]) : nil
  }

  /// The longest text inside of bytes that are none, for a comment behind their hexadecimal digits; nil: there is none
  /// that says anything.
  static func words(inside bytes: [UInt8]) -> String? {
    let texts = bytes.split { $0 < 0x20 || $0 >= 0x7F }
    guard text(bytes) == nil, let longest = texts.max(by: { $0.count < $1.count }), longest.count >= fewestOfBinary
    else { return nil }
    return shortened(longest)
  }

  /// What stands behind bytes that a line shows as hexadecimal digits: the text inside of them, or nothing.
  static func comment(_ bytes: [UInt8]) -> String { words(inside: bytes).map { "  # holds: \($0)" } ?? "" }

  /// The leading lines that are printable as a whole; the last one need not be terminated.
  private static func lines(of bytes: ArraySlice<UInt8>) -> some Sequence<[UInt8]> {
    var rest = bytes
    return AnyIterator {
      rest = rest.drop { $0 == 0x0A || $0 == 0x0D }
      let line = rest.prefix { $0 >= 0x20 && $0 < 0x7F }
      let isLast = line.endIndex == rest.endIndex
      guard !line.isEmpty, line.count > maxGist || isLast || [0x0A, 0x0D].contains(rest[line.endIndex]) else {
        return nil
      }
      rest = rest[line.endIndex...]
      return Array(line)
    }
  }

  private static func shortened(_ text: ArraySlice<UInt8>) -> String {
    String(decoding: text.prefix(maxGist), as: UTF8.self) + (text.count > maxGist ? "..." : "")
  }

  private mutating func file(_ bytes: [UInt8], side: String) -> String {
    let hash = ContentHash(of: bytes).value
    let place = known[hash]?.first { files[$0].bytes == bytes } ?? newFile(bytes, hash, side: side)
    return "{ file: \(ScenarioWriter.quoted(files[place].path)) }"
  }

  private mutating func newFile(_ bytes: [UInt8], _ hash: UInt64, side: String) -> Int {
    let number = files.count + 1
    let path = "\(folder)/\(number < 10 ? "0" : "")\(number)-\(side).\(Self.text(bytes) == nil ? "bin" : "txt")"
    known[hash, default: []].append(files.count)
    files.append((path, bytes))
    return number - 1
  }
}
