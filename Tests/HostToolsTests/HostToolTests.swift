import Foundation
import Testing

@testable import HostTools

/// Programs of the system whose output is read.
@Suite struct HostToolTests {
  @Test func aToolOfTheHostSpeaksEnglish() throws {
    let path = try #require(ProcessInfo.processInfo.environment["PATH"])
    let answer = try HostTool.lines(
      "/bin/sh", ["-c", "echo $LC_ALL; echo $PATH"], deathPipe: try ParentDeathPipe())
    #expect(answer.lines == ["C", path])
  }
}
