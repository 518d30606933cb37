/// The subject of a case, as tables show subjects beside each other: a class of the library that comes with the lab, or
/// a program of its own.
package struct SubjectLabel: Hashable, Sendable, Codable, Comparable {
  /// The class, and of a program the one whose form its cases have.
  package var kind: SubjectKind
  /// nil: the library that comes with the lab.
  package var program: String?

  /// A class of the library, or a program of its own in the form of that class.
  package init(_ kind: SubjectKind, program: String? = nil) { (self.kind, self.program) = (kind, program) }

  /// As it is documented: `GCDAsyncSocket`; of a program its name.
  package var name: String { program ?? kind.className }

  /// The library's classes first, in their declared order; then programs by name.
  package static func < (left: Self, right: Self) -> Bool {
    guard left.program == right.program else { return (left.program ?? "") < (right.program ?? "") }
    let order = SubjectKind.allCases
    return (order.firstIndex(of: left.kind) ?? 0) < (order.firstIndex(of: right.kind) ?? 0)
  }
}

/// Where a case counts in tables that show subjects beside each other: a subject in a world.
package struct CaseColumn: Hashable, Sendable, Codable, Comparable {
  /// The subject that was judged.
  package var subject: SubjectLabel
  /// The world it was played in.
  package var world: WorldName

  /// The column of a subject in a world.
  package init(_ subject: SubjectLabel, _ world: WorldName) { (self.subject, self.world) = (subject, world) }

  /// The column of a class of the library in a world.
  package init(_ kind: SubjectKind, _ world: WorldName) { self.init(SubjectLabel(kind), world) }

  /// `AsyncSocket, simulated`.
  package var name: String { "\(subject.name), \(world.rawValue)" }

  /// Every class of the library in every world, by class and then by world.
  package static let all = SubjectKind.allCases.flatMap { kind in WorldName.allCases.map { CaseColumn(kind, $0) } }

  /// By subject and then by world.
  package static func < (left: Self, right: Self) -> Bool {
    guard left.subject == right.subject else { return left.subject < right.subject }
    return left.world == .loopback && right.world != .loopback
  }
}

extension CaseResult {
  /// The subject and the world it ran with.
  package var column: CaseColumn { CaseColumn(variant.label, world) }
}
