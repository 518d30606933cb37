import ReportMarkup
import RunReports
import ScenarioModel

extension Baseline {
  /// The worlds of a group of variants.
  private enum Reach: String, CaseIterable {
    case both, loopback, simulated

    var worlds: [WorldName] {
      switch self {
      case .both: WorldName.allCases
      case .loopback: [.loopback]
      case .simulated: [.simulated]
      }
    }
  }

  /// The file, UTF-8, ending with a line feed.
  package var bytes: [UInt8] {
    let root: JSONNode = [
      "baseline": .integer(Self.schemaVersion),
      "subject": .text(subject),
      "profile": .text(profile),
      "scenarios": JSONNode(members: scenarios.sorted { $0.key < $1.key }.map { ($0, Self.node($1)) }),
    ]
    return root.encoded(spread: 2)
  }

  private static func node(_ entry: Entry) -> JSONNode {
    var groups: [Standing: [String: Set<WorldName>]] = [:]
    for (key, standing) in entry.cases { groups[standing, default: [:]][key.variant, default: []].insert(key.world) }
    var members: [(String, JSONNode?)] = [
      ("hash", entry.hash.isEmpty ? nil : .text(entry.hash)), ("canary", entry.isCanary ? .flag(true) : nil),
    ]
    for (standing, variants) in groups.sorted(by: { $0.key.text < $1.key.text }) {
      let reaches = Reach.allCases.map { reach -> (String, JSONNode?) in
        let names = variants.filter { $0.value == Set(reach.worlds) }.keys.sorted()
        return (reach.rawValue, names.isEmpty ? nil : .text(names.joined(separator: " ")))
      }
      members.append((standing.text, JSONNode(members: reaches)))
    }
    return JSONNode(members: members)
  }

  /// Reads the bytes of a whole file. What is wrong is said with its line and column; a key, a scenario or a case that
  /// comes twice is an error, as is anything that the format has no room for.
  package static func read(_ bytes: [UInt8]) throws(ReportReadFailure) -> Baseline {
    try JSONScanner.readAll(bytes) { scanner in
      var baseline = Baseline(subject: "", profile: "")
      var keys: Set<String> = []
      try scanner.object { key, scanner in
        keys.insert(key)
        switch key {
        case "baseline":
          let number = try scanner.integer()
          guard number == schemaVersion else { throw ReportReadFailure.unknownSchema(number) }
        case "subject": baseline.subject = try scanner.text()
        case "profile": baseline.profile = try scanner.text()
        case "scenarios":
          try scanner.object { id, scanner in baseline.scenarios[id] = try entry(id, &scanner) }
        default: throw scanner.failure("a baseline has no key \(VisibleText.clipped(key, to: 40))")
        }
      }
      for key in ["baseline", "subject", "profile", "scenarios"] where !keys.contains(key) {
        throw ReportReadFailure.malformed("no key \(key)")
      }
      return baseline
    }
  }

  private static func entry(_ id: String, _ scanner: inout JSONScanner) throws -> Entry {
    var entry = Entry()
    try scanner.object { key, scanner in
      switch key {
      case "hash": entry.hash = try scanner.text()
      case "canary": entry.isCanary = try scanner.flag()
      default:
        guard let standing = Standing(key) else {
          throw scanner.failure("\(VisibleText.clipped(key, to: 40)) is neither a verdict nor one with a finding")
        }
        try scanner.object { word, scanner in
          guard let reach = Reach(rawValue: word) else {
            throw scanner.failure("\(VisibleText.clipped(word, to: 40)) is none of both, loopback and simulated")
          }
          for variant in try scanner.text().split(separator: " ") {
            for world in reach.worlds {
              let key = ComparedCase.Key(scenario: id, variant: String(variant), world: world)
              guard entry.cases.updateValue(standing, forKey: key) == nil else {
                throw scanner.failure("the case \(VisibleText.clipped(key.name, to: 80)) comes twice")
              }
            }
          }
        }
      }
    }
    guard !entry.cases.isEmpty else { throw scanner.failure("\(VisibleText.clipped(id, to: 80)) has no case") }
    return entry
  }
}
