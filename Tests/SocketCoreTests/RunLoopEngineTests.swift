import SocketCore
import SocketValues
import TestSupport
import Testing

/// What callbacks and starts change about the calls of the class on a run loop.
@Suite("The run-loop class's engine")
struct RunLoopEngineTests {
  /// Hosts the engine on one thread: a callback is a line of `told`, and calls back what the test gives for it.
  private final class Host {
    let runLoopEngine = RunLoopEngine()
    var engine: SocketEngine { runLoopEngine.engine }
    var transport: MemoryTransport? = MemoryTransport()
    var told: [RecordedEvent] = []
    var hasDelegate = true
    var now = Instant(nanoseconds: 0)
    /// What the delegate does in a callback, and the time that it grants.
    var inCallback: (RecordedEvent) -> Double = { _ in 0 }

    func enter(_ body: () -> Void) {
      runLoopEngine.beginCall(mayDeliver: true)
      body()
      settle()
    }

    func settle() {
      while let effect = engine.nextEffect() {
        switch effect {
        case .carryOut: if case .close = engine.takeCommand() { transport = nil }
        case .watch: engine.connectionIsWatched()
        case .advance:
          guard var open = transport else { break }
          engine.advance(&open, now: now, canAskDelegate: hasDelegate, hasUndelivered: runLoopEngine.hasEvents)
          if transport != nil { transport = open }
        case .post: runLoopEngine.post()
        case .serve: _ = engine.takeService()
        case .check: _ = engine.takePartToCheck()
        case .time: engine.tick(now: now)
        case .requestTurn, .arm: break
        case .wake, .armFallback: engine.keep([], for: .stream)
        }
      }
    }

    /// One turn, and everything that it leads to.
    func turn() {
      repeat {
        if engine.beginTurn() { settle() }
        runLoopEngine.takeTurn()
        if let hints = transport?.takeHints() { engine.takeUp(hints, for: .stream) }
        settle()
        deliver()
      } while runLoopEngine.hasEvents
    }

    func deliver() {
      while let event = runLoopEngine.nextEvent() {
        guard hasDelegate else {
          runLoopEngine.drop(event, now: now)
          settle()
          runLoopEngine.dropped()
          settle()
          continue
        }
        let followUp = runLoopEngine.callbackBegins(event)
        told.append(RecordedEvent(event))
        let granted = inCallback(RecordedEvent(event))
        let completion = runLoopEngine.callbackReturned(followUp, mayComplete: true, now: now)
        if case .read(let bytes, let tag)? = completion {
          runLoopEngine.putFirst(.didRead(ByteBlock(copying: bytes), tag: tag, destination: nil))
        }
        switch followUp {
        case .nothing, .activate: break
        case .answer(let question): engine.answer(.timeout(question, extension: granted), at: now)
        case .concludeEnd(let generation): runLoopEngine.concludeEnd(generation: generation, &transport)
        }
        settle()
      }
    }

    func read(_ request: ReadRequest?, mayWait: Bool = true) {
      guard let request else { return }
      enter { _ = runLoopEngine.read(request, mayWait: mayWait, isInCallback: mayWait) }
    }

    /// A connection whose delegate has heard of it.
    static func connected() -> Host {
      let host = Host()
      host.enter { host.engine.adoptConnection(announcing: nil, inactive: false) }
      host.turn()
      return host
    }
  }

  private static func anything(_ tag: Int, limit: Int = 0) -> ReadRequest {
    .available(limit: limit, timeout: -1, tag: tag)
  }

  // MARK: Reads inside willDisconnect

  /// Reads made in the callback (true: where callbacks run), and what is told behind it; five bytes are left.
  static let lateReads: [(reads: [(request: ReadRequest?, mayWait: Bool)], told: [RecordedEvent])] = [
    ([], []),
    ([(anything(1), true)], [.read(bytes("hello"), tag: 1)]),
    ([(anything(1, limit: 2), true)], [.read(bytes("he"), tag: 1)]),
    ([(anything(1), true), (anything(2), true)], [.read(bytes("hello"), tag: 1)]),
    ([(.exactly(2, timeout: -1, tag: 1), true)], []),
    ([(.through(bytes("l"), limit: 0, timeout: -1, tag: 1), true)], []),
    ([(.exactly(2, timeout: -1, tag: 1), true), (anything(2), true)], [.read(bytes("hello"), tag: 2)]),
    // From another thread it is not inside the callback.
    ([(anything(1), false)], []),
  ]

  private static func bytes(_ text: String) -> [UInt8] { [UInt8](text.utf8) }

  @Test("of several reads in willDisconnect the first one that takes anything gets what is left", arguments: 0..<8)
  func lateRead(row: Int) {
    let (reads, expected) = Self.lateReads[row]
    let host = Host.connected()
    host.transport?.arrive("hello".utf8)
    host.transport?.finish()
    host.inCallback = { event in
      if case .willDisconnect = event { for (request, mayWait) in reads { host.read(request, mayWait: mayWait) } }
      return 0
    }
    host.turn()
    #expect(host.told == [.willDisconnect(.closedByPeer)] + expected + [.disconnected(.closedByPeer)])
    #expect(host.runLoopEngine.isIdle && host.runLoopEngine.isFree)
  }

