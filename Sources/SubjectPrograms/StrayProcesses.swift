import Glibc
import HostTools
import Synchronization

/// Processes that a subject has started and that have left its process group: daemons, and others with a session of
/// their own.
///
/// Laws
/// - A subject is started with a mark in its environment, which its children inherit: by the mark they are found,
///   whatever session and parent they have by now.
/// - A process that has subjects and no other children can be the one that orphans go to (`PR_SET_CHILD_SUBREAPER`). So
///   even those that were started without the mark are found, once nothing else has the process for a parent:
///   `endOrphans`.
/// - No other process adopts: it would get the orphans of whatever else it has started, which it would not collect, and
///   a wait for any child would find them for ever.
/// - Nothing is ended that is neither marked nor a child of this process.
/// - Only what has left its subject is told of. A subject that the lab itself gives up, with whatever is in its group,
///   is ended without a word: of a worker that has ended its subjects become orphans, too.
package enum StrayProcesses {
  /// The mark's name in the environment.
  static let variable = "SOCKETLAB_SUBJECT"
  /// Rounds in which processes are looked for that were started while others were ended, or that are still ending.
  private static let rounds = 500
  /// Milliseconds between them.
  private static let pause: Int32 = 2
  private static let count = Atomic(0)
  /// Groups of subjects that were killed and of which some process was still ending when it was looked last.
  private static let endingGroups = Mutex<Set<pid_t>>([])

  /// A mark that no other subject on this machine has.
  static func newMark() -> String {
    "\(getpid())-\(SubjectProcess.now)-\(count.add(1, ordering: .relaxed).newValue)"
  }

  /// From now on descendants that lose their parent become children of this process, which has no other children but
  /// subjects.
  package static func adopt() { setAdopting(true) }

  /// Runs work that starts only subjects, or processes that start subjects, and ends whatever these leave.
  ///
  /// What is in the session of this process belongs to a subject whose worker has ended: what leaves a subject for good
  /// has a session of its own.
  ///
  /// - Parameter tell: is called with the names of what was left, sorted, if anything was.
  package static func endingOrphans<Result>(
    _ body: () throws -> Result, tell: ([String]) -> Void = { _ in }
  ) rethrows -> Result {
    let others = children
    adopt()
    defer {
      let session = getsid(0)
      let orphans = end({ children.subtracting(others).sorted() }, tellingOf: { isElse(getsid($0), than: [session]) })
      setAdopting(false)
      if !orphans.isEmpty { tell(orphans) }
    }
    return try body()
  }

  private static func setAdopting(_ adopts: Bool) {
    // Swift has no view of a C function with a variable number of arguments. Its rest is read as unsigned longs.
    typealias Call = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    guard let symbol = dlsym(nil, "prctl") else { return }
    _ = unsafeBitCast(symbol, to: Call.self)(setChildSubreaper, adopts ? 1 : 0, 0, 0, 0)
  }

  /// `PR_SET_CHILD_SUBREAPER` of `linux/prctl.h`.
  private static let setChildSubreaper: Int32 = 36

  /// Ends every process with the mark, and returns their names, sorted.
  ///
  /// - Parameter group: a process group that has been killed: its processes are ending, and do not count as left.
  static func end(_ mark: String, besides group: pid_t) -> [String] {
    let wanted = Array("\(variable)=\(mark)".utf8)
    var table = ProcessTable()
    return end({
      table.processes().filter { process in
        table.wasStarted(process: process, withEntry: wanted) && isElse(getpgid(process), than: [group])
      }
    })
  }

  /// The children of this process that have not ended.
  private static var children: Set<pid_t> {
    var table = ProcessTable()
    return Set(table.processes().filter { table.parent(of: $0) == getpid() })
  }

  /// Ends the children of this process, and what these leave, and returns the names of those that were not in the group
  /// of a subject, sorted. For a process that has ended its subjects: what is left are orphans.
  @discardableResult
  package static func endOrphans() -> [String] {
    let ending = endingGroups.withLock { $0 }
    return end({ children.sorted() }, tellingOf: { isElse(getpgid($0), than: ending) })
  }

  /// Whether a process with this group, or session, is none of those; one that has gone meanwhile has neither.
  private static func isElse(_ own: pid_t, than others: Set<pid_t>) -> Bool { own >= 0 && !others.contains(own) }

  /// - Parameter hasLeft: whether the process is to be told of; asked once, before it is ended.
  private static func end(_ find: () -> [pid_t], tellingOf hasLeft: (pid_t) -> Bool = { _ in true }) -> [String] {
    var names: [String] = []
    var ended: Set<pid_t> = []
    var table = ProcessTable()
    for _ in 0..<rounds {
      let found = find()
      guard !found.isEmpty else { break }
      for process in found {
        if ended.insert(process).inserted, hasLeft(process) { names.append(table.name(of: process)) }
        kill(process, SIGKILL)
      }
      _ = poll(nil, 0, pause)
    }
    for process in ended { reap(process) }
    return names.sorted()
  }

  /// Reaps what is left of a subject's group, which has been killed: the children of its ended leader have become this
  /// process's.
  static func reap(group: pid_t) {
    // On a busy machine a process may take its time to end.
    let isOver = reap(-group)
    endingGroups.withLock { groups in
      if isOver { groups.remove(group) } else { groups.insert(group) }
    }
  }

  /// Reaps children that are ending.
  ///
  /// - Parameter children: as `waitpid` has it: a process, or a group's number below zero.
  /// - Returns: whether none of them is left.
  @discardableResult
  private static func reap(_ children: pid_t) -> Bool {
    for _ in 0..<rounds {
      var status: Int32 = 0
      let found = waitpid(children, &status, WNOHANG)
      if found < 0, errno != EINTR { return true }
      if found == 0 { _ = poll(nil, 0, pause) }
    }
    return false
  }
}
