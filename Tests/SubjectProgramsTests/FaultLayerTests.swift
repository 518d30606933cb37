import Foundation
import HostTools
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import TestSupport
import Testing

@testable import SubjectPrograms

/// The layer of faults that subjects are put under. Without a C compiler there is none.
@Suite(.enabled(if: ChildProgram.tool("cc") != nil)) struct FaultLayerTests {
  private static var under: String { ShippedSubjectTests.folder + "/faults/under" }

  /// Runs a program under the layer; its exit code and what it said.
  private static func run(_ faults: String, _ arguments: [String]) throws -> (code: Int32?, text: String) {
    let plan = ChildPlan(
      executable: "/usr/bin/env", arguments: ["SOCKETLAB_FAULTS=\(faults)", under] + arguments, limit: .seconds(60))
    var lines: [String] = []
    let result = try ChildGroup(plan, deathPipe: try ParentDeathPipe()).run { lines.append($0.text) }
    guard case .exited(let code) = result.end else { return (nil, lines.joined(separator: "\n")) }
    return (code, lines.joined(separator: "\n"))
  }

  @Test(
    "a setting that nothing has ends the program before it begins",
    arguments: ["shorts=3", "short", "short=", "short=101", "short=4x", "short=-1", "short=3,sed=1"])
  func refusals(setting: String) throws {
    let (code, text) = try Self.run(setting, ["echo", "begun"])
    #expect(code == 2 && text.contains("SOCKETLAB_FAULTS") && !text.contains("begun"), "\(code) \(text)")
  }

  /// Sends a hundred messages of ten bytes through a pair of sockets, and says how many took several receives.
  private static let messages = """
    import socket
    a, b = socket.socketpair()
    pieces = [0] * 100
    for i in range(100):
      a.sendall(b"0123456789")
      got = 0
      while got < 10:
        got += len(b.recv(10 - got))
        pieces[i] += 1
    print(sum(count > 1 for count in pieces))
    """

  @Test(
    "as many calls fall short as are asked for", .enabled(if: ChildProgram.tool("python3") != nil),
    arguments: [("short=0", 0...0), ("short=30", 10...60), ("short=100,interrupt=60", 70...100)])
  func shortReceives(faults: String, expected: ClosedRange<Int>) throws {
    let (code, text) = try Self.run(faults, ["python3", "-c", Self.messages])
    #expect(code == 0 && expected.contains(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1), "\(text)")
  }

  @Test(
    "the library shows its user the same under faults as without (WR-14, INV-17)",
    arguments: ["interrupt=60,short=0", "interrupt=0,short=90", "accept=60,abort=60", ""])
  func libraryUnderFaults(faults: String) throws {
    let scratch = try Scratch()
    let cocoa = try ShippedSubjectTests.cocoa().path
    let script = "#!/bin/sh\nSOCKETLAB_FAULTS=\(faults) exec '\(Self.under)' '\(cocoa)'\n"
    let path = try scratch.program("faulty", script)
    let pool = SubjectPool()
    defer { pool.drain() }
    let program = try SubjectProgram.find(path, in: ShippedSubjectTests.folder)
    for seed in UInt64(1)...10 {
      for family in AddressFamily.allCases {
        var world = LoopbackWorld(program, pool: pool)
        let variant = Variant(family: family, cut: .bytes, queues: .separate, program: program.name)
        let result = CaseRunner.run(
          ShippedSubjectTests.line(family), variant: variant, seed: seed, profile: .documented, in: &world,
          tolerance: Tolerance(early: .milliseconds(5), late: .seconds(1)))
        #expect(result.verdict == .passed, "\(faults), \(family): \(result.deviations) \(result.reason ?? "")")
      }
    }
  }
}
