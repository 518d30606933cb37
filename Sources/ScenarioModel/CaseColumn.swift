/// Where a case counts in tables that show the classes beside each other: a class in a world.
package struct CaseColumn: Hashable, Sendable, Codable {
  /// The class that was played.
  package var subject: SubjectKind
  /// The world it was played in.
  package var world: WorldName

  /// The column of a class in a world.
  package init(_ subject: SubjectKind, _ world: WorldName) { (self.subject, self.world) = (subject, world) }

  /// `AsyncSocket, simulated`.
  package var name: String { "\(subject.className), \(world.rawValue)" }

  /// Every class in every world, by class and then by world.
  package static let all = SubjectKind.allCases.flatMap { subject in
    WorldName.allCases.map { CaseColumn(subject, $0) }
  }
}

extension CaseResult {
  /// The class and the world it ran with.
  package var column: CaseColumn { CaseColumn(variant.subject, world) }
}
