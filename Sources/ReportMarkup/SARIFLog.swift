/// A log for code scanning, SARIF 2.1.0: one run of the lab.
///
/// Law: what comes in is data. Texts are escaped for JSON, and paths become URIs.
package struct SARIFLog {
  /// What results are instances of.
  package struct Rule {
    /// Stable: code scanning remembers what was dismissed by it.
    package var id: String
    /// nil: the id says it.
    package var name: String?
    /// One line; nil: the name says it.
    package var description: String?

    package init(id: String, name: String? = nil, description: String? = nil) {
      self.id = id
      self.name = name
      self.description = description
    }

    fileprivate var node: JSONNode {
      [
        "id": .text(id), "name": name.map(JSONNode.text),
        "shortDescription": description.map { ["text": .text($0)] },
      ]
    }
  }

  /// How much a result matters.
  package enum Level: String {
    case error, warning, note
  }

  /// A line of a file.
  package struct Place {
    /// Relative to the repository.
    package var path: String
    /// From 1.
    package var line: Int
    /// From 1; nil: the whole line.
    package var column: Int?

    package init(path: String, line: Int, column: Int? = nil) {
      self.path = path
      self.line = line
      self.column = column
    }

    fileprivate var node: JSONNode {
      [
        "physicalLocation": [
          "artifactLocation": ["uri": .text(URIText.path(path))],
          "region": ["startLine": .integer(line), "startColumn": column.map(JSONNode.integer)],
        ]
      ]
    }
  }

  /// One thing to look at.
  package struct Result {
    /// The id of one of the log's rules.
    package var rule: String
    /// How much it matters.
    package var level: Level
    /// For people.
    package var message: String
    /// What is equal in two logs that tell of the same thing, with the name of how it was made.
    package var fingerprint: (name: String, value: String)
    /// nil: nowhere in particular.
    package var place: Place?
    /// Whether it was unknown before.
    package var isNew: Bool

    package init(
      rule: String, level: Level, message: String, fingerprint: (name: String, value: String), place: Place?,
      isNew: Bool
    ) {
      self.rule = rule
      self.level = level
      self.message = message
      self.fingerprint = fingerprint
      self.place = place
      self.isNew = isNew
    }

    fileprivate func node(_ places: [String: Int]) -> JSONNode {
      [
        "ruleId": .text(rule),
        "ruleIndex": .integer(places[rule] ?? -1),
        "level": .text(level.rawValue),
        "message": ["text": .text(message)],
        "partialFingerprints": JSONNode(members: [(fingerprint.name, .text(fingerprint.value))]),
        "locations": place.map { .list([$0.node]) },
        "baselineState": .text(isNew ? "new" : "unchanged"),
      ]
    }
  }

  private let version: String
  private let id: String
  private let rules: [Rule]
  private let results: [Result]
  private let invocation: JSONNode?

  /// - Parameters:
  ///   - version: of the lab.
  ///   - id: tells runs of one kind from those of another: `compare`.
  ///   - invocation: an object of SARIF's; nil: nothing is said of how the run went.
  package init(version: String, id: String, rules: [Rule], results: [Result], invocation: JSONNode? = nil) {
    self.version = version
    self.id = id
    self.rules = rules
    self.results = results
    self.invocation = invocation
  }

  /// The file, UTF-8, ending with a line feed.
  package var bytes: [UInt8] {
    let places = Dictionary(rules.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    let root: JSONNode = [
      "$schema": .text("https://json.schemastore.org/sarif-2.1.0.json"),
      "version": .text("2.1.0"),
      "runs": .list([
        [
          "tool": [
            "driver": [
              "name": .text("SocketLab"),
              "version": .text(VisibleText.scrub(version, singleLine: true)),
              "rules": .list(rules.map(\.node)),
            ]
          ],
          "automationDetails": ["id": .text(id)],
          "invocations": invocation.map { .list([$0]) },
          "results": .list(results.map { $0.node(places) }),
        ]
      ]),
    ]
    return root.encoded(spread: 4)
  }
}
