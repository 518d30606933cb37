import FuzzHarness
import ReferenceModel
import SocketCore
import SocketValues

enum Addresses {
  static let ipv4 = SocketAddress.loopback(.ipv4, port: 1)
  static let ipv6 = SocketAddress.loopback(.ipv6, port: 1)
}

/// What a driver would have under way while a socket connects.
struct Connecting {
  var lookup: LookupID?
  /// Attempts whose descriptors are open.
  var attempts: [AttemptID] = []
  /// When the alternate address may be tried although the preferred one has not failed (CON-17), in milliseconds.
  var alternateAt: Int?
  var preferredFailed = false
  /// Attempts that could not begin, and when they are to be begun again.
  var retries: [AttemptID: Instant] = [:]
  /// The last pauses before that, in milliseconds.
  var pauses: [AttemptID: Int64] = [:]
  var isUnderWay: Bool { !attempts.isEmpty || lookup != nil || alternateAt != nil }
  /// The last ones of this life, and those of an earlier one.
  var lastAttempt: AttemptID?
  var lastLookup: LookupID?
  var staleAttempt: AttemptID?
  var staleLookup: LookupID?
  /// The caller named an interface: every attempt must come from one of its addresses.
  var isBound = false

  /// What this life had under way belongs to an earlier one now.
  mutating func growOld() {
    staleAttempt = lastAttempt ?? staleAttempt
    staleLookup = lastLookup ?? staleLookup
    isBound = false
  }
}

/// A way to start connecting.
enum Start {
  case toAddress
  case toHost(String, interface: String? = nil)
  case toPath(String)

  func start(_ machine: SocketMachine, timeout: Int?, _ context: StartContext) throws(SocketFailure) {
    let seconds = timeout.map { Double($0) / 1000 } ?? -1
    switch self {
    case .toAddress:
      try machine.connect(toAddress: Addresses.ipv4.bytes, interface: nil, timeout: seconds, in: context)
    case .toHost(let host, let interface):
      try machine.connect(toHost: host, port: 1, interface: interface, timeout: seconds, in: context)
    case .toPath(let path): _ = try machine.connect(toPath: path, timeout: seconds, in: context)
    }
  }
}

extension Lockstep {
  /// In milliseconds: what `SocketConfiguration` has by default.
  private static var headStart: Int { 300 }

  private var milliseconds: Int { Int(now.nanoseconds / 1_000_000) }

  // MARK: Commands

  /// Carries out what the machine wants done, and holds it to what it may want.
  mutating func obey(_ command: SocketCommand) throws(Violation) {
    switch command {
    case .close(let manner, let finalBytes):
      guard finalBytes.isEmpty else { throw Violation("INV-06", "a finalBytes of a connection in clear") }
      closing = manner
      engine.connectionIsClosed()
    case .lookUp(let lookup, _, _):
      guard lookup.generation == machine.generation, connecting.lookup == nil else {
        throw Violation("INV-18", "a lookup of generation \(lookup.generation) in \(machine.generation)")
      }
      connecting.lookup = lookup
      connecting.lastLookup = lookup
    case .forgetLookup(let lookup):
      guard lookup == connecting.lookup else { throw Violation("INV-18", "\(lookup) forgotten, which is not there") }
      connecting.lookup = nil
    case .retry(let attempt, _):
      guard let due = connecting.retries.removeValue(forKey: attempt), now >= due else {
        throw Violation("INV-10", "\(attempt) is begun again without a pause, or without need")
      }
    case .attempt(let attempt, let remote, let local):
      guard machine.configuration.isEnabled(remote.family) else {
        throw Violation("CFG-04", "an attempt over a family that is disabled")
      }
      guard !connecting.isBound || local?.family == remote.family else {
        throw Violation("CON-28", "an attempt that is not bound to the interface")
      }
      try started(attempt)
    case .abandon(let attempt): connecting.attempts.removeAll { $0 == attempt }
    case .establish(let attempt):
      guard connecting.attempts.contains(attempt) else { throw Violation("INV-18", "\(attempt) established") }
      connecting.attempts.removeAll { $0 == attempt }
      engine.connectionIsEstablished()
    }
  }

  /// At rest every lookup and attempt that is under way is one that the machine waits for.
  mutating func checkConnecting() throws(Violation) {
    try checkRetries()
    guard connecting.isUnderWay else { return }
    if machine.isConnected || machine.isDisconnected || machine.isListening {
      guard connecting.attempts.isEmpty else {
        throw Violation("INV-08", "\(connecting.attempts) left open after connecting was over")
      }
      guard connecting.lookup == nil else { throw Violation("INV-08", "a lookup that nobody waits for goes on") }
      connecting.alternateAt = nil
    }
  }

  /// What could not begin is begun again in time (CON-08).
  private mutating func checkRetries() throws(Violation) {
    guard !connecting.retries.isEmpty else { return }
    let attempts = connecting.attempts
    connecting.retries = connecting.retries.filter { attempts.contains($0.key) }
    for (attempt, due) in connecting.retries where now.nanoseconds - due.nanoseconds > 1_000_000 {
      throw Violation("CON-08", "\(attempt) is not begun again")
    }
  }

