import ReferenceModel

/// A program whose outcome is certain in any world where nothing is lost: how segments are cut, when readiness is
/// signalled and which of two queues is served first make no difference to what the delegate sees.
///
/// A program that is not so is changed as little as it takes, and `remarks` say what was changed. Laws
/// - No step of the peer's comes when the connection or the peer's stream is over.
/// - A read-any that may take more than a byte stands as a read of the bytes that the model gives it.
/// - The kernel takes all, readiness is the world's own affair, and a time of zero is the shortest there is.
/// - The peer breaks the connection only when nothing unread is lost with it.
/// - A call inside a callback comes where its order against other callbacks does not matter: at most one at a moment, a
///   read or a write at none that ends the connection, because that may come before the call or after it, and one that
///   ends the connection only as the moment's last.
package struct CertainProgram: Sendable {
  /// The program with what had to be changed.
  package private(set) var program: SocketProgram
  /// What the model says of it.
  package private(set) var run: ModelRun
  /// What could not be said, each once.
  package private(set) var remarks: [String] = []

  /// Changes the program as little as it takes.
  package init(_ original: SocketProgram) {
    var program = original
    var remarks: [String] = []
    if let room = program.room {
      remarks.append("the kernel's answers: it took \(room) bytes at first, and more when told so")
      program.room = nil
    }
    program.steps = program.steps.compactMap { step in
      switch step {
      case .makeRoom, .wait(...0), .arrive([]): return nil
      case .wake:
        remarks.append("signals of readiness with nothing behind them: the simulated world has its own")
        return nil
      default: return step
      }
    }
    if program.livesOnRunLoop, !program.reactions.isEmpty {
      remarks.append("calls inside callbacks: on a run loop no unread byte holds the peer's end back for them")
      program.reactions = []
    }
    self.program = program
    run = ModelRun(SocketProgram())
    self.remarks = remarks
    lengthenTimes()
    repeat { run = ModelRun(self.program) } while mend()
    var seen: Set<String> = []
    self.remarks = self.remarks.filter { seen.insert($0).inserted }
  }

  private mutating func lengthenTimes() {
    for index in program.steps.indices {
      if case .call(let call) = program.steps[index] { program.steps[index] = .call(lengthened(call)) }
    }
    for index in program.reactions.indices { program.reactions[index].call = lengthened(program.reactions[index].call) }
  }

  private mutating func lengthened(_ call: SocketProgram.Call) -> SocketProgram.Call {
    let zero = "timeouts of zero: they are the shortest there is"
    switch call {
    case .read(let read, .some(...0)):
      remarks.append(zero)
      return .read(read, timeout: 1)
    case .write(let bytes, .some(...0)):
      remarks.append(zero)
      return .write(bytes, timeout: 1)
    default: return call
    }
  }

  /// Makes the first uncertain place certain; false: there is none. Each call takes something away for good.
  private mutating func mend() -> Bool {
    if mendPeerStep() { return true }
    if mendReadAny() { return true }
    return mendReaction()
  }

  // MARK: The peer's steps

  private mutating func mendPeerStep() -> Bool {
    var entries = run.entries[...]
    var isOpen = false
    var isFinished = false
    var unread = 0
    for (index, step) in program.steps.enumerated() {
      while let entry = entries.first, entry.step < index {
        entries.removeFirst()
        switch entry.event {
        case .connected:
          isOpen = true
          isFinished = false
          unread = 0
        case .disconnected: isOpen = false
        case .read: unread -= entry.bytes.count
        default: break
        }
      }
      let speaks: Bool
      switch step {
      case .arrive(let bytes):
        speaks = true
        if isOpen, !isFinished { unread += bytes.count }
      case .peerFinishes, .peerResets: speaks = true
      default: speaks = false
      }
      guard speaks else { continue }
      guard isOpen, !isFinished || step == .peerResets else {
        program.steps.remove(at: index)
        return true
      }
      if step == .peerResets, unread > 0 {
        remarks.append("a reset that destroys bytes nobody has read")
        program.steps.remove(at: index)
        return true
      }
      if step == .peerFinishes { isFinished = true }
    }
    return false
  }

  // MARK: Reads of whatever is there

  private mutating func mendReadAny() -> Bool {
    let sites = CallSites(program, run)
    for entry in run.entries {
      guard case .read(_, let tag) = entry.event, entry.bytes.count > 1, tag < sites.reads.count,
        case .read(.available, let timeout) = call(at: sites.reads[tag])
      else { continue }
      remarks.append("how much a read-any takes: it stands as a read of the bytes the model gives it")
      set(.read(.exactly(entry.bytes.count), timeout: timeout), at: sites.reads[tag])
      return true
    }
    return false
  }

  private func call(at site: CallSites.Site) -> SocketProgram.Call? {
    switch site {
    case .step(let index): if case .call(let call) = program.steps[index] { call } else { nil }
    case .reaction(let index): program.reactions[index].call
    }
  }

  private mutating func set(_ call: SocketProgram.Call, at site: CallSites.Site) {
    switch site {
    case .step(let index): program.steps[index] = .call(call)
    case .reaction(let index): program.reactions[index].call = call
    }
  }

  // MARK: Reactions

  private mutating func mendReaction() -> Bool {
    var moments: Set<[Int]> = []
    for (index, reaction) in program.reactions.enumerated() where !isCertain(reaction, &moments) {
      remarks.append("calls inside callbacks whose order against other callbacks is not certain")
      program.reactions.remove(at: index)
      return true
    }
    return false
  }

  private func isCertain(_ reaction: SocketProgram.Reaction, _ moments: inout Set<[Int]>) -> Bool {
    guard run.entries.indices.contains(reaction.callback) else { return false }
    let entry = run.entries[reaction.callback]
    switch entry.event {
    case .readPartial, .wrotePartial, .disconnected: return false
    // Which of several connections it belongs to can't be said of these. A call inside an announcement concerns the end
    // that is reported next.
    case .willDisconnect: return false
    case .connected, .readClosed:
      guard run.entries.first(where: { $0.event == entry.event }) == entry else { return false }
    default: break
    }
    guard moments.insert([entry.step, entry.time]).inserted else { return false }
    let rest = run.entries[(reaction.callback + 1)...].prefix { $0.step == entry.step && $0.time == entry.time }
    switch reaction.call {
    case .read, .write: return !rest.contains { if case .disconnected = $0.event { true } else { false } }
    case .disconnect, .disconnectAfter:
      return rest.allSatisfy { if case .disconnected = $0.event { true } else { $0.event.isPartial } }
    }
  }
}

