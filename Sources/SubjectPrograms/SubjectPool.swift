import HostTools
import ScenarioModel
import SubjectProtocol
import Synchronization

/// The subjects of a process. Idle ones are reused, because starting one takes longer than most cases.
///
/// May be used from any thread; a subject belongs to the thread that took it until it is given back.
package final class SubjectPool: Sendable {
  /// Why there is no subject.
  package struct Trouble: Error, Sendable {
    /// What it did.
    package var fault: SubjectFault
    /// What it said on its standard error.
    package var lastWords: [String]
  }

  /// How subjects have ended, by their names.
  private final class Exits: Sendable {
    let byProgram = Mutex<[String: SubjectExit]>([:])

    func note(_ name: String, _ exit: SubjectExit) { byProgram.withLock { $0[name, default: SubjectExit()] += exit } }
  }

  /// The processes that are not in use.
  private struct Idle {
    var processes: [(process: SubjectProcess, lastCase: String)] = []
    var deathPipe: ParentDeathPipe?
  }

  /// How long a hello may take, in nanoseconds: programs are built and interpreters started before it.
  private let helloTimeout: Int64
  private let idle = Mutex(Idle())
  private let exits = Exits()

  /// - Parameter helloTimeout: how long a hello may take, in seconds.
  package init(helloTimeout: Int64 = 20) { self.helloTimeout = helloTimeout * 1_000_000_000 }

  /// A subject that has said hello and has no case. Throws a `Trouble`, or a `LabFailure` when no process can be had.
  ///
  /// Since its last case a subject may have done nothing but speak in notes; anything else is a trouble of its next
  /// case, because nobody else would hear of it.
  package func take(_ program: SubjectProgram) throws -> SubjectProcess {
    let known = idle.withLock { idle -> (process: SubjectProcess, lastCase: String)? in
      guard let place = idle.processes.lastIndex(where: { $0.process.program == program }) else { return nil }
      return idle.processes.remove(at: place)
    }
    if let known {
      known.process.look()
      let time = "after \(known.lastCase) had ended and before another case began"
      while let news = known.process.next() {
        switch news {
        case .message: break
        case .violation(let violation): throw Self.trouble(.violation, "\(violation.text), \(time)", known.process)
        case .ended(let how): throw Self.trouble(.crash, "\(how) \(time)", known.process)
        case .notStarted(let why): throw Self.trouble(.crash, why, known.process)
        }
      }
      if known.process.isIdle { return known.process }
      known.process.end(grace: 0)
    }
    let deathPipe = try idle.withLock { idle in
      if let pipe = idle.deathPipe { return pipe }
      let pipe = try ParentDeathPipe()
      idle.deathPipe = pipe
      return pipe
    }
    return try start(program, deathPipe)
  }

  private func start(_ program: SubjectProgram, _ deathPipe: ParentDeathPipe) throws -> SubjectProcess {
    let process = try SubjectProcess(program, deathPipe: deathPipe) { [exits] names in
      exits.note(program.name, SubjectExit(leftRunning: names))
    }
    process.say(.hello(version: LabMessage.version))
    let deadline = SubjectProcess.now + helloTimeout
    while process.claims == nil {
      guard process.wait(until: deadline), let news = process.next() else {
        let wait = "\(helloTimeout / 1_000_000_000) s"
        throw Self.trouble(.hang, "it did not say hello within \(wait)\(process.remark)", process)
      }
      switch news {
      case .message: break
      case .violation(let violation): throw Self.trouble(.violation, violation.text, process)
      case .ended(let how): throw Self.trouble(.crash, "\(how) before it said hello", process)
      case .notStarted(let why): throw Self.trouble(.crash, why, process)
      }
    }
    process.noteHoldings(hasPlayed: false)
    return process
  }

  /// What the subjects that are not in use hold at this moment.
  package var holdings: [ProgramHoldings] { idle.withLock { $0.processes.map(\.process.holdings) } }

  private static func trouble(_ kind: SubjectFault.Kind, _ text: String, _ process: SubjectProcess) -> Trouble {
    process.end(grace: 0)
    return Trouble(
      fault: SubjectFault(kind: kind, text: "\(process.program.name): \(text)"), lastWords: process.lastWords)
  }

  /// Takes a subject back. One that has broken the protocol or ended since its case did is kept as well, for `take` to
  /// say so.
  ///
  /// - Parameter lastCase: the scenario that it played.
  package func give(back process: SubjectProcess, after lastCase: String) {
    process.noteHoldings(hasPlayed: true)
    idle.withLock { $0.processes.append((process, lastCase)) }
  }

  /// Ends all that are idle, and gives back what they held. What one does wrong as it ends, `takeExits` tells: no case
  /// is left that could.
  package func drain() {
    let last = idle.withLock { idle in
      let last = idle
      idle = Idle()
      return last
    }
    // All at once: a sanitizer may keep each of them for a second.
    let early = last.processes.map { $0.process.hangUp() }
    let deadline = SubjectProcess.finalDeadline
    for ((process, lastCase), early) in zip(last.processes, early) {
      guard let wrong = early ?? process.dismiss(by: deadline) else { continue }
      let fault = SubjectExit.Fault(text: "\(wrong), after \(lastCase) had ended", lastWords: process.lastWords)
      exits.note(process.program.name, SubjectExit(faults: [fault]))
    }
  }

  /// How subjects have ended since the last call, by their names; only what is worth telling.
  package func takeExits() -> [String: SubjectExit] {
    exits.byProgram.withLock { all in
      defer { all = [:] }
      return all
    }
  }

  deinit { drain() }
}
