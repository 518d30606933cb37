import Foundation
import Testing

/// The search over commits, in a repository of a few of them whose labs are made of shell.
@Suite struct BisectCommandTests {
  /// Each commit has a file that says what its lab is: `good`, `bad`, `other`, `stray`, `broken` or `mute`.
  private static func suite(_ labs: [String]) throws -> ScratchSuite {
    let suite = try ScratchSuite(
      ["read/line.yaml": ScratchSuite.failing, "read/fine.yaml": ScratchSuite.passing],
      beside: [
        "other.yaml": ScratchSuite.failing.replacing("tag: 1, bytes: \"EHLO\\r\\n\"", with: "tag: 1, length: 3B")
      ])
    let run = try suite.run(["run", "read/line", "--world", "simulated", "--format", "json", "--output", "bad"])
    #expect(run.status == 1, "\(run.output)\(run.error)")
    let setup = """
      mkdir good repo
      sed 's/"read\\/line"/"read\\/none"/g; s/"verdict": "failed"/"verdict": "passed"/' \\
        bad/latest/report.json > good/r.json
      sed 's/wrongContent/unexpected/g' bad/latest/report.json > good/o.json
      sed 's/"read\\/line"/"read\\/other-line"/g' bad/latest/report.json > good/s.json
      sed -i 's/read\\/none/read\\/line/g' good/r.json
      git -C repo init -q -b main; git -C repo config user.email a@b; git -C repo config user.name n
      cat > lab.sh <<'LAB'
      #!/bin/bash
      while [ $# -gt 0 ]; do [ "$1" = --output ] && out=$2; shift; done
      here=$(cd "$(dirname "$0")" && pwd)
      case $(cat "$here/what") in
      good) from=@good@;; bad) from=@bad@;; other) from=@other@;; stray) from=@stray@;; *) echo mute; exit 4;;
      esac
      mkdir -p "$out/latest"; cp "$from" "$out/latest/report.json"
      LAB
      sed -i "s|@good@|$PWD/good/r.json|; s|@bad@|$PWD/bad/latest/report.json|; s|@other@|$PWD/good/o.json|
        s|@stray@|$PWD/good/s.json|" lab.sh
      """
    var script = setup
    for (number, lab) in labs.enumerated() {
      script += "\necho \(lab) > repo/what; echo \(number) > repo/number; git -C repo add . && "
      script += "git -C repo commit -qm 'commit \(number): \(lab)' && git -C repo tag c\(number)"
    }
    let made = try suite.shell(script)
    #expect(made.status == 0, "\(made.error)")
    return suite
  }

  private static func bisect(
    _ suite: ScratchSuite, _ arguments: [String], building more: String = "true"
  ) throws -> (Int32, String) {
    let copy = suite.folder.appendingPathComponent("lab.sh").path
    let command = "[ $(cat what) != broken ] && cp '\(copy)' lab && chmod +x lab && \(more)"
    // No search takes so long; one that never ends would hold up all tests.
    let result = try suite.shell(
      "timeout 120 \"$LAB\" bisect \(arguments.joined(separator: " ")) --case read/line --repository repo "
        + "--lab lab --command \"$(cat <<'COMMAND'\n\(command)\nCOMMAND\n)\"")
    return (result.status, result.output + result.error)
  }

  private static func isClean(_ suite: ScratchSuite) throws -> Bool {
    let trees = try suite.shell("git -C repo worktree list | wc -l; git -C repo for-each-ref refs/bisect | wc -l")
    return trees.output.split(whereSeparator: \.isWhitespace) == ["1", "0"]
  }

  @Test func theFirstBadCommitIsNamed() throws {
    let suite = try Self.suite(["good", "good", "good", "bad", "bad", "bad", "bad"])
    let (status, text) = try Self.bisect(suite, ["c0", "main"])
    #expect(status == 0, "\(text)")
    #expect(text.contains("first bad commit") && text.contains("commit 3: bad"), "\(text)")
    #expect(try Self.isClean(suite))
  }

  @Test func aFileBesideTheLibraryIsFollowed() throws {
    let suite = try Self.suite(["good", "bad"])
    let lab = suite.folder.appendingPathComponent("lab.sh").path
    let made = try suite.shell(
      "cp Scenarios/read/line.yaml beside.yaml; sed -i 's|\"read/line\"|\"../beside.yaml\"|g' "
        + "good/r.json bad/latest/report.json")
    #expect(made.status == 0, "\(made.error)")
    let result = try suite.run([
      "bisect", "c0", "c1", "--case", "beside.yaml", "--repository", "repo", "--command",
      "cp '\(lab)' lab && chmod +x lab", "--lab", "lab",
    ])
    #expect(result.status == 0, "\(result.error)\(result.output)")
    #expect(result.output.contains("first bad commit"), "\(result.output)")
  }

  @Test func aBuildMayChangeFilesThatGitHas() throws {
    let suite = try Self.suite(["good", "good", "good", "bad", "bad", "bad", "bad"])
    let (status, text) = try Self.bisect(suite, ["c0", "main"], building: "echo built >> number")
    #expect(status == 0 && text.contains("commit 3: bad"), "\(text)")
    #expect(try Self.isClean(suite))
  }

