import Foundation

/// A JSON value as it was read, without regard to key order.
package enum ReadJSON: Hashable {
  case null
  case flag(Bool)
  case number(Double)
  case text(String)
  case list([ReadJSON])
  case object([String: ReadJSON])

  package init(_ bytes: some Sequence<UInt8>) throws {
    self.init(value: try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed))
  }

  /// Without an error on the way, as a decoder has one for each type that a value is not of: the test library keeps a
  /// backtrace of every error that is thrown.
  private init(value: Any) {
    switch value {
    case let text as String: self = .text(text)
    case let list as [Any]: self = .list(list.map(ReadJSON.init(value:)))
    case let members as [String: Any]: self = .object(members.mapValues(ReadJSON.init(value:)))
    // A flag is a number, too.
    case let number as NSNumber where String(cString: number.objCType) == "c": self = .flag(number.boolValue)
    case let number as NSNumber: self = .number(number.doubleValue)
    default: self = .null
    }
  }

  package subscript(key: String) -> ReadJSON? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }

  package var items: [ReadJSON] {
    guard case .list(let items) = self else { return [] }
    return items
  }

  package var number: Double? {
    guard case .number(let number) = self else { return nil }
    return number
  }

  package var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  package var keys: Set<String> {
    guard case .object(let members) = self else { return [] }
    return Set(members.keys)
  }
}
