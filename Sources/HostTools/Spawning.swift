import Glibc
import ScenarioModel
import Synchronization

/// The calls around a child process.
package enum Spawning {
  /// Held from the making of a pipe until its descriptors are closed on exec, so that no child of another thread gets
  /// one: whoever holds the writing end of a `ParentDeathPipe` would keep its children alive.
  package static let lock = Mutex(())

  /// A pipe whose ends no started program keeps. Throws if there are no descriptors left; call it under `lock`.
  package static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw LabFailure("There is no pipe to be had: \(systemError()).") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// The child, and the end of the pipe that its output comes out of. The child finds descriptors of this process under
  /// the numbers they are to be left at.
  package static func start(
    _ plan: ChildPlan, leaving descriptors: [Int32: Int32]
  ) throws -> (child: pid_t, output: Int32) {
    try lock.withLock { _ in
      let (reading, writing) = try pipe()
      defer { close(writing) }
      do { return (try start(plan, output: writing, descriptors), reading) } catch {
        close(reading)
        throw error
      }
    }
  }

  private static func start(_ plan: ChildPlan, output: Int32, _ descriptors: [Int32: Int32]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    for (here, there) in descriptors { posix_spawn_file_actions_adddup2(&actions, here, there) }
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
  package static func hasEnded(_ child: pid_t) -> Bool {
    var facts = siginfo_t()
    let code = waitid(P_PID, id_t(child), &facts, WEXITED | WNOHANG | WNOWAIT)
    return code == 0 && facts.si_signo != 0 || code == -1 && errno == ECHILD
  }

  /// Waits for the child and takes it off the process table; fills in end, processor time and peak memory. The end is
  /// unknown when something else has taken it off before, as the kernel does where SIGCHLD is ignored.
  package static func collect(_ child: pid_t, into result: inout ChildResult) {
    var status: Int32 = 0
    var usage = rusage()
    var found: pid_t
    repeat { found = wait4(child, &status, 0, &usage) } while found == -1 && errno == EINTR
    guard found == child else {
      result.end = .unknown
      return
    }
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
