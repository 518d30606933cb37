import ScenarioModel

/// Collects what is wrong with one file.
struct DiagnosticLog {
  /// A file with more faults than this is not worth listing to the end.
  static let most = 1_000

  private(set) var diagnostics: [Diagnostic] = []

  private(set) var errorCount = 0

  var hasErrors: Bool { errorCount > 0 }

  /// Whether further remarks are dropped.
  var isFull: Bool { diagnostics.count >= Self.most }

  mutating func report(
    _ code: LintCode, at position: SourcePosition, _ message: @autoclosure () -> String,
    help: @autoclosure () -> String? = nil
  ) {
    guard !isFull else {
      if code.severity == .error { errorCount += 1 }
      return
    }
    add(
      Diagnostic(code: code.rawValue, severity: code.severity, position: position, message: message(), help: help()))
  }

  /// Takes a remark that another log has collected.
  mutating func add(_ diagnostic: Diagnostic) {
    if diagnostic.severity == .error { errorCount += 1 }
    if !isFull { diagnostics.append(diagnostic) }
  }

  /// Keeps the first of equal remarks.
  mutating func dropRepetitions() {
    var seen: Set<Diagnostic> = []
    diagnostics.removeAll { !seen.insert($0).inserted }
  }

  /// In the order of the file, each once, and each at a place that exists in it.
  func sorted(in source: SourceText) -> [Diagnostic] {
    guard !diagnostics.isEmpty else { return [] }
    let lines = LineTable(source.text)
    var seen: Set<Diagnostic> = []
    return diagnostics.map { diagnostic in
      var placed = diagnostic
      placed.position = lines.clamped(diagnostic.position)
      return placed
    }
    .filter { seen.insert($0).inserted }
    .enumerated()
    .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
    .map(\.element)
  }
}
