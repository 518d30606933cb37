/// A scenario for tests to which it matters only that it is one: the peer sends a line, and the subject reads it.
package enum SampleScenario {
  /// Its file, without the line for editors.
  package static let text = """
    title: A line is read
    requirements: [RD-DELIM-01]
    peer:
      - accept
      - send: "HELO\\r\\n"
    subject:
      - connect
      - read: { through: "\\r\\n", timeout: 1s, tag: 1 }
    expect:
      - didConnect
    \(expectation)
    ending: open

    """
  /// Its line that says what is read.
  package static let expectation = #"  - didRead: { tag: 1, bytes: "HELO\r\n" }"#
  /// As a file of the suite.
  package static let withSchema = "# yaml-language-server: $schema=../schema.json\n" + text
}
