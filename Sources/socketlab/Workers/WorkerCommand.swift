import ArgumentParser
import CaseWorkers
import Foundation
import Glibc
import ScenarioModel
import ScenarioRunner
import SocketPOSIX
import Synchronization

/// `socketlab worker`: runs cases for a run, in a process that may end.
///
/// What is judged may trap, overflow its stack, eat all memory or never come back. So the run lets workers do it, and
/// looks at how they end. Requests come over the descriptor that the run has left open, answers go back there; standard
/// error takes last words. A worker whose run is gone ends at once.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Runs cases for a run. Not for people.", shouldDisplay: false)

  /// Where the run leaves its end of the channel.
  static let descriptor: Int32 = 3

  func run() throws {
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(Self.descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else {
      throw ValidationError("A worker is started by `socketlab run`, and speaks with it alone.")
    }
    CrashSignals.install()
    let channel = MessageChannel(descriptor: Self.descriptor)
    do {
      guard case .setUp(let setUp) = try channel.receive(WorkerRequest.self) else { _exit(LabExit.usage.rawValue) }
      // With one case at a time there is little to keep, and to take it anew for each would cost.
      if setUp.width > 1 { AllocatorPolicy.returnLargeBlocks() }
      let worker = Worker(setUp, channel: channel)
      while true { worker.take(try channel.receive(WorkerRequest.self)) }
    } catch MessageChannel.Trouble.ended {
      _exit(0)
    } catch {
      Console.error("the worker was told something that it does not understand: \(error)")
      _exit(LabExit.usage.rawValue)
    }
  }
}

/// The cases of one worker and the threads that run them, `width` at a time, in the order in which they came.
private final class Worker: Sendable {
  private struct Job {
    var script: CaseScript
    var item: CaseBlock.Item
  }

  private struct State {
    var jobs: [Job] = []
    /// What lies before it has been taken.
    var next = 0
    var running = 0
  }

  private let setUp: WorkerSetUp
  private let player: CasePlayer
  private let channel: MessageChannel
  private let state = Mutex(State())
  private let work = DispatchSemaphore(value: 0)

  init(_ setUp: WorkerSetUp, channel: MessageChannel) {
    self.setUp = setUp
    self.channel = channel
    player = CasePlayer(jitter: setUp.jitter)
    for number in 0..<setUp.width {
      let thread = Thread { [self] in loop() }
      thread.name = "lab-case-\(number)"
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  func take(_ request: WorkerRequest) {
    switch request {
    case .setUp: break
    case .run(let block):
      // All cases of the block share the script; it goes with the last of them.
      let script = CaseScript(block.scenario, profile: setUp.profile)
      state.withLock { $0.jobs += block.items.map { Job(script: script, item: $0) } }
      for _ in block.items { work.signal() }
    case .measure(let baseline, let patience):
      try? channel.send(WorkerReply.measured(ResourceProbe.settled(baseline, patience: patience)))
    }
  }

  private func loop() {
    SignalStack.install()
    while true {
      work.wait()
      guard let job = takeJob() else { continue }
      let item = job.item
      var result = player.run(job.script, variant: item.variant, world: item.world, seed: item.seed)
      if result.isAsExpected, !result.canary, !item.keepsTrace { result = result.withoutTrace }
      // A run that is gone is noticed by the thread that receives.
      try? channel.send(WorkerReply.finished(number: item.number, CaseFindings(result)))
    }
  }

  private func takeJob() -> Job? {
    state.withLock { state in
      guard state.next < state.jobs.count else { return nil }
      let job = state.jobs[state.next]
      state.next += 1
      if state.next == state.jobs.count || state.next >= 256 {
        state.jobs.removeFirst(state.next)
        state.next = 0
      }
      return job
    }
  }
}
