import FuzzHarness
import ReferenceModel
import SocketCore

extension Lockstep {
  /// Both have come to rest: what was told must be the same, and what can be asked.
  mutating func compare() throws(Violation) {
    var place = 0
    for event in fresh {
      switch event {
      case .didReadPartial(let count, let tag, _): try Self.add(count, tag, to: &readPartials)
      case .didWritePartial(let count, let tag): try Self.add(count, tag, to: &writePartials)
      default:
        while place < model.events.count, model.events[place].isPartial { place += 1 }
        guard place < model.events.count else { throw unexpected(event) }
        try match(event, model.events[place])
        place += 1
      }
    }
    while place < model.events.count, model.events[place].isPartial { place += 1 }
    guard place == model.events.count else { throw missing(model.events[place]) }
    if place > 0 { model.events.removeAll(keepingCapacity: true) }
    model.forgetChoices()
    if !fresh.isEmpty {
      undelivered.append(contentsOf: fresh)
      fresh.removeAll(keepingCapacity: true)
    }
    try compareState()
  }

  private static func add(_ count: Int, _ tag: Int, to partials: inout (tag: Int, sum: Int)) throws(Violation) {
    guard count > 0 else { throw Violation("INV-15", "a partial report of \(count) for operation \(tag)") }
    guard partials.tag == tag || partials.sum == 0 else {
      throw Violation("INV-16", "a partial report for \(tag) while \(partials.tag) is under way")
    }
    partials = (tag, partials.sum + count)
  }

  /// An operation is done: its partial reports are fewer bytes than it has, and no other operation's (INV-16).
  private static func close(
    _ partials: inout (tag: Int, sum: Int), tag: Int, count: Int
  ) throws(Violation) {
    guard partials.sum == 0 || (partials.tag == tag && partials.sum < count) else {
      throw Violation("INV-16", "\(partials.sum) bytes told of operation \(partials.tag) before \(tag) was done")
    }
    partials = (-1, 0)
  }

  // MARK: Events

  private mutating func match(_ event: SocketEvent, _ expected: ModelEvent) throws(Violation) {
    switch (event, expected) {
    case (.didConnect, .connected), (.didConnectToPath, .connected), (.didCloseRead, .readClosed): return
    case (.didRead(let block, let tag, _), .read(let places, let expectedTag)):
      guard tag == expectedTag else { throw Violation("INV-04", "read \(tag) done instead of \(expectedTag)") }
      guard block.count == places.count else {
        throw Violation("INV-05", "read \(tag) got \(block.count) bytes, not \(places.count)")
      }
      let isSame = model.arrived.withUnsafeBytes { arrived in
        areSame(block.bytes, UnsafeRawBufferPointer(rebasing: arrived[places]))
      }
      guard isSame else { throw Violation("INV-05", "read \(tag) got other bytes than the stream's \(places)") }
      try Self.close(&readPartials, tag: tag, count: block.count)
    case (.didWrite(let tag), .wrote(let expectedTag)):
      guard tag == expectedTag else { throw Violation("INV-04", "write \(tag) done instead of \(expectedTag)") }
      try Self.close(&writePartials, tag: tag, count: model.writeLengths[tag])
    case (.shouldTimeoutRead(_, let tag, let elapsed, let done), .readTimeout(let wanted, let time, let bytes)),
      (.shouldTimeoutWrite(_, let tag, let elapsed, let done), .writeTimeout(let wanted, let time, let bytes)):
      guard tag == wanted else { throw Violation("TMO-05", "asked about operation \(tag), not \(wanted)") }
      guard abs(elapsed - Double(time) / 1000) < 1e-9 else {
        throw Violation("TMO-06", "elapsed \(elapsed) s, not \(time) ms")
      }
      guard done == bytes else { throw Violation("TMO-09", "\(done) bytes done, not \(bytes)") }
    case (.willDisconnect(let failure), .willDisconnect(let reason, let places)):
      guard reason.allows(failure) else { throw Violation(reason.law, "announced with \(failure), not \(reason)") }
      let seen = unread.isEmpty ? nil : unread.removeFirst()
      guard (seen ?? []).elementsEqual(model.arrived[places]) else {
        throw Violation("RL-03", "unreadData is \(seen as Any), not what lies at \(places)")
      }
    // Here it has no error: the announcement had it.
    case (.didDisconnect(let failure), .disconnected(let reason)):
      guard livesOnRunLoop || reason.allows(failure) else {
        throw Violation(reason.law, "ended with \(failure.map { "\($0)" } ?? "no error"), not \(reason)")
      }
      if let closing, (closing == .graceful) != model.endedGracefully {
        throw Violation("DIS-22", "closed \(closing), ended by a fulfilled wish: \(model.endedGracefully)")
      }
    default:
      throw Violation(Self.law(ofMissing: expected), "expected \(expected), not \(Self.name(of: event))")
    }
  }

