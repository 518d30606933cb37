import Testing

/// What may import what is written once, in ARCHITECTURE.md. SwiftPM does not notice an import that reaches a target
/// through another one's dependencies, so the sources are read.
@Suite struct ArrowTests {
  @Test func documentManifestAndSourcesAgree() throws {
    let house = try House.ofTheRepository()
    #expect(house.table.rows.count > 20 && !house.table.bans.isEmpty)
    for complaint in house.complaints { Issue.record("\(complaint)") }
  }

  /// Programs see what a user of theirs would: an example the library, a fuzz target the harness and its body.
  @Test func programsImportNoMoreThanTheyShow() throws {
    let table = try House.ofTheRepository().table
    let fuzz = Set(table.rows.filter { $0.part == "fuzz" }.map(\.name))
    for (folder, allowed) in [("Examples", ["CocoaAsyncSocket"]), ("Fuzz", fuzz)] as [(String, Set<String>)] {
      let files = Repository.files(below: folder, extensions: ["swift"])
      #expect(!files.isEmpty)
      for file in files {
        let others = Set(House.imports(of: file)).subtracting(allowed).subtracting(House.platform)
        #expect(others.isEmpty, "\(file.path) imports \(others.sorted())")
      }
    }
  }

  @Test func readsImportsInAllTheirForms() {
    let file = Repository.File(
      path: "x",
      lines: [
        "import A", "@testable import B", "package import C", "import struct D.E", "// import F", "let import1 = 2",
        "import func F.g",
      ])
    #expect(House.imports(of: file) == ["A", "B", "C", "D", "F.g"])
  }

  /// A house in order, of which each test below spoils one line.
  private static let architecture = [
    "| Module | Part | Duty | Imports |", "|---|---|---|---|",
    "| `Judge` | lab | judges | Values, Tree |", "| `Values` | lab | are | – |",
    "| `Socket` | subject | is judged | Glibc.memchr |", "",
    "| From | To | Because |", "|---|---|---|", "| `lab` | `subject` | so |", "| every module | `Judge` | so |",
  ]
  private static let manifest = [
    #"let tree = Target.Dependency.product(name: "Tree", package: "swift-trees")"#,
    #".library(name: "Socket", targets: ["Socket"]),"#,
    #"judge("Judge", ["Values", tree]),"#, #"library("Values"),"#, #"// library("Gone"),"#,
    #".target(name: "Socket", dependencies: [], swiftSettings: strict),"#,
  ]
  private static let sources = [
    "Sources/Judge/A.swift": ["import Values", "import Tree"], "Sources/Deep/Values/B.swift": ["let a = 1"],
    "Sources/Socket/Values/C.swift": ["import func Glibc.memchr"],
  ]

  private func house(
    _ old: String = "", _ new: String = "", adding files: [String: [String]] = [:]
  ) -> House {
    let swap = { (lines: [String]) in lines.map { $0.contains(old) ? $0.replacing(old, with: new) : $0 } }
    let sources = Self.sources.merging(files) { $1 }.map { Repository.File(path: $0.key, lines: swap($0.value)) }
    return House(architecture: swap(Self.architecture), manifest: swap(Self.manifest), sources: sources)
  }

  @Test func findsNothingInAHouseInOrder() {
    #expect(house().complaints == [])
  }

  @Test func seesWhatARowDoesNotAllow() {
    let complaints = house(adding: ["Sources/Values/D.swift": ["import Glibc"]]).complaints
    #expect(
      complaints == [
        "the row of Values is wrong; its imports are: Glibc",
        "Sources/Values/D.swift imports Glibc, which the row of Values does not allow",
      ])
  }

  @Test func seesAnAllowanceThatNobodyUses() {
    #expect(
      house("| are | – |", "| are | Glibc |").complaints
        == [
          "the row of Values is wrong; its imports are: –",
          "the row of Values allows Glibc, which nothing there imports: take it out",
        ])
    #expect(
      house("Glibc.memchr |", "Glibc |").complaints == [
        "the row of Socket is wrong; its imports are: Glibc.memchr",
        "Sources/Socket/Values/C.swift imports Glibc.memchr, which the row of Socket does not allow",
        "the row of Socket allows Glibc, which nothing there imports: take it out",
      ])
  }

  @Test func seesModulesWithoutRowAndRowsWithoutModule() {
    let complaints = house("| `Values` |", "| `Worths` |").complaints
    #expect(complaints.contains("Values has no row in ARCHITECTURE's table of modules; its imports are: –"))
    let header = #".systemLibrary(name: "CThing", pkgConfig: "thing", providers: [.apt(["x"])]),"#
    #expect(
      house("library(\"Values\"),", "library(\"Values\"),\n" + header).complaints
        == ["CThing has no row in ARCHITECTURE's table of modules; its imports are: –"])
    #expect(complaints.contains("Worths has a row and no target"))
    #expect(house("| `Socket` |", "| `Values` |").complaints.contains("Values has several rows"))
  }

  @Test func seesWhatTheManifestLacksAndHasTooMuch() {
    #expect(house("\"Values\", tree", "tree").complaints == ["Package.swift: Judge must depend on Values"])
    #expect(
      house("library(\"Values\")", "library(\"Values\", [\"Socket\"])").complaints == [
        "Package.swift: Values does not need Socket"
      ])
    #expect(house("[\"Values\", tree]", "[\"Values\"]").complaints == ["Package.swift: Judge must depend on Tree"])
  }

  @Test func seesCyclesAndForbiddenArrows() {
    let table = ModuleTable(
      rows: [
        .init(name: "A", part: "lab", imports: ["B"]), .init(name: "B", part: "lab", imports: ["C", "A"]),
        .init(name: "C", part: "subject", imports: []),
      ], bans: [.init(from: ["A"], to: ["subject"]), .init(from: [], to: ["D"])])
    var house = house()
    house.table = table
    #expect(
      house.complaints.filter { !$0.contains(" row") } == [
        "A imports itself by way of others", "B imports itself by way of others",
        "A reaches C, which is forbidden for ever",
        "the forbidden arrows name D, which is neither a module nor a part",
      ])
  }
}

extension House {
  private static let kept = Result {
    House(
      architecture: try #require(Repository.file("ARCHITECTURE.md")).lines,
      manifest: try #require(Repository.file("Package.swift")).lines, sources: Repository.sources)
  }

  static func ofTheRepository() throws -> House { try kept.get() }
}
