import Foundation
import Testing

/// `socketlab explore` as a person meets it.
@Suite struct ExploreCommandTests {
  private static let simulated = ["--world", "simulated", "--output", "explored"]

  private func text(_ path: String, of suite: ScratchSuite) throws -> String {
    try String(contentsOf: suite.folder.appendingPathComponent(path), encoding: .utf8)
  }

  @Test("the sound library shows nothing, and the same seed explores the same")
  func sound() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    let words = ["explore", "--programs", "60", "--seed", "3", "--json"] + Self.simulated
    let summaries = try ["one", "two"].map { name in
      let result = try suite.run(words + ["--campaign", name])
      #expect(result.status == 0, "\(result.output) \(result.error)")
      let read = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
      return try #require(read as? [String: Any])
    }
    let trials = try summaries.map { try #require($0["trials"] as? [String: Int]) }
    #expect(trials[0] == trials[1] && trials[0].values.reduce(0, +) > 30 && trials[0].count == 3, "\(trials)")
    let cases = try summaries.map { try #require($0["cases"] as? [String: Int]) }
    #expect(cases[0] == cases[1] && Array(cases[0].keys) == ["simulated"])
    #expect(try text("explored/one/campaign.json", of: suite).contains("\"explore\""))
    #expect(try text("explored/two/explore.json", of: suite).contains("\"findings\" : ["))
  }

  @Test("a finding is kept as a file that shows it again, with the command for it")
  func finding() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.failing])
    let result = try suite.run(
      ["explore", "--programs", "8", "--judge", "expectations", "--until-found", "--keep", "kept", "--minimise", "5"]
        + ["--campaign", "one"] + Self.simulated)
    #expect(result.status == 1, "\(result.output) \(result.error)")
    let files = try FileManager.default.contentsOfDirectory(
      atPath: suite.folder.appendingPathComponent("kept").path)
    #expect(files.count == 1, "\(files)")
    let path = "kept/\(try #require(files.first))"
    #expect(result.output.contains(" run \(path) "), "\(result.output)")
    #expect(try text(path, of: suite).contains("Found by `explore --seed 1`"))
    let again = try suite.run(["run", path, "--world", "simulated"])
    #expect(again.status == 1 && again.output.contains("didRead"), "\(again.output) \(again.error)")
  }

  @Test("what can't be explored is told with its exit code")
  func mistakes() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing, "read/odd.yaml": "title: 1\n"])
    for (words, status) in [
      (["--time", "1", "--programs", "1"], 2), (["--programs", "0"], 2), (["--minimise", "-1"], 2),
      (["--campaign", "../out"], 2), (["--judge", "nobody"], 2), (["read/lime"], 2), (["read/odd"], 3),
    ] as [([String], Int32)] {
      let result = try suite.run(["explore"] + words + Self.simulated)
      #expect(result.status == status, "\(words): \(result.status) \(result.output) \(result.error)")
      #expect(!result.error.isEmpty, "\(words)")
    }
    let empty = try ScratchSuite(["canary/blind.yaml": ScratchSuite.failing + "canary: true\n"])
    let nothing = try empty.run(["explore", "--judge", "laws", "--programs", "5"] + Self.simulated)
    #expect(nothing.status == 5 && nothing.error.contains("Nothing ran"), "\(nothing.output) \(nothing.error)")
  }

  @Test("an exploration of which nothing could be played proves nothing, and fails")
  func unplayable() throws {
    // Nothing of it can be told in other words: no tag, no byte, and callbacks that hold up every call.
    let busy = """
      # yaml-language-server: $schema=../schema.json
      title: A callback takes its time
      requirements: [CON-01]
      matrix: { subject: [run-loop] }
      peer: [accept]
      subject: [connect]
      reactions: [{ when: didConnect, do: [hold: 10ms] }]
      expect: [didConnect]

      """
    let suite = try ScratchSuite(["read/busy.yaml": busy])
    let result = try suite.run(
      ["explore", "--judge", "expectations", "--programs", "20", "--campaign", "one"] + Self.simulated)
    #expect(result.status == 1, "\(result.output) \(result.error)")
    #expect(result.output.contains("20 trials drawn") && result.output.contains("✗ health"), "\(result.output)")
    let campaign = try text("explored/one/campaign.json", of: suite)
    #expect(campaign.contains("no case was played: 20 of the trials drawn can't be"), "\(campaign.suffix(2000))")
  }

  @Test("an exploration that dies leaves a note that it has not ended")
  func death() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    let earlier = ["explore", "read/line", "--judge", "laws", "--programs", "4", "--campaign", "one"] + Self.simulated
    #expect(try suite.run(earlier).status == 0)
    let line = """
      "$LAB" explore read/line --time 600 --campaign two \(Self.simulated.joined(separator: " ")) >/dev/null 2>&1 &
      for _ in {1..600}; do [ "$(readlink explored/latest)" = two ] && break; sleep 0.05; done
      kill -9 $!
      cat explored/latest/junit.xml
      """
    let junit = try suite.shell(line).output
    #expect(junit.contains(#"errors="1""#), "\(junit)")
    let compared = try suite.run(["fuzz", "compare", "explored/one", "explored/two"])
    #expect(compared.status == 2 && compared.error.contains("has not ended, or it died"), "\(compared.error)")
  }

  @Test("a campaign is never written over")
  func campaigns() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    let words = ["explore", "read/line", "--judge", "laws", "--programs", "4", "--campaign", "one"] + Self.simulated
    let first = try suite.run(words)
    #expect(first.status == 0, "\(first.output) \(first.error)")
    let second = try suite.run(words)
    #expect(second.status == 2 && second.error.contains("explored/one exists already"), "\(second.error)")
  }
}
