import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import Testing

@Suite("Reactions, queues and buffers in the loopback world")
struct LoopbackWorldReactionTests {
  typealias Bench = LoopbackWorldBench

  @Test("a reaction runs inside the callback, in order, and is told of", arguments: QueueTopology.allCases)
  func reaction(queues: QueueTopology) throws {
    let check = PropertyCheck(property: .isConnected, expected: .value(.flag(true)), position: Bench.nowhere)
    let reactions = [
      Reaction(
        to: .didConnect,
        [
          .command(.write("hello", tag: 1), socket: "socket", refusal: nil), .check([check], socket: "socket"),
          .repeated(times: 2, steps: [LocatedStep(.reach("greeted"), at: Bench.nowhere)]),
          .command(.connect(ConnectCommand(target: .peer("peer"))), socket: "socket", refusal: .any),
        ])
    ]
    let bench = try Bench(Variant(family: .ipv4, cut: .whole, queues: queues), reactions: reactions)
    bench.connect()
    #expect(bench.peerSees(.received(Array("hello".utf8))))
    #expect(bench.sees(.didWrite(tag: 1)))
    let told = bench.events.compactMap { event -> String? in
      switch event.kind {
      case .callback(let delivered): delivered.callback.kind.rawValue
      case .command(let command, _, .done, _): if case .write = command { "write" } else { "?" }
      case .command(_, _, .refused(let error), .any?): "refused \(error.name)"
      case .checked(_, _, let actual): "\(actual)"
      case .point(let point): point
      default: nil
      }
    }
    #expect(
      told == [
        "didConnect", "write", "\(PropertyValue.flag(true))", "greeted", "greeted", "refused BadConfig", "didWrite",
      ])
  }

  @Test("a hold keeps the delegate queue busy, an answer extends, and closing does not wait for holds")
  func holdAndAnswer() throws {
    let reactions = [
      Reaction(to: .shouldTimeoutRead, times: 1, [.answer(TimeoutValue(seconds: 0.05))]),
      Reaction(to: .didWrite, [.hold(.milliseconds(60))]), Reaction(to: .didDisconnect, [.hold(.seconds(20))]),
    ]
    let bench = try Bench(reactions: reactions)
    bench.connect()
    bench.call(.write("x", tag: 1))
    bench.call(.write("y", tag: 2))
    #expect(bench.sees(.didWrite(tag: 2)))
    let writes = bench.events.filter {
      if case .callback(let delivered) = $0.kind { delivered.callback.kind == .didWrite } else { false }
    }
    #expect(writes.count == 2 && writes[1].at - writes[0].at >= .milliseconds(60))
    bench.call(.read(.exactly(1), timeout: TimeoutValue(seconds: 0.05), tag: 3))
    #expect(bench.waits(for: .didDisconnect))
    let asked = bench.callbacks().filter { $0.kind == .shouldTimeoutRead }
    #expect(asked.count == 2)
    let started = ContinuousClock.now
    #expect(bench.world.close() == [])
    #expect(ContinuousClock.now - started < .seconds(2))
  }

  @Test("callbacks pile up behind a blocked queue, and those produced before a swap keep their target")
  func blockAndSwap() throws {
    let bench = try Bench()
    bench.connect()
    #expect(bench.call(.blockDelegateQueue) == .done)
    bench.call(.read(.exactly(1), tag: 1))
    bench.peer(.send([1]))
    // Until the read is over, and its callback in line for this delegate.
    var isRead = false
    for _ in 0..<500 where !isRead {
      bench.watch(for: .milliseconds(10))
      if case .progress(_, _, _, let fraction) = bench.read(.progressOfRead) { isRead = fraction.isNaN }
    }
    #expect(isRead && !bench.waits(for: .didRead, within: .milliseconds(1)))
    bench.call(.setDelegate("second"))
    bench.call(.setDelegateQueue("other"))
    bench.call(.read(.exactly(1), tag: 2))
    bench.peer(.send([2]))
    #expect(bench.sees(.didRead(bytes: [2], tag: 2)))
    #expect(bench.call(.unblockDelegateQueue) == .done)
    #expect(bench.sees(.didRead(bytes: [1], tag: 1)))
    let readers = bench.events.compactMap { event -> String? in
      guard case .callback(let delivered) = event.kind, delivered.callback.kind == .didRead else { return nil }
      return delivered.delegate
    }
    #expect(readers == ["second", "delegate"])
  }

  @Test("a case may end with its queues blocked")
  func endsBlocked() throws {
    let bench = try Bench()
    bench.connect()
    bench.call(.blockDelegateQueue)
    bench.call(.blockDelegateQueue)
    bench.call(.disconnect)
    #expect(bench.world.close() == [])
  }

  @Test("a socket without delegate or queue is made so")
  func bare() throws {
    let sockets = [
      SocketSetup(name: "mute", hasDelegate: false), SocketSetup(name: "queueless", hasDelegateQueue: false),
    ]
    let bench = try Bench(sockets: sockets)
    for socket in ["mute", "queueless"] {
      guard case .refused(let error) = bench.call(.connect(ConnectCommand(target: .peer("peer"))), on: socket) else {
        Issue.record("\(socket) was started")
        continue
      }
      #expect(error.name == "BadConfig")
    }
  }

  @Test("reads that name the same buffer share it")
  func buffers() throws {
    let bench = try Bench()
    bench.connect()
    let header = ReadCommand.Buffer(name: "b", size: 6, offset: 1, fill: 0xEE)
    let body = ReadCommand.Buffer(name: "b", size: 6, offset: 3, fill: 0)
    bench.call(.read(ReadCommand(boundary: .exactly(2), tag: 1, buffer: header)))
    bench.call(.read(ReadCommand(boundary: .exactly(2), tag: 2, buffer: body)))
    bench.peer(.send([1, 2, 3, 4]))
    #expect(bench.sees(.didRead(bytes: [3, 4], tag: 2)))
    #expect(bench.read(.buffer, name: "b") == .bytes([0xEE, 1, 2, 3, 4, 0xEE]))
    #expect(bench.read(.buffer, name: "c") == .none)
  }

  @Test("every property can be read, and settings are seen at once", arguments: AddressFamily.allCases)
  func properties(family: AddressFamily) throws {
    let bench = try Bench(Variant(family: family, cut: .whole, queues: .separate))
    bench.call(.set(.userData("note")))
    bench.call(.set(.alternateAddressDelay(0.7)))
    bench.call(.set(.ipv4Preferred(false)))
    bench.connect()
    #expect(bench.read(.userData) == .text("note"))
    #expect(bench.read(.alternateAddressDelay) == .number(0.7))
    #expect(bench.read(.ipv4Preferred) == .flag(false))
    #expect(bench.read(.isConnected) == .flag(true) && bench.read(.isDisconnected) == .flag(false))
    #expect(bench.read(.isIPv4) == .flag(family == .ipv4) && bench.read(.isIPv6) == .flag(family == .ipv6))
    let port = bench.world.port(.peer("peer"))
    #expect((port == nil) == (family == .unix))
    #expect(bench.read(.connectedPort) == .number(Double(port ?? 0)))
    #expect(bench.read(.connectedURL) == (family == .unix ? .text("peer") : .none))
    guard case .progress(_, _, _, let fraction) = bench.read(.progressOfWrite) else {
      Issue.record("no progress")
      return
    }
    #expect(fraction.isNaN)
    bench.call(.read(.exactly(8), tag: 9))
    #expect(bench.read(.progressOfRead) == .progress(tag: 9, done: 0, total: 8, fraction: 0))
    for property in SubjectProperty.allCases { _ = bench.read(property) }
  }

  @Test("commands inside perform run there, and the first refusal is the answer")
  func perform() throws {
    let bench = try Bench(Variant(family: .ipv4, cut: .whole, queues: .own))
    bench.peer(.accept)
    let start = SubjectCommand.connect(ConnectCommand(target: .peer("peer")))
    #expect(bench.call(.perform([start, .write("a"), .write("b")])) == .done)
    #expect(bench.peerSees(.connected))
    bench.watch(for: .milliseconds(50))
    guard case .refused(let error) = bench.call(.perform([.write("c"), start])) else {
      Issue.record("a started socket was started")
      return
    }
    #expect(error.name == "BadConfig")
  }

  @Test("a call that does not return is given up, and the case goes on")
  func hung() throws {
    let bench = try Bench(
      Variant(family: .ipv4, cut: .whole, queues: .shared), sockets: [SocketSetup(name: "b")],
      callTimeout: .seconds(2))
    // The socket queue is the delegate queue: while it is blocked, `perform` cannot get onto it.
    #expect(bench.call(.blockDelegateQueue) == .done)
    #expect(bench.call(.perform([.disconnect])) == .hung)
    #expect(bench.read(.isDisconnected, of: "b") == .flag(true))
    #expect(bench.world.close() == [])
  }

  /// Calls of a run-loop socket are made on its run loop, and `perform` of the other class on the socket queue, which
  /// here is the delegate queue.
  @Test("a call that a hold of the scenario's own keeps from returning is waited for", arguments: SubjectKind.allCases)
  func heldFor(_ subject: SubjectKind) throws {
    let bench = try holding(for: .milliseconds(900), subject)
    #expect(bench.call(.perform([.read(.exactly(1))])) == .done)
    #expect(bench.read(.isConnected) == .flag(true))
    #expect(bench.world.hold == nil)
  }

  @Test("at the limit it is given up, and the hold is named", arguments: SubjectKind.allCases)
  func heldToTheEnd(_ subject: SubjectKind) throws {
    let bench = try holding(for: .seconds(60), subject, limit: .milliseconds(800))
    #expect(bench.call(.perform([.read(.exactly(1))])) == .hung)
    #expect(bench.world.hold == Bench.nowhere)
    #expect(bench.world.now >= .milliseconds(800))
  }

  /// A connected socket whose didConnect does not return for so long; a call has 300 ms.
  private func holding(
    for duration: Duration, _ subject: SubjectKind, limit: Duration = .seconds(10)
  ) throws -> Bench {
    let bench = try Bench(
      Variant(subject: subject, family: .ipv4, cut: .whole, queues: .shared),
      reactions: [Reaction(to: .didConnect, [.hold(duration)])], callTimeout: .milliseconds(300),
      limit: limit)
    bench.connect()
    return bench
  }
}

extension LoopbackWorldBench {
  /// The names of the errors with which the socket disconnected.
  func errorNames(of socket: String) -> [String] {
    callbacks(of: socket).compactMap { if case .didDisconnect(let error) = $0 { error?.name ?? "none" } else { nil } }
  }
}
