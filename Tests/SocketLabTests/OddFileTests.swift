import Foundation
import Glibc
import Testing

/// Files that are none, names that are no text, and standard descriptors that are closed: the lab says what is wrong
/// and waits for nothing.
@Suite struct OddFileTests {
  private static func suite() throws -> ScratchSuite { try ScratchSuite(["read/line.yaml": ScratchSuite.passing]) }

  /// What stands at `Scenarios/read/odd.yaml`, and what is said of it.
  static let oddities: [(String, @Sendable (String) -> Bool, String)] = [
    ("a pipe", { mkfifo($0, 0o600) == 0 }, "is a named pipe"),
    ("a device", { symlink("/dev/zero", $0) == 0 }, "is a device"),
    ("a loop of links", { symlink($0, $0) == 0 }, "Too many levels of symbolic links"),
    ("a link to nothing", { symlink("nowhere", $0) == 0 }, "No such file or directory"),
    (
      "a gibibyte",
      { path in FileManager.default.createFile(atPath: path, contents: nil) && truncate(path, 1 << 30) == 0 },
      "the file has 1073741824 bytes"
    ),
    ("no bytes", { FileManager.default.createFile(atPath: $0, contents: nil) }, "empty-file"),
  ]

  @Test(arguments: oddities.indices) func isTold(_ index: Int) throws {
    let (name, make, complaint) = Self.oddities[index]
    let suite = try Self.suite()
    try #require(make(suite.folder.appendingPathComponent("Scenarios/read/odd.yaml").path), "\(name)")
    for verb in ["check", "run"] {
      let result = try suite.run([verb])
      #expect(result.status == 3, "\(name)")
      #expect(result.error.contains("Scenarios/read/odd.yaml:1:1: error"), "\(name): \(result.error)")
      #expect(result.error.contains(complaint), "\(name): \(result.error)")
    }
    // Others don't suffer from it.
    #expect(try suite.run(["run", "read/line", "--world", "simulated"]).status == 0)
  }

  @Test func aFolderMayBeCalledLikeAFile() throws {
    let suite = try ScratchSuite(["read/line.yaml/inner.yaml": ScratchSuite.passing])
    #expect(try suite.run(["list", "--format", "ids"]).output == "read/line.yaml/inner\n")
    #expect(try suite.run(["check", "./Scenarios/read/line.yaml"]).status == 0)
  }

  @Test func linksToFoldersEndNoWalkAndAreNamed() throws {
    let suite = try Self.suite()
    try FileManager.default.createSymbolicLink(
      atPath: suite.folder.appendingPathComponent("Scenarios/read/up").path, withDestinationPath: "..")
    let result = try suite.run(["check"])
    #expect(result.status == 0)
    #expect(result.output == "1 file checked: 0 errors, 0 warnings\n")
    #expect(result.error.contains("Scenarios/read/up is a link to a folder"), "\(result.error)")
  }

  @Test func aNameThatIsNoTextIsTold() throws {
    let suite = try Self.suite()
    let folder = suite.folder.appendingPathComponent("Scenarios/read").path
    let name = Array(folder.utf8CString.dropLast()) + [0x2F, CChar(bitPattern: 0xFF)] + Array(".yaml".utf8CString)
    let descriptor = open(name, O_CREAT | O_WRONLY, 0o600)
    try #require(descriptor >= 0)
    close(descriptor)
    let result = try suite.run(["check"])
    #expect(result.status == 3)
    #expect(result.error.contains("the name is not valid UTF-8"), "\(result.error)")
  }

  @Test func aFileThatIsCalledLikeACaseIsTold() throws {
    let suite = try Self.suite()
    let folder = suite.folder.appendingPathComponent("Scenarios/read")
    try FileManager.default.copyItem(
      at: folder.appendingPathComponent("line.yaml"), to: folder.appendingPathComponent("table#one.yaml"))
    // The same whether it is come upon or named, and in whatever folder.
    try FileManager.default.copyItem(at: folder, to: suite.folder.appendingPathComponent("qa"))
    for (arguments, place) in [
      (["check"], "Scenarios/read/table#one.yaml"),
      (["check", "Scenarios/read/table#one.yaml"], "Scenarios/read/table#one.yaml"),
      (["check", "qa"], "./qa/table#one.yaml"), (["check", "qa/table#one.yaml"], "./qa/table#one.yaml"),
      (["run", "qa/table#one.yaml"], "./qa/table#one.yaml"),
    ] {
      let result = try suite.run(arguments)
      #expect(result.status == 3, "\(arguments)")
      #expect(result.error.contains("\(place):1:1"), "\(arguments): \(result.error)")
      #expect(result.error.contains("`a#b` is the case `b` of the table `a`"), "\(arguments): \(result.error)")
    }
  }

  @Test(.enabled(if: geteuid() != 0, "nothing is closed to root"))
  func aFolderThatCannotBeReadIsTold() throws {
    let suite = try Self.suite()
    let closed = suite.folder.appendingPathComponent("Scenarios/closed").path
    mkdir(closed, 0)
    defer { chmod(closed, 0o700) }
    let result = try suite.run(["check"])
    #expect(result.status == 3)
    #expect(result.error.contains("the folder can't be read: Permission denied"), "\(result.error)")
  }

  /// The lab's first socket would be the new standard output, and the summary would be written into it.
  @Test func closedDescriptorsStayOutOfTheCases() throws {
    let suite = try Self.suite()
    let result = try suite.shell("\"$LAB\" run <&- >&- 2>&-")
    #expect(result.status == 0)
    let report = try String(
      contentsOf: suite.folder.appendingPathComponent("reports/latest/report.json"), encoding: .utf8)
    #expect(report.contains("\"passed\": 2"))
  }

  /// No file may grow beyond 8 KiB: as on a full disk, the reports can't be written to their end.
  @Test func whyTheReportsAreNotThereIsTold() throws {
    let suite = try Self.suite()
    for command in ["run --world simulated", "run --world simulated --shard 1/1"] {
      let result = try suite.shell("trap '' XFSZ; ulimit -f 16; \"$LAB\" \(command)")
      #expect(result.status == 4, "\(result.output)\(result.error)")
      let complaint = /The reports could not be written to reports: reports\/\S+ can't be written: File too large\./
      #expect(result.error.contains(complaint), "\(result.error)")
    }
  }

  @Test func aReaderThatLeavesDoesNotTakeTheReportsWithIt() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.failing])
    // The reader is gone before the first line is written.
    let result = try suite.shell("{ \"$LAB\" run --world simulated; echo $? >status; } | true; cat status")
    #expect(result.output == "1\n", "\(result.error)")
    let page = suite.folder.appendingPathComponent("reports/latest/index.html").path
    #expect(FileManager.default.fileExists(atPath: page))
  }
}