  @Test("what is left can be looked at in willDisconnect only, as often as one likes")
  func unread() {
    let host = Host.connected()
    host.transport?.arrive("hello".utf8)
    var seen: [[UInt8]?] = []
    func look() {
      guard var open = host.transport else { return seen.append(nil) }
      seen.append(host.runLoopEngine.unread(&open).map { [UInt8]($0) })
      host.transport = open
    }
    look()
    host.transport?.finish()
    host.inCallback = { event in
      if case .willDisconnect = event { for _ in 0..<2 { look() } }
      return 0
    }
    host.turn()
    look()
    #expect(seen == [nil, Self.bytes("hello"), Self.bytes("hello"), nil])
  }

  @Test("a disconnect in willDisconnect ends what is announced: a read behind it gets nothing")
  func disconnectWhileAnnouncing() {
    let host = Host.connected()
    host.transport?.arrive("hello".utf8)
    host.transport?.finish()
    host.inCallback = { event in
      guard case .willDisconnect = event else { return 0 }
      host.read(Self.anything(1))
      host.enter { host.runLoopEngine.disconnect() }
      host.read(Self.anything(2))
      return 0
    }
    host.turn()
    #expect(host.told.count { if case .disconnected = $0 { true } else { false } } == 1)
    #expect(!host.told.contains { if case .read = $0 { true } else { false } })
    // A later connection has nothing of it.
    host.transport = MemoryTransport()
    host.enter { host.engine.adoptConnection(announcing: nil, inactive: false) }
    host.transport?.arrive("x".utf8)
    host.read(.exactly(1, timeout: -1, tag: 3))
    host.turn()
    #expect(host.told.last == .read(Self.bytes("x"), tag: 3))
  }

  // MARK: Disconnecting

  @Test("a disconnect drops what was completed, and keeps an end that was found")
  func dropped() {
    let host = Host.connected()
    host.transport?.arrive("ab".utf8)
    host.read(.exactly(1, timeout: -1, tag: 1))
    host.read(.exactly(1, timeout: -1, tag: 2))
    // The pass is made, and nothing is delivered.
    _ = host.engine.beginTurn()
    host.engine.performDeferredWork()
    host.settle()
    #expect(host.runLoopEngine.hasEvents && !host.runLoopEngine.isEndPending && !host.runLoopEngine.nextIsEnd)
    var droppedEvents: [RecordedEvent] = []
    host.enter { host.runLoopEngine.disconnect { droppedEvents.append(RecordedEvent($0)) } }
    #expect(droppedEvents == [.read(Self.bytes("a"), tag: 1), .read(Self.bytes("b"), tag: 2)])
    #expect(host.runLoopEngine.isEndPending && host.runLoopEngine.nextIsEnd && !host.runLoopEngine.isFree)
    host.enter { host.runLoopEngine.disconnect() }
    #expect(host.runLoopEngine.isEndPending)
    host.deliver()
    #expect(host.told == [.disconnected(nil)])
    #expect(host.runLoopEngine.isIdle && host.runLoopEngine.isFree)
  }

  @Test("an abandoned socket has nothing to tell any more")
  func abandoned() {
    let host = Host.connected()
    host.enter { host.engine.machine.disconnect() }
    var count = 0
    host.runLoopEngine.abandon { _ in count += 1 }
    #expect(count == 1 && !host.runLoopEngine.hasEvents && host.runLoopEngine.isIdle)
  }

  // MARK: didConnect

  @Test("what is queued in didConnect begins when it has returned; the return of an earlier one begins nothing")
  func activation() {
    let host = Host()
    let address = SocketAddress(ipv4: [192, 0, 2, 7], port: 7)
    var isReconnected = false
    host.inCallback = { event in
      guard case .connected = event, !isReconnected else { return 0 }
      isReconnected = true
      host.enter { host.runLoopEngine.disconnect() }
      host.transport = MemoryTransport()
      host.transport?.arrive("late".utf8)
      host.enter { host.engine.adoptConnection(announcing: nil, inactive: true) }
      host.read(Self.anything(7))
      return 0
    }
    host.enter { host.engine.adoptConnection(announcing: .didConnect(address), inactive: true) }
    host.turn()
    host.turn()
    #expect(host.engine.isInactive)
    #expect(!host.told.contains { if case .read = $0 { true } else { false } })
    host.enter { host.engine.activate() }
    host.turn()
    #expect(host.told.last == .read(Self.bytes("late"), tag: 7))
  }

  // MARK: Inside callbacks

  @Test("a loop that a callback runs tells the end that came together with the callback's bytes (RL-01)")
  func endInside() {
    let host = Host.connected()
    host.read(.exactly(1, timeout: -1, tag: 1))
    host.turn()
    host.transport?.arrive("a".utf8)
    host.transport?.finish()
    var toldInside: [RecordedEvent] = []
    host.inCallback = { event in
      guard case .read = event else { return 0 }
      #expect(!host.runLoopEngine.hasEvents && host.runLoopEngine.wantsTurn(during: .nothing))
      host.turn()
      toldInside = host.told
      return 0
    }
    host.turn()
    let all: [RecordedEvent] = [
      .read(Self.bytes("a"), tag: 1), .willDisconnect(.closedByPeer), .disconnected(.closedByPeer),
    ]
    #expect(toldInside == all && host.told == all && host.runLoopEngine.isIdle)
  }

