import Foundation
import TestSupport
import Testing

@testable import HostTools

/// Files and links that several processes put in the same place: here as many threads.
@Suite struct HostFilesTests {
  @Test func ofSeveralWritersOneIsTheLastAndItsBytesAreWhole() throws {
    let scratch = try Scratch()
    let file = scratch.path("file")
    let size = 1 << 18
    let failures = try Concurrently.run(6) { number in
      for _ in 0..<20 {
        try HostFiles.write([UInt8](repeating: UInt8(number), count: size), to: file)
        let seen = try HostFiles.read(file)
        guard seen.count == size, Set(seen).count == 1 else { throw WaitFailure("a mixture of \(seen.count) bytes") }
      }
    }
    #expect(failures.isEmpty, "\(failures.first ?? "")")
    #expect(HostFiles.names(in: scratch.folder.path) == ["file"], "nothing is left over")
  }

  @Test func aLinkThatSeveralMoveIsTheLastOnes() throws {
    let scratch = try Scratch()
    let link = scratch.path("latest")
    let failures = try Concurrently.run(6) { number in
      for _ in 0..<200 { try FolderLink.point(link, to: "run-\(number)") }
    }
    #expect(failures.isEmpty, "\(failures.first ?? "")")
    #expect(FolderLink.target(of: link)?.hasPrefix("run-") == true)
    #expect(HostFiles.names(in: scratch.folder.path) == ["latest"], "nothing is left over")
  }

  @Test func aNameAsLongAsTheFileSystemAllowsIsWritten() throws {
    let scratch = try Scratch()
    let name = String(repeating: "n", count: 255)
    try HostFiles.write([1], to: scratch.path(name))
    #expect(try HostFiles.read(scratch.path(name)) == [1])
  }
}
