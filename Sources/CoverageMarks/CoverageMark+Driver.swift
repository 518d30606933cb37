private let entering = MarkedFile("CocoaAsyncSocket/SocketDriver+Entering.swift")
private let serving = MarkedFile("CocoaAsyncSocket/SocketDriver+Serving.swift")
private let driverLoop = MarkedFile("CocoaAsyncSocket/SocketDriver+Loop.swift")
private let streamingCalls = MarkedFile("CocoaAsyncSocket/SocketDriver+Calls.swift")
private let descriptors = MarkedFile("CocoaAsyncSocket/DescriptorDriver.swift")
private let grace = MarkedFile("SocketCore/ClosingGrace.swift")
private let callerBuffer = MarkedFile("CocoaAsyncSocket/CallerBuffer.swift")
private let spot = MarkedFile("SocketCore/StreamMachine+FastPath.swift")
private let mailbox = MarkedFile("SocketCore/Mailbox.swift")
private let deferral = MarkedFile("SocketCore/Deferral.swift")
private let calls = MarkedFile("SocketCore/SocketEngine+Calls.swift")
private let draining = MarkedFile("SocketCore/SocketEngine+Draining.swift")
private let inbox = MarkedFile("SocketCore/SocketEngine+Inbox.swift")
private let passes = MarkedFile("SocketCore/SocketEngine+Passes.swift")
private let work = MarkedFile("CocoaAsyncSocket/SocketDriver+LentWork.swift")

// What the driver does on the fast path, puts off, and tells.
extension CoverageMark {
  static let fastPath: [CoverageMark] = [
    CoverageMark(
      "fast-path-tried", "Readiness may be served without a pass: the connection is plain and its lane idle", .both,
      passes.before("guard let lane = mailbox.idleLane(on: queue),")),
    CoverageMark(
      "fast-path-read", "A read is completed on the fast path, by the receive that brings its bytes", .both,
      spot.before("removeRead()\n      prebuffer.append(")),
    CoverageMark(
      "fast-path-read-with-rest", "That receive brings more than the read takes", .both,
      spot.before("removeRead()\n      prebuffer.append(", if: "length < bytes.count")),
    CoverageMark(
      "fast-path-read-unfinished", "A receive on the fast path brings too little for the read", .both,
      spot.before("prebuffer.append(bytes)\n        return nil")),
    CoverageMark(
      "fast-path-room-filled", "A receive on the fast path fills all the room there is, so more may wait", .race,
      spot.before("if count < room.count, shortMeansEmpty { mayReceive = false }", if: "count == room.count")),
    CoverageMark(
      "fast-path-read-finds-end", "A receive on the fast path finds the end of the peer's stream",
      .none("the loop tells of a FIN beforehand, which makes it a pass; only a FIN in between is found so"),
      spot.after("case .endOfStream:")),
    CoverageMark(
      "fast-path-read-buffered", "A read queued in a callback is completed at once from what is buffered", .both,
      spot.before("removeRead()\n    return (prebuffer.drop(length)")),
    CoverageMark(
      "fast-path-write", "A write is completed on the fast path", .both,
      spot.after("guard let tag = writes.withFirst({ $0.sent(count) }) else { return nil }")),
    CoverageMark(
      "fast-path-write-partly", "The kernel takes a part of a write on the fast path", .race,
      spot.before("operation.done = count\n")),
    CoverageMark(
      "fast-path-write-blocked", "The kernel takes nothing of a write on the fast path",
      .none("the kernel has room until it says otherwise, but for a write that fills it to the last byte"),
      spot.after("case .wouldBlock, .endOfStream:")),
    CoverageMark(
      "fast-path-write-fails", "A write on the fast path fails: the peer has reset the connection", .race,
      spot.before("failedSend = result")),
    CoverageMark(
      "lent-write-copied", "The kernel leaves a part of a large write, whose memory was lent until then", .kernel,
      streamingCalls.before("if let copy { block.keep(copy) }")),
    CoverageMark(
      "gathered-writes", "Several writes leave in one system call", .kernel,
      MarkedFile("CocoaAsyncSocket/OpenSocket.swift").before(
        "return withUnsafeTemporaryAllocation(of: iovec.self, capacity: pieces.count)")),
    CoverageMark(
      "buffer-grows", "A caller's buffer is too small for what is read into it", .kernel,
      callerBuffer.after("if buffer.length < end {")),
    CoverageMark(
      "memory-handed-over", "A read of a kilobyte or more hands its memory over without a copy", .kernel,
      callerBuffer.after("} else if let memory = block.release(), let base = memory.baseAddress {")),
  ]