  private func unexpected(_ event: SocketEvent) -> Violation {
    let name = Self.name(of: event)
    if case .willDisconnect = event { return Violation("DIS-25", "\(name) of an end that nobody else made") }
    if case .didDisconnect = event { return Violation("INV-01", "a second \(name), or one for no reason") }
    if model.isIdle { return Violation("INV-02", "\(name) after the end") }
    let law =
      switch event {
      case .didRead, .didWrite: "INV-07"
      case .shouldTimeoutRead, .shouldTimeoutWrite: "TMO-03"
      case .didCloseRead: "HALF-06"
      default: "INV-03"
      }
    return Violation(law, "\(name) for no reason")
  }

  private func missing(_ event: ModelEvent) -> Violation {
    Violation(Self.law(ofMissing: event), "at rest without \(event)")
  }

  private static func law(ofMissing event: ModelEvent) -> String {
    switch event {
    // What can be done is done: no wake-up is lost.
    case .read, .wrote: "INV-17"
    case .readTimeout, .writeTimeout: "TMO-05"
    case .readClosed: "HALF-02"
    case .willDisconnect: "RL-01"
    case .disconnected: "INV-01"
    case .connected: "CON-01"
    case .readPartial, .wrotePartial: "RDQ-10"
    }
  }

  static func name(of event: SocketEvent) -> String {
    switch event {
    case .didConnect, .didConnectToPath: "didConnect"
    case .didAccept: "didAccept"
    case .didRead(let block, let tag, _): "didRead(\(block.count) bytes, tag \(tag))"
    case .didReadPartial(let count, let tag, _): "didReadPartial(\(count), tag \(tag))"
    case .didWrite(let tag): "didWrite(tag \(tag))"
    case .didWritePartial(let count, let tag): "didWritePartial(\(count), tag \(tag))"
    case .shouldTimeoutRead(_, let tag, let elapsed, let done): "shouldTimeoutRead(tag \(tag), \(elapsed) s, \(done))"
    case .shouldTimeoutWrite(_, let tag, let elapsed, let done): "shouldTimeoutWrite(tag \(tag), \(elapsed) s, \(done))"
    case .didCloseRead: "didCloseRead"
    case .didSecure: "didSecure"
    case .didReceiveTrust: "didReceiveTrust"
    case .willDisconnect(let failure): "willDisconnect(\(failure))"
    case .didDisconnect(let failure): "didDisconnect(\(failure.map { "\($0)" } ?? "no error"))"
    }
  }

  // MARK: At rest

  private mutating func compareState() throws(Violation) {
    guard machine.isConnected == (model.isOpen), machine.isDisconnected == (model.isIdle) else {
      throw Violation("LIFE-02", "connected \(machine.isConnected), disconnected \(machine.isDisconnected)")
    }
    try compareWire()
    guard readPartials.sum == model.reportedRead else {
      throw Violation("RDQ-10", "\(readPartials.sum) bytes told of the active read, which has \(model.reportedRead)")
    }
    guard writePartials.sum == model.reportedWrite else {
      throw Violation("WR-04", "\(writePartials.sum) bytes told of the active write, which has \(model.reportedWrite)")
    }
    let backlog = machine.backlog
    buffered = backlog.buffered
    guard backlog.reads == model.pendingReads, backlog.writes == model.pendingWrites else {
      throw Violation("INV-07", "\(backlog) queued, not \(model.pendingReads) and \(model.pendingWrites)")
    }
    try compareDeadline()
    guard model.isOpen else {
      guard backlog.buffered == 0 else { throw Violation("LIFE-13", "\(backlog.buffered) bytes kept after the end") }
      return
    }
    try compareProgress(buffered: backlog.buffered)
  }

