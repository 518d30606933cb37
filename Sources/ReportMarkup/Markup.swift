/// HTML that is safe to be put into a page as it stands.
///
/// Laws
/// - Markup is written as a literal, which stands in the page as it is. A text that is put into the literal is escaped,
///   in element content and in attribute values in double or single quotes alike; there is no way around it.
/// - Escaping works on bytes: a quote that carries a combining mark is a quote.
package struct Markup: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// The HTML as it stands in the page.
  package private(set) var html: String

  /// The literal as it is, without escaping.
  package init(stringLiteral literal: String) { html = literal }

  /// The literal with its parts; texts among them are escaped.
  package init(stringInterpolation interpolation: Interpolation) { html = interpolation.html }

  /// The text, escaped.
  package init(text: String) { html = Self.escape(text) }

  /// What may stand between the parts of a literal.
  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var html = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      html.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) { html += literal }

    /// Escaped; control characters become their pictures.
    package mutating func appendInterpolation(_ text: String) { html += Markup.escape(text) }

    package mutating func appendInterpolation(_ text: Substring) { html += Markup.escape(String(text)) }

    /// Escaped, on one line, at most `limit` characters.
    package mutating func appendInterpolation(_ text: String, clipped limit: Int) {
      html += Markup.escape(VisibleText.clipped(text, to: limit))
    }

    package mutating func appendInterpolation(_ number: Int) { html += String(number) }

    package mutating func appendInterpolation(_ number: UInt64) { html += String(number) }

    /// nil is nothing.
    package mutating func appendInterpolation(_ markup: Markup?) { if let markup { html += markup.html } }

    package mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { html += part.html } }

    /// The markup if the condition holds, else nothing.
    package mutating func appendInterpolation(_ markup: @autoclosure () -> Markup, if condition: Bool) {
      if condition { html += markup().html }
    }
  }

  package typealias StringInterpolation = Interpolation

  /// Bytes in UTF-8.
  package var size: Int { html.utf8.count }

  package static func + (left: Markup, right: Markup) -> Markup {
    var sum = left
    sum += right
    return sum
  }

  package static func += (left: inout Markup, right: Markup) { left.html += right.html }

  /// Markup characters become references; control characters become their pictures.
  private static func escape(_ text: String) -> String {
    let clean = VisibleText.scrub(text)
    guard clean.utf8.contains(where: { reference(for: $0) != nil }) else { return clean }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(clean.utf8.count + 16)
    for byte in clean.utf8 {
      if let reference = reference(for: byte) {
        bytes.append(contentsOf: reference.utf8)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func reference(for byte: UInt8) -> String? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "\""): "&quot;"
    case UInt8(ascii: "'"): "&#39;"
    default: nil
    }
  }
}

extension Sequence<Markup> {
  /// The parts one after the other, with the separator, escaped, between them.
  package func joined(separator: String) -> Markup {
    var joined: Markup = ""
    for (index, part) in enumerated() { joined += index == 0 ? part : "\(separator)\(part)" }
    return joined
  }
}
