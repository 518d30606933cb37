import Foundation
import Testing

/// What bash offers after `./lab completions bash`, asked as bash asks.
@Suite struct CompletionTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// One shell is asked all of it, as a person's is.
  @Test func bashCompletes() throws {
    let rows: [(line: String, offered: [String])] = [
      ("./lab re", ["reach", "record", "replay"]), ("./lab ti", ["tidy"]), ("./lab shr", ["shrink"]),
      ("./lab shrink control/echo-as-c", ["control/echo-as-client"]), ("./lab com", ["compare", "completions"]),
      ("./lab run --wor", ["--world"]), ("./lab run --world s", ["simulated"]),
      ("./lab run control/echo-as-c", ["control/echo-as-client"]), ("./lab fuzz tri", ["triage"]),
    ]
    let script = """
      source <("$0" completions bash --program "$1") || exit
      shift
      for COMP_LINE; do
        read -ra COMP_WORDS <<<"$COMP_LINE"
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE} COMPREPLY=()
        set -- $(complete -p lab)
        "${@: -2:1}" lab "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[*]}"
      done
      """
    let result = try SocketLabProgram.run(
      ["-c", script, Self.root.path + "/lab", SocketLabProgram.url.path] + rows.map(\.line), in: Self.root,
      of: URL(fileURLWithPath: "/bin/bash"))
    let answers = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    try #require(answers.count == rows.count + 1, "\(result.output)\(result.error)")
    for (row, answer) in zip(rows, answers) {
      #expect(answer.split(separator: " ").map(String.init).sorted() == row.offered, "\(row.line): \(result.error)")
    }
  }

  @Test func anotherShellIsWrongUsage() throws {
    let result = try SocketLabProgram.run(
      ["completions", "tcsh", "--program", SocketLabProgram.url.path], of: Self.root.appendingPathComponent("lab"))
    #expect(result.status == 2)
    #expect(result.error.contains("bash, zsh or fish"), "\(result.error)")
  }
}