  /// The wire carries the writes' bytes, and as many as fit (INV-06, INV-17).
  private mutating func compareWire() throws(Violation) {
    guard transport.sent.count == model.wire.count else {
      throw Violation("INV-06", "\(transport.sent.count) bytes on the wire, not \(model.wire.count)")
    }
    guard wireCompared < model.wire.count else { return }
    let isSame = transport.sent.withUnsafeBytes { sent in
      model.wire.withUnsafeBytes { wire in
        areSame(
          UnsafeRawBufferPointer(rebasing: sent[wireCompared...]),
          UnsafeRawBufferPointer(rebasing: wire[wireCompared...]))
      }
    }
    guard isSame else {
      throw Violation("INV-06", "other bytes on the wire than the writes'")
    }
    wireCompared = model.wire.count
  }

  private func compareDeadline() throws(Violation) {
    guard !model.isListening else { return }
    let seen = engine.armedDeadline
    var wanted = model.nextDeadline
    if let alternate = connecting.alternateAt { wanted = min(wanted ?? alternate, alternate) }
    for due in connecting.retries.values {
      let retry = Int(due.nanoseconds / 1_000_000)
      wanted = min(wanted ?? retry, retry)
    }
    if let seen, let wanted, abs(seen.nanoseconds - Int64(wanted) * 1_000_000) < 1_000_000 { return }
    guard seen == nil, wanted == nil else {
      throw Violation(
        "TMO-02", "the next deadline is \(seen.map { "\($0.nanoseconds) ns" } ?? "none"), not \(wanted ?? -1) ms")
    }
  }

  private func compareProgress(buffered: Int) throws(Violation) {
    // Without operations there is no progress to ask for; most of the time is spent here.
    let reading = model.pendingReads > 0 ? machine.readProgress : nil
    guard reading?.tag == model.readProgress?.tag, reading?.done == model.readProgress?.done,
      reading?.total == model.readProgress?.total
    else {
      throw Violation("DIAG-11", "read at \(reading as Any), not \(model.readProgress as Any)")
    }
    let writing = model.pendingWrites > 0 ? machine.writeProgress : nil
    guard writing?.tag == model.writeProgress?.tag, writing?.done == model.writeProgress?.done,
      writing?.total == model.writeProgress?.total
    else {
      throw Violation("WR-17", "write at \(writing as Any), not \(model.writeProgress as Any)")
    }
    guard reading.map({ (0...1).contains($0.fraction) }) != false,
      writing.map({ (0...1).contains($0.fraction) }) != false
    else { throw Violation("DIAG-11", "progress outside 0…1: \(reading as Any), \(writing as Any)") }
    // Nothing is lost between the kernel and the reads (RDQ-05), and nothing is held twice.
    let inBlock = if let reading, reading.total > 0 { reading.done } else { 0 }
    guard transport.waiting + buffered + inBlock == model.unread else {
      throw Violation(
        "RDQ-05", "\(transport.waiting) + \(buffered) + \(inBlock) bytes are there, not \(model.unread)")
    }
  }

  /// What is buffered while no read is queued; nil if one is.
  var quietBuffer: Int? { model.pendingReads == 0 && model.isOpen ? buffered : nil }

  /// Without a read nothing is taken from the kernel, so that a fast peer meets back-pressure (INV-11).
  func checkBackPressure(_ before: Int?) throws(Violation) {
    guard let before, buffered > before else { return }
    throw Violation("INV-11", "\(buffered) bytes buffered without a read, \(before) before")
  }
}

extension ModelEvent.Reason {
  func allows(_ failure: SocketFailure?) -> Bool {
    switch (self, failure) {
    case (.wish, nil), (.closedByPeer, .closedByPeer), (.readMaxedOut, .readMaxedOut), (.readTimeout, .readTimeout),
      (.writeTimeout, .writeTimeout), (.connectTimeout, .connectTimeout), (.closedOrBroken, .closedByPeer):
      true
    // Only a write can break a pipe (ERR-11).
    case (.broken, .posix(let code, let call)), (.closedOrBroken, .posix(let code, let call)):
      code == 104 || code == 32 && call == "write"
    case (.connectFailed, .posix), (.connectFailed, .lookup), (.connectFailed, .other): true
    default: false
    }
  }

  var law: String {
    switch self {
    case .wish: "DIS-05"
    case .closedByPeer: "HALF-01"
    case .broken: "RD-LEN-08"
    case .closedOrBroken: "HALF-08"
    case .readMaxedOut: "RD-MAX-02"
    case .readTimeout, .writeTimeout: "TMO-04"
    case .connectTimeout: "CON-09"
    case .connectFailed: "CON-19"
    }
  }
}
