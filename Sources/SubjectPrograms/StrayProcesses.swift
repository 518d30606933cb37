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
package enum StrayProcesses {
  /// The mark's name in the environment.
  static let variable = "SOCKETLAB_SUBJECT"
  /// Rounds in which processes are looked for that were started while others were ended, or that are still ending.
  private static let rounds = 500
  /// Milliseconds between them.
  private static let pause: Int32 = 2
  /// Of an environment, as much as is looked through.
  private static let maxEnvironment = 1 << 20
  private static let count = Atomic(0)

  /// A mark that no other subject on this machine has.
  static func newMark() -> String {
    "\(getpid())-\(SubjectProcess.now)-\(count.add(1, ordering: .relaxed).newValue)"
  }

  /// From now on descendants that lose their parent become children of this process, which has no other children but
  /// subjects.
  package static func adopt() { setAdopting(true) }

  /// Runs work that starts only subjects, or processes that start subjects, and ends whatever these leave.
  ///
  /// - Parameter tell: is called with the names of what was left, sorted, if anything was.
  package static func endingOrphans<Result>(
    _ body: () throws -> Result, tell: ([String]) -> Void = { _ in }
  ) rethrows -> Result {
    let others = children
    adopt()
    defer {
      let orphans = endOrphans(besides: others)
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
    return end { processes().filter { hasEntry($0, wanted) && getpgid($0) != group } }
  }

  /// The children of this process that have not ended.
  private static var children: Set<pid_t> {
    let own = getpid()
    return Set(processes().filter { parent(of: $0) == own })
  }

  /// Ends the children of this process except for some, and what these leave, and returns their names, sorted. For a
  /// process whose other children are orphans.
  @discardableResult
  package static func endOrphans(besides others: Set<pid_t> = []) -> [String] {
    end { children.subtracting(others).sorted() }
  }

  private static func end(_ find: () -> [pid_t]) -> [String] {
    var names: [pid_t: String] = [:]
    for _ in 0..<rounds {
      let found = find()
      guard !found.isEmpty else { break }
      for process in found {
        if names[process] == nil { names[process] = name(of: process) }
        kill(process, SIGKILL)
      }
      _ = poll(nil, 0, pause)
    }
    for process in names.keys { reap(process) }
    return names.values.sorted()
  }

  /// Reaps children that are ending: the children of an ended process have become this one's.
  ///
  /// - Parameter children: as `waitpid` has it: a process, or a group's number below zero.
  static func reap(_ children: pid_t) {
    for _ in 0..<rounds {
      var status: Int32 = 0
      let found = waitpid(children, &status, WNOHANG)
      if found < 0, errno != EINTR { return }
      if found == 0 { _ = poll(nil, 0, pause) }
    }
  }

  // MARK: - What the system says

  private static func processes() -> [pid_t] {
    HostFiles.names(in: "/proc").compactMap(pid_t.init).filter { $0 != getpid() }
  }

  /// Whether the environment that the process was started with has the entry; false for a process that has ended.
  private static func hasEntry(_ process: pid_t, _ entry: [UInt8]) -> Bool {
    bytes(of: "/proc/\(process)/environ").split(separator: 0).contains { $0.elementsEqual(entry) }
  }

  /// The parent of a process that has not ended.
  private static func parent(of process: pid_t) -> pid_t? {
    let text = String(decoding: bytes(of: "/proc/\(process)/stat"), as: UTF8.self)
    // Behind the name, which may hold anything, come state and parent.
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    return fields.count > 1 && fields[0] != "Z" && fields[0] != "X" ? pid_t(fields[1]) : nil
  }

  private static func name(of process: pid_t) -> String {
    let name = String(decoding: bytes(of: "/proc/\(process)/comm"), as: UTF8.self).filter { $0 != "\n" }
    return name.isEmpty ? "a process" : name
  }

  private static func bytes(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1 << 14)
    while bytes.count < maxEnvironment {
      let count = read(descriptor, &room, room.count)
      guard count > 0 else { break }
      bytes += room[..<count]
    }
    return bytes
  }
}
