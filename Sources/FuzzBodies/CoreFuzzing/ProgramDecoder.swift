import FuzzHarness
import ReferenceModel

/// Reads a `SocketProgram` out of a fuzzer's bytes, one step at a time, so that a body can run it without building it.
/// Each target gives the kinds of steps it is about; whatever the bytes, they mean a program of those.
///
/// The layout: a byte of flags; the room, the kernel's behaviour, the delegate's answers and the reactions that it
/// announces; then steps until the input is used up. A step is a byte (its low half says the kind, the high half its
/// timeout or variant) and its arguments. What arrives, is written, or is a delimiter of its own comes from the front
/// of the input.
package struct ProgramDecoder {
  /// What the low half of a step's byte can mean.
  package enum Kind: Sendable {
    case arrive, flood, available, exactly, through, write, writeFlood, makeRoom, wake, wait, finish, reset, disconnect
    case disconnectAfter, reconnect
    /// Not a step of a program: something of the target's own.
    case special
  }

  /// What `next` has read.
  package enum Operation {
    /// The variant is the high half of the step's byte.
    case step(SocketProgram.Step, variant: Int)
    case special(Int)
  }

  /// The most steps of a program.
  package static let maxSteps = 24
  /// The most calls inside callbacks.
  package static let maxReactions = 4
  /// The most answers to timeout questions.
  package static let maxExtensions = 8
  /// The most bytes that a kernel with limited room takes at once.
  package static let maxRoom = 1 << 20
  /// What arrives or is written by one flood.
  static let floods = [64, 64, 256, 256, 1024, 1024, 4096, 4097]
  /// What all floods of a program may be: large ones are slow, and a few are enough.
  static let maxFlooded = 6000

  enum Flag {
    static let staysHalfOpen: UInt8 = 1
    static let hasRoom: UInt8 = 2
    static let hasExtensions: UInt8 = 4
    static let hasReactions: UInt8 = 8
    static let hasManners: UInt8 = 16
    static let livesOnRunLoop: UInt8 = 32
  }

  private var input: FuzzInput
  private let kinds: [Kind]
  private var steps = 0
  private var floodsLeft = Self.maxFlooded

  /// What FIN does (`SocketProgram`).
  package let closesOnEndOfStream: Bool
  /// Which class the socket is of (`SocketProgram`).
  package let livesOnRunLoop: Bool
  /// How many bytes the kernel takes at first in each connection; nil: all.
  package private(set) var room: Int?
  /// What the delegate answers to timeout questions, in milliseconds.
  package private(set) var extensions: [Int] = []
  /// The calls inside callbacks.
  package private(set) var reactions: [SocketProgram.Reaction] = []
  /// How the kernel behaves; not part of the program, whose outcome must not depend on it.
  package private(set) var conduct = Conduct()

  /// The memory must outlive the decoder. `kinds`: 16, by the low half of a step's byte.
  package init(_ bytes: UnsafeRawBufferPointer, kinds: [Kind]) {
    input = FuzzInput(bytes)
    self.kinds = kinds
    let flags = input.byte()
    closesOnEndOfStream = flags & Flag.staysHalfOpen == 0
    livesOnRunLoop = flags & Flag.livesOnRunLoop != 0
    if flags & Flag.hasRoom != 0 { room = min(amount(), Self.maxRoom) }
    if flags & Flag.hasManners != 0 { conduct = Conduct(input.byte()) }
    if flags & Flag.hasExtensions != 0 {
      for _ in 0..<(1 + input.number(upTo: Self.maxExtensions - 1)) { extensions.append(milliseconds()) }
    }
    if flags & Flag.hasReactions != 0 {
      for _ in 0..<(1 + input.number(upTo: Self.maxReactions - 1)) {
        let callback = Int(input.byte())
        if let call = reactionCall() { reactions.append(.init(callback: callback, call: call)) }
      }
    }
  }

  /// The whole program; what isn't a step of a program is left out.
  package mutating func program() -> SocketProgram {
    var program = SocketProgram()
    program.closesOnEndOfStream = closesOnEndOfStream
    program.livesOnRunLoop = livesOnRunLoop
    program.room = room
    program.extensions = extensions
    program.reactions = reactions
    while let operation = next() {
      if case .step(let step, _) = operation { program.steps.append(step) }
    }
    return program
  }

  /// The next step; nil: the input is used up, or there were `maxSteps`.
  package mutating func next() -> Operation? {
    guard !input.isEmpty, steps < Self.maxSteps else { return nil }
    steps += 1
    let byte = input.byte()
    let kind = kinds[Int(byte & 15)]
    let variant = Int(byte >> 4)
    switch kind {
    case .special: return .special(variant << 8 | Int(input.byte()))
    // Only a target that has what comes of a start can start in other ways.
    case .reconnect: return .step(.reconnect, variant: kinds.contains(.special) ? variant : 0)
    default: return .step(step(kind, variant), variant: variant)
    }
  }

  // MARK: Steps

  private mutating func step(_ kind: Kind, _ variant: Int) -> SocketProgram.Step {
    switch kind {
    case .arrive: .arrive(Array(input.payload(amount())))
    case .flood: .arrive(flood(variant))
    case .makeRoom: .makeRoom(min(amount(), Self.maxRoom))
    case .wait: .wait(milliseconds())
    case .finish: .peerFinishes
    case .reset: .peerResets
    case .reconnect: .reconnect
    case .wake, .special: .wake
    case .available, .exactly, .through, .write, .writeFlood, .disconnect, .disconnectAfter: .call(call(kind, variant))
    }
  }

  private mutating func call(_ kind: Kind, _ variant: Int) -> SocketProgram.Call {
    switch kind {
    case .available:
      let timeout = timeout(variant)
      return .read(.available(limit: amount()), timeout: timeout)
    case .exactly:
      let timeout = timeout(variant)
      return .read(.exactly(amount()), timeout: timeout)
    case .through:
      let timeout = timeout(variant)
      let delimiter = delimiter()
      return .read(.through(delimiter, limit: amount()), timeout: timeout)
    case .write:
      let timeout = timeout(variant)
      return .write(Array(input.payload(amount())), timeout: timeout)
    case .writeFlood: return .write(flood(variant), timeout: nil)
    case .disconnectAfter:
      return .disconnectAfter(reads: variant & 1 == 0, writes: variant & 3 != 0)
    default: return .disconnect
    }
  }

  /// Kinds that are no calls can't be made in a callback: they make no reaction.
  private mutating func reactionCall() -> SocketProgram.Call? {
    let byte = input.byte()
    let kind = kinds[Int(byte & 15)]
    switch kind {
    case .available, .exactly, .through, .write, .disconnect, .disconnectAfter: return call(kind, Int(byte >> 4))
    default: return nil
    }
  }

  /// A piece of the input again and again, or as much as it may still be.
  private mutating func flood(_ variant: Int) -> [UInt8] {
    let piece = input.payload(1 + variant & 3)
    let size = min(Self.floods[variant >> 1], floodsLeft)
    floodsLeft -= size
    guard let first = piece.first else { return [] }
    var bytes = [UInt8](repeating: first, count: size)
    if piece.count > 1 {
      bytes.withUnsafeMutableBytes { bytes in
        var filled = min(piece.count, size)
        bytes.copyBytes(from: piece.prefix(filled))
        // What is filled is a whole number of pieces until the end is reached.
        while filled < size {
          let more = min(filled, size - filled)
          UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: bytes[..<more]))
          filled += more
        }
      }
    }
    return bytes
  }

  // MARK: Arguments

  static let delimiters: [[UInt8]] = [
    [13, 10], [10], [0], [13, 10, 13, 10], [97, 97, 98], [97, 98, 97, 98, 33], [255], [97, 97],
    // Long enough to be searched for by an automaton.
    [UInt8](repeating: 97, count: 33), [UInt8](repeating: 97, count: 39) + [98],
  ]
  /// From here on a delimiter's byte is the length of one of its own.
  static let ownDelimiters = 16

  private mutating func delimiter() -> [UInt8] {
    let choice = Int(input.byte())
    if choice < Self.ownDelimiters { return Self.delimiters[choice % Self.delimiters.count] }
    return Array(input.payload(choice - Self.ownDelimiters))
  }

  /// Sizes that a byte can't say.
  static let amounts = [256, 4095, 4096, 4097, 4099, 8192, 65_535, 65_536, 1 << 20, 1 << 33, .max]
  static let firstAmount = 240
  static let wordAmount = 255

  private mutating func amount() -> Int {
    let byte = Int(input.byte())
    if byte < Self.firstAmount { return byte }
    if byte == Self.wordAmount { return input.word() }
    return Self.amounts[(byte - Self.firstAmount) % Self.amounts.count]
  }

  static let times = [250, 300, 400, 500, 600, 999, 1000, 1001, 1500, 2000, 3000, 5000, 10_000, 60_000]
  static let firstTime = 240
  static let wordTime = 255

  private mutating func milliseconds() -> Int {
    let byte = Int(input.byte())
    if byte < Self.firstTime { return byte }
    if byte == Self.wordTime { return input.word() }
    return Self.times[(byte - Self.firstTime) % Self.times.count]
  }

  /// By the high half of the step's byte; the last says that a time follows.
  static let timeouts: [Int?] = [
    nil, nil, nil, nil, nil, nil, 0, 0, 1, 50, 100, 200, 300, 500, 1000,
  ]

  private mutating func timeout(_ variant: Int) -> Int? {
    variant < Self.timeouts.count ? Self.timeouts[variant] : milliseconds()
  }
}

/// How the world around a socket behaves in ways that must make no difference to what it tells.
package struct Conduct: Hashable, Sendable {
  /// How the kernel behaves.
  package var behaviour = FuzzTransport.KernelBehaviour()
  /// The delegate answers a timeout question only after the next step.
  package var answersLate = false
  /// Readiness for what arrives is signalled with the next step only.
  package var signalsLate = false

  package init() {}

  package init(_ byte: UInt8) {
    behaviour.receiveCap = [0, 0, 1, 2, 3, 5, 64, 4096][Int(byte & 7)]
    behaviour.sendCap = [0, 1, 3, 64][Int(byte >> 3 & 3)]
    behaviour.signalsUrgentData = byte & 32 != 0
    behaviour.failsWithBrokenPipe = byte & 16 != 0
    answersLate = byte & 64 != 0
    // Urgent data that isn't signalled makes the transport promise what it can't keep.
    signalsLate = byte & 128 != 0 && !behaviour.signalsUrgentData
  }
}
