import RunReports
import ScenarioModel

/// A scenario that is called otherwise in the new run, and is the same: of its file the name changed, and no byte.
///
/// Laws
/// - A scenario has the old name in the old run only, and the new one in the new run only.
/// - Of a file with several scenarios each is found again by the last part of its name. What could be two is none.
package struct RenamedScenario: Hashable, Sendable {
  /// In the old run.
  package let old: String
  /// In the new run.
  package let new: String

  /// All of them, sorted by their new names.
  static func all(_ before: [ComparedCase.Key: Course], _ after: [ComparedCase.Key: Course]) -> [RenamedScenario] {
    let (old, new) = (hashes(before), hashes(after))
    let gone = Dictionary(grouping: old.keys.filter { new[$0] == nil }) { old[$0] ?? "" }
    let come = Dictionary(grouping: new.keys.filter { old[$0] == nil }) { new[$0] ?? "" }
    var renamed: [RenamedScenario] = []
    for (hash, ids) in gone where !hash.isEmpty {
      let others = come[hash] ?? []
      if ids.count == 1, others.count == 1 {
        renamed.append(RenamedScenario(old: ids[0], new: others[0]))
        continue
      }
      let (byWord, othersByWord) = (Dictionary(grouping: ids, by: word), Dictionary(grouping: others, by: word))
      for (word, ids) in byWord {
        guard let others = othersByWord[word], ids.count == 1, others.count == 1 else { continue }
        renamed.append(RenamedScenario(old: ids[0], new: others[0]))
      }
    }
    return renamed.sorted { $0.new < $1.new }
  }

  /// By scenario the hash of its file.
  private static func hashes(_ courses: [ComparedCase.Key: Course]) -> [String: String] {
    var hashes: [String: String] = [:]
    for (key, course) in courses { hashes[key.scenario] = course.example.scenarioHash }
    return hashes
  }

  private static func word(_ id: String) -> String {
    id.split { $0 == "/" || $0 == "#" }.last.map(String.init) ?? id
  }
}

extension [ComparedCase.Key: Course] {
  /// The cases under the names that their scenarios have now.
  func renamed(_ scenarios: [RenamedScenario]) -> [ComparedCase.Key: Course] {
    guard !scenarios.isEmpty else { return self }
    var names: [String: String] = [:]
    for scenario in scenarios { names[scenario.old] = scenario.new }
    var courses: [ComparedCase.Key: Course] = [:]
    courses.reserveCapacity(count)
    for (key, course) in self {
      var key = key
      if let name = names[key.scenario] { key.scenario = name }
      courses[key] = course
    }
    return courses
  }
}
