import Foundation
import Testing

/// What bash offers after `./lab completions bash`, asked as bash asks.
@Suite struct CompletionTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: [
    (words: ["./lab", "re"], offered: ["reach", "record", "replay"]),
    (words: ["./lab", "ti"], offered: ["tidy"]),
    (words: ["./lab", "shr"], offered: ["shrink"]),
    (words: ["./lab", "shrink", "control/echo-as-c"], offered: ["control/echo-as-client"]),
    (words: ["./lab", "com"], offered: ["compare", "completions"]),
    (words: ["./lab", "run", "--wor"], offered: ["--world"]),
    (words: ["./lab", "run", "--world", "s"], offered: ["simulated"]),
    (words: ["./lab", "run", "control/echo-as-c"], offered: ["control/echo-as-client"]),
    (words: ["./lab", "fuzz", "tri"], offered: ["triage"]),
  ])
  func bashCompletes(_ row: (words: [String], offered: [String])) throws {
    let script = """
      source <("$0" completions bash --program "$1") || exit
      shift
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
      COMP_POINT=${#COMP_LINE}
      set -- $(complete -p lab)
      "${@: -2:1}" lab "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let result = try SocketLabProgram.run(
      ["-c", script, Self.root.path + "/lab", SocketLabProgram.url.path] + row.words, in: Self.root,
      of: URL(fileURLWithPath: "/bin/bash"))
    #expect(result.output.split(separator: "\n").map(String.init).sorted() == row.offered, "\(result.error)")
  }

  @Test func anotherShellIsWrongUsage() throws {
    let result = try SocketLabProgram.run(
      ["completions", "tcsh", "--program", SocketLabProgram.url.path], of: Self.root.appendingPathComponent("lab"))
    #expect(result.status == 2)
    #expect(result.error.contains("bash, zsh or fish"), "\(result.error)")
  }
}
