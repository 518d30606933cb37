import FuzzCampaign
import HostTools
import PlantedBugs

/// Which of the planted bugs are meant, each with the number that activates it.
package enum BugChoice {
  /// Those with these names or numbers, in the order in which they are named; without any all. Throws for what nothing
  /// is called.
  package static func named(
    _ names: [String], of bugs: [PlantedBug] = PlantedBug.all
  ) throws(UsageFailure) -> [(number: Int, bug: PlantedBug)] {
    let all = bugs.enumerated().map { (number: $0.offset + 1, bug: $0.element) }
    guard !names.isEmpty else { return all }
    var chosen: [(number: Int, bug: PlantedBug)] = []
    for name in names {
      guard let found = all.first(where: { $0.bug.id == name || "\($0.number)" == name }) else {
        throw UsageFailure("There is no planted bug \(name). `socketlab fuzz zoo --list` names them.")
      }
      chosen.append(found)
    }
    return chosen
  }

  /// Those of them that nobody has found, of the ones that somebody could.
  package static func unnoticed(
    of bugs: [(number: Int, bug: PlantedBug)], in zoo: BugZoo
  ) -> [(number: Int, bug: PlantedBug)] {
    let settled = Set(zoo.mutants.filter { $0.isFound || $0.equivalence != nil }.map(\.name))
    return bugs.filter { !settled.contains($0.bug.id) }
  }
}