  /// Stands for a run loop.
  private final class Place {}

  @Test("a moved socket waits for the callbacks that run where it was, and for no others (THR-16)")
  func moved() {
    let engine = RunLoopEngine()
    let (old, new) = (Place(), Place())
    engine.attached(to: old)
    #expect(!engine.isCalledElsewhere)
    let outer = engine.callbackBegins(.didWrite(tag: 1))
    let inner = engine.callbackBegins(.didWrite(tag: 2))
    #expect(!engine.isCalledElsewhere)
    engine.attached(to: new)
    #expect(engine.isCalledElsewhere)
    engine.attached(to: old)
    #expect(!engine.isCalledElsewhere, "it is back, where its callbacks run")
    engine.attached(to: new)
    _ = engine.callbackReturned(inner, mayComplete: false, now: .irrelevant)
    #expect(engine.isCalledElsewhere, "the outer one still runs")
    _ = engine.callbackReturned(outer, mayComplete: false, now: .irrelevant)
    #expect(!engine.isCalledElsewhere)
    _ = engine.callbackBegins(.didWrite(tag: 3))
    #expect(!engine.isCalledElsewhere, "it runs on the new one")
  }

  @Test("a callback of a socket that works on no run loop runs where that starts (DIS-02)")
  func startedInside() {
    let engine = RunLoopEngine()
    let (first, second) = (Place(), Place())
    for _ in 0..<2 {
      let callback = engine.callbackBegins(.didWrite(tag: 1))
      engine.attached(to: first)
      #expect(!engine.isCalledElsewhere)
      engine.attached(to: second)
      #expect(engine.isCalledElsewhere, "it has been moved")
      _ = engine.callbackReturned(callback, mayComplete: false, now: .irrelevant)
      // What follows in its next life has nothing to do with this one.
      engine.attached(to: nil)
    }
  }

  // MARK: Without a delegate

  @Test("without a delegate an announced end is concluded, and a timeout enforced")
  func withoutDelegate() {
    for hasTimeout in [false, true] {
      let host = Host.connected()
      host.hasDelegate = false
      if hasTimeout {
        host.read(.exactly(1, timeout: 1, tag: 1))
        host.turn()
        host.now = Instant(nanoseconds: 2_000_000_000)
        host.engine.deadlineCame()
      } else {
        host.transport?.finish()
      }
      host.turn()
      #expect(host.told.isEmpty && host.engine.machine.isDisconnected && host.runLoopEngine.isFree, "\(hasTimeout)")
    }
  }

  // MARK: Starting

  @Test("a socket starts when its delegate has heard of the last end, and only then forgets how it started")
  func starting() throws {
    let host = Host.connected()
    host.runLoopEngine.beganWithAddress()
    #expect(!host.runLoopEngine.startsWithAddress, "it is connected")
    #expect(try !host.runLoopEngine.beginStart(), "the machine refuses it")
    host.enter { host.runLoopEngine.disconnect() }
    host.runLoopEngine.beganWithAddress()
    #expect(host.runLoopEngine.startsWithAddress)
    #expect(throws: SocketFailure.self) { try host.runLoopEngine.beginStart() }
    #expect(host.runLoopEngine.startsWithAddress, "a refused start changes nothing")
    host.deliver()
    #expect(try host.runLoopEngine.beginStart())
    #expect(!host.runLoopEngine.startsWithAddress)
    host.runLoopEngine.beganWithAddress()
    host.runLoopEngine.established()
    #expect(!host.runLoopEngine.startsWithAddress)
  }
}

/// The question before a start.
@Suite("The question whether to connect")
struct StartQuestionTests {
  @Test("calls wait for the start, in order; a no or a disconnect drops them")
  func answers() {
    for mayConnect in [false, true] {
      for disconnects in [false, true] {
        var question = StartQuestion<Int>()
        question.open()
        #expect(question.isOpen && question.putOff(1) && question.putOff(2))
        if disconnects { question.disconnect() }
        let answer = question.close(mayConnect: mayConnect)
        #expect(answer.mayStart == (mayConnect && !disconnects))
        #expect(answer.putOff == [1, 2], "they are the caller's to let go of")
        #expect(!question.isOpen && !question.putOff(3))
      }
    }
  }

  @Test("nothing of one question is left for the next")
  func again() {
    var question = StartQuestion<Int>()
    question.disconnect()
    question.open()
    #expect(question.close(mayConnect: true).mayStart)
    question.open()
    _ = question.putOff(1)
    question.disconnect()
    #expect(!question.close(mayConnect: true).mayStart)
    question.open()
    let answer = question.close(mayConnect: true)
    #expect(answer.mayStart && answer.putOff.isEmpty)
  }
}
