import FuzzHarness
import ReferenceModel

/// Writes into a kernel that takes what it likes: the machine and the model in lockstep.
package enum WriteQueueFuzzing {
  /// Runs one input in lockstep; nil: nothing wrong with it.
  package static let body: FuzzBody = { Lockstep.violation(in: $0, kinds: kinds, filter: PassThrough()) }

  /// The program that an input means.
  package static func program(from bytes: UnsafeRawBufferPointer) -> SocketProgram {
    var decoder = ProgramDecoder(bytes, kinds: kinds)
    return decoder.program()
  }

  /// An input that means this program; nil: a program of other things than writes, or one that is too long.
  package static func encode(_ program: SocketProgram) -> [UInt8]? { ProgramEncoder.encode(program, kinds: kinds) }

  /// The kinds of steps that inputs are made of, by the low half of a step's byte.
  package static let kinds: [ProgramDecoder.Kind] = [
    .write, .makeRoom, .write, .wait, .write, .makeRoom, .write, .finish,
    .reset, .wake, .disconnect, .disconnectAfter, .reconnect, .writeFlood, .makeRoom, .write,
  ]
}