  private mutating func started(_ attempt: AttemptID) throws(Violation) {
    guard attempt.generation == machine.generation, !connecting.attempts.contains(attempt) else {
      throw Violation("INV-18", "\(attempt) started in generation \(machine.generation)")
    }
    if attempt.index == 1 {
      guard connecting.preferredFailed || milliseconds >= connecting.alternateAt ?? 0 else {
        throw Violation("CON-17", "the alternate started at \(milliseconds) ms, ahead of time")
      }
      connecting.alternateAt = nil
    }
    connecting.attempts.append(attempt)
    connecting.lastAttempt = attempt
  }

  // MARK: Starting

  /// Ends what is there and starts anew, in one of the ways there are; a program's own is to adopt a connection.
  mutating func reconnect(_ variant: Int) throws(Violation) {
    if variant == 12 { try startTwice() }
    try call(.disconnect)
    try deliver()
    connecting.growOld()
    machine.configuration.isIPv4Preferred = variant != 15
    machine.configuration.isIPv6Enabled = variant != 12
    switch variant {
    case 4: try connect(.toAddress, timeout: nil)
    case 5: try connect(.toHost("127.0.0.1"), timeout: 200)
    case 6, 15: try connect(.toHost("localhost"), timeout: nil, races: true)
    case 7: try connect(.toHost("name"), timeout: nil)
    case 8: try connectToPath()
    case 9: try listen()
    case 10: try connect(.toHost("name"), timeout: 300)
    case 11: try connect(.toHost("localhost"), timeout: 500, races: true)
    case 12: try connect(.toHost("localhost"), timeout: nil)
    case 13:
      try beRefused()
      connecting.isBound = true
      try connect(.toHost("localhost", interface: "127.0.0.1"), timeout: 400)
    case 14:
      try startInVain()
      try adopt()
    default: try adopt()
    }
  }

  private static func context(_ now: Instant, hasDelegate: Bool = true) -> StartContext {
    StartContext(hasDelegate: hasDelegate, hasDelegateQueue: true, now: now) { [] }
  }

  private mutating func connect(
    _ start: Start, timeout: Int?, races: Bool = false
  ) throws(Violation) {
    connecting.preferredFailed = false
    if races { connecting.alternateAt = milliseconds + Self.headStart }
    try begin(start, "CON-01", timeout: timeout)
    try settle()
    startsAnew()
    model.startConnecting(timeout: timeout)
    try compare()
  }

  /// A start that must be accepted.
  private mutating func begin(_ start: Start, _ law: String, timeout: Int?) throws(Violation) {
    let context = Self.context(now)
    do {
      try enter { engine throws(SocketFailure) in try start.start(engine.machine, timeout: timeout, context) }
    } catch { throw Violation(law, "refused to start: \(error)") }
    engine.started(at: now)
  }

  private mutating func connectToPath() throws(Violation) {
    try begin(.toPath("/socket"), "CON-34", timeout: 250)
    // The driver makes the one attempt itself.
    try started(AttemptID(generation: machine.generation, index: 0))
    try settle()
    startsAnew()
    model.startConnecting(timeout: 250)
    try compare()
  }

  private mutating func listen() throws(Violation) {
    do throws(SocketFailure) {
      _ = try machine.addressesToAccept(onInterface: "localhost", port: 0, in: Self.context(now))
      try machine.checkAccept(onPath: "/socket", in: Self.context(now))
    } catch { throw Violation("ACC-01", "refused to listen: \(error)") }
    enter { $0.machine.listenerIsReady() }
    try settle()
    startsAnew()
    model.startListening()
    try compare()
  }

  // MARK: Starts that must fail, and leave no trace (LIFE-14)

  private mutating func startTwice() throws(Violation) {
    guard !machine.isDisconnected else { return }
    try refuse("LIFE-03", .toAddress)
  }

  private mutating func startInVain() throws(Violation) {
    try refuse("LIFE-05", .toHost("name"), hasDelegate: false)
    try refuse("CON-03", .toHost(""))
    try refuse("CON-03", .toHost("\0name"))
    try refuse("CON-25", .toHost("name", interface: "nosuch0"))
    try refuse("CON-34", .toPath(""))
    machine.configuration.isIPv4Enabled = false
    try refuse("CFG-04", .toAddress)
    machine.configuration.isIPv6Enabled = false
    try refuse("LIFE-08", .toHost("name"))
    machine.configuration.isIPv4Enabled = true
    machine.configuration.isIPv6Enabled = true
  }

  private mutating func refuse(
    _ law: String, _ start: Start, hasDelegate: Bool = true
  ) throws(Violation) {
    do {
      let context = Self.context(now, hasDelegate: hasDelegate)
      try enter { engine throws(SocketFailure) in try start.start(engine.machine, timeout: 0, context) }
    } catch {
      try settle()
      return try compare()
    }
    throw Violation(law, "a start that must fail did not")
  }

