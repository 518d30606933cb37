import Foundation
import HostTools
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import SubjectProtocol
import TestSupport
import Testing

@testable import SubjectPrograms

/// Subjects that do what none should: each is a verdict of its own, the case ends, and nothing is left running.
@Suite(.serialized) struct MisbehavingSubjectTests {
  /// A subject that connects as it should, up to the place where a row has it do something else.
  private struct Row: Sendable {
    var name: String
    var hello = say(
      #"{"type":"hello","protocol":1,"name":"bad","calls":["connect"],"callbacks":["didConnect"]}"#)
    var ready = say(#"{"type":"ready","case":NUMBER}"#)
    var call = say(#"{"type":"result","id":ID,"result":"done"}"#)
    var ended = say(#"{"type":"ended","case":NUMBER}"#)
    var verdict: Verdict
    var says: String
  }

  /// The shell's command that writes the line, with what is asked for in place of the two words.
  private static func say(_ line: String) -> String {
    "printf '%s\\n' '\(line)' | sed \"s/NUMBER/$number/; s/ID/$id/\""
  }

  private static func callback(_ socket: String, at: String) -> String {
    say(
      #"{"type":"callback","socket":"\#(socket)","callback":"didConnect","host":"h","port":1,"at":\#(at)}"#)
  }

  private static let rows = [
    Row(
      name: "another version", hello: say(#"{"type":"hello","protocol":7}"#), verdict: .violation,
      says: "speaks version 7"),
    Row(name: "no hello", hello: ":", verdict: .hang, says: "did not say hello"),
    Row(name: "nonsense for a hello", hello: "echo hello", verdict: .violation, says: "`hello`"),
    Row(name: "dead at once", hello: "exit 3", verdict: .crash, says: "exited with code 3 before it said hello"),
    Row(name: "dead at the case", ready: "kill -SEGV $$", verdict: .crash, says: "signal 11"),
    Row(name: "silent at the case", ready: ":", verdict: .hang, says: "its `ready` for case"),
    Row(
      name: "another case", ready: say(#"{"type":"ready","case":999999}"#), verdict: .violation, says: "case 999999"),
    Row(
      name: "dead in the middle of a call", call: "echo why >&2; exit 4", verdict: .crash,
      says: "exited with code 4"),
    Row(
      name: "dead with a code that shells have for what they can't start", call: "echo why >&2; exit 127",
      verdict: .crash, says: "exited with code 127"),
    Row(
      name: "silent after a call", call: ":", verdict: .hang, says: "2 s passed where the answer to `connect` of socket"
    ),
    Row(
      name: "half a line and dead", call: #"printf '{"type"'; exit 0"#, verdict: .crash,
      says: "in the middle of a line"),
    Row(
      name: "half a line and silent", call: #"printf '{"type"'"#, verdict: .hang,
      says: "it has written `{\"type\"` without the end of the line"),
    Row(
      name: "half a hello", hello: #"printf '{"type"'"#, verdict: .hang,
      says: "within 2 s; it has written `{\"type\"` without"),
    Row(
      name: "a name of 30 MB",
      hello: #"printf '{"type":"hello","protocol":1,"name":"'; "#
        + #"head -c 30000000 /dev/zero | tr '\0' x; printf '"}\n'"#,
      verdict: .violation, says: "60 visible characters"),
    Row(
      name: "an answer from the past", call: say(#"{"type":"result","id":ID,"at":1,"result":"done"}"#),
      verdict: .violation, says: "before the call that it answers"),
    Row(
      name: "an answer to nothing", call: say(#"{"type":"result","id":77,"result":"done"}"#), verdict: .violation,
      says: "the id 77"),
    Row(
      name: "a lie about a call", call: say(#"{"type":"result","id":ID,"result":"unsupported"}"#),
      verdict: .violation, says: "hello promises"),
    Row(
      name: "an instant from the future", call: callback("socket", at: "9223372036854775807"), verdict: .violation,
      says: "after the present"),
    Row(
      name: "a socket that there is not", call: callback("other", at: "1"), verdict: .violation,
      says: "no socket of that name"),
    Row(
      name: "a flood", call: #"yes '{"type":"note","text":"flood"}'"#, verdict: .violation,
      says: "notes in one case"),
    Row(
      name: "a line without an end", call: #"head -c 60000000 /dev/zero | tr '\0' x"#, verdict: .violation,
      says: "a line of more than"),
    Row(
      name: "an ear that is shut", call: "exec </dev/null; sleep 100", verdict: .hang,
      says: "was to come; it has closed its standard input"),
    Row(name: "an ear for no end", ended: ":", verdict: .hang, says: "its `ended` for case"),
  ]

  private static func script(_ row: Row) -> String {
    """
    #!/bin/sh
    sleep 1000 &
    echo $! > "$0.child"
    while read -r line; do
      number=$(printf '%s' "$line" | sed -n 's/.*"case": \\([0-9]*\\).*/\\1/p')
      id=$(printf '%s' "$line" | sed -n 's/.*"id": \\([0-9]*\\).*/\\1/p')
      case "$line" in
        *'"type": "hello"'*) \(row.hello) ;;
        *'"type": "case"'*) \(row.ready) ;;
        *'"type": "call"'*) \(row.call) ;;
        *'"type": "end"'*) \(row.ended) ;;
      esac
    done
    """
  }

  private static func scenario() -> Scenario {
    let here = SourcePosition(line: 1, column: 1)
    var scenario = Scenario(id: "test/connect", title: "A connection")
    scenario.peers = [PeerLane(name: "peer", steps: [Located(.accept, at: here)])]
    // Nobody listens there: what matters is what the subject says.
    scenario.peers = [PeerLane(name: "peer", steps: [Located(.refuse, at: here)])]
    scenario.subjects = [
      SubjectLane(
        name: "socket",
        steps: [
          LocatedStep(
            .command(.connect(ConnectCommand(target: .peer("peer"))), socket: "socket", refusal: nil), at: here)
        ])
    ]
    scenario.settle = .milliseconds(20)
    return scenario
  }

  /// The times are in seconds.
  private func play(_ path: String, callTimeout: Int64 = 2, helloTimeout: Int64 = 2) -> CaseResult {
    let pool = SubjectPool(helloTimeout: helloTimeout)
    defer { pool.drain() }
    return play(path, pool, callTimeout: callTimeout)
  }

  private func play(_ path: String, _ pool: SubjectPool, callTimeout: Int64) -> CaseResult {
    var world = LoopbackWorld(SubjectProgram(name: "bad", path: path), pool: pool, callTimeout: .seconds(callTimeout))
    return CaseRunner.run(
      Self.scenario(), variant: Variant(family: .ipv4, cut: .whole, queues: .separate, program: "bad"), seed: 1,
      profile: .documented, in: &world, tolerance: Tolerance(early: .milliseconds(5), late: .seconds(1)))
  }

  /// The number of a process that a subject has written into a file; nil: not yet.
  private static func number(in file: String) -> pid_t? {
    (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { pid_t($0.dropLast()) }
  }

  private func program(_ text: String, in scratch: Scratch) throws -> String {
    try scratch.program("subject", text)
  }

  @Test(arguments: rows.indices)
  func eachIsAVerdict(place: Int) throws {
    let (row, scratch) = (Self.rows[place], try Scratch())
    let path = try program(Self.script(row), in: scratch)
    // Only what is to be silent is waited for in vain.
    let patience: Int64 = row.verdict == .hang ? 2 : 100
    let result = play(path, callTimeout: patience, helloTimeout: patience)
    #expect(result.verdict == row.verdict, "\(row.name): \(result.reason ?? "no reason")")
    #expect(result.reason?.contains(row.says) == true, "\(row.name): \(result.reason ?? "no reason")")
    let child = try #require(Self.number(in: path + ".child"))
    #expect(Processes.isGone(child), "\(row.name): \(child) still runs")
  }

  @Test(
    "a socket that stays open is a fault of its case, and no other case's",
    arguments: [("[]", 1, Verdict.passed), (#"["socket"]"#, 2, .failed)])
  func open(sockets: String, starts: Int, verdict: Verdict) throws {
    let scratch = try Scratch()
    let ended = Self.say(#"{"type":"ended","case":NUMBER,"open":\#(sockets)}"#)
    let path = try program(
      "#!/bin/sh\necho x >> \"$0.starts\"\n"
        + Self.script(Row(name: "sound", ended: ended, verdict: .passed, says: "")), in: scratch)
    let pool = SubjectPool(helloTimeout: 100)
    defer { pool.drain() }
    for _ in 0..<2 { #expect(play(path, pool, callTimeout: 100).verdict == verdict) }
    #expect(try String(contentsOfFile: path + ".starts", encoding: .utf8).split(separator: "\n").count == starts)
  }

  /// What a subject holds after its first cases is what it keeps; what comes with each later one is seen, in it and in
  /// what it has started.
  @Test func whatASubjectLeavesOpenIsSeen() throws {
    let scratch = try Scratch()
    let ended = Self.say(#"{"type":"ended","case":NUMBER,"open":[]}"#)
    // A file of its own for the second case, which it keeps, and one for each case from the fifth on.
    let leak = #"played=$((played+1)); case $played in 2|5|6|7) eval "exec $played</dev/null" ;; esac; "#
    let path = try program(
      Self.script(Row(name: "sound", ended: leak + ended, verdict: .passed, says: "")), in: scratch)
    let pool = SubjectPool(helloTimeout: 100)
    defer { pool.drain() }
    for count in 1...7 {
      #expect(play(path, pool, callTimeout: 100).verdict == .passed)
      let held = try #require(pool.holdings.first)
      #expect(held.name == "bad" && held.isWarm == (count >= 3))
      let more = held.descriptors.filter { !held.early.contains($0) }
      // Before it has played three cases, what counts is what it held at hello.
      let expected = [1: [], 2: [2], 3: [], 4: [], 5: [5], 6: [5, 6], 7: [5, 6, 7]][count] ?? []
      #expect(
        more.filter { $0.hasSuffix("/dev/null") } == expected.map { "\(held.process)/\($0) /dev/null" }, "\(more)")
      let child = try #require(Self.number(in: path + ".child"))
      #expect(held.descriptors.contains { $0.hasPrefix("\(child)/") }, "\(held.descriptors)")
    }
  }

  /// In a session of its own, and with a parent that has ended.
  @Test func whatLeavesTheGroupEndsWithTheSubjectAndIsNamed() throws {
    let scratch = try Scratch()
    let path = try program(
      "#!/bin/sh\n(setsid sh -c 'sleep 1000; :' & echo $! > \"$0.stray\")\n"
        + Self.script(Row(name: "sound", verdict: .passed, says: "")), in: scratch)
    let pool = SubjectPool(helloTimeout: 5)
    pool.give(back: try pool.take(SubjectProgram(name: "bad", path: path)), after: "a/1")
    let stray = pid_t(try String(contentsOfFile: path + ".stray", encoding: .utf8).dropLast()) ?? 0
    #expect(stray > 0 && Processes.isRunning(stray))
    #expect(Processes.eventually { Processes.children(of: stray).contains("sleep") })
    pool.drain()
    #expect(Processes.isGone(stray), "\(stray) still runs")
    #expect(pool.takeExits() == ["bad": SubjectExit(leftRunning: ["sh", "sleep"])])
    #expect(pool.takeExits().isEmpty)
  }

  /// Who is a child of whom is the process's own affair: somebody in it may wait for any child.
  @Test func aProcessThatHasASubjectGetsNobodysOrphans() throws {
    let scratch = try Scratch()
    let path = try program(Self.script(Row(name: "sound", verdict: .passed, says: "")), in: scratch)
    let pool = SubjectPool(helloTimeout: 5)
    defer { pool.drain() }
    pool.give(back: try pool.take(SubjectProgram(name: "bad", path: path)), after: "a/1")
    var lines: [String] = []
    // It tells its number from its own session: before that it belongs to the group, and ends with it.
    let orphaned = "(setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1' &) | { read -r orphan; echo $orphan; }"
    let plan = ChildPlan(executable: "/bin/sh", arguments: ["-c", orphaned])
    _ = try ChildGroup(plan, deathPipe: ParentDeathPipe()).run { lines.append($0.text) }
    let orphan = try #require(lines.first.flatMap { pid_t($0) })
    defer { kill(orphan, SIGKILL) }
    let facts = try String(contentsOfFile: "/proc/\(orphan)/status", encoding: .utf8)
    #expect(!facts.contains("PPid:\t\(getpid())\n"), "\(facts)")
  }

  @Test func oneThatDoesAllOfItPasses() throws {
    let scratch = try Scratch()
    let row = Row(name: "sound", verdict: .passed, says: "")
    let result = play(try program(Self.script(row), in: scratch))
    #expect(result.verdict == .passed, "\(result.reason ?? "")")
  }

  @Test func oneThatCantBeStartedSaysSo() {
    let result = play("/nowhere/at/all")
    #expect(result.verdict == .crash)
    #expect(result.reason?.contains("could not be started") == true, "\(result.reason ?? "")")
  }

  @Test func aSubjectServesManyCases() throws {
    let scratch = try Scratch()
    let path = try program(Self.script(Row(name: "sound", verdict: .passed, says: "")), in: scratch)
    let pool = SubjectPool(helloTimeout: 5)
    let first = try pool.take(SubjectProgram(name: "bad", path: path))
    pool.give(back: first, after: "a/1")
    #expect(try pool.take(SubjectProgram(name: "bad", path: path)) === first)
  }

  /// No case is left that could tell it.
  @Test(
    "what a subject does wrong when its cases are over is told",
    arguments: [
      (":", "it leaks 16 bytes", "exit 23", "it exited with code 23 when its input was closed"),
      (":", "it breaks", "kill -ABRT $$", "it was ended by signal 6 (Aborted) when its input was closed"),
      ("exit 3", "", ":", "it exited with code 3"),
      ("echo what", "", ":", "it wrote `what`, which is no line of the protocol"), (":", "", ":", ""),
    ])
  func afterTheLastCase(does: String, words: String, end: String, says: String) throws {
    let scratch = try Scratch()
    let ended = Self.say(#"{"type":"ended","case":NUMBER,"open":[]}"#)
    let over = "until [ -e \"$0.go\" ]; do sleep 0.01; done; echo $$ > \"$0.over\"; \(does); : > \"$0.said\""
    let script = Self.script(Row(name: "late", ended: "\(ended); \(over)", verdict: .passed, says: ""))
    let path = try program("\(script)\n[ -z '\(words)' ] || echo '\(words)' >&2\n\(end)\n", in: scratch)
    let pool = SubjectPool(helloTimeout: 100)
    #expect(play(path, pool, callTimeout: 100).verdict == .passed)
    try letGoOn(path)
    pool.drain()
    let exit = pool.takeExits()["bad"]
    #expect(exit?.faults.count ?? 0 == (says.isEmpty ? 0 : 1))
    #expect(exit?.faults.first?.text.hasPrefix(says) ?? says.isEmpty, "\(exit?.faults ?? [])")
    #expect(exit?.faults.first?.text.hasSuffix(", after test/connect had ended") ?? says.isEmpty)
    if !words.isEmpty { #expect(exit?.faults.first?.lastWords == [words]) }
    #expect(exit?.leftRunning ?? [] == [])
  }

  /// Lets a subject go on that waits for it behind its `ended`, and waits until it has done or ended.
  private func letGoOn(_ path: String) throws {
    try Data().write(to: URL(fileURLWithPath: path + ".go"))
    #expect(Processes.eventually { Self.number(in: path + ".over") != nil })
    let process = try #require(Self.number(in: path + ".over"))
    #expect(
      Processes.eventually { FileManager.default.fileExists(atPath: path + ".said") || !Processes.isRunning(process) })
  }

  /// What a subject does behind its `ended`, which its case does not see any more.
  @Test(
    "what a subject does between two cases is told by the next one",
    arguments: [
      ("exit 3", Verdict.crash, "exited with code 3 after test/connect had ended and before another case began"),
      (callback("socket", at: "1"), .violation, "no case was under way, after test/connect had ended"),
      (say(#"{"type":"note","text":"tidying up"}"#), .passed, ""),
    ])
  func betweenCases(does: String, verdict: Verdict, says: String) throws {
    let scratch = try Scratch()
    // Once, and not before its first case is over for the lab as well: what stands directly behind `ended` may still be
    // read with it, and be told by the case that ends.
    let once = "[ -e \"$0.over\" ] || { until [ -e \"$0.go\" ]; do sleep 0.01; done; echo $$ > \"$0.over\"; "
    let ended = Self.say(#"{"type":"ended","case":NUMBER,"open":[]}"#) + "; \(once)\(does); : > \"$0.said\"; }"
    let path = try program(
      Self.script(Row(name: "hasty", ended: ended, verdict: .passed, says: "")), in: scratch)
    let pool = SubjectPool(helloTimeout: 100)
    defer { pool.drain() }
    #expect(play(path, pool, callTimeout: 100).verdict == .passed)
    try letGoOn(path)
    let second = play(path, pool, callTimeout: 100)
    #expect(second.verdict == verdict)
    #expect(says.isEmpty || second.reason?.contains(says) == true, "\(second.reason ?? "")")
    // A new one has taken its place.
    if verdict != .passed { #expect(play(path, pool, callTimeout: 100).verdict == .passed) }
  }
}
