import Foundation
import Glibc
import ScenarioModel
import Synchronization

/// What to start, and the limits it is held to.
struct ChildPlan: Sendable {
  /// The program's path.
  var executable: String
  var arguments: [String] = []
  /// The whole environment.
  var environment: [String: String] = ProcessInfo.processInfo.environment
  /// From the start to the end of the whole group, whatever it does.
  var limit: Duration?
  /// How long it may take to end once it has been asked to.
  var grace = Duration.seconds(5)
  /// The file that gets every line.
  var log: String?
  /// Bytes of the log; what is beyond is only counted.
  var logLimit = 64 << 20

  /// The same for a program that knows nothing of the leash: a shell beside it holds it, and ends the group.
  var leashed: ChildPlan {
    let script = """
      (cat <&\(Leash.descriptor) >/dev/null 2>&1; kill -INT 0; sleep 2; kill -KILL 0) &
      "$@" \(Leash.descriptor)<&-
      """
    var plan = self
    plan.executable = "/bin/sh"
    plan.arguments = ["-c", script, "sh", executable] + arguments
    return plan
  }
}

/// A line of a child's output.
struct ChildLine: Sendable {
  /// Since the start, on the monotonic clock.
  var time: Duration
  var text: String
}

/// How a child ended and what it used.
struct ChildResult: Sendable {
  enum End: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)

    /// As a shell would say it: 128 and the signal's number for a signal.
    var code: Int32 {
      switch self {
      case .exited(let code): code
      case .signalled(let signal): 128 + signal
      }
    }
  }

  var end: End
  /// The group was ended because its time was over.
  var isOverdue = false
  /// The group was asked to end.
  var isStopped = false
  var wall: Duration
  var processor: Duration
  /// Bytes, of the largest process of the group.
  var peakMemory: Int
  /// What is missing in the log, and why.
  var logProblem: String?
}

/// A program in a process group of its own, from its start to the end of everything that it started.
///
/// posix_spawn, and not a library above it: the group, a descriptor that is left open for the leash, the peak of memory
/// and a log that survives a full disk are all that is needed here, and no library offers the four without a runtime of
/// its own. Standard output and standard error share a pipe, so the lines keep their order and neither can block the
/// other.
final class ChildGroup: Sendable {
  /// The longest line that is kept whole.
  private static let longestLine = 1 << 16
  /// Milliseconds between two looks at a child that says nothing.
  private static let tick: Int32 = 50

  private let plan: ChildPlan
  private let leash: Leash
  private let isStopRequested = Mutex(false)

  init(_ plan: ChildPlan, leash: Leash) {
    self.plan = plan
    self.leash = leash
  }

  /// Asks the group to end; `run` returns soon after. From any thread, before the start and after the end, too.
  func stop() { isStopRequested.withLock { $0 = true } }

  func run(_ onLine: (ChildLine) -> Void = { _ in }) throws -> ChildResult {
    try run(isFinishing: { false }, onLine)
  }

  /// Starts the program, hands over its lines, and returns when nothing of the group is left.
  ///
  /// - Parameter isFinishing: the program is about to end by itself and has something to keep: a stop waits for it, as
  ///   long as an end may take.
  func run(isFinishing: () -> Bool, _ onLine: (ChildLine) -> Void) throws -> ChildResult {
    let clock = ContinuousClock()
    let start = clock.now
    let (child, reading) = try Spawning.start(plan, leash: leash)
    defer { close(reading) }
    var reader = LineReader(log: plan.log.map { LogFile($0, limit: plan.logLimit) }, longest: Self.longestLine)
    var result = ChildResult(end: .exited(0), wall: .zero, processor: .zero, peakMemory: 0)
    var wishedAt: Duration?
    var askedAt: Duration?
    while !Spawning.hasEnded(child) {
      let time = clock.now - start
      if isStopRequested.withLock({ $0 }) { wishedAt = wishedAt ?? time }
      if askedAt == nil, let wishedAt, !isFinishing() || time > wishedAt + plan.grace {
        kill(-child, SIGINT)
        askedAt = time
        result.isStopped = true
      }
      if let limit = plan.limit, time > limit { result.isOverdue = true }
      if result.isOverdue || askedAt.map({ time > $0 + plan.grace }) == true { kill(-child, SIGKILL) }
      reader.read(from: reading, wait: Self.tick, at: { clock.now - start }, onLine)
    }
    // While the leader has not been collected, its number is taken: no other group can be hit.
    kill(-child, SIGKILL)
    Spawning.collect(child, into: &result)
    result.wall = clock.now - start
    // Whoever left the group may keep the pipe open; nobody waits for him.
    let drained = clock.now + .seconds(1)
    while !reader.isAtEnd, clock.now < drained {
      reader.read(from: reading, wait: Self.tick, at: { clock.now - start }, onLine)
    }
    result.logProblem = reader.finish(at: clock.now - start, onLine)
    return result
  }
}