  /// The build leaves a file that one of the commits has.
  @Test func aCommitThatGitCanNotCheckOutEndsTheSearch() throws {
    let suite = try Self.suite(["good", "good", "good"])
    let made = try suite.shell(
      """
      cd repo; echo bad > what; echo 3 > number; echo 1 > left; git add .; git commit -qm 'commit 3: bad'
      git rm -q left; echo 4 > number; git add .; git commit -qm 'commit 4: bad'
      """)
    #expect(made.status == 0, "\(made.error)")
    let (status, text) = try Self.bisect(suite, ["c0", "main"], building: "echo built > left")
    #expect(status == 4 && text.contains("git can't go on: ") && text.contains("left"), "\(status) \(text)")
    #expect(try Self.isClean(suite))
  }

  @Test func aControlWhoseNameEndsAlikeDecidesNothing() throws {
    let suite = try Self.suite(["good", "stray", "bad"])
    let (status, text) = try Self.bisect(suite, ["c0", "main"])
    #expect(status == 1 && text.contains("is one of these"), "\(text)")
    #expect(text.contains("the lab ran no case of line.yaml"), "\(text)")
  }

  /// The caller ignores the signal of ended children, as some that supervise programs do, and hands that on.
  @Test func endsOfChildrenAreKnownWhateverTheCallerIgnores() throws {
    let suite = try Self.suite(["good", "bad"])
    let result = try suite.shell(
      "exec env --ignore-signal=CHLD \"$LAB\" bisect c1 c0 --case read/line --repository repo")
    #expect(result.status == 2 && result.error.contains("c1 is no ancestor of c0"), "\(result.error)")
  }

  @Test func whatProvesNothingIsSkipped() throws {
    let suite = try Self.suite(["good", "good", "broken", "bad", "other", "mute", "bad"])
    let (status, text) = try Self.bisect(suite, ["c0", "main"])
    #expect(status == 1, "\(text)")
    #expect(text.contains("is one of these"), "\(text)")
    #expect(text.contains("it does not build"), "\(text)")
    #expect(try Self.isClean(suite))
  }

  @Test func commitsThatWillNotDoAreWrongUsage() throws {
    let suite = try Self.suite(["good", "bad", "bad", "good"])
    let rows: [([String], String)] = [
      (["c1", "c2"], "c1 is not good: the case shows the finding there, too"),
      (["c0", "c3"], "c3 is not bad: the case passes there"), (["c2", "c0"], "c2 is no ancestor of c0"),
      (["c0", "c0"], "are the same commit"), (["c0", "nothing"], "has no commit nothing"),
    ]
    for (commits, words) in rows {
      let (status, text) = try Self.bisect(suite, commits)
      #expect(status == 2 && text.contains(words), "\(commits): \(status) \(text)")
      #expect(try Self.isClean(suite))
    }
    let nowhere = try suite.run(["bisect", "a", "b", "--case", "read/line", "--repository", "/"])
    #expect(nowhere.status == 2 && nowhere.error.contains("is in no git repository"), "\(nowhere.error)")
    let none = try suite.run(["bisect", "a", "b", "--case", "read/none", "--repository", "repo"])
    #expect(none.status == 2, "\(none.error)")
  }

  @Test func changesThatNoCommitHasAreTold() throws {
    let suite = try Self.suite(["good", "bad"])
    _ = try suite.shell("echo more >> repo/number")
    let (status, text) = try Self.bisect(suite, ["c0", "c1"])
    #expect(status == 0 && text.contains("has changes that are in no commit"), "\(text)")
    #expect(try suite.shell("cat repo/number").output.contains("more"))
  }

  /// One whose folder was moved, and two as searches that died leave them: without their folder, and with it.
  @Test func workTreesOfOthersStay() throws {
    let suite = try Self.suite(["good", "bad"])
    let made = try suite.shell(
      """
      for name in away/tree socketlab-bisect-1/tree socketlab-bisect-2/tree socketlab-bisect-x/tree; do
        git -C repo worktree add -q --detach ../$name c0 || exit 1
      done
      mv away moved; rm -r socketlab-bisect-1 socketlab-bisect-x
      """)
    #expect(made.status == 0, "\(made.error)")
    let (status, text) = try Self.bisect(suite, ["c0", "c1"])
    #expect(status == 0, "\(text)")
    let list = try suite.shell("git -C repo worktree list --porcelain").output
    for name in ["away", "socketlab-bisect-2", "socketlab-bisect-x"] {
      #expect(list.contains("/\(name)/tree\n"), "\(name): \(list)")
    }
    #expect(!list.contains("/socketlab-bisect-1/"), "\(list)")
    #expect(list.components(separatedBy: "worktree ").count == 5, "its own is gone: \(list)")
  }

  @Test func anInterruptionLeavesNothing() throws {
    let suite = try Self.suite(["good", "bad"])
    let result = try suite.shell(
      "$LAB bisect c0 c1 --case read/line --repository repo --command '"
        + "touch \"'$PWD'/began\"; exec sleep 60' & child=$!; while [ ! -e began ]; do sleep 0.05; done; "
        + "kill -INT $child; wait $child")
    #expect(result.status == 5, "\(result.output)\(result.error)")
    #expect(try Self.isClean(suite))
  }
}
