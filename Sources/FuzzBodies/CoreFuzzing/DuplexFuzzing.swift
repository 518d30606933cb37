import FuzzHarness
import ReferenceModel
import SocketCore

/// Two machines joined by a pipe of limited room, which moves any number of bytes at any time. Each is in lockstep with
/// a model of its own; what one's wire carries is what arrives at the other.
package enum DuplexFuzzing {
  /// Runs one input on both ends, each in lockstep; nil: nothing wrong with it.
  package static let body: FuzzBody = { bytes in
    var duplex = Duplex(bytes, filter: PassThrough())
    return duplex.run()
  }

  /// The program of each end that an input means: what its caller does, and when the pipe brings it what.
  package static func program(from bytes: UnsafeRawBufferPointer) -> (left: SocketProgram, right: SocketProgram) {
    var duplex = Duplex(bytes, filter: PassThrough(), isRecording: true)
    _ = duplex.run()
    return (duplex.left.told, duplex.right.told)
  }

  /// The kinds of steps that inputs are made of, by the low half of a step's byte.
  package static let kinds: [ProgramDecoder.Kind] = [
    .write, .exactly, .through, .available, .write, .special, .special, .special,
    .write, .special, .through, .wake, .disconnect, .disconnectAfter, .wait, .exactly,
  ]
}

/// One end of the pipe.
struct DuplexEnd<Filter: EventFilter> {
  var lockstep: Lockstep<Filter>
  /// How much of what this end's kernel took has left for the other.
  var moved = 0
  /// How much of what arrived here the socket took out of its kernel, and the sender was told of.
  var acknowledged = 0
  var hasFinished = false
  /// What happened to it, if someone wants to know.
  var told = SocketProgram()

  /// Bytes that the kernel took and that are not on the other side.
  var onTheWay: Int { lockstep.transport.sent.count - moved }
  /// Bytes that arrived and that the socket has taken out of its kernel.
  var taken: Int { lockstep.model.arrived.count - lockstep.transport.waiting }
}

struct Duplex<Filter: EventFilter> {
  private(set) var left: DuplexEnd<Filter>
  private(set) var right: DuplexEnd<Filter>
  private var decoder: ProgramDecoder
  private let capacity: Int
  private let isRecording: Bool

  private static var maxTransfers: Int { 4096 }
  /// With less room the last bytes would take all day to move.
  private static var minCapacity: Int { 8 }

  init(_ bytes: UnsafeRawBufferPointer, filter: Filter, isRecording: Bool = false) {
    decoder = ProgramDecoder(bytes, kinds: DuplexFuzzing.kinds)
    capacity = max(Self.minCapacity, decoder.room ?? 4096)
    self.isRecording = isRecording
    var conduct = decoder.conduct
    conduct.signalsLate = false
    let (decoder, capacity) = (decoder, capacity)
    func end() -> DuplexEnd<Filter> {
      DuplexEnd(
        lockstep: Lockstep(
          closesOnEndOfStream: decoder.closesOnEndOfStream, room: capacity, extensions: decoder.extensions,
          reactions: decoder.reactions, conduct: conduct, filter: filter))
    }
    // Each has a machine of its own.
    left = end()
    right = end()
    guard isRecording else { return }
    var program = SocketProgram()
    program.closesOnEndOfStream = decoder.closesOnEndOfStream
    program.room = capacity
    program.extensions = decoder.extensions
    program.reactions = decoder.reactions
    left.told = program
    right.told = program
  }

  mutating func run() -> Violation? {
    do throws(Violation) {
      try left.lockstep.begin()
      try right.lockstep.begin()
      while let operation = decoder.next() {
        switch operation {
        case .special(let choice): try transfer(choice)
        // The high half of a call's byte is its timeout; its lowest bit says whose call it is.
        case .step(let step, let variant): try perform(step, onRight: variant & 1 == 1)
        }
        try checkMemory()
      }
      try comeToRest()
      try left.lockstep.end()
      try right.lockstep.end()
    } catch { return error }
    return nil
  }

  private mutating func perform(_ step: SocketProgram.Step, onRight: Bool) throws(Violation) {
    if case .wait = step {
      // Time passes for both.
      try perform(step, on: &left)
      return try perform(step, on: &right)
    }
    if onRight { try perform(step, on: &right) } else { try perform(step, on: &left) }
  }

