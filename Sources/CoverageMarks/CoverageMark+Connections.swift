private let accepts = MarkedFile("CocoaAsyncSocket/DescriptorDriver+Accepting.swift")
private let commands = MarkedFile("CocoaAsyncSocket/DescriptorDriver+Commands.swift")
private let resolving = MarkedFile("CocoaAsyncSocket/DescriptorDriver+Resolving.swift")
private let lingering = MarkedFile("CocoaAsyncSocket/LingeringClose.swift")
private let lingerLimit = MarkedFile("SocketCore/LingerLimit.swift")
private let unixFile = MarkedFile("CocoaAsyncSocket/UnixListenerFile.swift")
/// Out of descriptors is a word of the simulated world.
private let withoutDescriptors = CoverageMark.Demand.simulated(
  "a case without descriptors would take its neighbours' away")
private let listener = MarkedFile("SocketCore/ListenerMachine.swift")
private let race = MarkedFile("SocketCore/ConnectRace.swift")
private let connect = MarkedFile("SocketCore/SocketMachine+Connecting.swift")
private let machine = MarkedFile("SocketCore/SocketMachine.swift")
private let loop = MarkedFile("SocketPOSIX/EventLoop.swift")
private let turns = MarkedFile("SocketPOSIX/EventLoop+Iterations.swift")
private let lending = MarkedFile("SocketPOSIX/EventLoop+Lending.swift")
private let handlers = MarkedFile("SocketPOSIX/HandlerTable.swift")
private let deadlines = MarkedFile("SocketPOSIX/DeadlineTable.swift")
private let poller = MarkedFile("SocketPOSIX/Poller.swift")
private let pool = MarkedFile("SocketPOSIX/LookupPool.swift")
private let schedule = MarkedFile("SocketPOSIX/LookupSchedule.swift")

// Listening, connecting, closing, and the loop below them.
extension CoverageMark {
  static let accepting: [CoverageMark] = [
    CoverageMark(
      "accept-budget", "So many clients wait that a listener accepts the rest in another turn", .kernel,
      accepts.after("guard left > 0 else {")),
    CoverageMark(
      "accept-fails", "Accepting fails: descriptors or memory are used up",
      .none("a case without descriptors would take its neighbours' away; a test has a process of its own for it"),
      accepts.before("guard machine.acceptFailed(error.code")),
    CoverageMark(
      "accept-pauses", "A listener pauses before it accepts again", withoutDescriptors,
      listener.before("retryAt = now.after(seconds: Self.pause)")),
    CoverageMark(
      "accept-resumes", "The pause is over", withoutDescriptors, listener.before("retryAt = nil\n    return true")),
    CoverageMark(
      "accept-one-failed", "A client fails before it is accepted, and the next one is taken",
      .none("Linux reports such a client only where its protocol or network has failed"),
      listener.after("guard !Self.concernsOneClient.contains(errno) else {")),
    CoverageMark(
      "second-family-fails", "The second family can't be bound, and the first is given back", .kernel,
      accepts.before("if address.family == .ipv6, addresses.mayDoWithoutIPv6", if: "!bound.isEmpty")),
    CoverageMark(
      "port-tried-again", "A port of the kernel's choice is taken in the other family, and another one is tried",
      .none("the kernel chooses, and it takes a port that only IPv6 uses now and then"),
      accepts.after("addresses.ipv4 != nil, addresses.ipv6 != nil\n        else { break }")),
    CoverageMark(
      "without-ipv6", "A listener does without IPv6", .none("the host has IPv6"),
      accepts.after("addresses.mayDoWithoutIPv6(error.code) {")),
    CoverageMark(
      "path-taken-over", "A listener's file is another's by now, and stays", .kernel,
      unixFile.after("status.st_dev == device, status.st_ino == inode else {")),
    CoverageMark(
      "path-is-a-file", "Something that is no socket is where a listener wants to be", .kernel,
      unixFile.before("throw .other(\"There is a file at")),
    CoverageMark(
      "child-ended-in-callback", "A child is closed before it comes to life", .both,
      MarkedFile("SocketCore/SocketEngine+Calls.swift").after("guard isInactive else {")),
  ]

