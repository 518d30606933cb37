import FuzzHarness

/// What is done to a socket, by whom, and how it ends.
package struct LifecycleProgram: Hashable, Sendable {
  package enum Act: UInt8, CaseIterable, Sendable {
    case read, readLength, readLine, write, writeMuch
    case peerSends, peerReads, peerHalfCloses, peerCloses
    case disconnect, afterWriting, afterReading
    case becomeOther, becomeNobody, perform, letGo
  }

  /// The actor: the thread that runs the input, or one of two queues.
  package enum Actor: UInt8, CaseIterable, Sendable { case thread, sameThread, one, two }

  package struct Step: Hashable, Sendable {
    package var act: Act
    package var actor: Actor
    package var argument: UInt8

    package init(_ act: Act, _ actor: Actor = .thread, _ argument: UInt8 = 1) {
      self.act = act
      self.actor = actor
      self.argument = argument
    }
  }

  /// What a delegate does inside a callback.
  package enum Reaction: UInt8, CaseIterable, Sendable {
    case none, read, afterWriting, disconnect, letGo, becomeOther, look, afterReading
  }

  package enum End: UInt8, CaseIterable, Sendable { case peerCloses, disconnect, letGo, peerClosesAndDisconnect }

  package var end = End.peerCloses
  package var hasSocketQueue = false
  /// The socket queue is the delegate queue, too.
  package var sharesQueue = false
  package var staysHalfOpen = false
  /// The socket is of the class that lives on a run loop: every actor's calls are made there, `perform` and the
  /// reaction `look` are about run loops and modes, and what is about queues and half-open streams has no meaning.
  package var livesOnRunLoop = false
  package var reactions: [Reaction] = []
  package var steps: [Step] = []

  package init() {}

  static let maxSteps = 20
  static let maxReactions = 3

  package init(_ bytes: UnsafeRawBufferPointer) {
    var input = FuzzInput(bytes)
    let mode = input.byte()
    end = End(rawValue: mode & 3) ?? .peerCloses
    hasSocketQueue = mode & 4 != 0
    sharesQueue = mode & 8 != 0
    staysHalfOpen = mode & 16 != 0
    livesOnRunLoop = mode & 32 != 0
    for _ in 0..<input.number(upTo: Self.maxReactions) {
      reactions.append(Reaction(rawValue: input.byte() & 7) ?? .none)
    }
    while !input.isEmpty, steps.count < Self.maxSteps {
      let byte = input.byte()
      let act = Act(rawValue: byte & 15) ?? .read
      steps.append(Step(act, Actor(rawValue: byte >> 4 & 3) ?? .thread, input.byte()))
    }
  }

  package var encoded: [UInt8] {
    var output = FuzzOutput()
    var mode = end.rawValue
    if hasSocketQueue { mode |= 4 }
    if sharesQueue { mode |= 8 }
    if staysHalfOpen { mode |= 16 }
    if livesOnRunLoop { mode |= 32 }
    output.byte(mode)
    output.number(reactions.count, upTo: Self.maxReactions)
    for reaction in reactions.prefix(Self.maxReactions) { output.byte(reaction.rawValue) }
    for step in steps.prefix(Self.maxSteps) {
      output.byte(step.act.rawValue | step.actor.rawValue << 4)
      output.byte(step.argument)
    }
    return output.bytes
  }

  /// Whether events may go to another delegate, or to none, so that what a delegate hears has gaps.
  var changesDelegate: Bool {
    steps.contains { $0.act == .becomeOther || $0.act == .becomeNobody } || reactions.contains(.becomeOther)
  }

  /// Whether some events may come while there is no delegate.
  var silences: Bool { steps.contains { $0.act == .becomeNobody } }
}
