/// A place in a scenario file. Lines and columns count from 1; columns count characters, not bytes.
package struct SourcePosition: Hashable, Sendable, Codable, Comparable {
  /// From 1.
  package var line: Int
  /// From 1, in characters.
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// A value and where the author wrote it.
package struct Located<Value: Sendable>: Sendable {
  /// What the author wrote.
  package var value: Value
  /// Where it begins.
  package var position: SourcePosition

  package init(_ value: Value, at position: SourcePosition) {
    self.value = value
    self.position = position
  }
}

extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}
extension Located: Encodable where Value: Encodable {}
extension Located: Decodable where Value: Decodable {}