  private func perform(_ step: SocketProgram.Step, on end: inout DuplexEnd<Filter>) throws(Violation) {
    if isRecording { end.told.steps.append(step) }
    try end.lockstep.perform(step)
  }

  // MARK: The pipe

  /// Some bytes of one direction move, or the sender learns of the room that the receiver made.
  private mutating func transfer(_ choice: Int) throws(Violation) {
    let most = choice >> 4 & 15 == 0 ? Int.max : choice >> 4 & 15
    if choice & 1 == 0 {
      try transfer(most, from: &left, to: &right, acknowledges: choice & 2 == 2)
    } else {
      try transfer(most, from: &right, to: &left, acknowledges: choice & 2 == 2)
    }
  }

  private func transfer(
    _ most: Int, from sender: inout DuplexEnd<Filter>, to receiver: inout DuplexEnd<Filter>, acknowledges: Bool
  ) throws(Violation) {
    if acknowledges {
      let room = min(receiver.taken - receiver.acknowledged, most)
      receiver.acknowledged += room
      if room > 0 { try perform(.makeRoom(room), on: &sender) }
      return
    }
    let count = min(sender.onTheWay, most)
    if count > 0 {
      let bytes = Array(sender.lockstep.transport.sent[sender.moved..<(sender.moved + count)])
      sender.moved += count
      try perform(.arrive(bytes), on: &receiver)
    } else if sender.lockstep.machine.isDisconnected, !sender.hasFinished {
      sender.hasFinished = true
      try perform(.peerFinishes, on: &receiver)
    }
  }

  /// Everything that can move does, until nothing is left to. The number of turns is bounded by the bytes there are.
  private mutating func comeToRest() throws(Violation) {
    var turns = 0
    while canMove(left, right) || canMove(right, left) {
      try transfer(.max, from: &left, to: &right, acknowledges: false)
      try transfer(.max, from: &right, to: &left, acknowledges: false)
      try transfer(.max, from: &left, to: &right, acknowledges: true)
      try transfer(.max, from: &right, to: &left, acknowledges: true)
      turns += 1
      guard turns < Self.maxTransfers else { throw Violation("duplex/rest", "still moving after \(turns) turns") }
    }
    try checkEnd(left, right)
    try checkEnd(right, left)
  }

  private func canMove(_ sender: DuplexEnd<Filter>, _ receiver: DuplexEnd<Filter>) -> Bool {
    guard receiver.lockstep.machine.isConnected else { return false }
    if sender.onTheWay > 0 { return true }
    if sender.lockstep.machine.isDisconnected { return !sender.hasFinished }
    return receiver.taken > receiver.acknowledged
  }

  // MARK: Laws

  /// No more is on the way, or waits to be asked for, than the pipe holds (INV-11).
  private func checkMemory() throws(Violation) {
    let held = max(
      left.onTheWay + right.lockstep.transport.waiting, right.onTheWay + left.lockstep.transport.waiting)
    guard held <= capacity else { throw Violation("duplex/memory", "\(held) bytes in a pipe for \(capacity)") }
  }

  /// What one wrote is what the other got, as far as it asked; nothing that could go is left (INV-05, INV-06, INV-17).
  private func checkEnd(_ sender: DuplexEnd<Filter>, _ receiver: DuplexEnd<Filter>) throws(Violation) {
    let sent = sender.lockstep.transport.sent
    let arrived = receiver.lockstep.model.arrived
    guard sent.starts(with: arrived) else {
      throw Violation("duplex/stream", "other bytes arrived than were sent")
    }
    guard receiver.lockstep.machine.isConnected else { return }
    guard arrived.count == sent.count else {
      throw Violation("duplex/stream", "\(arrived.count) of \(sent.count) bytes arrived")
    }
    // A write whose delegate is being asked about its clock rests.
    if sender.lockstep.machine.isConnected, !sender.lockstep.model.asksWrite, sender.lockstep.model.pendingWrites > 0 {
      guard receiver.lockstep.transport.waiting > 0 else {
        throw Violation("INV-17", "writes wait although all that went was read")
      }
    }
  }
}