  static let connecting: [CoverageMark] = [
    CoverageMark(
      "connect-fails-at-once", "The call to connect fails itself", .kernel,
      commands.before("discard(attempt)\n      engine.attemptFailed(attempt, SocketFailure(error))")),
    CoverageMark(
      "backlog-full", "A Unix-domain listener has no room, and the attempt will be begun again", .kernel,
      commands.after("if error.code == EAGAIN {")),
    CoverageMark(
      "local-address-fails", "The local address of an attempt can't be bound", .kernel,
      commands.before("return SocketFailure(error)\n    }\n  }\n\n  /// Starts to connect.")),
    CoverageMark(
      "deadline-looks-at-attempts", "The connect timeout has come: what is connected by now wins over it", .kernel,
      commands.before("for attempt in attempts.keys.sorted")),
    CoverageMark(
      "alternate-after-head-start", "The other address is tried because the first takes long", .both,
      race.before("alternateAt = nil\n    return commands + launch(1)")),
    CoverageMark(
      "alternate-after-failure", "The other address is tried because the first has failed", .both,
      race.before("alternateAt = nil\n      return (launch(waiting), .undecided)")),
    CoverageMark(
      "one-of-two-fails", "One of two attempts fails while the other runs", .both,
      race.before("return ([], states.contains(.running)", if: "states.contains(.running)")),
    CoverageMark(
      "both-fail", "Both addresses have failed", .both,
      race.before("return ([], states.contains(.running)", if: "states.count == 2 && !states.contains(.running)")),
    CoverageMark(
      "pause-grows", "An attempt finds no room for the second time", .kernel,
      race.before("let pause = retries[attempt.index].map", if: "retries[attempt.index] != nil")),
    CoverageMark(
      "loser-abandoned", "An attempt wins while the other one runs", .both,
      connect.before(
        "commands += race.running.filter { $0 != attempt }", if: "race.running.contains { $0 != attempt }")),
    CoverageMark(
      "late-success", "An attempt succeeds that nobody waits for",
      .none("an attempt that is given up is closed in the same step, so only a race within one turn comes here"),
      connect.before("return commands.append(.abandon(attempt))")),
    CoverageMark(
      "late-lookup", "A lookup's answer comes when nobody waits for it",
      .simulated("the driver forgets a lookup with the start that it was for"),
      connect.after("case .resolving(var resolution, let stream) = phase else {")),
    CoverageMark(
      "no-usable-family", "A host has addresses of disabled families only", .both,
      connect.after("guard !enabled.isEmpty else {")),
    CoverageMark(
      "interface-lacks-family", "The interface has no address of a family that the host has", .both,
      connect.after("guard !bound.isEmpty else {")),
    CoverageMark(
      "timeout-while-resolving", "The connect timeout comes while the host is looked up", .both,
      connect.before("finish(.connectTimeout) }\n    case .connecting")),
    CoverageMark(
      "timeout-while-connecting", "The connect timeout comes while an attempt runs", .both,
      connect.before("finish(.connectTimeout)\n      } else {")),
    CoverageMark(
      "disconnect-while-resolving", "A socket is disconnected while its host is looked up", .both,
      machine.after("case .resolving(let resolution, _):\n      if resolution.isUnderWay {")),
    CoverageMark(
      "end-while-alternate-runs", "A start ends while both of its attempts run", .both,
      machine.before("commands += race.running.map { .abandon($0) }", if: "race.running.count > 1")),
  ]

  static let closing: [CoverageMark] = [
    CoverageMark(
      "final-bytes-at-once", "close_notify leaves with a plain disconnect", .kernel,
      commands.before("LingeringClose.begin(open, finalBytes: finalBytes, maxInput", if: "!finalBytes.isEmpty")),
    CoverageMark(
      "lingering", "A close lingers because something could be lost", .kernel,
      lingering.before("let closing = LingeringClose(")),
    CoverageMark(
      "lingering-final-bytes", "A close lingers with bytes of TLS that the kernel has no room for",
      .none("what the kernel has room for at that moment differs from run to run"),
      lingering.before("let closing = LingeringClose(", if: "!finalBytes.isEmpty")),
    CoverageMark(
      "lingering-broken", "A close finds the connection broken already", .kernel,
      lingering.after("guard send(&finalBytes, on: socket.number) else {")),
    CoverageMark(
      "lingering-progress", "The peer takes some of what a close waits for", .kernel,
      lingerLimit.after("if left < outstanding {")),
    CoverageMark(
      "lingering-given-up", "A close gives up: the peer has taken nothing for five seconds", .kernel,
      lingerLimit.before(
        "guard inputLeft >= 0, let end = deadline()", if: "left > 0 && now >= deadline() ?? now")),
    CoverageMark(
      "lingering-for-silence", "The peer has everything and still sends when a close could have been over", .kernel,
      lingerLimit.after("guard let inputAt else { return nil }")),
    CoverageMark(
      "lingering-much-input", "A peer sends so much into a lingering close that it is not read in one go",
      .none("the peer must send as fast as the socket throws away"),
      lingering.before("input.rest = .more", if: "input.count <= limit")),
  ]

