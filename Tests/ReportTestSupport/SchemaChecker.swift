/// As much of JSON Schema as the published schema uses; anything else in it is reported as a problem. Stricter in one
/// thing: a key that the schema does not describe is a problem too.
package struct SchemaChecker {
  private let root: ReadJSON

  package init(_ schema: ReadJSON) { root = schema }

  /// What is wrong with the value, each with its place; empty when it is valid.
  package func problems(_ value: ReadJSON) -> [String] { check(value, root, "$") }

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
