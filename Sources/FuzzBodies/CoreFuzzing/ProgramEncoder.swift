import FuzzHarness
import ReferenceModel

/// Writes programs as the bytes that `ProgramDecoder` reads them from, so that scenarios and findings become seeds.
package struct ProgramEncoder {
  private let kinds: [ProgramDecoder.Kind]
  private var output = FuzzOutput()

  /// The bytes of the program; nil if it can't be said with these kinds: a step that the target isn't about, more steps
  /// than it runs, a number that has no encoding.
  package static func encode(_ program: SocketProgram, kinds: [ProgramDecoder.Kind]) -> [UInt8]? {
    var encoder = ProgramEncoder(kinds: kinds)
    return encoder.write(program) ? encoder.output.bytes : nil
  }

  private init(kinds: [ProgramDecoder.Kind]) { self.kinds = kinds }

  private mutating func write(_ program: SocketProgram) -> Bool {
    typealias Flag = ProgramDecoder.Flag
    guard program.steps.count <= ProgramDecoder.maxSteps, program.extensions.count <= ProgramDecoder.maxExtensions,
      program.reactions.count <= ProgramDecoder.maxReactions
    else { return false }
    var flags = program.closesOnEndOfStream ? 0 : Flag.staysHalfOpen
    if program.livesOnRunLoop { flags |= Flag.livesOnRunLoop }
    if program.room != nil { flags |= Flag.hasRoom }
    if !program.extensions.isEmpty { flags |= Flag.hasExtensions }
    if !program.reactions.isEmpty { flags |= Flag.hasReactions }
    output.byte(flags)
    if let room = program.room { guard room <= ProgramDecoder.maxRoom, amount(room) else { return false } }
    if !program.extensions.isEmpty {
      output.number(program.extensions.count - 1, upTo: ProgramDecoder.maxExtensions - 1)
      for answer in program.extensions { guard milliseconds(answer) else { return false } }
    }
    if !program.reactions.isEmpty {
      output.number(program.reactions.count - 1, upTo: ProgramDecoder.maxReactions - 1)
      for reaction in program.reactions {
        guard let callback = UInt8(exactly: reaction.callback) else { return false }
        output.byte(callback)
        guard call(reaction.call) else { return false }
      }
    }
    for step in program.steps { guard self.step(step) else { return false } }
    return true
  }

  private mutating func step(_ step: SocketProgram.Step) -> Bool {
    switch step {
    case .call(let call): self.call(call)
    case .arrive(let bytes): kind(.arrive) && payload(bytes)
    case .peerFinishes: kind(.finish)
    case .peerResets: kind(.reset)
    case .makeRoom(let bytes): bytes <= ProgramDecoder.maxRoom && kind(.makeRoom) && amount(bytes)
    case .wake: kind(.wake)
    case .wait(let time): kind(.wait) && milliseconds(time)
    case .reconnect: kind(.reconnect)
    }
  }

  private mutating func call(_ call: SocketProgram.Call) -> Bool {
    switch call {
    case .read(.available(let limit), let timeout): operation(.available, timeout) && amount(limit)
    case .read(.exactly(let length), let timeout): operation(.exactly, timeout) && amount(length)
    case .read(.through(let delimiter, let limit), let timeout):
      operation(.through, timeout) && self.delimiter(delimiter) && amount(limit)
    case .write(let bytes, let timeout): operation(.write, timeout) && payload(bytes)
    case .disconnect: kind(.disconnect)
    case .disconnectAfter(true, false): kind(.disconnectAfter, variant: 0)
    case .disconnectAfter(false, true): kind(.disconnectAfter, variant: 1)
    case .disconnectAfter(true, true): kind(.disconnectAfter, variant: 2)
    // A wish for nothing is not one that a caller can utter.
    case .disconnectAfter(false, false): false
    }
  }

  // MARK: Parts; false: it has no encoding

  private mutating func kind(_ kind: ProgramDecoder.Kind, variant: Int = 0) -> Bool {
    guard let place = kinds.firstIndex(of: kind) else { return false }
    output.byte(UInt8(variant << 4 | place))
    return true
  }

  private mutating func operation(_ kind: ProgramDecoder.Kind, _ timeout: Int?) -> Bool {
    if let variant = ProgramDecoder.timeouts.firstIndex(of: timeout) { return self.kind(kind, variant: variant) }
    guard let timeout else { return false }
    return self.kind(kind, variant: ProgramDecoder.timeouts.count) && milliseconds(timeout)
  }

  private mutating func payload(_ bytes: [UInt8]) -> Bool {
    guard amount(bytes.count) else { return false }
    output.payload(bytes)
    return true
  }

  private mutating func delimiter(_ bytes: [UInt8]) -> Bool {
    if let place = ProgramDecoder.delimiters.firstIndex(of: bytes) {
      output.byte(UInt8(place))
      return true
    }
    guard let choice = UInt8(exactly: bytes.count + ProgramDecoder.ownDelimiters) else { return false }
    output.byte(choice)
    output.payload(bytes)
    return true
  }

  private mutating func amount(_ value: Int) -> Bool {
    if value >= 0, value < ProgramDecoder.firstAmount {
      output.byte(UInt8(value))
    } else if let place = ProgramDecoder.amounts.firstIndex(of: value) {
      output.byte(UInt8(ProgramDecoder.firstAmount + place))
    } else {
      guard (0...0xFFFF).contains(value) else { return false }
      output.byte(UInt8(ProgramDecoder.wordAmount))
      output.word(value)
    }
    return true
  }

  private mutating func milliseconds(_ value: Int) -> Bool {
    if value >= 0, value < ProgramDecoder.firstTime {
      output.byte(UInt8(value))
    } else if let place = ProgramDecoder.times.firstIndex(of: value) {
      output.byte(UInt8(ProgramDecoder.firstTime + place))
    } else {
      guard (0...0xFFFF).contains(value) else { return false }
      output.byte(UInt8(ProgramDecoder.wordTime))
      output.word(value)
    }
    return true
  }
}