/// The pipe that ties children to this process: they hold its reading end and end themselves when the writing end is
/// gone, which the kernel sees to, however this process ends.
final class Leash: Sendable {
  /// The number that children know the reading end by.
  static let descriptor: Int32 = 3

  let reading: Int32
  private let writing: Mutex<Int32>

  init() throws {
    let ends = try Spawning.lock.withLock { _ in try Spawning.pipe() }
    reading = ends.reading
    writing = Mutex(ends.writing)
  }

  /// Ends all that hold it.
  func letGo() {
    writing.withLock { writing in
      if writing != -1 { close(writing) }
      writing = -1
    }
  }

  deinit {
    letGo()
    close(reading)
  }
}

/// The system's last complaint in words.
func systemError(_ number: Int32 = errno) -> String { String(cString: strerror(number)) }

/// The calls around a child process.
private enum Spawning {
  /// Held from the making of a pipe until its descriptors are closed on exec, so that no child of another thread gets
  /// one: whoever holds the leash's writing end would keep it alive.
  static let lock = Mutex(())

  static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw LabFailure("There is no pipe to be had: \(systemError()).") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// The child, and the end of the pipe that its output comes out of.
  static func start(_ plan: ChildPlan, leash: Leash) throws -> (child: pid_t, output: Int32) {
    try lock.withLock { _ in
      let (reading, writing) = try pipe()
      defer { close(writing) }
      do { return (try start(plan, output: writing, leash: leash), reading) } catch {
        close(reading)
        throw error
      }
    }
  }

  private static func start(_ plan: ChildPlan, output: Int32, leash: Leash) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    posix_spawn_file_actions_adddup2(&actions, leash.reading, Leash.descriptor)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What this process ignores or blocks would be inherited.
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var child: pid_t = 0
    let environment = plan.environment.map { "\($0.key)=\($0.value)" }
    let code = withCStrings([plan.executable] + plan.arguments) { arguments in
      withCStrings(environment) { posix_spawn(&child, plan.executable, &actions, &attributes, arguments, $0) }
    }
    guard code == 0 else { throw LabFailure("\(plan.executable) can't be started: \(systemError(code)).") }
    return child
  }

  /// Whether the child has ended; it is not collected yet.
  static func hasEnded(_ child: pid_t) -> Bool {
    var facts = siginfo_t()
    let code = waitid(P_PID, id_t(child), &facts, WEXITED | WNOHANG | WNOWAIT)
    return code == 0 && facts.si_signo != 0 || code == -1 && errno == ECHILD
  }

  static func collect(_ child: pid_t, into result: inout ChildResult) {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(child, &status, 0, &usage) == -1, errno == EINTR {}
    let signal = status & 0x7f
    result.end = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    let times = [usage.ru_utime, usage.ru_stime]
    result.processor = times.reduce(.zero) { $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec) }
    result.peakMemory = Int(usage.ru_maxrss) << 10
  }

  private static func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return (copies + [nil]).withUnsafeBufferPointer { pointers in
      // An array with its closing nil always has an address.
      pointers.baseAddress.map(body)!
    }
  }
}
