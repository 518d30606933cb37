import Foundation
import ScenarioModel
import ScenarioYAML
import Testing

/// Scenarios/README.md explains the language: what it shows must be so.
@Suite struct LanguagePageTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Scenarios")

  private func page() throws -> [Substring] {
    try String(contentsOf: Self.folder.appending(path: "README.md"), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The texts between ```yaml and ```.
  private func blocks() throws -> [String] {
    var blocks: [String] = []
    var open: [Substring]?
    for line in try page() {
      if line == "```yaml" {
        open = []
      } else if line == "```", let lines = open {
        blocks.append(lines.joined(separator: "\n"))
        open = nil
      } else {
        open?.append(line)
      }
    }
    return blocks
  }

  @Test func blocksAreGood() throws {
    let blocks = try blocks()
    #expect(blocks.count >= 12)
    for block in blocks {
      let context = block.hasPrefix("reactions") ? "peer: []\nsubject: [connect, read: { tag: 1 }]\n" : ""
      let file = Fixture.file(context + block)
      let diagnostics = Fixture.read(file).diagnostics
      #expect(diagnostics.isEmpty, "\(DiagnosticPrinter(path: "README.md", source: file).text(diagnostics))")
    }
  }

  /// The examples in the rows of the tables of one section.
  private func examples(_ section: String) throws -> [String] {
    let lines = try page().drop { $0 != "## \(section)" }.dropFirst().prefix { !$0.hasPrefix("## ") }
    return lines.filter { $0.hasPrefix("|") }.flatMap { line in
      line.matches(of: /`- ([^`]+)`/).map { String($0.1) }
    }
  }

  /// Remarks that an example out of its context may earn.
  private static let harmless: Set<String> = [
    "unawaited-point", "impossible-callback", "unreachable-step", "judges-nothing", "never-reached", "misplaced-step",
    "blocked-to-the-end", "lacking-world", "unused-name",
  ]

  @Test(arguments: [
    ("What a peer does", "peers: { peer: [accept, %], six: [accept] }\nsubject: [connect, server.listen, reach: sent]"),
    ("A peer that speaks TLS", "peers: { peer: [accept, %], six: [accept] }\nsubject: [connect, read: { tag: 1 }]"),
    ("What the subject does", "peers: { peer: [accept], six: [accept] }\nsubject: [server.listen, %]\nexpect: []"),
    (
      "A subject on a run loop",
      "matrix: { subject: run-loop }\npeers: { peer: [accept], six: [accept] }\nsubject: [connect, %]\nexpect: []"
    ),
    ("A network of the case's own", "network: { links: { lab0: {}, lab1: {} }, steps: [%] }\nexpect: [didConnect]"),
    ("Expectations", "peer: [accept]\nsubject: [connect, read, write: x]\nexpect: [%]"),
  ]) func rowsAreGood(section: String, frame: String) throws {
    let examples = try examples(section)
    #expect(examples.count >= 6)
    for example in examples {
      let flow = example.contains(": ") ? "{ \(example) }" : example
      let codes = Fixture.read(Fixture.file(frame.replacing("%", with: flow))).diagnostics.map(\.code)
      #expect(Set(codes).isSubset(of: Self.harmless), "\(example): \(codes)")
    }
  }

  @Test func everyWordIsExplained() throws {
    let text = try page().joined(separator: "\n")
    let words =
      CallbackKind.allCases.map(\.rawValue) + SubjectProperty.allCases.map(\.rawValue)
      + LibraryErrorCode.allCases.map(\.name) + RunLoopErrorCode.own.map(\.name) + [SubjectError.misuse]
      + SubjectKind.allCases.map(\.rawValue) + Segmentation.allCases.map(\.rawValue)
      + QueueTopology.allCases.map(\.rawValue) + ScenarioReader.words
    for word in words { #expect(text.contains(word), "\(word) is not explained") }
  }

  @Test func endingsAreGood() throws {
    let endings = try page().compactMap { $0.firstMatch(of: /\| `(ending: [^`]+)` \|/).map { String($0.1) } }
    #expect(endings.count == 5)
    for ending in endings {
      #expect(Fixture.read(Fixture.file("peer: [accept, close]\nexpect: []\n\(ending)")).diagnostics.isEmpty)
    }
  }
}
