import Foundation

/// Reads what the tools say about coverage into a table by file and function.
///
/// Laws
/// - Only files below the checkout are told, by their paths in it; what the compiler made up has no file.
/// - The optimiser makes copies of a function (specialised, merged). One that was entered stands for all of them.
package struct CoverageReader {
  /// The folder that paths are told from, as the compiler wrote it.
  package var root: String
  /// Paths below it that are told.
  package var folders = ["Sources/"]
  /// Gives a symbol as people read it; the symbol itself where that can't be done.
  package var demangle: (String) -> String

  package init(root: String, demangle: @escaping (String) -> String = { $0 }) {
    self.root = root.hasSuffix("/") ? root : root + "/"
    self.demangle = demangle
  }

  /// Symbols in the log, for a caller that demangles all of them at once.
  package static func symbols(inEdgesOf lines: some Sequence<some StringProtocol>) -> [String] {
    lines.compactMap { EdgeLine(String($0))?.function }
  }

  /// The lines that `-runs=0 -print_coverage=1` prints; others are passed over. nil: there are none of it.
  package func edges(_ lines: some Sequence<some StringProtocol>) -> CoverageTable? {
    var functions: [String: [FunctionCoverage]] = [:]
    var isThere = false
    for line in lines {
      guard let read = EdgeLine(String(line)) else { continue }
      isThere = true
      guard let path = relative(read.path) else { continue }
      functions[path, default: []].append(
        FunctionCoverage(name: name(read.function), line: read.line, covered: read.covered, total: read.total))
    }
    return isThere ? table(.edges, functions) : nil
  }

  /// The JSON of `llvm-cov export`, with its functions.
  package func regions(_ json: some Sequence<UInt8>) throws -> CoverageTable {
    let export = try JSONDecoder().decode(Export.self, from: Data(json))
    var functions: [String: [FunctionCoverage]] = [:]
    for function in export.data.flatMap({ $0.functions ?? [] }) {
      // Line, column, line, column, count, file, expanded file, kind; kind 0 is code, file 0 the function's own.
      let regions = function.regions.filter { $0.count >= 8 && $0[7] == 0 && $0[5] == 0 }
      guard let path = function.filenames.first.flatMap(relative), let line = regions.first?.first else { continue }
      let symbol = function.name.split(separator: ":").last.map(String.init) ?? function.name
      functions[path, default: []].append(
        FunctionCoverage(
          name: name(symbol), line: line, covered: regions.count { $0[4] > 0 }, total: regions.count))
    }
    return table(.regions, functions)
  }

  private struct Export: Decodable {
    struct Part: Decodable { var functions: [Function]? }
    struct Function: Decodable {
      var name: String
      var filenames: [String]
      var regions: [[Int]]
    }
    var data: [Part]
  }

  private func relative(_ path: String) -> String? {
    guard path.hasPrefix(root) else { return nil }
    let inside = String(path.dropFirst(root.count))
    return folders.contains { inside.hasPrefix($0) } ? inside : nil
  }

  private func name(_ symbol: String) -> String {
    let name = demangle(symbol)
    guard let end = name.range(of: "> of ", options: .backwards)?.upperBound else { return name }
    return String(name[end...])
  }

  private func table(_ unit: CoverageTable.Unit, _ functions: [String: [FunctionCoverage]]) -> CoverageTable {
    let files = functions.map { path, copies in
      let best = Dictionary(grouping: copies) { "\($0.line) \($0.name)" }.values.compactMap { copies in
        copies.max { ($0.covered, $1.total) < ($1.covered, $0.total) }
      }
      return FileCoverage(path: path, functions: best)
    }
    return CoverageTable(unit: unit, files: files)
  }
}

/// `COVERED_FUNC: hits: 41 edges: 8/9 NAME PATH:LINE`
private struct EdgeLine {
  var function: String
  var path: String
  var line: Int
  var covered: Int
  var total: Int

  init?(_ text: String) {
    guard text.hasPrefix("COVERED_FUNC: ") || text.hasPrefix("UNCOVERED_FUNC: "),
      let rest = text.after("edges: ")
    else { return nil }
    let words = rest.split(separator: " ", maxSplits: 2)
    guard words.count == 3 else { return nil }
    let edges = words[0].split(separator: "/").compactMap { Int($0) }
    guard edges.count == 2, edges[0] >= 0, edges[1] >= edges[0], let colon = words[2].lastIndex(of: ":") else {
      return nil
    }
    guard let line = Int(words[2][words[2].index(after: colon)...]) else { return nil }
    function = String(words[1])
    path = String(words[2][..<colon])
    self.line = line
    (covered, total) = (edges[0], edges[1])
  }
}