  static let looping: [CoverageMark] = [
    CoverageMark(
      "loan", "The loop lends its thread to a queue", .kernel,
      lending.before("let begin = beginLoan()\n    body { goOn(")),
    CoverageMark(
      "loan-next-call", "The next call of the loop is made inside the loan", .kernel,
      lending.before("call.make(in: identity, as: thread)")),
    CoverageMark(
      "loan-next-work", "Work that was brought up is done in a loan that there is already", .kernel,
      lending.before("work.run()\n        }\n        made")),
    CoverageMark(
      "work-behind-a-slow-call", "Work waits behind a callback that keeps the thread, and is handed over", .kernel,
      lending.before("work.handOver()\n      if let", if: "!work.isEmpty")),
    CoverageMark(
      "loan-other-group", "The next call is of another queue's socket, and stays behind the loan", .kernel,
      turns.after("guard state.handlers.group(at: index) == group else {")),
    CoverageMark(
      "loan-handler-gone", "An event inside a loan is for a socket that is gone",
      .none("it takes another thread that closes a socket between two instructions of the loop"),
      turns.before("state.takeNext(token, readiness)\n          continue")),
    CoverageMark(
      "loan-over", "A loan ends because its queue was slow or has had its time", .kernel,
      lending.after("now.nanoseconds - begin.nanoseconds < Loan.longest else {")),
    CoverageMark(
      "slow-queue", "A queue's turn was slow: the next ones go to threads of its own", .kernel,
      MarkedFile("CocoaAsyncSocket/SharedQueue.swift").before("let now = pause.load(ordering: .relaxed)\n    left")),
    CoverageMark(
      "thread-replaced", "A loop whose thread is away gets a new one", .kernel,
      lending.before("loan.isOverdue.store(true, ordering: .relaxed)")),
    CoverageMark(
      "deadline-looked-after", "The thread is away in a call about a deadline, which is made again",
      .none("only the end of a user's object, which the call let go of last, keeps the thread there"),
      turns.after("case .deadline(let id):", if: "handlers.contains(id)")),
    CoverageMark(
      "thread-back", "A thread that was replaced comes back", .kernel, turns.before("loan.threadIsBack()")),
    CoverageMark(
      "polling", "A loop polls instead of sleeping, and finds something", .kernel,
      turns.after("if batch.count > 0 {")),
    CoverageMark(
      "polling-in-vain", "A loop polls and finds nothing", .kernel, turns.before("polling.polled(inVain: true)")),
    CoverageMark(
      "polling-given-up", "A loop stops polling because it was too often in vain", .kernel,
      MarkedFile("SocketPOSIX/BusyPolling.swift").after("guard credit < 0 else { return }")),
    CoverageMark(
      "second-wake-up", "A socket asks to be woken for two things at once",
      .none("two threads must ask within one turn of the loop"), handlers.after("default:")),
    CoverageMark(
      "wake-up-inherited", "A place of the loop's table is given away with a wake-up of its former owner under way",
      .none("a socket must end between a wake-up and the turn of the loop that brings it"),
      handlers.before(
        "places[index] = Place(count: places[index].count + 1)", if: "places[index].wakeupKey != nil")),
    CoverageMark(
      "event-for-nobody", "An event comes for a socket that is gone",
      .none("it takes another thread that closes a socket between two instructions of the loop"),
      loop.after("guard let index = handlers.index(of: token >> 16) else {")),
    CoverageMark(
      "deadline-later", "A deadline is moved to a later instant", .kernel,
      deadlines.before("slots[id]?.deadline = deadline\n    } else {")),
    CoverageMark(
      "deadline-earlier", "A deadline is moved to an earlier instant", .kernel,
      deadlines.after("} else {", if: "slots[id] != nil")),
    CoverageMark(
      "deadlines-compacted", "Dead deadlines are thrown away",
      .none("it takes hundreds of cases that share a loop"), deadlines.before("heap = Heap(slots.map")),
    CoverageMark(
      "batch-full", "One wait brings as many events as there is room for",
      .none("it takes hundreds of busy sockets on one loop"),
      poller.after("count = Int(outcome)", if: "outcome == events.count")),
  ]

  static let lookingUp: [CoverageMark] = [
    CoverageMark(
      "lookup-given-up", "A lookup is given up by the socket that asked for it", .kernel,
      resolving.before("Lookups.pool.cancel(ticket)")),
    CoverageMark(
      "lookup-never-begun", "A lookup is given up before it has begun, and never begins", .kernel,
      schedule.before("forget(ticket.job, job)\n    if var domain")),
    CoverageMark(
      "lookup-goes-on-unwanted", "A lookup is given up while it runs, or by one of several who wait for it", .kernel,
      schedule.after("guard job.waiters.isEmpty, !job.isRunning else {")),
    CoverageMark(
      "lookup-shared", "Somebody asks for a name that is being looked up, and shares the answer",
      .none("names that a scenario defines have answers of their own; tests of the library have it"),
      schedule.after("if let sharedName, let job = shared[sharedName] {")),
    CoverageMark(
      "resolver-thread-ends", "A resolver's thread has had nothing to do and ends", .kernel,
      pool.before("threadCount -= 1\n    pthread_mutex_unlock(mutex)")),
    CoverageMark(
      "lookup-fails", "A name has no address", .both,
      connect.after("switch result {\n    case .failure(let failure):")),
  ]
}
