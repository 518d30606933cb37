import CoverageMarks
import Foundation
import HostTools
import ScenarioModel
import Testing

@testable import CoverageRunner

/// The processes of the marked copy, with a script in its place.
@Suite struct MarkedLabTests {
  /// A home in which the marked copy is built already: this script.
  private func home(_ script: String) throws -> String {
    let home = "\(NSTemporaryDirectory())/marked-lab-\(UUID().uuidString)"
    let program = "\(home)/.build/reach/lab/debug/socketlab"
    try FileManager.default.createDirectory(
      atPath: (program as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try HostFiles.write(Array("#!/bin/sh\n\(script)\n".utf8), to: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    return home
  }

  private func lab(_ home: String, stop: StopFlag = StopFlag()) throws -> MarkedLab {
    MarkedLab(
      home: home, scenarios: "\(home)/Scenarios", deathPipe: try ParentDeathPipe(), stop: stop, tell: { _ in })
  }

  @Test func anInterruptEndsARunThatIsUnderWay() throws {
    let home = try home("touch \"$0.started\"; exec sleep 600")
    defer { HostFiles.remove(home) }
    let stop = StopFlag()
    let started = "\(home)/.build/reach/lab/debug/socketlab.started"
    Thread.detachNewThread {
      while !HostFiles.exists(started), !stop.isSet { usleep(1_000) }
      stop.set()
    }
    let begin = ContinuousClock.now
    let failure = #expect(throws: LabFailure.self) {
      try lab(home, stop: stop).run(.loopback, [], counters: "\(home)/counters")
    }
    #expect(failure?.message == "Interrupted.")
    #expect(HostFiles.exists(started))
    #expect(ContinuousClock.now - begin < .seconds(300))
  }

  @Test(arguments: [(0, true), (1, false), (4, false)])
  func aRunIsAsExpectedIfItsProcessSaysSo(_ code: Int, isAsExpected: Bool) throws {
    let home = try home("exit \(code)")
    defer { HostFiles.remove(home) }
    #expect(try lab(home).run(.simulated, [], counters: "\(home)/counters") == isAsExpected)
  }

  /// Nothing was played: what was not entered then says nothing.
  @Test(arguments: [2, 3, 5]) func aRunThatCouldNotBeginIsNoRun(_ code: Int) throws {
    let home = try home("echo why; exit \(code)")
    defer { HostFiles.remove(home) }
    let failure = #expect(throws: LabFailure.self) {
      try lab(home).run(.simulated, [], counters: "\(home)/counters")
    }
    #expect(failure?.message == "why")
  }
}