/// Where a program calls read and write: the k-th call has tag k.
package struct CallSites: Sendable {
  /// The place of a call: the index of a step or of a reaction.
  package enum Site: Hashable, Sendable {
    case step(Int)
    case reaction(Int)
  }

  /// The calls of read, by tag.
  package private(set) var reads: [Site] = []
  /// The calls of write, by tag.
  package private(set) var writes: [Site] = []

  /// In the order in which the run made them: a step's own call, then those inside its callbacks.
  package init(_ program: SocketProgram, _ run: ModelRun) {
    var next = 0
    func reactions(of step: Int, _ add: (SocketProgram.Call, Site) -> Void) {
      while next < run.entries.count, run.entries[next].step == step {
        for (index, reaction) in program.reactions.enumerated() where reaction.callback == next {
          add(reaction.call, .reaction(index))
        }
        next += 1
      }
    }
    var found: [(SocketProgram.Call, Site)] = []
    reactions(of: -1) { found.append(($0, $1)) }
    for (index, step) in program.steps.enumerated() {
      if case .call(let call) = step { found.append((call, .step(index))) }
      reactions(of: index) { found.append(($0, $1)) }
    }
    for (call, site) in found {
      switch call {
      case .read: reads.append(site)
      case .write: writes.append(site)
      case .disconnect, .disconnectAfter: break
      }
    }
  }
}
