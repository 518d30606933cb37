/// What a replay of the corpus reached, by file and function.
package struct CoverageTable: Hashable, Sendable, Codable {
  /// What is counted. Tables of different units can't be compared.
  package enum Unit: String, Hashable, Sendable, Codable {
    /// Edges of the fuzzer's own instrumentation (`-print_coverage=1`).
    case edges
    /// Source regions (`llvm-cov export`).
    case regions
  }

  /// What `covered` and `total` count.
  package var unit: Unit
  /// Sorted by path.
  package var files: [FileCoverage]

  /// Sorts the files.
  package init(unit: Unit, files: [FileCoverage]) {
    self.unit = unit
    self.files = files.sorted { $0.path < $1.path }
  }

  /// Folders of modules that judge: code in them that is not covered is no gap in the search.
  private static let judges = ["FuzzBodies", "FuzzHarness", "FuzzPrograms", "ReferenceModel"]

  /// The code under test alone, and the laboratory's own.
  package var apart: (subject: CoverageTable, laboratory: CoverageTable) {
    let isOwn = { (file: FileCoverage) in Self.judges.contains { file.path.hasPrefix("Sources/\($0)/") } }
    return (
      CoverageTable(unit: unit, files: files.filter { !isOwn($0) }),
      CoverageTable(unit: unit, files: files.filter(isOwn))
    )
  }

  /// Units of all files that were run at least once; stops at `Int.max`.
  package var covered: Int { files.map(\.covered).total }
  /// Units of all files; stops at `Int.max`.
  package var total: Int { files.map(\.total).total }
}

package struct FileCoverage: Hashable, Sendable, Codable {
  /// Relative to the checkout.
  package var path: String
  /// Sorted by line, then by name.
  package var functions: [FunctionCoverage]

  package init(path: String, functions: [FunctionCoverage]) {
    self.path = path
    self.functions = functions.sorted { ($0.line, $0.name) < ($1.line, $1.name) }
  }

  /// Units of the file that were run at least once.
  package var covered: Int { functions.map(\.covered).total }
  /// Units of the file.
  package var total: Int { functions.map(\.total).total }
  /// Units of the file that were never run.
  package var missed: Int { total.lessened(by: covered) }
  /// Functions of which no unit was run, in the order of `functions`.
  package var neverEntered: [FunctionCoverage] { functions.filter(\.isNeverEntered) }
}

package struct FunctionCoverage: Hashable, Sendable, Codable {
  /// Demangled.
  package var name: String
  /// In the file, from 1.
  package var line: Int
  /// Units of the function that were run at least once.
  package var covered: Int
  /// Units of the function.
  package var total: Int

  package init(name: String, line: Int, covered: Int, total: Int) {
    self.name = name
    self.line = line
    self.covered = covered
    self.total = total
  }

  /// Units of the function that were never run.
  package var missed: Int { total.lessened(by: covered) }
  package var isNeverEntered: Bool { covered == 0 }
}
