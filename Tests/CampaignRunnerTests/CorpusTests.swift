import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel
import TestSupport
import Testing

@testable import CampaignRunner

/// Committed inputs: what is replayed of them, and what becomes of them.
@Suite(.timeLimit(.minutes(2))) struct CorpusTests {
  private static let inputs = [
    "seeds/scanner/a": "one", "corpus/scanner/b": "two", "corpus/scanner/c": "three",
  ]

  // MARK: - Replays

  private func known(_ entries: [(file: String, status: KnownFindings.Entry.Status)]) -> KnownFindings {
    KnownFindings(
      entries: entries.map {
        KnownFindings.Entry(target: "scanner", file: $0.file, key: $0.file, status: $0.status, note: "")
      })
  }

  @Test func everyCommittedInputIsReplayedAndWhatFailsIsNamed() throws {
    let fuzzer = try ReadingFuzzer()
    try fuzzer.write(Self.inputs)
    try fuzzer.write([
      "seeds/scanner/seed": "break scanner/frames", "corpus/scanner/open": "trap f",
      "corpus/scanner/silent": "mute", "corpus/scanner/untold": "lie",
      "regressions/scanner/open": "break scanner/rest", "regressions/scanner/mended": "fine",
      "regressions/scanner/again": "break scanner/linear",
    ])
    let list = known([("open", .open), ("mended", .open), ("again", .fixed)])
    let fact: ReplayFact? = try fuzzer.examiner().replayCommitted(fuzzer.target, .asan, known: list)
    let told = Dictionary(uniqueKeysWithValues: (fact?.failures ?? []).map { ($0.path, $0.message) })
    #expect(
      told == [
        fuzzer.path("seeds/scanner/seed"): "violation scanner/frames",
        fuzzer.path("corpus/scanner/open"): "crash deadly signal",
        fuzzer.path("corpus/scanner/silent"): "it ended with 3",
        fuzzer.path("corpus/scanner/untold"): "violation scanner/whole",
        fuzzer.path("regressions/scanner/mended"): "known as open, and passes: mark it as fixed",
        fuzzer.path("regressions/scanner/again"): "violation scanner/linear",
      ])
    #expect(fact?.inputs == 10)
  }

  /// More than fit into the arguments of one process.
  @Test func theLastOfManyInputsIsReplayed() throws {
    let fuzzer = try ReadingFuzzer()
    try fuzzer.write(["fine": "fine", "last": "break scanner/frames"])
    let files = Array(repeating: fuzzer.path("fine"), count: 2000) + [fuzzer.path("last")]
    #expect(try fuzzer.examiner().sweep(files, fuzzer.target, .asan).map(\.file) == [fuzzer.path("last")])
  }

  /// What is known to end the target would end the measurement, too.
  @Test func coverageIsMeasuredWithoutWhatIsKnownAndNeverLostInSilence() throws {
    let fuzzer = try ReadingFuzzer()
    try fuzzer.write(Self.inputs)
    try fuzzer.write(["regressions/scanner/open": "break scanner/rest"])
    try known([("open", .open)]).write(to: fuzzer.layout.known)
    _ = try fuzzer.examiner().coverage(fuzzer.target, .asan)
    for (text, words) in [("break scanner/frames", "one of them ends it"), ("mute", "it ended with 3")] {
      try fuzzer.write(["corpus/scanner/bad": text])
      let failure = try #require(throws: LabFailure.self) { try fuzzer.examiner().coverage(fuzzer.target, .asan) }
      #expect(failure.message.contains(words), "\(failure.message)")
    }
  }

  @Test func aSpeedThatEndedInAnErrorIsNone() throws {
    let fuzzer = try ReadingFuzzer("fails")
    #expect(try fuzzer.examiner().speed(fuzzer.target, .asan, seconds: 1) == nil)
  }

  // MARK: - Merging

  private func pruned(_ play: String, _ more: [String: String] = [:]) throws -> [String] {
    let fuzzer = try ReadingFuzzer(play)
    try fuzzer.write(Self.inputs)
    try fuzzer.write(more)
    try HostFiles.makeFolder(fuzzer.layout.workingCorpus(fuzzer.target))
    try HostFiles.write(Array("four\n".utf8), to: "\(fuzzer.layout.workingCorpus(fuzzer.target))/d")
    do { _ = try fuzzer.examiner().prune(fuzzer.target, .cov) } catch let failure as LabFailure {
      return try fuzzer.contents(of: fuzzer.layout.corpus(fuzzer.target)) + [failure.message]
    }
    return try fuzzer.contents(of: fuzzer.layout.corpus(fuzzer.target))
  }

  @Test func whatReachesSomethingStaysAndSeedsAreNotHeldTwice() throws {
    #expect(try pruned("") == ["four", "three", "two"])
  }

  @Test(
    arguments: [
      ("forgets", [:], "reaches 1 edges, and 4 were reached before; nothing was changed"),
      ("ends", [:], "could not be merged: it ended with 1"),
      ("", ["corpus/scanner/e": "mute"], "can't be counted: it ended with 3"),
      ("", ["corpus/scanner/e": "break scanner/frames"], "can't be counted: one of them ends it"),
    ] as [(String, [String: String], String)])
  func aMergerThatLosesSomethingChangesNothing(_ play: String, _ more: [String: String], _ words: String) throws {
    let left = try pruned(play, more)
    #expect(left.last?.contains(words) == true, "\(left)")
    #expect(left.dropLast() == (["three", "two"] + more.values).sorted()[...])
  }

  // MARK: - Smaller inputs

  /// What is shorter and shows another thing, or nothing, is no smaller form of the finding.
  @Test(arguments: [
    ("break a/b", "break a/b  ", true), ("break a/c", "break a/b  ", false), ("fine", "break a/b  ", false),
    ("same", "break a/b", false), ("", "break a/b", false), ("trap g", "trap f   ", false),
    ("trap f", "trap f   ", true),
  ])
  func aSmallerInputShowsTheSame(_ smaller: String, _ input: String, _ isKept: Bool) throws {
    let fuzzer = try ReadingFuzzer(smaller)
    try fuzzer.write(["input": input])
    let examiner = try fuzzer.examiner()
    let crash = try #require(try examiner.replay([fuzzer.path("input")], fuzzer.target, .asan).crash)
    let found = try examiner.minimise(
      fuzzer.path("input"), fuzzer.target, .asan, seconds: 1, key: examiner.key(fuzzer.target, crash))
    #expect(found == (isKept ? Array("\(smaller)\n".utf8) : nil))
  }

  @Test func onlyTheSameBytesAreSetAside() throws {
    let fuzzer = try ReadingFuzzer()
    let folder = fuzzer.layout.workingCorpus(fuzzer.target)
    try HostFiles.makeFolder(folder)
    for (name, text) in [("a", "FUZ"), ("b", "FUX"), ("c", "FUZ")] {
      try HostFiles.write(Array(text.utf8), to: "\(folder)/\(name)")
    }
    #expect(try WorkingCorpus.setAside(content: Array("FUZ".utf8), fuzzer.target, layout: fuzzer.layout) == 2)
    #expect(HostFiles.names(in: folder) == ["b"])
  }

  /// A file of the corpus may have the name of a regression.
  @Test func onlyTheOpenRegressionItselfIsLeftOut() throws {
    let fuzzer = try ReadingFuzzer()
    try fuzzer.write(["corpus/scanner/open": "one", "regressions/scanner/open": "two", "seeds/scanner/s": "three"])
    let inputs = try FuzzInputs(
      fuzzer.target, layout: fuzzer.layout, known: known([("open", .open)]), into: fuzzer.path("inputs"))
    #expect(try fuzzer.contents(of: inputs.folder) == ["one", "three"])
  }
}
