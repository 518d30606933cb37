import ScenarioModel

extension ResourceBounds {
  /// What a program opens when it is needed first, and keeps: an epoll, pipes and timers of its loop, files of its
  /// language's library.
  package static let programDescriptorsOfCaches = 12
  /// Sockets that it keeps, if it has not played some cases before: a pair by which it wakes itself.
  static let programSocketsOfCaches = 2

  /// Whether one of the programs holds more than early on, and than a cache explains.
  static func isSuspicious(_ programs: [ProgramHoldings]) -> Bool {
    programs.contains { program in
      let (sockets, former) = (program.descriptors.count(where: isSocket), program.early.count(where: isSocket))
      return sockets > former + (program.isWarm ? 0 : programSocketsOfCaches)
        || program.descriptors.count > program.early.count + programDescriptorsOfCaches
    }
  }

  /// How many more descriptors all programs hold together that hold more.
  package static func programGrowth(before: ResourceReading, after: ResourceReading) -> Int {
    grown(before, after).reduce(0) { $0 + $1.0.descriptors.count - $1.former.descriptors.count }
  }

  /// Programs that hold more than before. One that has been started since is nobody's proof.
  static func grown(_ before: ResourceReading, _ after: ResourceReading) -> [(ProgramHoldings, former: ProgramHoldings)]
  {
    after.programs.compactMap { program in
      guard let former = before.programs.first(where: { $0.process == program.process }),
        program.descriptors.count > former.descriptors.count
      else { return nil }
      return (program, former)
    }
  }

  private static func isSocket(_ descriptor: String) -> Bool { descriptor.contains(" socket:[") }
}
