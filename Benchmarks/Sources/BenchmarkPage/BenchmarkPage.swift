import BenchmarkModel

/// A report as one page.
public enum BenchmarkPage {
  /// The page's text.
  public static func html(_ report: BenchmarkReport) throws -> String { "" }
}
