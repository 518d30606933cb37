/// What a subject that is a program of its own holds at one moment, the processes that it began with included.
package struct ProgramHoldings: Hashable, Sendable, Codable {
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
