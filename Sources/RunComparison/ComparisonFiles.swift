/// A comparison as files, for a folder of the caller's choice: pure, and the same comparison gives the same bytes.
package enum ComparisonFiles {
  /// How `comparison.json`, `junit.xml`, `results.sarif`, `summary.md` and `index.html` are made, in this order.
  ///
  /// - Parameters:
  ///   - oldTraces: those of the old run, which the page sets beside the new ones.
  ///   - newTraces: those of the new run.
  ///   - pages: those of both runs, relative to the folder; nil: there is none to link to.
  package static func make(
    _ comparison: RunComparison, oldTraces: RecordedTraces, newTraces: RecordedTraces,
    pages: (old: String?, new: String?) = (nil, nil)
  ) -> [(name: String, make: () -> [UInt8])] {
    [
      ("comparison.json", { ComparisonJSON.make(comparison) }),
      ("junit.xml", { ComparisonJUnit.make(comparison) }),
      ("results.sarif", { ComparisonSARIF.make(comparison) }),
      ("summary.md", { ComparisonMarkdown.make(comparison) }),
      ("index.html", { ComparisonPage(comparison, oldTraces, newTraces, pages: pages).bytes }),
    ]
  }
}
