import ReportMarkup

/// What stands in the place of a run's reports until there are any: a note in each of the formats, which cannot be
/// mistaken for a result.
///
/// Laws
/// - No format of it says that anything passed. `report.json` has none of the keys that results stand under;
///   `junit.xml` has one error.
/// - Pure, and whatever comes in is data, as in `ReportFiles`.
package struct UnfinishedRun {
  /// ISO 8601 with seconds, UTC.
  private let startedAt: String
  /// Ready for a POSIX shell.
  private let command: String

  /// - Parameter command: the words of the command line.
  package init(startedAt: String, command: [String]) {
    self.startedAt = startedAt
    self.command = command.map(ReproCommand.quoted).joined(separator: " ")
  }

  /// `report.json`, `junit.xml`, `summary.md` and `index.html`, in this order.
  package var files: [(name: String, bytes: [UInt8])] {
    [
      ("report.json", json), ("junit.xml", Array(junit.utf8)), ("summary.md", Array(markdown.utf8)),
      ("index.html", Array(page.html.utf8)),
    ]
  }

  private static let headline = "This run has not ended"
  private static let advice = "Unless it is still under way, it died before it could report, and there is no result."

  private var json: [UInt8] {
    let note: JSONNode = [
      "schema": .integer(ReportJSON.schemaVersion),
      "unfinished": ["started_at": .text(startedAt), "command": .text(command)],
    ]
    return note.encoded(spread: 2)
  }

  private var junit: String {
    let message = XMLText.attribute("\(Self.headline). \(Self.advice)")
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="SocketLab" tests="1" failures="0" errors="1" skipped="0">
        <testsuite name="run" tests="1" failures="0" errors="1" skipped="0">
          <testcase name="\(Self.headline)" classname="socketlab">
            <error message="\(message)" type="unfinished">\(XMLText.content("began \(startedAt)\n\(command)"))</error>
          </testcase>
        </testsuite>
      </testsuites>

      """
  }

  private var markdown: String {
    """
    # \(Self.headline)

    It began at \(MarkdownText.escape(startedAt)) with

    \(MarkdownText.code(command))

    \(Self.advice)

    """
  }

  private var page: Markup {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(Self.headline)</title>
    <style>
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 4rem auto; padding: 0 1rem; }
    h1 { font-size: 1.5rem; border-left: .4rem solid #b3261e; padding-left: .8rem; }
    code { overflow-wrap: anywhere; }
    :root { color-scheme: light dark; }
    </style></head>
    <body>
    <h1>\(Self.headline)</h1>
    <p>It began at \(startedAt) with</p>
    <p><code>\(VisibleText.scrub(command, singleLine: true))</code></p>
    <p>\(Self.advice)</p>
    </body></html>

    """
  }
}
