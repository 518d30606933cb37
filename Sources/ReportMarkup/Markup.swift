import Mustache

/// HTML that is safe to be put into the page as it stands.
///
/// Laws
/// - A Markup is made from text, which escapes it, or by this room's own builders, which escape what they are given.
/// - Templates insert Markup only, always with three braces: the template engine's own escaping looks at whole
///   graphemes and so misses a quote that carries a combining mark.
package struct Markup: Hashable, MustacheCustomRenderable {
  package private(set) var html: String

  /// Escapes the text for element content and for attribute values in double or single quotes.
  package init(text: String) { html = Self.escape(text) }

  /// Takes the HTML of a builder that has escaped whatever came from outside.
  package init(built html: String) { self.html = html }

  package var renderText: String { html }
  package var isNull: Bool { false }
  /// Bytes in UTF-8.
  package var size: Int { html.utf8.count }

  /// Markup characters become references; control characters become their pictures.
  package static func escape(_ text: String, singleLine: Bool = false) -> String {
    let clean = VisibleText.scrub(text, singleLine: singleLine)
    guard clean.utf8.contains(where: { isMarkup($0) }) else { return clean }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(clean.utf8.count + 16)
    for byte in clean.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
      case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
      case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
      case UInt8(ascii: "\""): bytes.append(contentsOf: "&quot;".utf8)
      case UInt8(ascii: "'"): bytes.append(contentsOf: "&#39;".utf8)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isMarkup(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "&") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "\"")
      || byte == UInt8(ascii: "'")
  }
}
