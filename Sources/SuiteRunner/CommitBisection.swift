import CaseReduction
import Foundation
import HostTools
import RunReports
import ScenarioModel

/// Looks for the first commit at which a case shows its finding.
///
/// git has the history, and says which commit comes next (`git bisect`), in a work tree of its own that is removed at
/// the end, however that comes about. At each commit the lab is built and runs the case: showing the finding is bad,
/// passing is good, and everything else - it does not build, the scenario can't be read, something else goes wrong -
/// is skipped.
package final class CommitBisection {
  /// What is looked for, where.
  package struct Plan: Sendable {
    /// A folder of the subject's repository.
    package var repository: String
    /// A commit at which the case passes.
    package var good: String
    /// A commit at which it shows the finding.
    package var bad: String
    /// The scenario's file; absolute.
    package var scenario: String
    /// Where the case runs; nil: wherever the file says.
    package var world: WorldName?
    /// With which seed.
    package var seed: UInt64
    /// In which variant; nil: in all that the file has.
    package var variant: String?
    /// Builds the lab in the work tree, for a shell; nil: with the package manager.
    package var command: String?
    /// The lab that the command builds, below the work tree.
    package var lab: String
    /// Runs at each commit; any that shows the finding makes it bad.
    package var tries: Int

    package init(
      repository: String, good: String, bad: String, scenario: String, world: WorldName?, seed: UInt64,
      variant: String?, command: String?, lab: String, tries: Int
    ) {
      self.repository = repository
      self.good = good
      self.bad = bad
      self.scenario = scenario
      self.world = world
      self.seed = seed
      self.variant = variant
      self.command = command
      self.lab = lab
      self.tries = tries
    }
  }

  /// What a commit is.
  package enum Answer: Hashable, Sendable {
    case good
    case bad
    /// Why nothing can be said of it.
    case skipped(String)

    fileprivate var word: String {
      switch self {
      case .good: "good"
      case .bad: "bad"
      case .skipped: "skip"
      }
    }
  }

  /// What a person likes to see of the search.
  package enum Event: Sendable {
    case building(commit: String, title: String)
    case judged(commit: String, Answer)
  }

  /// What the search came to.
  package enum Outcome: Hashable, Sendable {
    /// The first bad commit and its title.
    case first(commit: String, title: String)
    /// The first bad commit is one of these: the others were skipped.
    case oneOf([String])
    case interrupted
  }

  /// What the names of scratch folders begin with; the number of the process follows.
  package static let scratchPrefix = "socketlab-bisect-"
  private static let treeName = "tree"

  private let plan: Plan
  private let stop: StopFlag
  private let tell: (Event) -> Void
  private let deathPipe: ParentDeathPipe
  private let git: String
  private let scratch: String
  private var tree: String { "\(scratch)/\(Self.treeName)" }
  private var identity: FindingIdentity?

  /// - Parameters:
  ///   - scratch: a folder that does not exist yet, for the work tree and what is built; its name is `scratchPrefix`
  ///     and a number.
  ///   - stop: ends the search, and what is under way.
  package init(_ plan: Plan, scratch: String, stop: StopFlag, tell: @escaping (Event) -> Void) throws {
    self.plan = plan
    self.scratch = scratch
    self.stop = stop
    self.tell = tell
    git = try HostTool.git.required()
    deathPipe = try ParentDeathPipe()
  }

  /// Searches. Throws a `UsageFailure` for commits and folders that won't do.
  package func run() throws -> Outcome {
    let (good, bad) = try ends()
    try HostFiles.makeFolder(scratch)
    defer { cleanUp() }
    forgetLostTrees()
    try require(gitLines(["worktree", "add", "--detach", "--force", tree, bad]), "The work tree can't be made")
    guard let first = try judge(bad) else { return .interrupted }
    guard first == .bad else { throw UsageFailure("\(plan.bad) is not bad: \(Self.words(first)).") }
    try require(treeLines(["checkout", "--quiet", "--detach", good]), "\(plan.good) can't be checked out")
    guard let last = try judge(good) else { return .interrupted }
    guard last == .good else { throw UsageFailure("\(plan.good) is not good: \(Self.words(last)).") }
    let begun = try require(treeLines(["bisect", "start", bad, good]), "git can't search")
    if let outcome = outcome(begun) { return outcome }
    while !stop.isSet {
      let commit = try require(treeLines(["rev-parse", "HEAD"]), "git does not say where it is").first ?? ""
      guard let answer = try judge(commit) else { return .interrupted }
      let (lines, code) = try treeLines(["bisect", answer.word])
      if let outcome = outcome(lines) { return outcome }
      // Without the next commit in the work tree, the same one would be judged again and again.
      guard code == 0 else { throw LabFailure("git can't go on: \(lines.joined(separator: " "))") }
    }
    return .interrupted
  }

  private static func words(_ answer: Answer) -> String {
    switch answer {
    case .good: "the case passes there"
    case .bad: "the case shows the finding there, too"
    case .skipped(let reason): reason
    }
  }

  /// What git says at the end; nil: there is more to look at.
  private func outcome(_ lines: [String]) -> Outcome? {
    if let line = lines.first(where: { $0.hasSuffix(" is the first bad commit") }),
      let commit = line.split(separator: " ").first
    {
      return .first(commit: String(commit), title: title(of: String(commit)))
    }
    guard lines.contains(where: { $0.contains("first bad commit could be any of") }) else { return nil }
    return .oneOf(lines.filter { $0.count == 40 && $0.allSatisfy(\.isHexDigit) })
  }

  // MARK: Commits

  private func ends() throws -> (good: String, bad: String) {
    let (_, code) = try gitLines(["rev-parse", "--git-dir"])
    guard code == 0 else { throw UsageFailure("\(plan.repository) is in no git repository.") }
    let good = try commit(plan.good)
    let bad = try commit(plan.bad)
    guard good != bad else { throw UsageFailure("\(plan.good) and \(plan.bad) are the same commit.") }
    guard try gitLines(["merge-base", "--is-ancestor", good, bad]).code == 0 else {
      throw UsageFailure("\(plan.good) is no ancestor of \(plan.bad). Name the good commit first.")
    }
    return (good, bad)
  }

  private func commit(_ name: String) throws -> String {
    let (lines, code) = try gitLines(["rev-parse", "--verify", "--quiet", "--end-of-options", "\(name)^{commit}"])
    guard code == 0, let commit = lines.last else { throw UsageFailure("The repository has no commit \(name).") }
    return commit
  }

  /// Whether there are changes that no commit has, and which are therefore not looked at.
  package var hasChanges: Bool {
    guard let (lines, code) = try? gitLines(["status", "--porcelain", "--untracked-files=no"]) else { return false }
    return code == 0 && !lines.isEmpty
  }

  private func title(of commit: String) -> String {
    (try? gitLines(["log", "-1", "--format=%s", commit]))?.lines.first ?? ""
  }

  private func gitLines(_ arguments: [String]) throws -> (lines: [String], code: Int32) {
    try HostTool.lines(git, ["-C", plan.repository] + arguments, deathPipe: deathPipe)
  }

  private func treeLines(_ arguments: [String]) throws -> (lines: [String], code: Int32) {
    try HostTool.lines(git, ["-C", tree] + arguments, deathPipe: deathPipe)
  }

  @discardableResult
  private func require(_ output: (lines: [String], code: Int32), _ problem: String) throws -> [String] {
    guard output.code == 0 else { throw LabFailure("\(problem): \(output.lines.joined(separator: " "))") }
    return output.lines
  }

  private func cleanUp() {
    _ = try? treeLines(["bisect", "reset"])
    _ = try? gitLines(["worktree", "remove", "--force", "--force", tree])
    HostFiles.remove(scratch)
    forgetLostTrees()
  }

  /// Removes git's records of work trees of searches that died, once their folders are gone. `git worktree prune` would
  /// take the records of the person's own work trees along whose folders are not there now: moved, or on a disk that is
  /// not mounted.
  private func forgetLostTrees() {
    guard let (lines, code) = try? gitLines(["worktree", "list", "--porcelain"]), code == 0 else { return }
    let mark = "worktree "
    for path in lines.filter({ $0.hasPrefix(mark) }).map({ String($0.dropFirst(mark.count)) }) {
      guard let folder = Self.scratch(ofTree: path), !PathText.exists(folder) else { continue }
      _ = try? gitLines(["worktree", "remove", "--force", "--force", path])
    }
  }

  /// The scratch folder that a search's work tree lies in; nil: the work tree is no search's.
  private static func scratch(ofTree path: String) -> String? {
    let folder = (path as NSString).deletingLastPathComponent
    let name = (folder as NSString).lastPathComponent
    guard (path as NSString).lastPathComponent == treeName, name.hasPrefix(scratchPrefix) else { return nil }
    let number = name.dropFirst(scratchPrefix.count)
    return !number.isEmpty && number.allSatisfy { $0.isASCII && $0.isNumber } ? folder : nil
  }

  // MARK: One commit

  /// nil: interrupted. The work tree has the commit.
  private func judge(_ commit: String) throws -> Answer? {
    tell(.building(commit: commit, title: title(of: commit)))
    let answer = try build() ?? runCase()
    guard !stop.isSet else { return nil }
    // A build may change files that git has, such as `Package.resolved`: with changes, no other commit can be had.
    try require(treeLines(["reset", "--quiet", "--hard"]), "The work tree can't be set back")
    tell(.judged(commit: commit, answer))
    return answer
  }

  /// nil: it is built.
  private func build() throws -> Answer? {
    let command =
      plan.command ?? "swift build -c release --product socketlab --scratch-path '\(scratch)/build'"
    let (result, last) = try child("/bin/sh", ["-c", "cd '\(tree)' && \(command)"], limit: .seconds(3600))
    guard result.end == .exited(0) else { return .skipped("it does not build (\(last))") }
    return HostFiles.exists(lab) ? nil : .skipped("the build makes no \(plan.lab)")
  }

  private var lab: String {
    plan.command == nil ? "\(scratch)/build/release/socketlab" : "\(tree)/\(plan.lab)"
  }

  private func runCase() throws -> Answer {
    var answer = Answer.good
    for _ in 0..<plan.tries where !stop.isSet {
      answer = try runOnce()
      if answer != .good { return answer }
    }
    return answer
  }

  private func runOnce() throws -> Answer {
    let output = "\(scratch)/reports"
    HostFiles.remove(output)
    var arguments = ["run", plan.scenario, "--seed", "\(plan.seed)", "--quiet", "--format", "json"]
    arguments += ["--output", output]
    if let world = plan.world { arguments += ["--world", world.rawValue] }
    if let variant = plan.variant { arguments += ["--variant", variant] }
    let words = arguments.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
    let (result, last) = try child("/bin/sh", ["-c", "cd '\(tree)' && exec '\(lab)' \(words)"], limit: .seconds(600))
    guard let bytes = try? HostFiles.read("\(output)/latest/report.json"), let report = try? ReportJSON.decode(bytes)
    else { return .skipped("the lab has no report: exit code \(result.end.code) (\(last))") }
    let name = (plan.scenario as NSString).lastPathComponent
    // A file beside the library has its path for an id. Controls run along, and may have names that end like this one.
    let own = report.cases.filter { ran in
      let last = (ran.scenario as NSString).lastPathComponent
      return !ran.canary && (last == name || "\(last).yaml" == name)
    }
    guard !own.isEmpty else { return .skipped("the lab ran no case of \(name)") }
    guard let red = own.first(where: { !$0.isAsExpected }) else {
      return own.contains { $0.verdict == .passed || $0.verdict == .passedNonStrict }
        ? .good : .skipped("the case is \(own[0].verdict.rawValue)")
    }
    guard let shown = FindingIdentity(red) else { return .skipped(red.reason ?? red.verdict.rawValue) }
    if let identity, identity != shown { return .skipped("it shows another finding: \(shown.text)") }
    identity = shown
    return .bad
  }

  private func child(
    _ program: String, _ arguments: [String], limit: Duration
  ) throws -> (result: ChildResult, last: String) {
    let group = ChildGroup(
      ChildPlan(executable: program, arguments: arguments, limit: limit), deathPipe: deathPipe, stop: stop)
    var last = ""
    let result = try group.run { line in if !line.text.isEmpty { last = line.text } }
    return (result, last)
  }
}
