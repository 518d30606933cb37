import DequeModule
import ScenarioModel
import ScenarioRunner
import SocketCore
import SocketValues

/// One case in the simulated world: all its sockets, queues and peers, and the virtual time they live in.
///
/// Single-threaded. Code that runs at an instant does everything that happens at that instant; work that takes time
/// becomes an event of the timeline. `currentQueue` says on which virtual queue the present code would run.
final class SimulatedCase {
  let setup: CaseSetup
  let faults: LinkFaults
  /// Those that all sockets take; nil: drawn.
  let shortcuts: SocketEngine.Shortcuts?
  let timeline: VirtualTimeline
  var network = SimulatedNetwork()
  /// The subject's process can open no more.
  var isOutOfDescriptors = false
  var links: [SimulatedLink] = []
  var connects: [SimulatedConnect] = []
  var lookups: [Lookup] = []
  var queues: [VirtualQueue] = []
  var runLoops: [VirtualRunLoop] = []
  var subjects: [SimulatedSubject] = []
  var peers: [SimulatedPeer] = []
  var delegates = [SimulatedDelegate(name: "delegate")]
  /// The callers' buffers by name, in the order of first use.
  var buffers: [(name: String, bytes: [UInt8])] = []
  var outbox = Deque<WorldEvent>()
  /// The queue whose block runs; nil: the lab's own thread, or the library's loop.
  var currentQueue: VirtualQueue?
  /// The run loop whose thread runs the code; nil: the lab's own thread.
  var currentLoop: VirtualRunLoop?
  /// The subjects inside whose callbacks the running code is, innermost last, each with the lane and the queue.
  var callbackStack: [(subject: SimulatedSubject, lane: SocketEngine.Box.LaneID?, queue: VirtualQueue?)] = []
  /// The queues that those hold who deliver before their disconnect returns.
  var heldQueues: [VirtualQueue] = []
  /// Synchronous hops that have been made, by number, and those of which the caller waits that are over.
  var hopCount = 0
  var finishedHops: Set<Int> = []
  /// Room for what is received on the fast path.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  var childCount = 0
  let hasReactions: Bool
  private var connecting: SeededRandom
  /// Of all that is drawn.
  let draws: DrawSource

  struct Lookup {
    var subject: Int
    var id: LookupID
    var result: Result<[SocketAddress], SocketFailure>
  }

  init(_ setup: CaseSetup, faults: LinkFaults, shortcuts: SocketEngine.Shortcuts?) {
    self.setup = setup
    draws = DrawSource(seed: setup.seed, schedule: setup.scenario.schedule)
    self.faults = faults
    self.shortcuts = shortcuts
    timeline = VirtualTimeline(
      ties: faults.shufflesTies ? SeededRandom(seed: draws, concern: .ties, index: 0) : nil)
    connecting = SeededRandom(seed: draws, concern: .connecting, index: 0)
    hasReactions = !setup.scenario.reactions.isEmpty
  }

  deinit { scratch.deallocate() }

  var now: Instant { Instant(nanoseconds: timeline.now) }

  func connectDelay() -> Int64 { connecting.pick(faults.connectDelay) }

  // MARK: Events

  func emit(_ kind: WorldEvent.Kind, position: SourcePosition? = nil) {
    outbox.append(WorldEvent(at: .nanoseconds(timeline.now), kind: kind, position: position))
  }

  /// The next thing the runner can see before the deadline; nil with time moved there if there is none.
  func nextEvent(before deadline: Int64) -> WorldEvent? {
    while true {
      if let event = outbox.popFirst() { return event }
      guard let event = timeline.next(before: deadline) else {
        timeline.pass(to: deadline)
        return nil
      }
      happen(event)
    }
  }

  /// Lets everything happen that happens before the instant, without the runner: inside a call that takes time.
  func pass(to instant: Int64) {
    while let event = timeline.next(before: instant) { happen(event) }
    timeline.pass(to: instant)
  }

  func happen(_ event: SimulationEvent) {
    let outer = (currentQueue, currentLoop, callbackStack)
    (currentQueue, currentLoop, callbackStack) = (nil, nil, [])
    defer { (currentQueue, currentLoop, callbackStack) = outer }
    switch event {
    case .deliver(let link, let side): announce(links[link].deliver(to: side), links[link], side)
    case .wake(let link, let side): wake(links[link], side)
    case .linger(let link, let side): links[link].lookAtLingering(side)
    case .connect(let attempt): connectArrives(attempt)
    case .lookup(let lookup): lookupAnswers(lookup)
    case .loop(let subject): loopCalls(subjects[subject])
    case .deadline(let subject): deadlineComes(subjects[subject])
    case .put(let subject, let block, let queue): put(.step(subject: subject, block), on: queues[queue])
    case .overdue(let subject): loopGoesOn(without: subjects[subject])
    case .runQueue(let queue): run(queues[queue])
    case .resumeQueue(let queue): resume(queues[queue])
    case .serveNext(let loop): serveNext(runLoops[loop])
    case .unwind(let loop): unwind(runLoops[loop])
    }
  }

