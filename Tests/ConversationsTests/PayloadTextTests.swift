import Testing

@testable import Conversations

@Suite struct PayloadTextTests {
  @Test(
    "what a payload is told by in a title and in comments",
    arguments: [
      ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1"),
      // A short first line says little.
      ("*3\r\n$3\r\nset\r\n$6\r\ncolour\r\n", "*3 $3 set $6 colour"),
      ("one\ntwo\n", "one two"),
      ("\r\n\r\nlate", "late"),
      ("abc", nil),
      ("", nil),
      (String(repeating: "x", count: 60), String(repeating: "x", count: 40) + "..."),
      ("a\n" + String(repeating: "b", count: 60), "a " + String(repeating: "b", count: 38) + "..."),
      // What follows is no text.
      ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\u{12}\u{4}\0\0\0\0\0", "PRI * HTTP/2.0"),
      ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}", nil),
      ("SSH\u{1}\u{2}\u{3}\u{4}", nil),
    ] as [(String, String?)])
  func gist(_ row: (bytes: String, gist: String?)) {
    #expect(PayloadText.gist(Array(row.bytes.utf8)) == row.gist)
  }

  @Test(
    "behind hexadecimal digits stands the longest text inside of them",
    arguments: [
      ("\0\0\u{1A}\0\u{1}\0\0\0\u{1}<h1>hello from nginx</h1>\n", "  # holds: <h1>hello from nginx</h1>"),
      ("\u{16}\u{3}\u{1}\0\0\0\0ssl\0\0short", ""),
      // Text needs no digits.
      ("<h1>hello from nginx</h1>\n", ""),
      ("", ""),
    ])
  func comment(_ row: (bytes: String, comment: String)) {
    #expect(PayloadText.comment(Array(row.bytes.utf8)) == row.comment)
  }
}
