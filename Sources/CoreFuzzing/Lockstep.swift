import FuzzHarness
import ReferenceModel
import SocketCore

/// Stands between the machine and the comparison. The real one passes on what it is given; tests put liars here, to see
/// that they are caught.
package protocol EventWitness {
  mutating func pass(_ event: SocketEvent, into events: inout [SocketEvent])
}

package struct FaithfulWitness: EventWitness {
  package init() {}
  package mutating func pass(_ event: SocketEvent, into events: inout [SocketEvent]) { events.append(event) }
}

/// The machine and the model side by side: each verb is called on both, both come to rest, and both must have told the
/// same, have the same on the wire, and stand at the same place.
///
/// Callbacks are delivered when a verb is over, in order; a reaction's call and the delegate's answer are verbs of
/// their own. What the world does that must make no difference (`Conduct`) only the machine gets to see.
package struct Lockstep<Witness: EventWitness> {
  package let machine = SocketMachine()
  /// Times the machine was brought to rest.
  private var settled = 0
  package var transport = FuzzTransport()
  package var model = SocketModel()
  var witness: Witness
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
    closesOnEndOfStream: Bool = true, room: Int? = nil, extensions: [Int] = [],
    reactions: [SocketProgram.Reaction] = [], conduct: Conduct = Conduct(), witness: Witness
  ) {
    self.witness = witness
    self.conduct = conduct
    self.extensions = extensions
    self.reactions = reactions
    firstRoom = room
    transport.manners = conduct.manners
    machine.configuration.autoDisconnectOnClosedReadStream = closesOnEndOfStream
    model.closesOnEndOfStream = closesOnEndOfStream
  }

  package init(_ decoder: ProgramDecoder, witness: Witness) {
    self.init(
      closesOnEndOfStream: decoder.closesOnEndOfStream, room: decoder.room, extensions: decoder.extensions,
      reactions: decoder.reactions, conduct: decoder.conduct, witness: witness)
  }

  /// The first connection.
  package mutating func begin() throws(Violation) {
    try adopt()
    try deliver()
  }

  /// The end of it all: whatever is still there ends, once.
  package mutating func end() throws(Violation) {
    try signalWithheld()
    try call(.disconnect)
    try deliver()
  }

  /// Runs the program that these bytes are; nil: nothing wrong with it.
  package static func violation(
    in bytes: UnsafeRawBufferPointer, kinds: [ProgramDecoder.Kind], witness: Witness
  ) -> Violation? {
    var decoder = ProgramDecoder(bytes, kinds: kinds)
    do throws(Violation) { try run(&decoder, witness: witness) } catch { return error }
    return nil
  }

  package static func run(_ decoder: inout ProgramDecoder, witness: Witness) throws(Violation) {
    var lockstep = Lockstep(decoder, witness: witness)
    try lockstep.begin()
    while let operation = decoder.next() {
      switch operation {
      case .step(let step, let variant): try lockstep.perform(step, variant: variant)
      case .special(let choice): try lockstep.special(choice)
      }
    }
    try lockstep.end()
  }

  package static func run(_ program: SocketProgram, conduct: Conduct, witness: Witness) throws(Violation) {
    var lockstep = Lockstep(
      closesOnEndOfStream: program.closesOnEndOfStream, room: program.room, extensions: program.extensions,
      reactions: program.reactions, conduct: conduct, witness: witness)
    try lockstep.begin()
    for step in program.steps { try lockstep.perform(step) }
    try lockstep.end()
  }

  // MARK: Steps

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
    machine.adoptConnection(announcing: .didConnect(Self.remote))
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

  package mutating func call(_ call: SocketProgram.Call) throws(Violation) {
    let quiet = quietBuffer
    switch call {
    case .read(let read, let timeout):
      if let request = request(read, timeout) { machine.read(request) }
      // If bytes are there and not signalled, the read finds them by itself or with the signal that follows.
      if withheld != nil { try settle(noting: false) }
    case .write(let bytes, let timeout):
      let block = bytes.withUnsafeBytes { ByteBlock(copying: $0) }
      if let write = WriteRequest(bytes: block, timeout: Self.seconds(timeout), tag: model.writeCalls) {
        machine.write(write)
      }
    case .disconnect: machine.disconnect()
    case .disconnectAfter(let reads, let writes): machine.disconnect(afterReads: reads, afterWrites: writes)
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
    if let stale { machine.answer(stale, extension: 0, now: now) }
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
        now = max(now, machine.nextDeadline ?? now)
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
    while let due = machine.nextDeadline, due.nanoseconds <= Int64(end) * 1_000_000 + Self.slack {
      try stop(at: due, milliseconds: Int(due.nanoseconds / 1_000_000))
      stops += 1
      guard stops < 1000 else { throw Violation("INV-10", "the clock stands still at \(due.nanoseconds) ns") }
    }
    if model.now < end { try stop(at: Instant(nanoseconds: Int64(end) * 1_000_000), milliseconds: end) }
  }

  private mutating func stop(at instant: Instant, milliseconds: Int) throws(Violation) {
    now = max(now, instant)
    _ = machine.tick(now: now)
    try settle()
    model.advance(to: milliseconds)
    try compare()
    try deliver()
  }

  // MARK: The machine's turn

  /// What a driver does inside a callback: reads that buffered bytes complete are completed without a pass.
  private mutating func completeFromBuffer() {
    while let read = machine.completeFromBuffer(atMost: Self.mostOnTheSpot) {
      model.choose(tag: read.tag, count: read.bytes.count)
      witness.pass(.didRead(ByteBlock(copying: read.bytes), tag: read.tag, destination: nil), into: &fresh)
    }
  }

  /// What a driver does in the loop's calls: one read or write without a pass. Whether no pass is owed for it.
  private mutating func serveOnTheSpot() -> Bool {
    if let bytes = machine.outputOnTheSpot {
      let result = withUnsafePointer(to: bytes) { transport.send(UnsafeBufferPointer(start: $0, count: 1)) }
      guard let tag = machine.sent(result) else { return false }
      witness.pass(.didWrite(tag: tag), into: &fresh)
    } else if machine.wantsInput(atMost: Self.mostOnTheSpot) {
      let short = transport.shortReceiveMeansEmpty
      let block = ByteBlock(capacity: 1 << 12)
      let result = transport.receive(into: block.room)
      if case .bytes(let count) = result { block.advance(by: count) }
      guard
        let read = machine.received(
          result, in: UnsafeRawBufferPointer(block.whole), shortMeansEmpty: short, atMost: Self.mostOnTheSpot)
      else { return false }
      model.choose(tag: read.tag, count: read.count)
      let taken = ByteBlock(copying: UnsafeRawBufferPointer(rebasing: block.bytes[..<read.count]))
      witness.pass(.didRead(taken, tag: read.tag, destination: nil), into: &fresh)
    } else {
      return false
    }
    return machine.comesToRest()
  }

  private static var mostOnTheSpot: Int { 2048 }

  /// Passes until the machine is at rest, and takes what it has to tell.
  mutating func settle(noting: Bool = true) throws(Violation) {
    var passes = 0
    settled &+= 1
    if settled.isMultiple(of: 2) { completeFromBuffer() }
    var isAtRest = false
    if settled.isMultiple(of: 3), machine.isPlain {
      if noting, transport.hasSignals { machine.note(transport.takeHints()) }
      isAtRest = serveOnTheSpot()
    }
    while machine.isConnected, !isAtRest {
      if noting, transport.hasSignals { machine.note(transport.takeHints()) }
      machine.advance(&transport, now: now, canAskDelegate: true)
      guard machine.needsAnotherPass || (noting && transport.hasSignals) else { break }
      passes += 1
      guard passes < 1000 else { throw Violation("INV-10", "no rest after \(passes) passes") }
    }
    try obey()
    machine.drainEvents { event in
      witness.pass(event, into: &fresh)
      if case .didRead(let block, let tag, _) = event { model.choose(tag: tag, count: block.count) }
    }
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
    machine.answer(question, extension: Double(more) / 1000, now: now)
    try settle()
    if question.generation == machine.generation {
      if question.direction == .read { model.answerRead(extension: more) } else { model.answerWrite(extension: more) }
    }
    stale = question
    try compare()
  }
}
