import ScenarioModel

/// A YAML value as written: nothing is resolved, `on`, `no` and `1e3` are the texts they look like.
package struct YAMLNode {
  enum Content {
    /// `plain`: written without quotes, so that it may be a keyword or a quantity.
    case scalar(String, plain: Bool)
    case list([YAMLNode])
    case mapping([YAMLEntry])
  }

  /// Something about how a text is written that misleads those who mean bytes.
  enum Quirk: Hashable {
    /// The digits of an escape from `\x80` to `\xff`, which is a character and no byte.
    case byteEscape(String)
    /// A backslash outside double quotes, where it stands for itself.
    case backslash
    /// There are no quotes, and a comment comes next in the line.
    case comment
  }

  var content: Content
  /// Where it begins.
  package var position: SourcePosition
  /// Of a text; nil: it is written as one would think.
  var quirk: Quirk?

  /// Nothing at all, or `~`, or `null`.
  var isEmpty: Bool {
    if case .scalar(let text, plain: true) = content { return text.isEmpty || text == "~" || text == "null" }
    return false
  }

  /// The text of an unquoted, non-empty scalar.
  var word: String? {
    if case .scalar(let text, plain: true) = content, !isEmpty { return text }
    return nil
  }

  /// Of a mapping, in the order of the file; nil for anything else.
  package var entries: [YAMLEntry]? {
    if case .mapping(let entries) = content { return entries }
    return nil
  }

  /// Of a list; nil for anything else.
  package var items: [YAMLNode]? {
    if case .list(let items) = content { return items }
    return nil
  }

  /// A list, and nothing in it.
  package var isEmptyList: Bool { items?.isEmpty ?? false }

  /// What it says, wherever it stands: of two nodes that say the same it is the same.
  var wording: String {
    switch content {
    case .scalar(let text, let plain): (plain ? "=" : "") + ScalarText.quoted(text)
    case .list(let items): "[" + items.map(\.wording).joined(separator: ",") + "]"
    case .mapping(let entries):
      "{" + entries.map { ScalarText.quoted($0.key) + ":" + $0.value.wording }.sorted().joined(separator: ",") + "}"
    }
  }

  /// What it is, for messages.
  var kindText: String {
    switch content {
    case .scalar where isEmpty: "nothing"
    case .scalar(let text, plain: let plain):
      text.unicodeScalars.count > 24 || text.contains("\n") ? "a text" : plain ? "`\(text)`" : "the text \"\(text)\""
    case .list: "a list"
    case .mapping: "a mapping"
    }
  }
}

/// A key and its value.
package struct YAMLEntry {
  /// As written, without quotes.
  package var key: String
  /// Of the key.
  package var position: SourcePosition
  /// What stands behind the colon.
  package var value: YAMLNode
}
