import SocketCore
import SocketValues
import TestSupport
import Testing

/// From a connect call to an open connection or its failure.
@Suite("Connecting")
struct SocketConnectingTests {
  typealias Bench = SocketBench<MemoryTransport>

  static let ipv4 = SocketAddress(ipv4: [192, 0, 2, 1], port: 80)
  static let ipv6 = SocketAddress(ipv6: [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1], port: 80)
  /// ::ffff:192.0.2.1.
  static let mapped = SocketAddress(
    ipv6: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 1], port: 80)
  static let otherIPv4 = SocketAddress(ipv4: [192, 0, 2, 2], port: 80)
  static let refused = SocketFailure.posix(code: 111, call: "connect")
  static let unreachable = SocketFailure.posix(code: 101, call: "connect")

  static func context(_ bench: Bench) -> StartContext {
    StartContext(hasDelegate: true, hasDelegateQueue: true, now: bench.now) { InterfaceSpecTests.host }
  }

  static func connecting(
    to host: String = "name.invalid", interface: String? = nil, timeout: Double = -1,
    _ configure: (inout SocketConfiguration) -> Void = { _ in }
  ) throws -> Bench {
    var bench = Bench(idle: MemoryTransport())
    configure(&bench.machine.configuration)
    try bench.machine.connect(toHost: host, port: 80, interface: interface, timeout: timeout, in: context(bench))
    bench.record()
    return bench
  }

  static func attempt(_ index: Int, generation: UInt64 = 1) -> AttemptID {
    AttemptID(generation: generation, index: index)
  }

  /// The remote hosts of the attempts among the commands.
  static func hosts(_ commands: [SocketCommand]) -> [String] {
    commands.compactMap { if case .attempt(_, let remote, _) = $0 { remote.host } else { nil } }
  }

  // MARK: Which addresses are tried

  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var found: [SocketAddress]
    var ipv4 = true
    var ipv6 = true
    var prefersIPv4 = true
    var interface: String?
    /// The hosts tried, in order; empty: it fails.
    var tried: [String]
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "CFG-05 IPv4 first by default", found: [ipv6, ipv4], tried: ["192.0.2.1", "2001:db8::1"]),
    Row(name: "CFG-05 IPv6 preferred", found: [ipv4, ipv6], prefersIPv4: false, tried: ["2001:db8::1", "192.0.2.1"]),
    Row(name: "CON-21 the first of each family", found: [otherIPv4, ipv4, ipv6], tried: ["192.0.2.2", "2001:db8::1"]),
    Row(name: "one family only", found: [ipv6], tried: ["2001:db8::1"]),
    Row(name: "CFG-04 IPv4 off", found: [ipv4, ipv6], ipv4: false, tried: ["2001:db8::1"]),
    Row(
      name: "CFG-04 IPv6 off, preferred", found: [ipv4, ipv6], ipv6: false, prefersIPv4: false, tried: ["192.0.2.1"]),
    Row(name: "CON-30 only a disabled family", found: [ipv4], ipv4: false, tried: []),
    Row(name: "CFG-04 IPv4 off, IPv4 in IPv6 form", found: [mapped, ipv6], ipv4: false, tried: ["2001:db8::1"]),
    Row(name: "CFG-04 IPv6 off, IPv4 in IPv6 form", found: [mapped], ipv6: false, tried: []),
    Row(name: "CFG-04 both on, IPv4 in IPv6 form", found: [mapped], tried: ["::ffff:192.0.2.1"]),
    Row(name: "nothing found", found: [], tried: []),
    Row(name: "CON-28 the interface lacks IPv6", found: [ipv4, ipv6], interface: "eth0", tried: ["192.0.2.1"]),
    Row(name: "CON-28 the interface lacks IPv4", found: [ipv4, ipv6], interface: "tun6", tried: ["2001:db8::1"]),
    Row(name: "CON-28 the interface lacks all", found: [ipv6], interface: "127.0.0.1", tried: []),
    Row(
      name: "CON-26 a local port leaves both", found: [ipv4, ipv6], interface: ":4000",
      tried: ["192.0.2.1", "2001:db8::1"]),
  ]

  @Test("tries the right addresses in the right order", arguments: rows)
  func addresses(row: Row) throws {
    var bench = try Self.connecting(interface: row.interface) {
      $0.isIPv4Enabled = row.ipv4
      $0.isIPv6Enabled = row.ipv6
      $0.isIPv4Preferred = row.prefersIPv4
    }
    #expect(bench.machine.takeCommands() == [.lookUp(LookupID(generation: 1), host: "name.invalid", port: 80)])
    bench.machine.lookupFinished(LookupID(generation: 1), .success(row.found), now: bench.now)
    var tried = Self.hosts(bench.machine.takeCommands())
    bench.wait(milliseconds: 300)
    tried += Self.hosts(bench.machine.takeCommands())
    bench.wait(milliseconds: 10_000)
    #expect(bench.machine.takeCommands() == [])
    #expect(tried == row.tried)
    #expect(bench.take() == (row.tried.isEmpty ? [.disconnected(.other)] : []))
  }

  @Test(
    "CON-16, CON-20: localhost and literals need no lookup",
    arguments: [
      ("localhost", ["127.0.0.1", "::1"]), ("loopback", ["127.0.0.1", "::1"]), ("127.0.0.1", ["127.0.0.1"]),
      ("::1", ["::1"]), ("127.0.0.1\0\0", ["127.0.0.1"]), ("localhost\0.invalid", ["127.0.0.1", "::1"]),
    ])
  func withoutLookup(host: String, hosts: [String]) throws {
    var bench = try Self.connecting(to: host)
    var commands = bench.machine.takeCommands()
    bench.wait(milliseconds: 300)
    commands += bench.machine.takeCommands()
    #expect(Self.hosts(commands) == hosts)
    #expect(commands.count == hosts.count)
  }

  @Test("CON-03: a host ends at its first zero, as a C string does; nothing before it is no host")
  func hostsWithZeros() throws {
    let bench = try Self.connecting(to: "name.invalid\0\0")
    #expect(bench.machine.takeCommands() == [.lookUp(LookupID(generation: 1), host: "name.invalid", port: 80)])
    for host in ["\0", "\0name.invalid"] {
      #expect(throws: SocketFailure.badParam("The host is empty. Pass a name or a numeric address.")) {
        _ = try Self.connecting(to: host)
      }
    }
  }

  @Test("CON-24, CON-26: each attempt is bound to the interface's address of its family")
  func boundAttempts() throws {
    var bench = try Self.connecting(to: "localhost", interface: "lo:4001")
    var commands = bench.machine.takeCommands()
    bench.wait(milliseconds: 300)
    commands += bench.machine.takeCommands()
    let locals = commands.compactMap { if case .attempt(_, _, let local) = $0 { local } else { nil } }
    #expect(locals == [.loopback(.ipv4, port: 4001), .loopback(.ipv6, port: 4001)])
  }

  @Test("CON-24: an address is bound, or refused for want of its family", arguments: [("eth0", true), ("tun6", false)])
  func boundAddress(interface: String, isGood: Bool) {
    let bench = Bench(idle: MemoryTransport())
    do throws(SocketFailure) {
      try bench.machine.connect(
        toAddress: Self.ipv4.bytes, interface: interface, timeout: -1, in: Self.context(bench))
      let local = SocketAddress(ipv4: [192, 0, 2, 7], port: 0)
      #expect(bench.machine.takeCommands() == [.attempt(Self.attempt(0), remote: Self.ipv4, local: local)])
      #expect(isGood)
    } catch {
      #expect(!isGood)
      #expect(RecordedFailure(error) == .badParam)
    }
  }

  @Test("CON-32: a link-local address is attempted with its scope")
  func scopedAddress() throws {
    let bench = Bench(idle: MemoryTransport())
    let remote = SocketAddress(ipv6: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [2], port: 80, scope: 3)
    try bench.machine.connect(toAddress: remote.bytes, interface: nil, timeout: -1, in: Self.context(bench))
    #expect(bench.machine.takeCommands() == [.attempt(Self.attempt(0), remote: remote, local: nil)])
  }

  @Test("a local address of the caller's is bound with its port and its scope, whatever else has that address")
  func scopedLocalAddress() throws {
    let octets: (UInt8) -> [UInt8] = { [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [$0] }
    let remote = SocketAddress(ipv6: octets(2), port: 80, scope: 3)
    let local = SocketAddress(ipv6: octets(1), port: 4001, scope: 3)
    let twin = InterfaceAddress(name: "eth0", address: SocketAddress(ipv6: octets(1), port: 0, scope: 2))
    let bench = Bench(idle: MemoryTransport())
    let context = StartContext(hasDelegate: true, hasDelegateQueue: true, now: bench.now) { [twin] }
    try bench.machine.connect(toAddress: remote.bytes, from: local, timeout: -1, in: context)
    #expect(bench.machine.takeCommands() == [.attempt(Self.attempt(0), remote: remote, local: local)])
    let idle = Bench(idle: MemoryTransport())
    #expect(throws: SocketFailure.badParam("The interface has no address of the remote address's family.")) {
      try idle.machine.connect(toAddress: Self.ipv4.bytes, from: local, timeout: -1, in: context)
    }
    #expect(idle.machine.isDisconnected && idle.machine.takeCommands().isEmpty)
  }

  // MARK: The race

  /// A race of two, with the first attempt running.
  static func racing(_ configure: (inout SocketConfiguration) -> Void = { _ in }, timeout: Double = -1) throws -> Bench
  {
    let bench = try connecting(timeout: timeout, configure)
    bench.machine.lookupFinished(LookupID(generation: 1), .success([ipv4, ipv6]), now: bench.now)
    #expect(hosts(bench.machine.takeCommands()) == ["192.0.2.1"])
    return bench
  }

  @Test("CON-17, CON-22: the alternate starts after its delay, not before", arguments: [0.3, 0.05, 1.0, 0])
  func alternateDelay(delay: Double) throws {
    var bench = try Self.racing { $0.alternateAddressDelay = delay }
    let milliseconds = Int64(delay * 1000)
    #expect(bench.machine.nextDeadline == bench.clock.after(milliseconds: milliseconds))
    if milliseconds > 0 {
      bench.wait(milliseconds: milliseconds - 1)
      #expect(bench.machine.takeCommands() == [])
    }
    bench.wait(milliseconds: milliseconds > 0 ? 1 : 0)
    #expect(Self.hosts(bench.machine.takeCommands()) == ["2001:db8::1"])
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test("CON-22: a delay that makes no sense does no harm", arguments: [-1, .nan, -.infinity, .infinity, 1e18])
  func absurdDelay(delay: Double) throws {
    var bench = try Self.racing { $0.alternateAddressDelay = delay }
    bench.wait(milliseconds: 0)
    let isNever = delay == .infinity || delay == 1e18
    #expect(Self.hosts(bench.machine.takeCommands()) == (isNever ? [] : ["2001:db8::1"]))
    bench.machine.attemptFailed(Self.attempt(0), Self.refused)
    #expect(Self.hosts(bench.machine.takeCommands()) == (isNever ? ["2001:db8::1"] : []))
    #expect(bench.take() == [])
  }

  @Test("CON-17: the first to succeed wins, the other is abandoned silently", arguments: [0, 1])
  func winner(index: Int) throws {
    var bench = try Self.racing()
    bench.wait(milliseconds: 300)
    _ = bench.machine.takeCommands()
    bench.machine.attemptSucceeded(Self.attempt(index), announcing: .didConnect(Self.ipv4))
    #expect(bench.machine.takeCommands() == [.abandon(Self.attempt(1 - index)), .establish(Self.attempt(index))])
    #expect(bench.machine.isConnected)
    // A late word of the loser changes nothing; a late success is closed.
    bench.machine.attemptFailed(Self.attempt(1 - index), Self.refused)
    bench.machine.attemptSucceeded(Self.attempt(1 - index), announcing: .didConnect(Self.ipv6))
    #expect(bench.machine.takeCommands() == [.abandon(Self.attempt(1 - index))])
    #expect(bench.take() == [.connected(host: "192.0.2.1", port: 80)])
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test("CON-18: a refused preferred address starts the alternate, at the latest after the delay")
  func alternateAfterRefusal() throws {
    var bench = try Self.racing()
    bench.machine.attemptFailed(Self.attempt(0), Self.refused)
    bench.wait(milliseconds: 300)
    #expect(Self.hosts(bench.machine.takeCommands()) == ["2001:db8::1"])
    bench.wait(milliseconds: 1000)
    #expect(bench.machine.takeCommands() == [], "started once")
    bench.machine.attemptSucceeded(Self.attempt(1), announcing: .didConnect(Self.ipv6))
    #expect(bench.take() == [.connected(host: "2001:db8::1", port: 80)])
  }

  @Test("CON-19: when both fail, the last failure is the reason, once", arguments: [[0, 1], [1, 0]])
  func bothFail(order: [Int]) throws {
    var bench = try Self.racing()
    bench.wait(milliseconds: 300)
    bench.machine.attemptFailed(Self.attempt(order[0]), Self.unreachable)
    #expect(bench.take() == [])
    #expect(!bench.machine.isDisconnected)
    bench.machine.attemptFailed(Self.attempt(order[1]), Self.refused)
    #expect(bench.take() == [.disconnected(.posix(111, call: "connect"))])
    bench.machine.attemptFailed(Self.attempt(order[1]), Self.refused)
    #expect(bench.take() == [])
  }

  @Test(
    "CON-19: two failures that are found before anybody comes for the first are two", arguments: [[0, 1], [1, 0]])
  func bothFailInOneCall(order: [Int]) throws {
    var bench = try Self.racing()
    bench.wait(milliseconds: 300)
    bench.machine.attemptFailedInCall(Self.attempt(order[0]), Self.unreachable)
    bench.machine.attemptFailedInCall(Self.attempt(order[1]), Self.refused)
    #expect(bench.take() == [] && !bench.machine.isDisconnected && bench.machine.hasPostponedFailure)
    bench.machine.takeUpPostponedFailure()
    #expect(bench.take() == [.disconnected(.posix(111, call: "connect"))])
  }

  @Test("CON-23: after a disconnect the alternate never starts, running attempts are abandoned")
  func disconnectInDelay() throws {
    var bench = try Self.racing()
    bench.disconnect()
    #expect(bench.machine.takeCommands() == [.abandon(Self.attempt(0))])
    try bench.machine.connect(toHost: "127.0.0.1", port: 1, interface: nil, timeout: -1, in: Self.context(bench))
    #expect(Self.hosts(bench.machine.takeCommands()) == ["127.0.0.1"])
    bench.wait(milliseconds: 300)
    #expect(bench.machine.takeCommands() == [])
    #expect(bench.take() == [.disconnected(nil)])
  }

  // MARK: Generations (INV-18)

  @Test("INV-18: answers of an earlier generation are ignored")
  func staleAnswers() throws {
    var bench = try Self.connecting()
    bench.disconnect()
    try bench.machine.connect(toHost: "name.invalid", port: 80, interface: nil, timeout: -1, in: Self.context(bench))
    _ = bench.machine.takeCommands()
    #expect(bench.machine.generation == 2)
    bench.machine.lookupFinished(LookupID(generation: 1), .success([Self.ipv4]), now: bench.now)
    bench.machine.lookupFinished(LookupID(generation: 1), .failure(.lookup(code: -2, message: "")), now: bench.now)
    #expect(bench.machine.takeCommands() == [])
    bench.machine.lookupFinished(LookupID(generation: 2), .success([Self.ipv4, Self.ipv6]), now: bench.now)
    bench.machine.lookupFinished(LookupID(generation: 2), .success([Self.ipv6]), now: bench.now)
    #expect(Self.hosts(bench.machine.takeCommands()) == ["192.0.2.1"], "an answer counts once")
    bench.machine.attemptFailed(Self.attempt(0), Self.refused)
    bench.machine.attemptSucceeded(Self.attempt(0), announcing: .didConnect(Self.ipv4))
    #expect(bench.machine.takeCommands() == [.abandon(Self.attempt(0))], "a late success is closed")
    #expect(!bench.machine.isRunning(Self.attempt(0)))
    #expect(bench.machine.isRunning(Self.attempt(0, generation: 2)))
    #expect(!bench.machine.isRunning(Self.attempt(1, generation: 2)))
    #expect(!bench.machine.isRunning(Self.attempt(7, generation: 2)))
    #expect(bench.take() == [.disconnected(nil)])
    #expect(!bench.machine.isConnected)
  }

  @Test("CON-14, CON-15: a disconnect in any phase is told once, with nil", arguments: [0, 1, 2])
  func disconnectInPhase(phase: Int) throws {
    var bench = try Self.connecting()
    if phase > 0 { bench.machine.lookupFinished(LookupID(generation: 1), .success([Self.ipv4]), now: bench.now) }
    if phase > 1 { bench.machine.attemptSucceeded(Self.attempt(0), announcing: .didConnect(Self.ipv4)) }
    bench.disconnect()
    bench.disconnect()
    let told = bench.take()
    #expect(told.last == .disconnected(nil))
    #expect(told.count == (phase > 1 ? 2 : 1))
    #expect(bench.machine.isDisconnected)
    bench.machine.lookupFinished(LookupID(generation: 1), .success([Self.ipv4]), now: bench.now)
    bench.wait(milliseconds: 10_000)
    #expect(bench.take() == [])
  }

  // MARK: The connect timeout

  enum Phase: String, CaseIterable, Sendable { case resolving, connecting, racing, path }

  @Test("CON-08, CON-11: one deadline from the call to the connection", arguments: Phase.allCases)
  func connectTimeout(phase: Phase) throws {
    var bench = Bench(idle: MemoryTransport())
    if phase == .path {
      _ = try bench.machine.connect(toPath: "/tmp/x", timeout: 0.6, in: Self.context(bench))
    } else {
      try bench.machine.connect(toHost: "name.invalid", port: 1, interface: nil, timeout: 0.6, in: Self.context(bench))
    }
    let deadline = bench.clock.after(milliseconds: 600)
    bench.wait(milliseconds: 200)
    if phase == .connecting || phase == .racing {
      let found = phase == .racing ? [Self.ipv4, Self.ipv6] : [Self.ipv4]
      bench.machine.lookupFinished(LookupID(generation: 1), .success(found), now: bench.now)
    }
    #expect(bench.machine.nextDeadline == (phase == .racing ? bench.clock.after(milliseconds: 300) : deadline))
    bench.wait(milliseconds: 399)
    _ = bench.machine.takeCommands()
    #expect(bench.machine.nextDeadline == deadline)
    #expect(bench.take() == [])
    bench.wait(milliseconds: 1)
    #expect(bench.take() == [.disconnected(.connectTimeout)])
    let abandoned = [Phase.resolving: 0, .racing: 2][phase] ?? 1
    let lookup: [SocketCommand] = phase == .resolving ? [.forgetLookup(LookupID(generation: 1))] : []
    #expect(bench.machine.takeCommands() == lookup + (0..<abandoned).map { .abandon(Self.attempt($0)) })
    #expect(bench.machine.nextDeadline == nil)
    // The peer's late success is closed (CON-08).
    bench.machine.attemptSucceeded(Self.attempt(0), announcing: .didConnect(Self.ipv4))
    #expect(bench.machine.takeCommands() == [.abandon(Self.attempt(0))])
    #expect(bench.take() == [])
  }

  @Test(
    "CON-09, TMO-19: no connect timer for negative and absurd timeouts", arguments: [-1, -0.001, .nan, .infinity, 1e18])
  func noConnectTimeout(timeout: Double) throws {
    var bench = try Self.connecting(timeout: timeout)
    #expect(bench.machine.nextDeadline == nil)
    bench.wait(milliseconds: 1_000_000_000)
    #expect(bench.take() == [])
  }

  @Test("CON-10: a zero timeout ends at the first look")
  func zeroConnectTimeout() throws {
    var bench = try Self.connecting(to: "127.0.0.1", timeout: 0)
    #expect(bench.machine.nextDeadline == bench.now)
    bench.wait(milliseconds: 0)
    #expect(bench.take() == [.disconnected(.connectTimeout)])
  }

  @Test("CON-08, CON-11: an answer of the resolver behind the timeout is too late", arguments: [true, false])
  func lateAnswer(isGood: Bool) throws {
    var bench = try Self.connecting(timeout: 0.5)
    _ = bench.machine.takeCommands()
    // A loop that is held up finds the answer before it has looked at its timers.
    bench.clock.advance(milliseconds: 501)
    let answer: Result<[SocketAddress], SocketFailure> =
      isGood ? .success([Self.ipv4]) : .failure(.lookup(code: -2, message: "no such host"))
    bench.machine.lookupFinished(LookupID(generation: 1), answer, now: bench.now)
    #expect(bench.machine.takeCommands() == [])
    #expect(bench.take() == [.disconnected(.connectTimeout)])
  }

  @Test("CON-11: the connect timer stops at the connection")
  func timerStops() throws {
    var bench = try Self.connecting(to: "127.0.0.1", timeout: 0.5)
    bench.machine.attemptSucceeded(Self.attempt(0), announcing: .didConnect(Self.ipv4))
    #expect(bench.machine.nextDeadline == nil)
    bench.wait(milliseconds: 5000)
    #expect(bench.take() == [.connected(host: "192.0.2.1", port: 80)])
  }

  // MARK: Ends and restarts

  @Test("CON-06: a failed lookup is told with the resolver's code")
  func lookupFails() throws {
    var bench = try Self.connecting(timeout: 5)
    bench.machine.lookupFinished(LookupID(generation: 1), .failure(.lookup(code: -2, message: "no")), now: bench.now)
    #expect(bench.take() == [.disconnected(.lookup(-2))])
    #expect(bench.machine.nextDeadline == nil)
    #expect(bench.machine.takeCommands().dropFirst() == [])
  }

  @Test("CON-38: didConnect comes before what pre-queued operations bring")
  func order() throws {
    var bench = try Self.connecting(to: "127.0.0.1")
    bench.transport.arrive("hello".utf8)
    bench.write([1], tag: 1)
    bench.read(.exactly(5, timeout: -1, tag: 2))
    #expect(bench.take() == [])
    bench.machine.attemptSucceeded(Self.attempt(0), announcing: .didConnect(Self.ipv4))
    bench.wake()
    #expect(bench.take() == [.connected(host: "192.0.2.1", port: 80), .read("hello", tag: 2), .wrote(tag: 1)])
  }

  @Test("LIFE-09, LIFE-10, LIFE-11: each start is clean, the configuration stays")
  func restarts() throws {
    var bench = Bench(idle: MemoryTransport())
    bench.machine.configuration.autoDisconnectOnClosedReadStream = false
    bench.machine.configuration.alternateAddressDelay = 7
    let configuration = bench.machine.configuration
    for generation in 1...50 as ClosedRange<UInt64> {
      bench.transport = MemoryTransport(sendRoom: 2)
      #expect(bench.machine.backlog == (reads: 0, writes: 0, buffered: 0))
      bench.read(.exactly(1, timeout: -1, tag: 99))
      bench.write([99], tag: 99)
      try bench.machine.connect(toHost: "127.0.0.1", port: 1, interface: nil, timeout: -1, in: Self.context(bench))
      bench.machine.attemptSucceeded(Self.attempt(0, generation: generation), announcing: .didConnect(Self.ipv4))
      bench.arrive("a\r\nleft")
      bench.read(.through([13, 10], limit: 0, timeout: -1, tag: 1))
      bench.write([1, 2, 3], timeout: 0, tag: 2)
      #expect(
        bench.take().prefix(3) == [
          .connected(host: "192.0.2.1", port: 80), .read("a\r\n", tag: 1), .wrotePartial(2, tag: 2),
        ])
      // Every other generation leaves a half-close, an open question, a wish and a barrier behind.
      if generation.isMultiple(of: 2) {
        bench.machine.startTLS { .success(ClearSession()) }
        bench.close(afterReads: true)
        bench.finish()
      }
      bench.disconnect()
      #expect(bench.take().last?.isDisconnect == true)
      #expect(bench.machine.configuration == configuration)
    }
  }

  @Test("CON-27, CON-35: a start that is refused in the call itself is told by nobody else")
  func refusedInCall() throws {
    var bench = Bench(idle: MemoryTransport())
    try bench.machine.connect(toAddress: Self.ipv4.bytes, interface: nil, timeout: 1, in: Self.context(bench))
    bench.machine.startRefused()
    #expect(bench.machine.isDisconnected)
    #expect(bench.machine.takeCommands() == [])
    #expect(bench.machine.nextDeadline == nil)
    #expect(bench.take() == [])
  }

  @Test("CON-34: a Unix-domain attempt succeeds or fails like any other", arguments: [true, false])
  func path(succeeds: Bool) throws {
    var bench = Bench(idle: MemoryTransport())
    let attempt = try bench.machine.connect(toPath: "/tmp/x", timeout: -1, in: Self.context(bench))
    #expect(bench.machine.isRunning(attempt))
    if succeeds {
      bench.machine.attemptSucceeded(attempt, announcing: .didConnectToPath("/tmp/x"))
      #expect(bench.machine.takeCommands() == [.establish(attempt)])
      #expect(bench.take() == [.connectedToPath("/tmp/x")])
    } else {
      bench.machine.attemptFailed(attempt, .posix(code: 2, call: "connect"))
      #expect(bench.take() == [.disconnected(.posix(2, call: "connect"))])
      #expect(bench.machine.isDisconnected)
    }
  }

  // MARK: A full backlog

  @Test("CON-08, WR-14: an attempt without room is begun again after growing pauses, until the timeout")
  func retries() throws {
    var bench = Bench(idle: MemoryTransport())
    let attempt = try bench.machine.connect(toPath: "/tmp/x", timeout: 0.6, in: Self.context(bench))
    let deadline = bench.clock.after(milliseconds: 600)
    var pauses: [Int64] = []
    while true {
      bench.machine.attemptMustRetry(attempt, now: bench.now)
      let due = try #require(bench.machine.nextDeadline)
      guard due < deadline else { break }
      pauses.append((due.nanoseconds - bench.now.nanoseconds) / 1_000_000)
      // Not a nanosecond before its time, and once.
      _ = bench.machine.tick(now: Instant(nanoseconds: due.nanoseconds - 1))
      #expect(bench.machine.takeCommands() == [])
      bench.wait(milliseconds: pauses.last ?? 0)
      #expect(bench.machine.takeCommands() == [.retry(attempt, remote: nil)])
      #expect(bench.machine.nextDeadline == deadline)
      bench.wait(milliseconds: 0)
      #expect(bench.machine.takeCommands() == [])
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 100, 100, 100, 100])
    #expect(bench.take() == [])
    bench.clock.advance(milliseconds: (deadline.nanoseconds - bench.now.nanoseconds) / 1_000_000)
    bench.wait(milliseconds: 0)
    #expect(bench.take() == [.disconnected(.connectTimeout)])
    #expect(bench.machine.takeCommands() == [.abandon(attempt)])
    bench.machine.attemptMustRetry(attempt, now: bench.now)
    #expect(bench.machine.nextDeadline == nil)
  }

  enum RetryEnd: String, CaseIterable, Sendable { case success, failure, disconnect }

  @Test("CON-14, CON-34: what comes of it ends the waiting", arguments: RetryEnd.allCases)
  func retryEnds(by end: RetryEnd) throws {
    var bench = Bench(idle: MemoryTransport())
    let attempt = try bench.machine.connect(toPath: "/tmp/x", timeout: -1, in: Self.context(bench))
    bench.machine.attemptMustRetry(attempt, now: bench.now)
    bench.wait(milliseconds: 1)
    #expect(bench.machine.takeCommands() == [.retry(attempt, remote: nil)])
    switch end {
    case .success: bench.machine.attemptSucceeded(attempt, announcing: .didConnectToPath("/tmp/x"))
    case .failure: bench.machine.attemptFailed(attempt, .posix(code: 111, call: "connect"))
    case .disconnect:
      // In the midst of a pause.
      bench.machine.attemptMustRetry(attempt, now: bench.now)
      bench.disconnect()
    }
    #expect(bench.machine.nextDeadline == nil)
    let commands = bench.machine.takeCommands()
    #expect(commands == (end == .success ? [.establish(attempt)] : end == .failure ? [] : [.abandon(attempt)]))
    bench.wait(milliseconds: 10_000)
    #expect(bench.machine.takeCommands() == [])
    let told: RecordedEvent =
      switch end {
      case .success: .connectedToPath("/tmp/x")
      case .failure: .disconnected(.posix(111, call: "connect"))
      case .disconnect: .disconnected(nil)
      }
    #expect(bench.take() == [told])
  }

  @Test("CON-08, CON-17: in a race each attempt waits for itself")
  func retriesInARace() throws {
    var bench = try Self.connecting(to: "localhost")
    #expect(Self.hosts(bench.machine.takeCommands()) == ["127.0.0.1"])
    bench.machine.attemptMustRetry(Self.attempt(0), now: bench.now)
    bench.wait(milliseconds: 1)
    #expect(
      bench.machine.takeCommands() == [.retry(Self.attempt(0), remote: .loopback(.ipv4, port: 80))])
    bench.machine.attemptMustRetry(Self.attempt(0), now: bench.now)
    bench.wait(milliseconds: 299)
    let commands = bench.machine.takeCommands()
    #expect(commands.first == .retry(Self.attempt(0), remote: .loopback(.ipv4, port: 80)))
    #expect(Self.hosts(commands) == ["::1"])
    bench.machine.attemptSucceeded(Self.attempt(1), announcing: .didConnect(.loopback(.ipv6, port: 80)))
    #expect(bench.machine.takeCommands() == [.abandon(Self.attempt(0)), .establish(Self.attempt(1))])
    #expect(bench.machine.nextDeadline == nil)
  }

  enum LookupEnd: String, CaseIterable, Sendable { case answer, failure, timeout, disconnect }

  @Test("INV-08: a lookup that nobody waits for any more is given up, once", arguments: LookupEnd.allCases)
  func forgottenLookups(_ end: LookupEnd) throws {
    var bench = try Self.connecting(timeout: 1)
    let lookup = LookupID(generation: 1)
    #expect(bench.machine.takeCommands() == [.lookUp(lookup, host: "name.invalid", port: 80)])
    switch end {
    case .answer: bench.machine.lookupFinished(lookup, .success([Self.ipv4]), now: bench.now)
    case .failure: bench.machine.lookupFinished(lookup, .success([]), now: bench.now)
    case .timeout: bench.wait(milliseconds: 1000)
    case .disconnect: bench.disconnect()
    }
    let isGivenUp = end == .timeout || end == .disconnect
    #expect(bench.machine.takeCommands().contains(.forgetLookup(lookup)) == isGivenUp)
    bench.disconnect()
    #expect(!bench.machine.takeCommands().contains(.forgetLookup(lookup)))
  }

  @Test("LIFE-02: the states a caller sees")
  func states() throws {
    var bench = try Self.connecting()
    func state() -> [Bool] { [bench.machine.isDisconnected, bench.machine.isConnected, bench.machine.isListening] }
    #expect(state() == [false, false, false])
    bench.machine.lookupFinished(LookupID(generation: 1), .success([Self.ipv4]), now: bench.now)
    #expect(state() == [false, false, false])
    bench.machine.attemptSucceeded(Self.attempt(0), announcing: .didConnect(Self.ipv4))
    #expect(state() == [false, true, false])
    bench.disconnect()
    #expect(state() == [true, false, false])
    bench.machine.listenerIsReady()
    #expect(state() == [false, false, true])
    bench.machine.disconnect(because: Self.refused)
    #expect(state() == [true, false, false])
    #expect(bench.take().suffix(2) == [.disconnected(nil), .disconnected(.posix(111, call: "connect"))])
  }
}
