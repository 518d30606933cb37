import ScenarioModel

extension Reading {
  /// What the lab's name server knows.
  mutating func nameAnswers(_ node: YAMLNode) -> [NameAnswer] {
    guard let entries = node.entries else {
      reportShape(node, of: "`resolver`", expected: "a mapping", help: "write `{ NAME: [\"10.77.1.2\"] }`")
      return []
    }
    return entries.compactMap { nameAnswer($0) }
  }

  private mutating func nameAnswer(_ entry: YAMLEntry) -> NameAnswer? {
    let labels = entry.key.split(separator: ".", omittingEmptySubsequences: false)
    guard entry.key.utf8.count <= 253, labels.allSatisfy({ (1...63).contains($0.utf8.count) }) else {
      report(
        .badName, at: entry.position, "`\(entry.key.shortened)` cannot be asked for",
        help: "a name has labels of 1 to 63 bytes with dots between them, at most 253 bytes in all")
      return nil
    }
    if entry.value.items != nil { return NameAnswer(name: entry.key, addresses: addresses(entry.value)) }
    let help = "write a list of addresses, or `{ addresses: [...], delay: 400ms, fails: servfail }`"
    let what = "the name `\(entry.key.shortened)`"
    guard let fields = fields(entry.value, of: what, allowed: ["addresses", "delay", "fails"], help: help) else {
      return nil
    }
    var answer = NameAnswer(name: entry.key)
    if let list = fields["addresses"] {
      guard list.items != nil else {
        reportShape(list, of: "`addresses`", expected: "a list", help: help)
        return nil
      }
      answer.addresses = addresses(list)
    }
    if let node = fields["delay"], let delay = duration(node, of: "`delay`") { answer.delay = delay }
    if let node = fields["fails"] { answer.fault = choice(node, of: "a way to fail", as: NameAnswer.Fault.self) }
    if fields["addresses"] == nil, fields["fails"] == nil {
      report(.missingKey, at: fields.position, "\(what) needs `addresses` or `fails`", help: help)
    }
    return answer
  }
}
