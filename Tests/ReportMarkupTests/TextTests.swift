import Foundation
import ReportMarkup
import ReportTestSupport
import Testing

@Suite struct TextTests {
  @Test(arguments: [
    ("HELLO\r\n", 7, "\"HELLO\\r\\n\""), ("", 0, "\"\""), ("say \"hi\"", 8, "\"say \\\"hi\\\"\""),
    ("HELLO", 900, "\"HELLO…\""),
  ])
  func previewsOfText(text: String, total: Int, expected: String) {
    #expect(VisibleText.preview(Array(text.utf8), total: total, limit: 40) == expected)
  }

  /// Every byte value twice.
  private let binary = (0..<512).map { UInt8(truncatingIfNeeded: $0) }

  @Test func previewsOfBinaryAndLongData() {
    #expect(VisibleText.preview([0, 1, 255], total: 3, limit: 40) == "00 01 ff")
    for limit in 3..<60 {
      for data in [Array(repeating: UInt8(ascii: "x"), count: 500), binary] {
        let preview = VisibleText.preview(data, total: 500, limit: limit)
        #expect(preview.count <= max(limit + 1, 7) && preview.contains("…"), "\(limit): \(preview)")
      }
    }
  }

  @Test func clippingBoundsCharactersAndScalars() {
    #expect(VisibleText.clipped("short", to: 5) == "short")
    #expect(VisibleText.clipped("longer", to: 5) == "long…")
    #expect(VisibleText.clipped("a\nb", to: 5) == "a\u{240A}b")
    let piled = "a" + String(repeating: "\u{0300}", count: 10_000)
    #expect(VisibleText.clipped(piled, to: 10).unicodeScalars.count < 100)
  }

  @Test func scrubbingIsIdempotentAndLeavesNothingInvisible() {
    for text in HostileText.all {
      let once = VisibleText.scrub(text)
      #expect(VisibleText.scrub(once) == once)
      #expect(!once.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" && $0 != "\t" })
    }
    #expect(VisibleText.scrub("a\u{202E}b\u{0}") == "a[U+202E]b\u{2400}")
  }

  @Test func hexDumpCountsTheRest() {
    let dump = HexDump.text(Array(binary.prefix(256)), total: 300)
    let lines = dump.split(separator: "\n")
    #expect(lines.count == 17)
    #expect(lines.last == "…     44 more bytes")
    #expect(HexDump.text(Array("Hi\r\n".utf8), total: 4) == "0000  48 69 0d 0a  Hi··")
  }

  @Test func jsonNumbersAndTexts() {
    let node = JSONNode.list([
      .number(1.5), .number(.nan), .number(3), .unsigned(.max), .integer(-1), .text("a\"\\\n\u{1}é"), .flag(true),
    ])
    let text = String(decoding: node.encoded(spread: 0), as: UTF8.self)
    #expect(text == #"[1.5, null, 3, 18446744073709551615, -1, "a\"\\\n\u0001é", true]"# + "\n")
  }

  /// Bytes are looked at eight at a time: each byte at each place of a long text.
  @Test(arguments: 0..<128) func jsonEscapesWhereverTheyStand(byte: UInt8) throws {
    for count in [1, 7, 8, 9, 16, 23] {
      for place in 0..<count {
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        bytes[place] = byte
        let text = String(decoding: bytes, as: UTF8.self)
        let line = JSONNode.text(text).encoded(spread: 0)
        #expect(!line.dropLast().contains { $0 < 0x20 || $0 == 0x7F })
        #expect(try JSONSerialization.jsonObject(with: Data(line), options: .fragmentsAllowed) as? String == text)
      }
    }
  }

  @Test func jsonObjectsKeepTheirOrderAndLeaveOutWhatIsNil() {
    let node: JSONNode = ["z": .texts(["a"]), "none": nil, "a": ["y": .flag(false), "b": .integer(0)]]
    #expect(
      String(decoding: node.encoded(spread: 1), as: UTF8.self) == """
        {
          "z": ["a"],
          "a": {"y": false, "b": 0}
        }

        """)
  }

  @Test(arguments: [
    ("plain", "plain"), ("<b>", "\\<b\\>"), ("a|b", "a\\|b"), ("*x*", "\\*x\\*"), ("a\nb", "a\u{240A}b"),
    ("[x](y)", "\\[x\\](y)"),
  ])
  func markdownIsEscaped(text: String, expected: String) { #expect(MarkdownText.escape(text) == expected) }

  @Test(arguments: [("x", "`x`"), ("a`b", "`` a`b ``"), ("```", "```` ``` ````"), ("", "` `")])
  func codeSpansHoldTheirBackticks(text: String, expected: String) { #expect(MarkdownText.code(text) == expected) }
}
