import Foundation
import Testing

/// What documents point at is there.
@Suite struct DocumentTests {
  private static let documents =
    [
      "README.md", "ARCHITECTURE.md", "STYLE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md",
      "Examples/README.md",
      "Fuzz/README.md", "Benchmarks/README.md", "Requirements/README.md", "Scenarios/README.md", "reports/README.md",
    ].compactMap(Repository.file)

  private static let guides = Repository.files(
    below: "Sources/CocoaAsyncSocket/CocoaAsyncSocket.docc", extensions: ["md"])

  /// What users are shown compiles: each block stands, indented or not, in a test that is built.
  @Test func shownCodeCompiles() throws {
    let built = Repository.files(below: "Tests/SourceCompatibility6Tests", extensions: ["swift"]).map { file in
      file.lines.map { $0.drop { $0 == " " } }.joined(separator: "\n") + "\n"
    }
    let shown = try [#require(Repository.file("README.md"))] + Self.guides
    var blocks = 0
    for file in shown {
      var block: String?
      for (index, line) in file.lines.enumerated() {
        switch (line, block) {
        case ("```swift", _): block = ""
        case ("```", let code?):
          #expect(built.contains { $0.contains(code) }, "\(file.path):\(index + 1): nothing compiles this block")
          blocks += 1
          block = nil
        case (_, let code?): block = code + line.drop { $0 == " " } + "\n"
        default: break
        }
      }
    }
    #expect(blocks > 10 && Self.guides.count > 4)
  }

  /// Nothing of a guide is left out of the table of contents.
  @Test func guidesAreListed() throws {
    let listed = try #require(Self.guides.first { $0.name == "CocoaAsyncSocket.md" }).lines
    for guide in Self.guides where guide.name != "CocoaAsyncSocket.md" {
      #expect(listed.contains("- <doc:\(guide.name.dropLast(3))>"), "\(guide.path) is not listed")
    }
  }

  @Test(arguments: documents)
  func linksLeadSomewhere(_ file: Repository.File) {
    let folder = (file.path as NSString).deletingLastPathComponent
    for (index, line) in file.lines.enumerated() {
      for match in line.matches(of: /\]\(([^)#]*)(#[^)]*)?\)/) {
        let target = String(match.output.1)
        guard !target.contains("://"), !target.hasPrefix("..") || folder != "" else { continue }
        let path = target.isEmpty ? file.path : (folder as NSString).appendingPathComponent(target)
        let place = Repository.root.appendingPathComponent(path)
        #expect(FileManager.default.fileExists(atPath: place.path), "\(file.path):\(index + 1) leads to \(target)")
        guard let anchor = match.output.2, let document = Repository.file(path) else { continue }
        let headings = document.lines.filter { $0.hasPrefix("#") }.map { heading in
          heading.drop { "# ".contains($0) }.lowercased().filter { $0.isLetter || $0.isNumber || " -".contains($0) }
            .replacing(" ", with: "-")
        }
        #expect(headings.contains(String(anchor.dropFirst())), "\(file.path):\(index + 1) leads to \(anchor)")
      }
    }
  }

  /// Examples can be typed: the ids of scenarios in documents and in what commands say of themselves are the library's.
  /// One whose name begins with `my` is the reader's own, and `canary/planted` is a place in the fuzzer's canary.
  @Test func namedScenariosAreThere() throws {
    let library = Repository.scenarios.map { String($0.path.dropFirst("Scenarios/".count).dropLast(".yaml".count)) }
    let folders = Set(library.flatMap { id in id.indices.filter { id[$0] == "/" }.map { String(id[..<$0]) } })
    let known = folders.union(library + ["canary/planted"])
    let pages = Repository.files(below: "Subjects", extensions: ["md"])
    let commands = Repository.files(below: "Sources/socketlab", extensions: ["swift"])
    var count = 0
    for file in Self.documents + pages + commands where file.path != "CHANGELOG.md" {
      for (index, line) in file.lines.enumerated() {
        for match in line.matches(of: /[\w.*\/-]+/) {
          let id = String(match.output)
          let parts = id.split(separator: "/", omittingEmptySubsequences: false)
          guard parts.count > 1, folders.contains(String(parts[0])), let last = parts.last, !last.isEmpty,
            !last.hasPrefix("my-"), !id.contains("*"), !id.contains(".")
          else { continue }
          count += 1
          #expect(known.contains(id), "\(file.path):\(index + 1): there is no scenario \(id)")
        }
      }
    }
    #expect(count > 100)
  }

  /// The first hour is walked through files that are there, and breaks a line that is there.
  @Test func theFirstHourCanBeWalked() throws {
    let lines = try #require(Repository.file("CONTRIBUTING.md")).lines
    let start = try #require(lines.firstIndex(of: "## The first hour"))
    let end = try #require(lines[start...].dropFirst().firstIndex { $0.hasPrefix("## ") })
    let walk = lines[start..<end]
    let paths = walk.flatMap {
      $0.matches(of: /(Sources|Scenarios)\/[\w+\/-]+\.(swift|yaml)/).map { String($0.output.0) }
    }
    #expect(paths.count > 1)
    for path in paths { #expect(Repository.file(path) != nil, "\(path) is gone") }
    let code = try #require(walk.firstIndex(of: "```swift"))
    let source = try #require(paths.first.flatMap(Repository.file))
    #expect(source.lines.contains(lines[code + 1]), "\(source.path) has no line \(lines[code + 1])")
    // The place of the expectation that the walk quotes.
    let quoted = try #require(walk.compactMap { $0.firstMatch(of: /missing  (Scenarios\S+\.yaml):(\d+):5/) }.first)
    let scenario = try #require(Repository.file(String(quoted.output.1)))
    let expectation = try #require(Int(quoted.output.2))
    #expect(scenario.lines.indices.contains(expectation - 1))
    #expect(scenario.lines[expectation - 1].contains("didDisconnect: { error: ReadMaxedOut, within: 1s }"))
  }

  @Test func editorsIndentAsTheFormatterDoes() throws {
    let editors = try #require(Repository.file(".editorconfig")).lines
    let data = try Data(contentsOf: Repository.root.appendingPathComponent(".swift-format"))
    let format = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let width = try #require(format["lineLength"] as? Int)
    let spaces = try #require((format["indentation"] as? [String: Any])?["spaces"] as? Int)
    #expect(editors.contains("max_line_length = \(width)") && editors.contains("indent_size = \(spaces)"))
  }
}
