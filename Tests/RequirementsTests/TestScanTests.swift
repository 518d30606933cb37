import Foundation
import Testing

@testable import Requirements

/// Where Swift tests declare what they prove, and where ids stand that declare nothing.
@Suite struct TestScanTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var title: String
    var text: String
    var found: [String]
    var testDescription: String { title }
  }

  static let rows = [
    Row(
      title: "a display name, whole ranges included",
      text: "  @Test(\"the delegate's word counts (AB-20…AB-22, XY-CD-03)\", arguments: [true])\n  func a() {}",
      found: [
        "1 AB-20 the delegate's word counts (AB-20…AB-22, XY-CD-03)",
        "1 AB-21 the delegate's word counts (AB-20…AB-22, XY-CD-03)",
        "1 AB-22 the delegate's word counts (AB-20…AB-22, XY-CD-03)",
        "1 XY-CD-03 the delegate's word counts (AB-20…AB-22, XY-CD-03)",
      ]),
    Row(
      title: "a display name on a line of its own, ids first",
      text:
        "  @Test(\n    \"AB-01, AB-02: at once\", arguments: [\"\\r\"])\n  func a() {\n    // As AB-07 (AB-08).\n  }",
      found: ["2 AB-01 AB-01, AB-02: at once", "2 AB-02 AB-01, AB-02: at once", "4 AB-08 AB-01, AB-02: at once"]),
    Row(
      title: "no display name: the function's",
      text: "  @Test(arguments: [\"AB-01\"]) func a(x: Int) {\n    #expect(x == 1, \"AB-02: so\")\n  }",
      found: ["2 AB-02 a"]),
    Row(
      title: "no display name, and the function on a line of its own",
      text: "  @Test(arguments: rows)\n  func onItsOwn(x: Int) {\n    // As said (AB-09).\n  }",
      found: ["3 AB-09 onItsOwn"]),
    Row(
      title: "a row's name, and an assertion in a helper",
      text:
        "  let rows = [\n    Row(name: \"port 0 (AB-36)\", x: \"AB-37\"),\n  ]\n    Issue.record(\"AB-38: \\(a)\")",
      found: ["2 AB-36 port 0 (AB-36)", "4 AB-38 "]),
    Row(
      title: "a suite's comment, a heading, a text about ids, sample data, what only looks like an id",
      text: """
        /// Everything (AB-01…AB-42).
          // MARK: Generations (AB-03)
          let sample = "requirements: [AB-04]"
          #expect(page.contains("<b>AB-05"))
          @Test("AB-6, aB-07, AB-08x, UTF-16 and IPv4-01") func a() {}
        """, found: ["5 UTF-16 AB-6, aB-07, AB-08x, UTF-16 and IPv4-01"]),
  ]

  @Test(arguments: rows) func findsWhatIsDeclared(row: Row) {
    let found = TestScan.declarations(in: row.text, path: "x")
    #expect(found.map { "\($0.witness.line) \($0.id) \($0.witness.name)" } == row.found)
    #expect(found.allSatisfy { $0.witness.path == "x" })
  }

  /// The test of a row is not the one that it stands behind.
  @Test func aDeclarationKnowsItsTest() {
    let text =
      "  @Test(\n    \"one (AB-01)\")\n  func a() {\n    // As said (AB-02).\n  }\n"
      + "  static let rows = [Row(name: \"two (AB-03)\")]\n  @Test func b() {\n    // (AB-04)\n  }"
    let found = TestScan.declarations(in: text, path: "../lab/Tests/ATests/B.swift")
    #expect(found.map(\.witness.test) == [1, 1, nil, 7])
    #expect(found.allSatisfy { $0.witness.file == "Tests/ATests/B.swift" })
  }

  /// Whoever writes an id into a test means one of the register's.
  @Test func everyIdThatATestOfTheRepositoryDeclaresIsInTheRegister() throws {
    let register = try CommittedRegisterTests.register()
    let root = CommittedRegisterTests.root
    let own = "RequirementsTests/"
    // A text about UTF-16 declares nothing.
    let areas = Set((register.areas.map(\.id) + ["D", "UB"]).map { $0[...] })
    let paths = try #require(FileManager.default.enumerator(atPath: "\(root)/Tests")).compactMap { $0 as? String }
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix(own) }
    var count = 0
    for path in paths {
      let text = try String(contentsOfFile: "\(root)/Tests/\(path)", encoding: .utf8)
      for (id, witness) in TestScan.declarations(in: text, path: path) where areas.contains(id.dropLast(3)) {
        count += 1
        #expect(register.sentence(of: id) != nil, "\(witness.path):\(witness.line) declares \(id)")
      }
    }
    #expect(count > 200)
  }
}
