import FuzzHarness

/// Where things of the fuzz laboratory lie. Paths are relative to the package's folder, which is the working folder.
package struct FuzzLayout: Sendable {
  /// Holds the binaries instead of the lanes' scratch folders, if they were built elsewhere.
  package var binaries: String?
  /// Raw runs: working corpora, logs, artifacts. Ignored by git.
  package var scratch = ".build/fuzz-out"
  /// The folder with corpora, seeds, regressions and dictionaries.
  package var fuzz = "Fuzz"
  /// The folder of the scenarios.
  package var scenarios = "Scenarios"
  /// The folder of the campaigns' reports.
  package var reports = "reports/fuzz"

  /// As it is in the package.
  package init() {}

  /// SwiftPM's scratch folder for the lane.
  package func build(_ lane: FuzzTarget.Lane) -> String { ".build/fuzz-\(lane.rawValue)" }

  /// The target's program as it was built for the lane.
  package func binary(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) -> String {
    "\(binaries ?? build(lane) + "/release")/\(target.product)"
  }

  /// The list of object files that a binary was linked from.
  func linkList(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) -> String {
    "\(build(lane))/release/\(target.product).product/Objects.LinkFileList"
  }

  /// Everything of one target that is not committed.
  package func work(_ target: FuzzTarget) -> String { "\(scratch)/\(target.name)" }
  /// What fuzzing has found interesting on this machine; grows from campaign to campaign.
  package func workingCorpus(_ target: FuzzTarget) -> String { "\(work(target))/corpus" }
  /// Files that were taken out of the working corpus.
  func quarantine(_ target: FuzzTarget) -> String { "\(work(target))/quarantine" }

  /// Written by hand, never by a command.
  package func seeds(_ target: FuzzTarget) -> String { "\(fuzz)/seeds/\(target.name)" }
  /// Pruned and committed.
  package func corpus(_ target: FuzzTarget) -> String { "\(fuzz)/corpus/\(target.name)" }
  /// Inputs that showed a defect once, committed.
  package func regressions(_ target: FuzzTarget) -> String { "\(fuzz)/regressions/\(target.name)" }
  /// The target's dictionary; the file need not be there.
  package func dictionary(_ target: FuzzTarget) -> String { "\(fuzz)/dict/\(target.name).dict" }
  /// The list of findings that are known.
  package var known: String { "\(fuzz)/regressions/known.json" }
}
