import CaseWorkers
import Foundation
import Glibc
import HostTools
import ScenarioModel
import Synchronization

/// A worker as its run sees it. Belongs to one thread.
protocol WorkerConnection: AnyObject {
  /// Does not fail for a worker that has ended meanwhile: `next` reports that.
  func send(_ request: WorkerRequest)
  /// The next answer; waits until the instant at most.
  func next(before deadline: ContinuousClock.Instant) -> WorkerNews
  /// Whether any of its threads is runnable, and the processor time that it has had.
  var activity: (isRunnable: Bool, processorTime: Duration) { get }
  /// Ends the worker and says how it ended. `asksWhere`: it shall say where its threads stand before.
  func end(asksWhere: Bool) -> WorkerEnd
}

/// Starts a worker. Throws when the system has no process or descriptor left.
typealias WorkerStart = @Sendable (_ setUp: WorkerSetUp, _ environment: [String: String]) throws -> any WorkerConnection

/// What comes of a worker.
enum WorkerNews {
  case reply(WorkerReply)
  /// The channel is closed or damaged: the worker is of no use any more.
  case ended
  /// Nothing came in time.
  case silence
}

/// A worker connection that takes reports of how subjects ended out of the replies and passes them to a callback.
///
/// A worker ends its subjects, and reports how they ended, when it is asked to measure. A worker that has played cases
/// since, and is given up because its run was interrupted or it was to play a single case, is asked once more before.
final class SubjectExitListener: WorkerConnection {
  /// How long a worker that is given up may take to end its subjects.
  private static let patience = Duration.seconds(5)

  private let worker: any WorkerConnection
  private let hasSubjects: Bool
  private let take: ([String: SubjectExit]) -> Void
  /// Cases have been played since it was last told how subjects ended.
  private var isOwed = false

  /// - Parameter hasSubjects: the worker starts programs.
  init(_ worker: any WorkerConnection, hasSubjects: Bool, take: @escaping ([String: SubjectExit]) -> Void) {
    (self.worker, self.hasSubjects, self.take) = (worker, hasSubjects, take)
  }

  deinit {
    guard hasSubjects, isOwed else { return }
    send(.measure(baseline: nil, settleTimeout: .zero, keepsPrograms: false))
    let deadline = ContinuousClock.now + Self.patience
    while case .reply(let reply) = next(before: deadline) {
      if case .measured = reply { return }
    }
  }

  func send(_ request: WorkerRequest) {
    switch request {
    case .setUp: break
    case .run: isOwed = true
    // One that keeps its programs has said nothing of their ends, and would be ended beside them.
    case .measure(_, _, let keepsPrograms): if !keepsPrograms { isOwed = false }
    }
    worker.send(request)
  }

  func next(before deadline: ContinuousClock.Instant) -> WorkerNews {
    while true {
      let news = worker.next(before: deadline)
      guard case .reply(.exits(let exits)) = news else { return news }
      take(exits)
    }
  }

  var activity: (isRunnable: Bool, processorTime: Duration) { worker.activity }

  func end(asksWhere: Bool) -> WorkerEnd {
    isOwed = false
    return worker.end(asksWhere: asksWhere)
  }
}

/// How a worker ended.
struct WorkerEnd: Sendable {
  var code: ChildResult.End
  var dump: CrashDump
}

/// A worker that is a child process: the channel to it, and what it says on standard error.
final class WorkerProcess: WorkerConnection {
  /// Last words beyond this are dropped, the oldest first.
  private static let maxOutput = 256 << 10

  private let channel: MessageChannel
  private let child: pid_t
  private let descriptor: Int32
  private let output: Int32
  private var said: [UInt8] = []
  private var isCollected = false

  /// Starts a worker of this very program. Throws when the system has no process or descriptor left.
  init(_ setUp: WorkerSetUp, environment: [String: String]) throws {
    let (here, there) = try Spawning.lock.withLock { _ in
      var ends: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
        throw LabFailure("There is no channel to be had for a worker: \(systemError()).")
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return (ends[0], ends[1])
    }
    defer { close(there) }
    do {
      let plan = ChildPlan(executable: "/proc/self/exe", arguments: [CaseWorker.verb], environment: environment)
      (child, output) = try Spawning.start(plan, leaving: [there: CaseWorker.descriptor])
    } catch {
      close(here)
      throw error
    }
    _ = fcntl(output, F_SETFL, O_NONBLOCK)
    descriptor = here
    channel = MessageChannel(descriptor: here)
    send(.setUp(setUp))
  }

  func send(_ request: WorkerRequest) { try? channel.send(request) }

  deinit {
    // It ends by itself when its end of the channel is closed.
    close(descriptor)
    if !isCollected {
      kill(child, SIGKILL)
      _ = collect()
    }
    close(output)
  }

  func next(before deadline: ContinuousClock.Instant) -> WorkerNews {
    while true {
      do {
        if let reply = try channel.next(WorkerReply.self) { return .reply(reply) }
        listen()
        guard try waitForChannel(before: deadline) else { return .silence }
        try channel.fill()
      } catch { return .ended }
    }
  }

  /// False: the instant has come. Takes what is said meanwhile, so that a worker that says much is not held up.
  private func waitForChannel(before deadline: ContinuousClock.Instant) throws -> Bool {
    while true {
      let left = deadline - .now
      guard left > .zero else { return false }
      let milliseconds = min(left.inSeconds * 1_000 + 1, 60_000)
      var sets = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      ]
      // Closed by the worker, the pipe would be ready for ever.
      let count = poll(&sets, isOutputOpen ? 2 : 1, Int32(milliseconds))
      if count < 0, errno != EINTR { throw MessageChannel.Trouble.ended }
      if sets[1].revents != 0 { listen() }
      if sets[0].revents != 0 { return true }
    }
  }

  private var isOutputOpen = true

  private func listen() {
    var room = [UInt8](repeating: 0, count: 16 << 10)
    while isOutputOpen {
      let count = read(output, &room, room.count)
      if count < 0, errno == EINTR { continue }
      if count == 0 { isOutputOpen = false }
      guard count > 0 else { return }
      said += room[..<count]
      if said.count > 2 * Self.maxOutput { said.removeFirst(said.count - Self.maxOutput) }
    }
  }

  var activity: (isRunnable: Bool, processorTime: Duration) { ProcessActivity.of(child) }

  /// How long a worker that is to end has for its last words.
  private static let endTimeout = Duration.seconds(5)

  func end(asksWhere: Bool) -> WorkerEnd {
    let deadline = ContinuousClock.now + Self.endTimeout
    if asksWhere { kill(child, CrashSignals.whereabouts) }
    // A worker that has closed its channel may still be writing its last words; one that was asked for its stacks may
    // be unable to answer.
    while !Spawning.hasEnded(child), ContinuousClock.now < deadline {
      var set = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      _ = poll(&set, isOutputOpen ? 1 : 0, 20)
      listen()
    }
    kill(child, SIGKILL)
    let code = collect()
    listen()
    return WorkerEnd(code: code, dump: CrashDump(said))
  }

  private func collect() -> ChildResult.End {
    var result = ChildResult()
    Spawning.collect(child, into: &result)
    isCollected = true
    return result.end
  }
}
