import ScenarioModel

/// What `socketlab explain` says about a code.
package struct LintExplanation: Sendable {
  /// What the remark means and why it is made.
  package var meaning: String
  /// Part of a file that earns the remark, and the same part without the fault; nil where an example says nothing.
  package var wrong: String?
  /// The part as it should be; nil where an example says nothing.
  package var right: String?
}

extension LintCode {
  /// What it means, with an example wrong and right, in plain text of several lines.
  package var explanation: String {
    let details = details
    var text = "\(rawValue) (\(severity.rawValue))\n\n\(details.meaning)\n"
    if let wrong = details.wrong { text += "\nWrong:\n\n" + Self.indented(wrong) }
    if let right = details.right { text += "\nRight:\n\n" + Self.indented(right) }
    return text
  }

  private static func indented(_ example: String) -> String {
    example.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)\n" }.joined()
  }

  /// The parts of the explanation. The examples are checked: each wrong one earns this very code.
  package var details: LintExplanation {
    textDetails ?? shapeDetails ?? valueDetails ?? stepDetails ?? senseDetails
      ?? LintExplanation(meaning: "No more is known about it.")
  }

  private var textDetails: LintExplanation? {
    switch self {
    case .fileTooLarge:
      LintExplanation(
        meaning: """
          A scenario file may have 1 MiB. Large payloads are described, not written out: `pattern` makes any number of \
          bytes from a seed, `repeat` repeats, `file` reads a file that lies beside the scenario.
          """)
    case .badUTF8:
      LintExplanation(
        meaning: """
          The file is not valid UTF-8; the place is the first byte that is not. Save it as UTF-8. Bytes that are no \
          text are written in hexadecimal digits.
          """, wrong: nil, right: "peer:\n  - accept\n  - send: { hex: \"48 45 4c 4c 4f ff\" }")
    case .badCharacter:
      LintExplanation(
        meaning: """
          Control characters other than tab and line breaks may not stand in a YAML file. In a double-quoted text they \
          are written as escapes.
          """, wrong: nil, right: "peer:\n  - accept\n  - send: \"HELLO\\x00\"")
    case .nestingTooDeep:
      LintExplanation(
        meaning: """
          Lists and mappings are nested more than \(YAMLComposer.deepest) levels deep. No scenario needs a quarter of \
          that; usually a bracket was not closed.
          """)
    case .anchor:
      LintExplanation(
        meaning: "YAML's anchors and aliases are not part of the language: every step says itself what it does.",
        wrong: "peer:\n  - accept\n  - send: &greeting \"HELLO\"", right: "peer:\n  - accept\n  - send: \"HELLO\"")
    case .explicitTag:
      LintExplanation(
        meaning: "YAML's tags (`!!str`, `!mine`) are not part of the language; what a value is follows from its place.",
        wrong: "peer:\n  - accept\n  - send: !!binary \"SEVMTE8=\"",
        right: "peer:\n  - accept\n  - send: { base64: \"SEVMTE8=\" }")
    case .syntax:
      LintExplanation(
        meaning: "The text is not YAML, so it cannot be read any further. Often a bracket or quote is missing.",
        wrong: "expect:\n  - didRead: { tag: 1", right: "expect:\n  - didRead: { tag: 1 }")
    case .severalDocuments:
      LintExplanation(
        meaning: "A file holds one scenario, so that its path can be its name.",
        wrong: "ending: open\n---\ntitle: Another one", right: "ending: open")
    case .emptyFile:
      LintExplanation(meaning: "The file holds nothing but blanks and comments. `socketlab new` writes a skeleton.")
    default: nil
    }
  }

  private var shapeDetails: LintExplanation? {
    switch self {
    case .unknownKey:
      LintExplanation(
        meaning: "A mapping has a key that means nothing there. Nothing is ever ignored silently.",
        wrong: "expect:\n  - didRead: { tga: 1 }", right: "expect:\n  - didRead: { tag: 1 }")
    case .duplicateKey:
      LintExplanation(
        meaning: "A key stands twice in one mapping. Which of the two is meant?",
        wrong: "expect:\n  - didRead: { tag: 1, tag: 2 }", right: "expect:\n  - didRead: { tag: 1 }")
    case .keyNotText:
      LintExplanation(
        meaning: "A list or a mapping stands where a key should.",
        wrong: "matrix: { [family]: ipv4 }", right: "matrix: { family: ipv4 }")
    case .missingKey:
      LintExplanation(
        meaning: "A mapping lacks a key that it needs.", wrong: "worlds: { only: loopback }",
        right: "worlds: { only: loopback, because: \"urgent data is not simulated\" }")
    case .conflictingKeys:
      LintExplanation(
        meaning: "Two keys of one mapping exclude each other.",
        wrong: "subject:\n  - connect\n  - read: { length: 5B, through: \"\\n\", tag: 1 }",
        right: "subject:\n  - connect\n  - read: { length: 5B, tag: 1 }")
    case .wrongType:
      LintExplanation(
        meaning: "A value has the wrong shape: a text where a list belongs, a list where a mapping belongs, and so on.",
        wrong: "requirements: RD-ANY-01", right: "requirements: [RD-ANY-01]")
    case .emptyValue:
      LintExplanation(
        meaning:
          "A key has a colon but no value, or an empty one that says nothing. `~` and nothing at all are never taken "
          + "for a default.",
        wrong: "tags:", right: "tags: [slow]")
    case .emptyList:
      LintExplanation(
        meaning: "A list that must have entries has none.", wrong: "requirements: []",
        right: "requirements: [RD-ANY-01]")
    default: nil
    }
  }

  private var valueDetails: LintExplanation? {
    switch self {
    case .unknownWord:
      LintExplanation(
        meaning: "A value is none of the words allowed. Flags are `true` or `false`, not `yes`, `no`, `on` or `off`.",
        wrong: "matrix: { family: ipv5 }", right: "matrix: { family: ipv6 }")
    case .missingUnit:
      LintExplanation(
        meaning: "Times and sizes carry their unit, because 50 of what?", wrong: "settle: 50", right: "settle: 50ms")
    case .badQuantity:
      LintExplanation(
        meaning: "A time or a size is not understood. Times: us, ms, s, min. Sizes: B, KiB, MiB, GiB.",
        wrong: "settle: 50msec", right: "settle: 50ms")
    case .badNumber:
      LintExplanation(
        meaning: "A whole number is needed, decimal or as 0x….",
        wrong: "expect:\n  - didRead: { tag: first }", right: "expect:\n  - didRead: { tag: 1 }")
    case .outOfRange:
      LintExplanation(
        meaning: "A number is too small or too large for its place.", wrong: "limit: 48000min", right: "limit: 48s")
    case .badName:
      LintExplanation(
        meaning: """
          Names of peers, sockets, points, delegates, queues, buffers and tags begin with a letter and have letters, \
          digits, `-` and `_`. Words with a meaning of their own cannot be names. The path at which a subject listens \
          stays in the case's own folder.
          """, wrong: "tags: [\"very slow\"]", right: "tags: [very-slow]")
    case .badRequirement:
      LintExplanation(
        meaning: """
          What is cited must be in the register, the files below Requirements/: one or two groups of capitals and two \
          digits. `socketlab coverage` lists all, `socketlab show RD-DELIM-04` shows one.
          """,
        wrong: "requirements: [RD-DELIM-4]", right: "requirements: [RD-DELIM-04]")
    case .badAddress:
      LintExplanation(
        meaning: "The case's own resolver maps names to numeric addresses.",
        wrong: "hosts: { one.example: [\"localhost\"] }",
        right: """
          hosts: { one.example: ["127.0.0.1"] }
          subject:
            - connect: { host: one.example, port: peer }
            - read: { tag: 1 }
          """)
    case .badPayload:
      LintExplanation(
        meaning: "Bytes given as digits are not such digits: hexadecimal, base64, or the sixteen of a content hash.",
        wrong: "peer:\n  - accept\n  - send: { hex: \"0d 0g\" }",
        right: "peer:\n  - accept\n  - send: { hex: \"0d 0a\" }")
    case .ambiguousPayload:
      LintExplanation(
        meaning: "Bytes are written without quotes and look like a number. Is the text meant, or so many bytes?",
        wrong: "peer:\n  - accept\n  - send: 10", right: "peer:\n  - accept\n  - send: \"10\"")
    case .byteEscape:
      LintExplanation(
        meaning: """
          A text in double quotes has an escape from `\\x80` to `\\xff`. In YAML that is a character, U+0080 to \
          U+00FF, and UTF-8 makes two bytes of it; hardly anybody means those. A byte is written in hexadecimal \
          digits, the character as itself or as `\\u00ff`.
          """,
        wrong: "peer:\n  - accept\n  - send: \"\\xca\\xfe\"",
        right: "peer:\n  - accept\n  - send: { hex: \"ca fe\" }")
    case .misleadingPayload:
      LintExplanation(
        meaning: """
          Bytes are written so that they are not what they seem to be: with a backslash outside double quotes, which \
          stands for itself there, with a comment right behind a text without quotes, or between curly quotes, which \
          are bytes like any others.
          """,
        wrong: "peer:\n  - accept\n  - send: 'HELLO\\r\\n'",
        right: "peer:\n  - accept\n  - send: \"HELLO\\r\\n\"")
    case .missingFile:
      LintExplanation(
        meaning: "A payload file is not there, or lies outside the scenario's folder.",
        wrong: "peer:\n  - accept\n  - send: { file: \"no-such-file.bin\" }")
    case .payloadTooLarge:
      LintExplanation(
        meaning: "All payloads of a file together may have 64 MiB.",
        wrong: "peer:\n  - accept\n  - send: { pattern: { seed: 1, size: 65MiB } }",
        right: "peer:\n  - accept\n  - send: { pattern: { seed: 1, size: 1MiB } }")
    case .tooMany:
      LintExplanation(
        meaning: """
          Repetitions are bounded: 100,000 for one `times` of steps or callbacks, 1,000,000 for nested steps together. \
          A scenario may have 256 peers and 256 sockets.
          """, wrong: "expect:\n  - didConnect\n  - didRead: { times: 200000 }",
        right: "expect:\n  - didConnect\n  - didRead: { times: 100000 }")
    case .unknownError:
      LintExplanation(
        meaning: """
          An error is named as the library names it (BadConfig, BadParam, ConnectTimeout, ReadTimeout, WriteTimeout, \
          ReadMaxedOut, Closed, Other), as the kernel does (ECONNRESET…), as the resolver does (EAI_NONAME…), or \
          as NetDB or SSL for any error of those.
          """, wrong: "expect:\n  - didDisconnect: { error: ReadTimedOut }\nending: subject either",
        right: "expect:\n  - didDisconnect: { error: ReadTimeout }\nending: subject either")
    case .unknownEnding:
      LintExplanation(
        meaning: """
          An ending is `open`, `never connected`, `subject fin|rst|either`, `peer fin|rst|either`, or \
          `peer fin|rst|either, subject fin|rst|either`.
          """, wrong: "ending: closed", right: "ending: open")
    default: nil
    }
  }
}