  static let deferring: [CoverageMark] = [
    CoverageMark(
      "deferred-write-loop-told", "A write in a callback amid many events waits, and the loop is told of it", .race,
      calls.before("needs.insert(.fallback)\n    return false")),
    CoverageMark(
      "deferred-writes-many", "So many writes of callbacks wait that they leave though more is in line",
      .none("so many callbacks of the lab's delegate take longer than writes wait"),
      deferral.after("if writes >= Self.maxWrites {")),
    CoverageMark(
      "deferred-writes-long", "Writes of callbacks have waited so long that they leave though more is in line",
      .none("it depends on how long callbacks take"),
      deferral.before(
        "return now.nanoseconds - since.nanoseconds > Self.maxNanoseconds",
        if: "now.nanoseconds - since.nanoseconds > Self.maxNanoseconds")),
    CoverageMark(
      "deferred-done-at-block-end", "What a callback put off is done though its lane goes on in another block", .race,
      draining.after("} else if isFree, deferral.isPending {", if: "mailbox.count(in: draining.lane) > 0")),
    CoverageMark(
      "deferred-done-for-order", "What was put off is done in front of a call that could show the order", .kernel,
      entering.after("if engine.hasDeferredWork {")),
    CoverageMark(
      "callback-over-in-perform", "A callback with something put off returns while another thread has the socket",
      .none("a scenario has one thread, and its perform blocks take no time; tests of the library have it"),
      draining.before("draining.owesPass = false\n      keepPass()")),
    CoverageMark(
      "loop-postponed-by-perform", "What the loop brings waits for the end of a perform block", .kernel,
      driverLoop.before("keepLocked(trigger)\n      return lock.unlock()")),
    CoverageMark(
      "postponed-work", "What waited for a perform block is done at its end", .kernel,
      entering.after("if lock.endOwning(), engine.keepsSomething {")),
    CoverageMark(
      "call-waits-for-perform", "A call waits for another thread's perform block",
      .none("a scenario has one thread, and its perform blocks take no time; tests of the library have it"),
      MarkedFile("CocoaAsyncSocket/SocketLock.swift").before(
        "while owner != 0, owner != own", if: "owner != 0 && owner != own")),
    CoverageMark(
      "perform-on-inactive-child", "A perform block runs on a child that has not come to life yet", .race,
      calls.before("return isInactive && machine.hasUnsentWrites", if: "isInactive")),
    CoverageMark(
      "last-offer", "What is queued to be written is offered to the kernel once more before a plain end", .kernel,
      descriptors.after("guard engine.owesExchange, let stream else { return }")),
    CoverageMark(
      "grace-ends-with-callback", "An end of the peer's has waited for the callback that wrote", .race,
      grace.before("defer { self = ClosingGrace() }\n    return holds", if: "holds")),
    CoverageMark(
      "grace-ends-with-time", "An end of the peer's has waited ten milliseconds for a thread that wrote", .both,
      grace.after("guard let end, end <= now else { return false }")),
    CoverageMark(
      "grace-ends-with-write", "An end of the peer's waits, and whoever wrote writes again", .race,
      grace.after("guard !holds else {")),
  ]

  static let delivering: [CoverageMark] = [
    CoverageMark(
      "end-behind-older-lane", "didDisconnect waits for events on a queue that the socket had before", .both,
      mailbox.before(
        "if first.isTerminal { return", if: "first.isTerminal && older.contains { !$0.envelopes.isEmpty }")),
    CoverageMark(
      "end-behind-running-callback", "didDisconnect waits for a callback that still runs on a former queue", .both,
      mailbox.before(
        "if first.isTerminal { return",
        if: "first.isTerminal && older.allSatisfy { $0.envelopes.isEmpty } && older.contains { $0.isBusy }")),
    CoverageMark(
      "lane-behind-its-queues-older", "An event waits for an older one of the same queue, with another queue between",
      .both,
      mailbox.before(
        "    return older.allSatisfy {\n",
        if: "older.contains { !$0.envelopes.isEmpty && isSameQueue($0.queue, lanes[index].queue) }")),
    CoverageMark(
      "lane-goes-on-in-another-block", "Events let blocks run first that their caller has put on the queue", .both,
      mailbox.after("guard known[0].envelopesLeft > 0 else {")),
    CoverageMark(
      "told-to-nobody", "Something happens and there is no delegate or queue to tell", .kernel,
      entering.after("guard let delegate = holdDelegate(), let delegateQueue else {")),
    CoverageMark(
      "start-told-late", "The outcome of a start is known within a millisecond, and told after it", .kernel,
      serving.before("queue.asyncAfter(deadline: .now()")),
    CoverageMark(
      "lane-hurried", "disconnect puts an event on its queue that waited for its turn", .both,
      calls.before("for (block, queue) in delayedBlocks {", if: "!delayedBlocks.isEmpty")),
    CoverageMark(
      "told-before-returning", "disconnect delivers what waits on the delegate queue itself, inline", .kernel,
      serving.after("if here == queue.identity {")),
    CoverageMark(
      "told-by-a-hop", "disconnect delivers what waits by a synchronous hop", .kernel,
      serving.before("queue.sync { deliver(share, of: holder, callers) }")),
    CoverageMark(
      "readiness-collected", "Readiness meets some of the same kind that waits for the socket queue", .both,
      inbox.before("inbox.parts.insert(WatchedParts(part))", if: "inbox.parts.contains(WatchedParts(part))")),
    CoverageMark(
      "deadline-on-socket-queue", "A deadline is handled on the socket queue", .both,
      inbox.after("if inbox.isDeadlineDue {")),
    CoverageMark(
      "stale-readiness", "Readiness of an earlier connection meets the next one",
      .none("it takes an event that the loop has fetched when another thread closes the descriptor"),
      descriptors.after("key == self.key(part) else {", if: "machine.isConnected")),
    CoverageMark(
      "turn-follows", "The loop's thread makes the turn that a callback has asked for, when that has returned", .kernel,
      work.before("turn(nil, nil)\n  }")),
    CoverageMark(
      "turn-taken-up", "Whoever goes to the socket queue himself finds a turn that was asked for", .race,
      calls.after("if turnRequest != .none, mayAdvanceHere {")),
    CoverageMark(
      "let-go-in-loan", "A user's object is let go of by the loop's thread, which goes on whatever its end does",
      .kernel,
      driverLoop.before("attachment.loop.lend { held = Held() }")),
    CoverageMark(
      "let-go-elsewhere", "A user's object is let go of on another thread, because the loop's has been lent too much",
      .kernel, driverLoop.before("DispatchQueue.global().async { last.held = nil }")),
    CoverageMark(
      "abandoned-open", "Nobody holds a connected socket any more", .kernel,
      MarkedFile("CocoaAsyncSocket/SocketDriver.swift").before(
        "exchangeBeforeEnd()\n      delegate = nil", if: "machine.isConnected")),
  ]
}
