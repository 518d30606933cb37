import CaseWorkers
import Foundation
import ScenarioModel
import ScenarioRunner
import SocketPOSIX
import SubjectAdapters
import SubjectPrograms
import Synchronization

/// The cases of one worker and the threads that run them, `width` at a time, in the order in which they came.
package final class CaseWorker: Sendable {
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

  /// The verb with which the lab's program starts as a worker.
  package static let verb = "worker"

  /// Where a worker finds its end of the channel.
  package static let descriptor: Int32 = 3

  /// Runs what is asked for over the descriptor until the other end is closed. Throws what it does not understand.
  package static func serve(_ descriptor: Int32) throws {
    CrashSignals.install()
    let channel = MessageChannel(descriptor: descriptor)
    do {
      guard case .setUp(let setUp) = try channel.receive(WorkerRequest.self) else {
        throw LabFailure("the first message must set it up")
      }
      // A worker with one case at a time keeps little, and returning it to the system after each case would cost time.
      if setUp.width > 1 { AllocatorPolicy.returnLargeBlocks() }
      // This process has no children but the subjects.
      if !setUp.programs.isEmpty { StrayProcesses.adopt() }
      // Before the first thread: those that are made later are in the same network.
      let network = setUp.hasOwnNetwork ? HostNetwork.enterOwn() : .shared
      let worker = CaseWorker(setUp, network: network, channel: channel)
      // A run that was killed can't end them.
      defer { worker.endSubjects() }
      while true { worker.take(try channel.receive(WorkerRequest.self)) }
    } catch MessageChannel.Trouble.ended {}
  }

  private let setUp: WorkerSetUp
  private let player: CasePlayer
  private let channel: MessageChannel
  private let state = Mutex(State())
  private let work = DispatchSemaphore(value: 0)

  private init(_ setUp: WorkerSetUp, network: HostNetwork, channel: MessageChannel) {
    self.setUp = setUp
    self.channel = channel
    player = CasePlayer(jitter: setUp.jitter, network: network, programs: setUp.programs)
    for number in 0..<setUp.width {
      let thread = Thread { [self] in loop() }
      thread.name = "lab-case-\(number)"
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  private func take(_ request: WorkerRequest) {
    switch request {
    case .setUp: break
    case .run(let block):
      // All cases of the block share the script; it goes with the last of them.
      let script = CaseScript(block.scenario, profile: setUp.profile)
      state.withLock { $0.jobs += block.items.map { Job(script: script, item: $0) } }
      for _ in block.items { work.signal() }
    case .measure(let baseline, let settleTimeout, let keepsPrograms):
      let programs = ResourceProbe.settledPrograms(baseline, settleTimeout: settleTimeout) {
        player.pool.holdings
      }
      var reading: ResourceReading
      if keepsPrograms {
        reading = ResourceProbe.read()
      } else {
        // Idle subjects must not count as a leak of the last case.
        player.pool.drain()
        tellExits()
        reading = ResourceProbe.settled(baseline, settleTimeout: settleTimeout)
      }
      reading.programs = programs
      try? channel.send(WorkerReply.measured(reading))
    }
  }

  /// Reports how subjects have ended, and the processes that they have left running, also those without the subject's
  /// mark: no case is under way, so a child of this process is an orphan.
  private func tellExits() {
    guard !setUp.programs.isEmpty else { return }
    var exits = player.pool.takeExits()
    let orphans = StrayProcesses.endOrphans()
    if !orphans.isEmpty {
      let names = setUp.programs.keys.sorted().joined(separator: " or ")
      exits[names, default: SubjectExit()] += SubjectExit(leftRunning: orphans)
    }
    if !exits.isEmpty { try? channel.send(WorkerReply.exits(exits)) }
  }

  /// Ends the subjects, and everything that they have left running.
  private func endSubjects() {
    guard !setUp.programs.isEmpty else { return }
    player.pool.drain()
    StrayProcesses.endOrphans()
  }

  private func loop() {
    SignalStack.install()
    while true {
      work.wait()
      guard let job = takeJob() else { continue }
      let item = job.item
      var (result, lateness) = player.run(job.script, variant: item.variant, world: item.world, seed: item.seed)
      if result.isAsExpected, !result.canary, !item.keepsTrace { result = result.withoutTrace }
      // A run that is gone is noticed by the thread that receives.
      try? channel.send(WorkerReply.finished(number: item.number, CaseFindings(result, lateness: lateness)))
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
