import ScenarioModel

/// A trace event in one line of words, for traces as text.
package struct EventLine: Hashable, Sendable {
  /// Whose it is: `peer`, `socket`, `wire` for a network of the case's own, or `–` for the whole case.
  package var who: String
  /// `call`, `callback`, `check`, `wire` for what a peer did or saw, `tls`, `network`, `packet`, `point` or `note`.
  package var kind: String
  /// `didRead tag 7, 7 B`
  package var text: String
  /// What went over the wire: `→ 7 B "hello"`, from the one whose it is; empty: nothing.
  package var wire: String
  /// Whether it is not as it should be.
  package var isTrouble: Bool

  /// In the words of the page's diagram.
  package init(_ event: TraceEvent) {
    let words = EventWords(event.kind)
    switch words.lane {
    case .peer(let name), .socket(let name): who = name
    case .wire: who = "wire"
    case .all: who = "–"
    }
    kind = words.kind == .action || words.kind == .sight ? "wire" : words.kind.rawValue
    text = VisibleLine.text(words.isNested ? "\(words.text), inside a callback" : words.text)
    isTrouble = words.isTrouble
    let arrow =
      switch words.flow {
      case .none: ""
      case .toWire, .toSubject: "→ "
      case .fromWire, .toPeer: "← "
      }
    switch event.kind {
    case .peerAction(.send(let bytes), _), .peerSaw(.received(let bytes), _): wire = arrow + VisibleLine.bytes(bytes)
    default: wire = words.wire.isEmpty ? "" : arrow + words.wire
    }
  }
}

/// Text that does nothing to a terminal.
private enum VisibleLine {
  private static let most = 48

  static func text(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
  }

  static func bytes(_ bytes: [UInt8]) -> String {
    let shown = bytes.prefix(most).map { byte -> String in
      switch byte {
      case 0x0A: "\\n"
      case 0x0D: "\\r"
      case 0x20...0x7E: String(UnicodeScalar(byte))
      default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return "\(QuantityText.count(bytes.count, "byte")) \"\(shown.joined())\(bytes.count > most ? "…" : "")\""
  }
}
