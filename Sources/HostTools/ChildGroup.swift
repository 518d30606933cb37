import Foundation
import Glibc
import ScenarioModel

/// What to start, and the limits it is held to.
package struct ChildPlan: Sendable {
  /// The program's path.
  package var executable: String
  /// Without the program's name.
  package var arguments: [String]
  /// The whole environment.
  package var environment: [String: String]
  /// From the start to the end of the whole group, whatever it does.
  package var limit: Duration?
  /// How long it may take to end once it has been asked to.
  var grace: Duration
  /// The file that gets every line.
  package var log: String?
  /// Bytes of the log; what is beyond is only counted.
  var logLimit: Int

  package init(
    executable: String, arguments: [String] = [],
    environment: [String: String] = ProcessInfo.processInfo.environment, limit: Duration? = nil,
    grace: Duration = .seconds(5), log: String? = nil, logLimit: Int = 64 << 20
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.limit = limit
    self.grace = grace
    self.log = log
    self.logLimit = logLimit
  }

  /// The same for a program that does not watch the pipe: a shell beside it does, and ends the group.
  package var watchedByShell: ChildPlan {
    let script = """
      (cat <&\(ParentDeathPipe.descriptor) >/dev/null 2>&1; kill -INT 0; sleep 2; kill -KILL 0) &
      "$@" \(ParentDeathPipe.descriptor)<&-
      """
    var plan = self
    plan.executable = "/bin/sh"
    plan.arguments = ["-c", script, "sh", executable] + arguments
    return plan
  }
}

/// A line of a child's output.
package struct ChildLine: Sendable {
  /// Since the start, on the monotonic clock.
  package var time: Duration
  /// Without its end of line; a very long line comes in several.
  package var text: String
}

/// How a child ended and what it used.
package struct ChildResult: Sendable {
  /// How the first process of the group ended.
  package enum End: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// It has ended, and nobody can say how: no success.
    case unknown

    /// As a shell would say it: 128 and the signal's number for a signal. 255 for an end that is unknown.
    package var code: Int32 {
      switch self {
      case .exited(let code): code
      case .signalled(let signal): 128 + signal
      case .unknown: 255
      }
    }
  }

  /// How the child ended.
  package var end: End
  /// The group was ended because its time was over.
  package var isOverdue = false
  /// The group was asked to end.
  package var isStopped = false
  /// From the start until nothing of the group was left, on the monotonic clock.
  package var wall: Duration
  /// Processor time of the child and of the processes it waited for, user and system.
  package var processor: Duration
  /// Bytes, of the largest process of the group.
  package var peakMemory: Int
  /// What is missing in the log, and why.
  package var logProblem: String?

  /// Of a child that has exited with 0 and used nothing.
  package init() {
    end = .exited(0)
    wall = .zero
    processor = .zero
    peakMemory = 0
  }
}

/// A program in a process group of its own, from its start to the end of everything that it started.
///
/// posix_spawn, and not a library above it: the group, a descriptor that is left open for `ParentDeathPipe`, the peak
/// of memory and a log that survives a full disk are all that is needed here, and no library offers the four without a
/// runtime of its own. Standard output and standard error share a pipe, so the lines keep their order and neither can
/// block the other.
package final class ChildGroup: Sendable {
  /// The longest line that is kept whole.
  private static let longestLine = 1 << 16
  /// Milliseconds between two looks at a child that says nothing.
  private static let tick: Int32 = 50

  private let plan: ChildPlan
  private let deathPipe: ParentDeathPipe
  private let stopFlag: StopFlag

  /// - Parameter stop: asks the group to end, as `stop` does: for what many groups have in common.
  package init(_ plan: ChildPlan, deathPipe: ParentDeathPipe, stop: StopFlag = StopFlag()) {
    self.plan = plan
    self.deathPipe = deathPipe
    stopFlag = stop
  }

  /// Asks the group to end; `run` returns soon after. From any thread, before the start and after the end, too.
  package func stop() { stopFlag.set() }

  /// Starts the program, hands over its lines, and returns when nothing of the group is left.
  package func run(_ onLine: (ChildLine) -> Void = { _ in }) throws -> ChildResult {
    try run(isFinishing: { false }, onLine)
  }

  /// Starts the program, hands over its lines, and returns when nothing of the group is left.
  ///
  /// - Parameter isFinishing: the program is about to end by itself and has something to keep: a stop waits for it, as
  ///   long as an end may take.
  package func run(isFinishing: () -> Bool, _ onLine: (ChildLine) -> Void) throws -> ChildResult {
    let clock = ContinuousClock()
    let start = clock.now
    let (child, reading) = try Spawning.start(plan, leaving: [deathPipe.reading: ParentDeathPipe.descriptor])
    defer { close(reading) }
    var reader = LineReader(log: plan.log.map { LogFile($0, limit: plan.logLimit) }, longest: Self.longestLine)
    var result = ChildResult()
    var wishedAt: Duration?
    var askedAt: Duration?
    while !Spawning.hasEnded(child) {
      let time = clock.now - start
      if stopFlag.isSet { wishedAt = wishedAt ?? time }
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
    // A process that has left the group may hold the pipe open: read for one more second only.
    let drained = clock.now + .seconds(1)
    while !reader.isAtEnd, clock.now < drained {
      reader.read(from: reading, wait: Self.tick, at: { clock.now - start }, onLine)
    }
    result.logProblem = reader.finish(at: clock.now - start, onLine)
    return result
  }
}

/// The system's last complaint in words.
package func systemError(_ number: Int32 = errno) -> String { String(cString: strerror(number)) }
