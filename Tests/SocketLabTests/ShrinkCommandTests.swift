import Foundation
import Testing

/// From a red run to the smallest case that shows why, as a person meets it.
@Suite struct ShrinkCommandTests {
  /// Twenty lines are read and answered; what is expected of the thirteenth is not what comes.
  private static let long: String = {
    let numbers = 0..<20
    var text = """
      title: Twenty lines are read and answered
      requirements: [RD-DELIM-01]
      tags: [long]
      matrix: { family: [ipv4, ipv6], segmentation: [whole, bytes], queues: [separate, shared] }
      peer:
        - accept

      """
    for number in numbers {
      text += "  - send: \"line \(number) of twenty\\r\\n\"\n  - expect: \"ok \(number)\"\n"
    }
    text += "  - close\nsubject:\n  - connect\n  - after: didConnect\n"
    for number in numbers {
      text += "  - read: { through: \"\\r\\n\", timeout: 9s, tag: \(number + 100) }\n"
      text += "  - write: { bytes: \"ok \(number)\", tag: \(number + 200) }\n"
      if number % 5 == 4 { text += "  - after: { didRead: { tag: \(number + 100) } }\n" }
    }
    text += "expect:\n  - didConnect\n  - anyOrder:\n"
    // Reads and writes have an order of their own each.
    text = text.replacing("  - anyOrder:\n", with: "")
    for number in numbers {
      let word = number == 13 ? "LINE" : "line"
      text += "  - didRead: { tag: \(number + 100), bytes: \"\(word) \(number) of twenty\\r\\n\" }\n"
    }
    return text + "ending: peer fin\n"
  }()

  private static func suite() throws -> ScratchSuite {
    // Writes answer in an order of their own, so they are left to the peer to see.
    let silent = long.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains("write:") }
      .filter { !$0.contains("expect: \"ok") }.joined(separator: "\n")
      .replacing("ending: peer fin", with: "  - didDisconnect: { error: Closed }\nending: peer fin")
    return try ScratchSuite(["read/long.yaml": silent, "read/good.yaml": ScratchSuite.passing])
  }

  @Test(arguments: ["simulated", "loopback"]) func aLongCaseBecomesAShortOne(world: String) throws {
    let suite = try Self.suite()
    let run = try suite.run(["run", "read", "--world", world])
    #expect(run.status == 1)
    #expect(run.output.contains(" shrink read/long --world \(world) --seed 1 --variant "), "\(run.output)")
    let result = try suite.run(["shrink", "read/long"])
    #expect(result.status == 0, "\(result.output)\(result.error)")
    #expect(result.output.contains("Scenario: reports/shrunk/read-long.yaml"), "\(result.output)")
    let file = suite.folder.appendingPathComponent("reports/shrunk/read-long.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    let steps = text.split(separator: "\n").filter { $0.hasPrefix("  - ") }
    #expect(steps.count <= 7, "\(text)")
    #expect(text.contains("tag: 113") && !text.contains("tag: 112"), "\(text)")
    #expect(!text.contains("matrix"), "\(text)")
    #expect(text.contains("schedule: quiet") == (world == "simulated"), "\(text)")
    // The file shows the finding by itself.
    let again = try suite.run(["run", "reports/shrunk/read-long.yaml", "--world", world])
    #expect(again.status == 1)
    #expect(again.output.contains("wrongContent"), "\(again.output)")
  }

  @Test func anEarlierResultStays() throws {
    let suite = try Self.suite()
    let place = suite.folder.appendingPathComponent("reports/shrunk")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let earlier = place.appendingPathComponent("read-long.yaml")
    try Data("mine".utf8).write(to: earlier)
    let arguments = ["shrink", "read/long", "--world", "simulated", "--quiet"]
    for _ in 1...2 {
      let result = try suite.run(arguments)
      #expect(result.status == 0, "\(result.output)\(result.error)")
      #expect(result.output.contains("reports/shrunk/read-long-2.yaml"), "\(result.output)")
    }
    #expect(try String(contentsOf: earlier, encoding: .utf8) == "mine")
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
    #expect(names.sorted() == ["read-long-2.yaml", "read-long.yaml"], "the same result has the same file")
  }

  @Test func whatCannotBeMadeSmallerIsSaid() throws {
    let suite = try Self.suite()
    _ = try suite.run(["run", "--world", "simulated"])
    let rows: [([String], Int32, String)] = [
      (["shrink", "read/good"], 5, "went as expected in the run latest"),
      (["shrink", "read/good", "--world", "simulated"], 5, "goes as expected now"),
      (["shrink", "read/none"], 2, "The run latest has no such case of read/none"),
      (["shrink", "read/none", "--world", "simulated"], 2, "read/none"),
      (["shrink", "read", "--world", "simulated"], 2, "read is not one scenario"),
      (["shrink", "read/long", "--of", "nowhere"], 2, "There is no report of the run nowhere"),
      (["shrink", "read/long", "--world", "simulated", "--variant", "ipv9"], 2, "has no variant ipv9"),
      (["shrink", "read/long", "--write", "Scenarios/read/long.yaml"], 2, "exists"),
      (["shrink", "read/long", "--write", "there.txt"], 2, "must end in .yaml"),
      (["shrink", "read/long", "--write", "a#b.yaml"], 2, "like a case of a table"),
      (["shrink", "read/long", "--sound", "nothing"], 2, "There is no program nothing"),
      (["classify", "read/good"], 5, "went as expected"),
      (["run", "--repetitions", "3"], 2, "--repetitions is for --classify. --repeat plays"),
      (["run", "--classify", "--repetitions", "1"], 2, "--repetitions must be between 2 and 1000."),
    ]
    for (arguments, status, words) in rows {
      let result = try suite.run(arguments)
      #expect(result.status == status, "\(arguments): \(result.output)\(result.error)")
      #expect(result.error.contains(words), "\(arguments): \(result.error)")
    }
  }

  @Test func aCaseThatAlwaysFailsIsDeterministic() throws {
    let suite = try Self.suite()
    let result = try suite.run(["run", "read/long", "--world", "simulated", "--variant", "ipv4", "--classify"])
    #expect(result.status == 1)
    #expect(result.output.contains("deterministic: it shows every time"), "\(result.output)")
    #expect(result.output.contains("10 of 10"), "\(result.output)")
    #expect(result.output.contains("with other seeds: 100 of 100"), "\(result.output)")
    let fewer = try suite.run([
      "run", "read/long", "--world", "simulated", "--variant", "ipv4", "--classify", "--repetitions", "3",
    ])
    #expect(fewer.output.contains("3 of 3") && !fewer.output.contains("10 of 10"), "\(fewer.output)")
  }

  @Test func aWalkShowsEveryEventAndWhatIsOpen() throws {
    let suite = try Self.suite()
    _ = try suite.run(["run", "read/long", "--world", "simulated", "--variant", "ipv4"])
    let result = try suite.run(["replay", "latest", "read/long", "--step"])
    #expect(result.status == 1)
    #expect(result.output.contains("\n[1/"), "\(result.output)")
    #expect(result.output.contains("callback  didConnect"), "\(result.output)")
    #expect(result.output.contains("    open     didConnect"), "\(result.output)")
    #expect(result.output.contains("    wrongContent  "), "\(result.output)")
    #expect(result.output.contains("wire     → 18 bytes \"line 0 of twenty"), "\(result.output)")
  }
}
