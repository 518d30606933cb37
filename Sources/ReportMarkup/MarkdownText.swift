/// Text for Markdown.
package enum MarkdownText {
  /// Text that must not become markup.
  package static func escape(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in VisibleText.scrub(text, singleLine: true).unicodeScalars {
      switch scalar {
      case "\\", "`", "*", "_", "[", "]", "<", ">", "#", "|", "~", "&", "@", "!":
        escaped.append("\\")
        escaped.append(scalar)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  /// A code span that no number of backticks in the text can close.
  package static func code(_ text: String) -> String {
    let line = VisibleText.scrub(text, singleLine: true)
    guard !line.isEmpty else { return "` `" }
    var longest = 0
    var run = 0
    for scalar in line.unicodeScalars {
      run = scalar == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    let pad = longest > 0 ? " " : ""
    return fence + pad + line + pad + fence
  }
}
