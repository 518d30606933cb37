import Foundation

/// A JSON value as it was read, without regard to key order.
package enum ReadJSON: Decodable, Hashable {
  case null
  case flag(Bool)
  case number(Double)
  case text(String)
  case list([ReadJSON])
  case object([String: ReadJSON])

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([ReadJSON].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: ReadJSON].self))
    }
  }

  package init(_ bytes: some Sequence<UInt8>) throws { self = try JSONDecoder().decode(Self.self, from: Data(bytes)) }

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