  // MARK: Readiness

  private func announce(_ changes: LinkChanges, _ link: SimulatedLink, _ side: LinkSide) {
    if !changes.isDisjoint(with: [.bytes, .fin, .reset, .spurious]) {
      switch link[side].owner {
      case .subject(let index):
        var hints: Readiness = .readable
        if changes.contains(.fin) { hints.insert(.peerClosed) }
        if changes.contains(.reset) { hints.formUnion([.peerClosed, .broken, .writable]) }
        // A local stream whose other end is closed hangs up.
        if link.isLocal, changes.contains(.fin), link[side.other].isClosed { hints.formUnion([.broken, .writable]) }
        signal(hints, to: subjects[index])
      case .peer(let index): serve(index, link)
      case .nobody, .underWay: break
      }
    }
    guard changes.contains(.room) else { return }
    switch link[side.other].owner {
    case .subject(let index): signal(.writable, to: subjects[index])
    case .peer(let index): serve(index, link)
    case .nobody, .underWay: break
    }
  }

  private func wake(_ link: SimulatedLink, _ side: LinkSide) {
    link[side].isWakeScheduled = false
    switch link[side].owner {
    case .subject(let index): signal(.writable, to: subjects[index])
    case .peer(let index): serve(index, link)
    case .nobody, .underWay: break
    }
  }

  func signal(_ hints: Readiness, to subject: SimulatedSubject) {
    subject.inbox.hints.formUnion(hints)
    subject.inbox.isSignalled = true
    requestLoop(subject)
  }

  // MARK: Queues

  func makeQueue(name: String?) -> VirtualQueue {
    let queue = VirtualQueue(id: queues.count, name: name, seed: draws)
    queues.append(queue)
    return queue
  }

  /// The queue scenarios know by this name, made on first use.
  func queue(named name: String) -> VirtualQueue { queues.first { $0.name == name } ?? makeQueue(name: name) }

  func put(_ block: VirtualQueue.Block, on queue: VirtualQueue) {
    queue.blocks.append(block)
    scheduleNext(queue)
  }

  /// Has the queue start its next block soon, if it can.
  func scheduleNext(_ queue: VirtualQueue) {
    guard queue.canStart, !queue.isScheduled else { return }
    queue.isScheduled = true
    timeline.schedule(after: queue.random.pick(faults.dispatchLatency), .runQueue(queue.id))
  }

  private func run(_ queue: VirtualQueue) {
    queue.isScheduled = false
    guard queue.canStart else { return }
    runBlock(of: queue)
  }

  private func runBlock(of queue: VirtualQueue) {
    let block = queue.blocks.removeFirst()
    occupy(queue) {
      switch block {
      case .lane(let subject, let block): return drain(block, of: subjects[subject])
      case .step(let subject, let block):
        let engine = subjects[subject].engine
        if engine.takeDelayed(block) { put(.lane(subject: subject, block), on: queue) }
        return true
      case .share(let subject, let share, let hop, let callers):
        return deliver(share, of: subjects[subject], hop, callers)
      case .turn(let subject): return takeTurn(subjects[subject], queue)
      }
    }
  }

  private func resume(_ queue: VirtualQueue) {
    guard var (run, delivery) = queue.held else { return }
    queue.held = nil
    occupy(queue) {
      if let still = delivery.take(), let next = proceed(still, isInline: false) {
        queue.held = (run, next)
        return false
      }
      return drain(&run)
    }
  }

  /// Runs code as a block of the queue; it says whether it is finished or holds.
  func occupy(_ queue: VirtualQueue, _ body: () -> Bool) {
    let outer = currentQueue
    currentQueue = queue
    queue.isOccupied = true
    let isFinished = body()
    currentQueue = outer
    guard isFinished else { return }
    queue.isOccupied = false
    scheduleNext(queue)
  }

  /// Runs code on the queue before going on, as a synchronous hop does: behind everything that is on the queue already.
  /// False if that would wait for ever.
  func hop(to queue: VirtualQueue, _ body: () -> Void) -> Bool {
    guard currentQueue !== queue else {
      body()
      return true
    }
    let limit = timeline.now.addingReportingOverflow(setup.scenario.limit.clampedNanoseconds).partialValue
    while true {
      guard queue.suspensions == 0 else { return false }
      if queue.isOccupied {
        guard let event = timeline.next(before: limit) else { return false }
        happen(event)
      } else if queue.blocks.isEmpty {
        break
      } else {
        runBlock(of: queue)
      }
    }
    occupy(queue) {
      body()
      return true
    }
    return true
  }
}

extension Duration {
  /// Whole nanoseconds, rounded down; what does not fit becomes the nearest that does.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carries) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carries ? .max : sum
  }
}
