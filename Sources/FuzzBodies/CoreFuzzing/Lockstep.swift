import FuzzHarness
import ReferenceModel
import SocketCore
import SocketValues

/// Stands between the machine and the comparison. The real one passes on what it is given; those of tests change it, to
/// see that the comparison notices.
package protocol EventFilter {
  /// Appends to `events` what the comparison is to see of this one.
  mutating func pass(_ event: SocketEvent, into events: inout [SocketEvent])
}

/// Passes on every event as it is.
package struct PassThrough: EventFilter {
  package init() {}
  package mutating func pass(_ event: SocketEvent, into events: inout [SocketEvent]) { events.append(event) }
}

/// The engine with its machine, and the model, side by side, as a socket of either class: each verb is called on both,
/// both come to rest, and both must have told the same, have the same on the wire, and stand at the same place.
///
/// Reactions and the delegate's answers follow when a verb is over, in order, as verbs of their own. What the world
/// does that must make no difference (`Conduct`, and who calls from where) only the engine gets to see.
package struct Lockstep<Filter: EventFilter> {
  let engine: SocketEngine
  /// Of a socket of the class that lives on a run loop.
  let runLoopEngine: RunLoopEngine?
  var livesOnRunLoop: Bool { runLoopEngine != nil }
  /// On a run loop: whether the engine wants a turn.
  var wantsTurn = false
  /// What unreadData said in the announcements of ends, in their order.
  var unread: [[UInt8]?] = []
  /// The machine of the engine.
  package var machine: SocketMachine { engine.machine }
  /// Times the engine was brought to rest.
  var settled = 0
  /// The delegate queue, and the delegate.
  let somebody = Somebody()
  /// Lanes whose queue has a block.
  var blocks: [SocketEngine.Box.Block] = []
  /// The callback under way.
  var callback: SocketEngine.Draining?
  /// The callback under way must return before the next step.
  var callbackMustReturn = false
  /// The loop was asked to look after the connection.
  var isWoken = false
  let scratch = ByteBlock(capacity: 1 << 12)
  /// How often the engine has taken its shortcuts so far.
  package internal(set) var ways = LockstepWays()
  /// The kernel below the engine.
  package var transport = FuzzTransport()
  /// The model beside the engine.
  package var model = SocketModel()
  var filter: Filter
  var now = Instant(nanoseconds: 0)

  let conduct: Conduct
  let firstRoom: Int?
  let extensions: [Int]
  let reactions: [SocketProgram.Reaction]

  /// What the machine told since the last comparison, and what was not delivered yet.
  var fresh: [SocketEvent] = []
  var undelivered: [SocketEvent] = []
  var delivered = 0
  private var answers = 0
  /// Questions that the delegate still thinks about, and the last one it answered.
  private var openQuestions: [TimeoutQuestion] = []
  var stale: TimeoutQuestion?
  /// What arrived without being signalled.
  private var withheld: [UInt8]?

  /// The sums of partial reports of the active operations.
  var readPartials = (tag: -1, sum: 0)
  var writePartials = (tag: -1, sum: 0)
  var wireCompared = 0
  /// What the machine had buffered when it was last compared.
  var buffered = 0
  var closing: CloseManner?
  var connecting = Connecting()

  static var remote: SocketAddress { Addresses.ipv4 }

  package init(
    closesOnEndOfStream: Bool = true, livesOnRunLoop: Bool = false, room: Int? = nil, extensions: [Int] = [],
    reactions: [SocketProgram.Reaction] = [], conduct: Conduct = Conduct(), filter: Filter
  ) {
    runLoopEngine = livesOnRunLoop ? RunLoopEngine() : nil
    engine = runLoopEngine?.engine ?? SocketEngine(socketQueue: nil)
    self.filter = filter
    var conduct = conduct
    // On a run loop the answer to a question is what its callback returns.
    if livesOnRunLoop { (conduct.answersLate, conduct.signalsLate) = (false, false) }
    self.conduct = conduct
    self.extensions = extensions
    self.reactions = reactions
    firstRoom = room
    transport.behaviour = conduct.behaviour
    // The class on a run loop has no such setting.
    machine.configuration.autoDisconnectOnClosedReadStream = closesOnEndOfStream || livesOnRunLoop
    model.closesOnEndOfStream = closesOnEndOfStream
    model.livesOnRunLoop = livesOnRunLoop
  }

  package init(_ decoder: ProgramDecoder, filter: Filter) {
    self.init(
      closesOnEndOfStream: decoder.closesOnEndOfStream, livesOnRunLoop: decoder.livesOnRunLoop, room: decoder.room,
      extensions: decoder.extensions, reactions: decoder.reactions, conduct: decoder.conduct, filter: filter)
  }

  /// Makes the first connection. Throws what is found wrong, as all verbs here do.
  package mutating func begin() throws(Violation) {
    try adopt()
    try deliver()
  }

  /// Ends what is still there, and compares for the last time.
  package mutating func end() throws(Violation) {
    try signalWithheld()
    try call(.disconnect)
    try deliver()
  }

  /// Runs the program that these bytes are; nil: nothing wrong with it.
  package static func violation(
    in bytes: UnsafeRawBufferPointer, kinds: [ProgramDecoder.Kind], filter: Filter
  ) -> Violation? {
    var decoder = ProgramDecoder(bytes, kinds: kinds)
    do throws(Violation) { try run(&decoder, filter: filter) } catch { return error }
    return nil
  }

  /// Runs the program that the decoder reads; throws what it finds wrong.
  package static func run(_ decoder: inout ProgramDecoder, filter: Filter) throws(Violation) {
    var lockstep = Lockstep(decoder, filter: filter)
    try lockstep.run(&decoder)
  }

  /// Runs the whole program that the decoder reads, from `begin` to `end`.
  package mutating func run(_ decoder: inout ProgramDecoder) throws(Violation) {
    try begin()
    while let operation = decoder.next() {
      switch operation {
      case .step(let step, let variant): try perform(step, variant: variant)
      case .special(let choice): try special(choice)
      }
    }
    try end()
  }

  /// Runs a program over a kernel that behaves so; throws what it finds wrong.
  package static func run(_ program: SocketProgram, conduct: Conduct, filter: Filter) throws(Violation) {
    var lockstep = Lockstep(
      closesOnEndOfStream: program.closesOnEndOfStream, livesOnRunLoop: program.livesOnRunLoop, room: program.room,
      extensions: program.extensions, reactions: program.reactions, conduct: conduct, filter: filter)
    try lockstep.begin()
    for step in program.steps { try lockstep.perform(step) }
    try lockstep.end()
  }

  // MARK: Steps

  /// Carries out a step and what its callbacks ask for, then answers the timeout questions that were open before.
  /// `variant` picks one of the ways to connect anew.
  package mutating func perform(_ step: SocketProgram.Step, variant: Int = 0) throws(Violation) {
    let due = openQuestions.count
    switch step {
    case .call(let call):
      if case .read = call {} else { try signalWithheld() }
      try self.call(call)
    case .wait(let milliseconds): try wait(milliseconds)
    case .arrive(let bytes):
      try signalWithheld()
      try arrive(bytes)
    // The end that comes with bytes is found in the same look.
    case .peerFinishes where withheld != nil: try disturb(step, variant)
    default:
      try signalWithheld()
      try disturb(step, variant)
    }
    try deliver()
    for _ in 0..<min(due, openQuestions.count) {
      try signalWithheld()
      try answer(openQuestions.removeFirst())
      try deliver()
    }
  }

  private mutating func disturb(_ step: SocketProgram.Step, _ variant: Int) throws(Violation) {
    switch step {
    case .peerFinishes:
      if machine.isConnected { transport.finish() }
      try settle()
      tellModelOfWithheld(withEnd: true)
      model.peerFinishes()
      try compare()
    case .peerResets:
      if machine.isConnected { transport.reset() }
      try settle()
      model.peerResets()
      try compare()
    case .makeRoom(let bytes):
      if machine.isConnected { transport.makeRoom(bytes) }
      try settle()
      model.makeRoom(bytes)
      try compare()
    case .wake: try wake()
    case .reconnect: try reconnect(variant)
    case .call, .wait, .arrive: break
    }
  }

  mutating func adopt() throws(Violation) {
    transport.reconnect(room: firstRoom)
    enter { $0.adoptConnection(announcing: .didConnect(Self.remote), inactive: false) }
    try settle()
    startsAnew()
    model.open(room: firstRoom)
    try compare()
  }

  mutating func startsAnew() {
    readPartials = (-1, 0)
    writePartials = (-1, 0)
    closing = nil
  }

  /// Makes the call on engine and model and compares both. The callbacks are delivered later, by `perform` or `end`.
  package mutating func call(_ call: SocketProgram.Call) throws(Violation) {
    let quiet = quietBuffer
    switch call {
    case .read(let read, let timeout):
      if let request = request(read, timeout) { queue(request) }
      // If bytes are there and not signalled, the read finds them by itself or with the signal that follows.
      if withheld != nil { try settle(noting: false) }
    case .write(let bytes, let timeout):
      let block = bytes.withUnsafeBytes { ByteBlock(copying: $0) }
      if let write = WriteRequest(bytes: block, timeout: Self.seconds(timeout), tag: model.writeCalls) {
        try queue(write)
      }
    case .disconnect: try disconnect()
    case .disconnectAfter(let reads, let writes): enter { $0.disconnect(afterReads: reads, afterWrites: writes) }
    }
    try settle()
    tellModelOfWithheld()
    model.call(call)
    try compare()
    if case .read = call { return }
    try checkBackPressure(quiet)
  }

  private func request(_ read: SocketProgram.Read, _ timeout: Int?) -> ReadRequest? {
    let seconds = Self.seconds(timeout)
    let tag = model.readCalls
    return switch read {
    case .available(let limit): .available(limit: limit, timeout: seconds, tag: tag)
    case .exactly(let length): .exactly(length, timeout: seconds, tag: tag)
    case .through(let delimiter, let limit): .through(delimiter, limit: limit, timeout: seconds, tag: tag)
    }
  }

  private static func seconds(_ milliseconds: Int?) -> Double { milliseconds.map { Double($0) / 1000 } ?? -1 }

  /// Bytes arrive. Where readiness is signalled late (`Conduct`), engine and model hear of them at the next step.
  package mutating func arrive(_ bytes: [UInt8]) throws(Violation) {
    let quiet = quietBuffer
    if machine.isConnected { bytes.withUnsafeBytes { transport.arrive($0) } }
    if conduct.signalsLate, machine.isConnected, transport.takesArrivals, !bytes.isEmpty {
      withheld = bytes
      return
    }
    try settle()
    bytes.withUnsafeBytes { model.arrive($0) }
    try compare()
    try checkBackPressure(quiet)
  }

  private mutating func tellModelOfWithheld(withEnd: Bool = false) {
    guard let bytes = withheld else { return }
    withheld = nil
    bytes.withUnsafeBytes { model.arrive($0, withEnd: withEnd) }
  }

  package mutating func signalWithheld() throws(Violation) {
    guard withheld != nil else { return }
    try settle()
    tellModelOfWithheld()
    try compare()
    try deliver()
  }

  mutating func wake() throws(Violation) {
    if machine.isConnected { transport.signalAgain() }
    // An answer to a question that is settled, or of an earlier life, is nothing (TMO-11).
    if let stale { enter { $0.answer(.timeout(stale, extension: 0), at: now) } }
    loopCalls { $0.requestPass() }
    try settle()
    model.advance(to: model.now)
    try compare()
  }

  // MARK: Time

  /// A machine's instant may lie a little behind the model's whole milliseconds: seconds are floating-point numbers.
  private static var slack: Int64 { 999 }

  private mutating func wait(_ milliseconds: Int) throws(Violation) {
    let end = model.now + milliseconds
    if withheld != nil {
      if let due = model.readDeadline, due == model.nextDeadline, due <= end {
        // What has come counts, although nothing said so before the clock ran out (TMO-13).
        now = max(now, engine.armedDeadline ?? now)
        loopCalls { $0.deadlineCame() }
        try settle(noting: false)
        try settle()
        if let bytes = withheld { bytes.withUnsafeBytes { model.arrive($0, at: due) } }
        withheld = nil
        try compare()
        try deliver()
      } else {
        try signalWithheld()
      }
    }
    var stops = 0
    while let due = engine.armedDeadline, due.nanoseconds <= Int64(end) * 1_000_000 + Self.slack {
      try stop(at: due, milliseconds: Int(due.nanoseconds / 1_000_000))
      stops += 1
      guard stops < 1000 else { throw Violation("INV-10", "the clock stands still at \(due.nanoseconds) ns") }
    }
    if model.now < end { try stop(at: Instant(nanoseconds: Int64(end) * 1_000_000), milliseconds: end) }
  }

  private mutating func stop(at instant: Instant, milliseconds: Int) throws(Violation) {
    now = max(now, instant)
    loopCalls { $0.deadlineCame() }
    try settle()
    model.advance(to: milliseconds)
    try compare()
    try deliver()
  }

  // MARK: Callbacks

  package mutating func deliver() throws(Violation) {
    guard !undelivered.isEmpty else { return }
    var next = 0
    while next < undelivered.count {
      let event = undelivered[next]
      next += 1
      let number = delivered
      delivered += 1
      for reaction in reactions where reaction.callback == number { try call(reaction.call) }
      switch event {
      case .shouldTimeoutRead(let question, _, _, _), .shouldTimeoutWrite(let question, _, _, _):
        if conduct.answersLate { openQuestions.append(question) } else { try answer(question) }
      default: break
      }
    }
    undelivered.removeAll(keepingCapacity: true)
  }

  private mutating func answer(_ question: TimeoutQuestion) throws(Violation) {
    let more = answers < extensions.count ? extensions[answers] : 0
    answers += 1
    enter { $0.answer(.timeout(question, extension: Double(more) / 1000), at: now) }
    try settle()
    if question.generation == machine.generation {
      if question.direction == .read { model.answerRead(extension: more) } else { model.answerWrite(extension: more) }
    }
    stale = question
    try compare()
  }
}
