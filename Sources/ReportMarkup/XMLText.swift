/// Text for XML 1.0, which has characters it cannot hold in any spelling.
package enum XMLText {
  /// For element content: markup escaped, control characters shown as pictures.
  package static func content(_ text: String) -> String { escape(text, inAttribute: false) }

  /// For an attribute value in double quotes; line breaks and tabs survive as references.
  package static func attribute(_ text: String) -> String { escape(text, inAttribute: true) }

  private static func escape(_ text: String, inAttribute: Bool) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in VisibleText.scrub(text).unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"" where inAttribute: escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "\n" where inAttribute: escaped.append(contentsOf: "&#10;".unicodeScalars)
      case "\t" where inAttribute: escaped.append(contentsOf: "&#9;".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
