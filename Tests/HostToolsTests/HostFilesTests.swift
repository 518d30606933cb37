import Foundation
import Glibc
import ScenarioModel
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

  /// No folder can be made there, and Foundation has a sentence of its own about it.
  @Test func whatCannotBeMadeIsToldWithOneFullStop() throws {
    let failure = #expect(throws: LabFailure.self) { try HostFiles.makeFolder("/proc/here") }
    let message = try #require(failure?.message)
    #expect(message.hasPrefix("The folder /proc/here can't be made: "))
    #expect(message.hasSuffix(".") && !message.hasSuffix(".."), "\(message)")
  }

  @Test func aFreePathHasTheNextNumber() throws {
    let scratch = try Scratch()
    let path = scratch.path("case.yaml")
    #expect(HostFiles.freePath(path) == path)
    for name in ["case.yaml", "case-2.yaml", "plain"] { try HostFiles.write([1], to: scratch.path(name)) }
    #expect(HostFiles.freePath(path) == scratch.path("case-3.yaml"))
    #expect(HostFiles.freePath(scratch.path("plain")) == scratch.path("plain-2"))
    let second = scratch.path("case-2.yaml")
    #expect(HostFiles.freePath(path, isFine: { $0 == second }) == second)
  }

  // MARK: - What is no plain file

  private static func kind(_ path: String) -> mode_t {
    var facts = stat()
    return lstat(path, &facts) == 0 ? facts.st_mode & S_IFMT : 0
  }

  /// Why the bytes could not be written; nil: they were.
  private static func complaint(_ bytes: [UInt8], to path: String) -> String? {
    do { try HostFiles.write(bytes, to: path) } catch { return (error as? LabFailure)?.message ?? "\(error)" }
    return nil
  }

  @Test func aLinkStaysAndTheFileThatItLeadsToIsReplaced() throws {
    let scratch = try Scratch()
    try HostFiles.makeFolder(scratch.path("far"))
    try HostFiles.write([1], to: scratch.path("far/file"))
    // The last one leads to what is not there yet.
    let links = [("one", "far/file"), ("two", scratch.path("one")), ("far/three", "../one"), ("new", "far/made")]
    for (number, (link, target)) in links.enumerated() {
      try #require(symlink(target, scratch.path(link)) == 0)
      try HostFiles.write([UInt8(number)], to: scratch.path(link))
      #expect(Self.kind(scratch.path(link)) == S_IFLNK, "\(link)")
      let file = scratch.path(link == "new" ? "far/made" : "far/file")
      #expect(try HostFiles.read(file) == [UInt8(number)] && Self.kind(file) == S_IFREG, "\(link)")
    }
    #expect(Set(HostFiles.names(in: scratch.path("far"))) == ["file", "made", "three"], "nothing is left over")
  }

  @Test func whatCannotBeReplacedIsSaid() throws {
    let scratch = try Scratch()
    try HostFiles.makeFolder(scratch.path("folder"))
    try #require(symlink("loop", scratch.path("loop")) == 0)
    #expect(Self.complaint([1], to: scratch.path("folder"))?.hasSuffix("can't be written: Is a directory.") == true)
    #expect(Self.complaint([1], to: scratch.path("loop"))?.hasSuffix("Too many levels of symbolic links.") == true)
    #expect(Self.complaint([1], to: scratch.path("none/file"))?.hasSuffix("No such file or directory.") == true)
    #expect(Set(HostFiles.names(in: scratch.folder.path)) == ["folder", "loop"], "nothing is left over")
  }

  @Test func aPipeTakesTheBytesAndStaysOne() throws {
    let scratch = try Scratch()
    let path = scratch.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    // With a reader there is no wait for one.
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let bytes = (0..<1 << 15).map { UInt8(truncatingIfNeeded: $0 / 3) }
    try HostFiles.write(bytes, to: path)
    #expect(Self.kind(path) == S_IFIFO)
    var room = [UInt8](repeating: 0, count: bytes.count + 1)
    #expect(read(reader, &room, room.count) == bytes.count && room.dropLast() == bytes[...])
    #expect(HostFiles.names(in: scratch.folder.path) == ["pipe"], "nothing is left over")
  }

  /// More than a pipe holds: the writer waits, and its reader leaves.
  @Test func aReaderThatLeavesIsAnErrorAndEndsNothing() throws {
    let scratch = try Scratch()
    let path = scratch.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let failures = try Concurrently.run(2) { number in
      guard number == 0 else { return try HostFiles.write([UInt8](repeating: 7, count: 1 << 20), to: path) }
      defer { close(reader) }
      var byte: UInt8 = 0
      try eventually("the first byte") { read(reader, &byte, 1) == 1 }
    }
    #expect(failures.count == 1 && failures[0].contains("be written: Broken pipe."), "\(failures)")
  }

  /// A device that is always full; only who may do so makes one of his own, and all others can't harm the system's.
  @Test func aDeviceIsWrittenToAndItsErrorIsTold() throws {
    let scratch = try Scratch()
    let path = scratch.path("full")
    if mknod(path, S_IFCHR | 0o666, 1 << 8 | 7) != 0 {
      try #require(getuid() != 0 && symlink("/dev/full", path) == 0)
    }
    let before = Self.kind(path)
    #expect(Self.complaint([1, 2, 3], to: path)?.hasSuffix("full can't be written: No space left on device.") == true)
    #expect(Self.kind(path) == before && before != S_IFREG)
    #expect(HostFiles.names(in: scratch.folder.path) == ["full"], "nothing is left over")
  }

  // MARK: - What is open

  @Test func aFullPipeThatDoesNotBlockIsWaitedFor() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let (reader, writer) = (ends[0], ends[1])
    try #require(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
    let count = 1 << 20
    let failures = try Concurrently.run(2) { number in
      guard number == 0 else {
        let problem = WholeWrite.write([UInt8](repeating: 7, count: count), to: writer)
        guard problem == nil else { throw WaitFailure("error \(problem ?? 0)") }
        return
      }
      var (room, seen) = ([UInt8](repeating: 0, count: 1 << 14), 0)
      while seen < count {
        let count = read(reader, &room, room.count)
        guard count > 0 else { throw WaitFailure("\(seen) bytes") }
        seen += count
      }
    }
    #expect(failures.isEmpty, "\(failures)")
  }

  @Test func whatIsInTheWayOfAWriteIsReturned() throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    #expect(WholeWrite.write([1], to: full) == ENOSPC && WholeWrite.write([], to: full) == nil)
    #expect(WholeWrite.write([1], to: -1) == EBADF)
  }
}
