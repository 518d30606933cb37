import Testing

/// Files stay small: a source file fits a morning's reading, a function a screen.
@Suite struct SizeTests {
  @Test(arguments: Repository.sources + Repository.examples + Repository.benchmarks)
  func sourceFilesAreAtMost400Lines(_ file: Repository.File) {
    #expect(file.lines.count <= 401, "\(file.path) has \(file.lines.count - 1) lines")
  }

  @Test(arguments: Repository.tests + Repository.benchmarkTests)
  func testFilesAreAtMost600Lines(_ file: Repository.File) {
    #expect(file.lines.count <= 601, "\(file.path) has \(file.lines.count - 1) lines")
  }

  @Test(arguments: Repository.all)
  func functionsAreAtMost60Lines(_ file: Repository.File) {
    for function in FunctionSpan.all(in: file) {
      #expect(
        function.lineCount <= 60, "\(file.path):\(function.firstLine) \(function.name)… has \(function.lineCount) lines"
      )
    }
  }

  @Test(arguments: Repository.all)
  func linesAreAtMost120Columns(_ file: Repository.File) {
    for (index, line) in file.lines.enumerated() where line.count > 120 {
      Issue.record("\(file.path):\(index + 1) has \(line.count) columns")
    }
  }

  @Test func findsAFunctionThatIsTooLong() {
    let body = Array(repeating: "    work()", count: 70)
    let file = Repository.File(path: "x", lines: ["struct S {", "  func long() {"] + body + ["  }", "}"])
    #expect(FunctionSpan.all(in: file).map(\.lineCount) == [72])
  }
}
