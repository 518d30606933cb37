/// What a subject that is a program of its own holds at one moment, the processes that it began with included.
package struct ProgramReading: Hashable, Sendable, Codable {
  /// What the subject is called.
  package var name: String
  /// The process that the lab has started.
  package var process: Int32
  /// Open descriptors and what they lead to, as /proc says it, the process in front: `812/7 socket:[4711]`.
  package var descriptors: [String]
  /// The same early on: the least that it held after one of its first cases, or what it held when it had said hello.
  package var early: [String]
  /// Whether it had played some cases then, and so had what it opens when it is needed first.
  package var isWarm: Bool

  /// What was read of one of them.
  package init(name: String, process: Int32, descriptors: [String], early: [String], isWarm: Bool) {
    (self.name, self.process, self.descriptors) = (name, process, descriptors)
    (self.early, self.isWarm) = (early, isWarm)
  }
}

extension ResourceBounds {
  /// What a program opens when it is needed first, and keeps: an epoll, pipes and timers of its loop, files of its
  /// language's library.
  static let programDescriptorsOfCaches = 12
  /// Sockets that it keeps, if it has not played some cases before: a pair by which it wakes itself.
  static let programSocketsOfCaches = 2

  /// Whether one of the programs holds more than early on, and than a cache explains.
  static func isSuspicious(_ programs: [ProgramReading]) -> Bool {
    programs.contains { program in
      let (sockets, former) = (program.descriptors.count(where: isSocket), program.early.count(where: isSocket))
      return sockets > former + (program.isWarm ? 0 : programSocketsOfCaches)
        || program.descriptors.count > program.early.count + programDescriptorsOfCaches
    }
  }

  /// Programs that hold more than before. One that has been started since is nobody's proof.
  static func grown(_ before: ResourceReading, _ after: ResourceReading) -> [(ProgramReading, former: ProgramReading)] {
    after.programs.compactMap { program in
      guard let former = before.programs.first(where: { $0.process == program.process }),
        program.descriptors.count > former.descriptors.count
      else { return nil }
      return (program, former)
    }
  }

  private static func isSocket(_ descriptor: String) -> Bool { descriptor.contains(" socket:[") }
}
