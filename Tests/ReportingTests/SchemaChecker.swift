import Foundation

/// A JSON value as it was read, without regard to key order.
enum ReadJSON: Decodable, Hashable {
  case null
  case flag(Bool)
  case number(Double)
  case text(String)
  case list([ReadJSON])
  case object([String: ReadJSON])

  init(from decoder: any Decoder) throws {
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

  init(_ bytes: some Sequence<UInt8>) throws { self = try JSONDecoder().decode(Self.self, from: Data(bytes)) }

  subscript(key: String) -> ReadJSON? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }

  var items: [ReadJSON] {
    guard case .list(let items) = self else { return [] }
    return items
  }

  var number: Double? {
    guard case .number(let number) = self else { return nil }
    return number
  }

  var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  var keys: Set<String> {
    guard case .object(let members) = self else { return [] }
    return Set(members.keys)
  }
}

/// As much of JSON Schema as the published schema uses; anything else in it is reported as a problem. Stricter in one
/// thing: a key that the schema does not describe is a problem too.
struct SchemaChecker {
  private let root: ReadJSON

  init(_ schema: ReadJSON) { root = schema }

  /// What is wrong with the value, each with its place; empty when it is valid.
  func problems(_ value: ReadJSON) -> [String] { check(value, root, "$") }

  private static let known: Set<String> = [
    "$schema", "$defs", "$ref", "title", "description", "type", "required", "properties", "items", "enum", "const",
    "minimum", "maximum", "pattern",
  ]

  private func check(_ value: ReadJSON, _ schema: ReadJSON, _ place: String) -> [String] {
    var problems = schema.keys.subtracting(Self.known).map { "\(place): schema keyword \($0)" }
    if let reference = schema["$ref"]?.text {
      let name = String(reference.dropFirst("#/$defs/".count))
      guard let target = root["$defs"]?[name] else { return ["\(place): no \(reference)"] }
      problems += check(value, target, place)
    }
    if let constant = schema["const"], constant != value { problems.append("\(place): not \(constant)") }
    if let choices = schema["enum"]?.items, !choices.contains(value) { problems.append("\(place): \(value)") }
    if let type = schema["type"]?.text, !Self.fits(value, type) { problems.append("\(place): no \(type)") }
    if let least = schema["minimum"]?.number, let number = value.number, number < least {
      problems.append("\(place): below \(least)")
    }
    if let most = schema["maximum"]?.number, let number = value.number, number > most {
      problems.append("\(place): above \(most)")
    }
    if let pattern = schema["pattern"]?.text, let text = value.text,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      problems.append("\(place): not \(pattern)")
    }
    return problems + checkMembers(value, schema, place)
  }

  private func checkMembers(_ value: ReadJSON, _ schema: ReadJSON, _ place: String) -> [String] {
    var problems: [String] = []
    for key in schema["required"]?.items.compactMap(\.text) ?? [] where value[key] == nil {
      problems.append("\(place): lacks \(key)")
    }
    if let properties = schema["properties"] {
      for key in value.keys {
        guard let inner = properties[key], let member = value[key] else {
          problems.append("\(place): undescribed key \(key)")
          continue
        }
        problems += check(member, inner, "\(place).\(key)")
      }
    }
    if let inner = schema["items"] {
      for (index, item) in value.items.enumerated() { problems += check(item, inner, "\(place)[\(index)]") }
    }
    return problems
  }

  private static func fits(_ value: ReadJSON, _ type: String) -> Bool {
    switch (value, type) {
    case (.object, "object"), (.list, "array"), (.text, "string"), (.flag, "boolean"), (.number, "number"): true
    case (.number(let number), "integer"): number.rounded() == number
    default: false
    }
  }
}
