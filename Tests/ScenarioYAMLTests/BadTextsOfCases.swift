/// Wrong tables of cases.
extension BadTexts {
  static let cases = [
    // The story takes what no column has; a column that the story does not take.
    Row(
      "columns: { text: required, size: 5B }\ncases: { one: { text: A } }\npeer: [accept, send: $txt]",
      "1:12 unused-column", "1:28 unused-column", "3:22 unknown-column"),
    // What a row says in vain, lacks, or says of no column.
    Row(
      """
      columns: { text: required, more: optional, kind: required }
      cases:
        one: { text: A, kind: short, more: B }
        two: { kind: long }
        three: { text: A, kind: long, moar: B }
        four: { text: A, kind: other }
      peer: [accept, send: $text, $kind: { short: [], long: [send: $more] }]
      """,
      "3:32 unused-column", "4:8 missing-key", "5:33 unknown-key", "6:26 unknown-word"),
    // A column's value where none is put in.
    Row(
      "columns: { a: $b, b: required }\ncases: { one: { b: $nope } }\npeer: [accept, send: $a, send: $b]",
      "1:15 unknown-column", "2:20 unknown-column"),
    // What no case plays: a choice that no value takes, what stands in it, and a key that only a value would bring.
    Row(
      """
      columns: { kind: required, more: optional, rest: optional }
      cases: { one: { kind: short, rest: x }, two: { kind: long } }
      peer:
        - accept
        - $kind: { shrt: [expcet: 5, $more: { a: [] }], otherwise: [send: "B"] }
        - send: $rest
        - sned: $more
      """,
      "1:28 unused-column", "5:14 unused-choice"),
    Row(
      """
      columns: { kind: required }
      cases: { one: { kind: short }, two: { kind: long } }
      peer: [accept, $kind: { short: [], long: [send: "B"], otherwise: [] }]
      ending: { $kind: { short: open, long: open, otherwise: peer fin } }
      """,
      "4:45 unused-choice"),
    // A value of the wrong kind is told of where it stands: in its row, or among the columns.
    Row(
      """
      columns: { time: required, tag: x }
      cases:
        good: { time: 1s, tag: 1 }
        bad: { time: 1, tag: 1 }
        worse: { time: 1s }
      subject: [connect, read: { timeout: $time, tag: 1 }]
      expect: [didConnect, didRead: { tag: $tag }]
      """,
      "1:33 bad-number", "4:16 missing-unit"),
    // A fault of the story is told of once.
    Row(
      "columns: { text: required }\ncases: { one: { text: A }, two: { text: B } }\npeer: [accept, sned: $text]",
      "3:16 unknown-step"),
    Row(
      """
      columns: { text: required, title: required, bad name: required }
      cases:
        none: { text: A }
        one: { text: A }
        one: { text: B }
      peer: [accept, send: $text]
      """,
      "1:28 bad-name", "1:45 bad-name", "3:3 bad-name", "5:3 duplicate-key"),
    Row("columns: { text: required }\npeer: [accept, send: $text]", "1:1 missing-key"),
    Row("cases: { one: {} }", "1:1 missing-key"),
    Row("columns: []\ncases: 5", "1:10 wrong-type", "2:8 wrong-type"),
    Row("columns: {}\ncases: {}", "2:8 empty-list"),
    Row(
      "columns: { kind: required }\ncases: { one: { kind: a } }\nending: { $kind: [open], more: x }",
      "3:11 wrong-type"),
    Row("columns: { kind: required }\ncases: { one: { kind: a } }\nending: { $kind: open }", "3:18 wrong-type"),
    // What a row adds to the file's head is checked like that.
    Row(
      """
      columns: { text: required }
      cases:
        one: { text: A, requirements: [RD-ANY-01], worlds: { only: simulated }, tags: slow }
      peer: [accept, send: $text]
      """,
      "3:34 duplicate-name", "3:54 missing-key", "3:81 wrong-type"),
  ]
}