  /// The driver could not even open a socket for the one attempt of a synchronous start.
  private mutating func beRefused() throws(Violation) {
    try begin(.toAddress, "CON-01", timeout: 1000)
    machine.startRefused()
    try settle()
    try compare()
  }

  // MARK: What comes of it

  /// The next thing that happens to a start: a lookup's or an attempt's result, a client; otherwise something late.
  package mutating func special(_ choice: Int) throws(Violation) {
    try signalWithheld()
    if let lookup = connecting.lookup, choice & 7 != 7 {
      try finish(lookup, choice & 7)
    } else if !connecting.attempts.isEmpty, choice & 7 != 7 {
      let attempt = connecting.attempts[(choice >> 3) % connecting.attempts.count]
      if choice & 7 == 6 {
        try postpone(attempt)
      } else if choice & 1 == 0 {
        try succeed(attempt)
      } else {
        try fail(attempt)
      }
    } else if machine.isListening {
      try accept(choice)
    } else {
      try comeLate(choice)
    }
    try deliver()
  }

  private mutating func finish(_ lookup: LookupID, _ choice: Int) throws(Violation) {
    var addresses: [SocketAddress] = []
    switch choice {
    case 0, 1: addresses = [Addresses.ipv6, Addresses.ipv4]
    case 2: addresses = [Addresses.ipv4, Addresses.ipv4]
    case 3: addresses = [Addresses.ipv6]
    default: break
    }
    connecting.lookup = nil
    if choice < 2 { connecting.alternateAt = milliseconds + Self.headStart }
    beginLoop()
    machine.lookupFinished(
      lookup, choice == 4 ? .failure(.lookup(code: -2, message: "unknown")) : .success(addresses), now: now)
    try settle()
    if addresses.isEmpty { model.connectFailed() }
    try compare()
  }

  private mutating func succeed(_ attempt: AttemptID) throws(Violation) {
    transport.reconnect(room: firstRoom)
    beginLoop()
    machine.attemptSucceeded(attempt, announcing: .didConnect(attempt.index == 0 ? Addresses.ipv4 : Addresses.ipv6))
    try settle()
    model.open(room: firstRoom)
    try compare()
  }

  /// The listener has no room for the attempt now.
  private mutating func postpone(_ attempt: AttemptID) throws(Violation) {
    beginLoop()
    machine.attemptMustRetry(attempt, now: now)
    let pause = connecting.pauses[attempt].map { min($0 * 2, 100) } ?? 1
    connecting.pauses[attempt] = pause
    connecting.retries[attempt] = Instant(nanoseconds: now.nanoseconds + pause * 1_000_000)
    try settle()
    try compare()
  }

  private mutating func fail(_ attempt: AttemptID) throws(Violation) {
    connecting.attempts.removeAll { $0 == attempt }
    if attempt.index == 0 { connecting.preferredFailed = true }
    let isLast = connecting.attempts.isEmpty && connecting.alternateAt == nil
    beginLoop()
    machine.attemptFailed(attempt, .posix(code: 111, call: "connect"))
    try settle()
    if isLast { model.connectFailed() }
    try compare()
  }

  private final class Client: Sendable {}

  private mutating func accept(_ choice: Int) throws(Violation) {
    if choice & 1 == 0 {
      beginLoop()
      machine.accepted(Client())
      try settle()
      guard fresh.count == 1, case .didAccept? = fresh.first else {
        throw Violation("ACC-03", "\(fresh.count) callbacks for a client")
      }
      fresh.removeAll()
      return
    }
    let errno: Int32 = [103, 24, 4, 12][choice >> 1 & 3]
    let isTransient = errno == 103 || errno == 4
    let decision = machine.acceptFailed(errno, now: now)
    guard (decision == .goOn) == isTransient, isTransient || machine.nextDeadline.map({ $0 > now }) == true else {
      throw Violation("ACC-31", "accepting goes on \(decision) after errno \(errno)")
    }
  }

  /// Results that come too late change nothing; a connection that comes too late is closed (INV-18).
  private mutating func comeLate(_ choice: Int) throws(Violation) {
    if let lookup = connecting.staleLookup, lookup != connecting.lookup {
      machine.lookupFinished(lookup, .success([Addresses.ipv4]), now: now)
      guard machine.takeCommands().isEmpty else { throw Violation("INV-18", "a late lookup starts something") }
    }
    if let attempt = connecting.staleAttempt, !connecting.attempts.contains(attempt) {
      if choice & 8 == 0 {
        machine.attemptSucceeded(attempt, announcing: .didConnect(Addresses.ipv4))
        guard machine.takeCommands() == [.abandon(attempt)] else {
          throw Violation("CON-14", "a late connection is not closed")
        }
      } else {
        machine.attemptFailed(attempt, .posix(code: 111, call: "connect"))
      }
    }
    machine.accepted(Client())
    try settle()
    try compare()
  }
}
