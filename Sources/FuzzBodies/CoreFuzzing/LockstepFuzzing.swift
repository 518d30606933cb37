import FuzzHarness
import ReferenceModel

/// The targets whose inputs are programs of one socket: the machine and the model in lockstep. What they differ in is
/// the steps that their inputs are made of.
package struct LockstepFuzzing: Sendable {
  /// Reads against a stream that comes as it likes.
  package static let readQueue = LockstepFuzzing([
    .arrive, .exactly, .through, .available, .arrive, .through, .wait, .finish,
    .arrive, .exactly, .reset, .wake, .disconnect, .disconnectAfter, .reconnect, .flood,
  ])
  /// Writes into a kernel that takes what it likes.
  package static let writeQueue = LockstepFuzzing([
    .write, .makeRoom, .write, .wait, .write, .makeRoom, .write, .finish,
    .reset, .wake, .disconnect, .disconnectAfter, .reconnect, .writeFlood, .makeRoom, .write,
  ])
  /// Lives of one socket: every way to start and to end, both directions, clocks, late results of earlier lives. How
  /// connections are started, and what comes of the attempts, is not part of a program: each start is a connection.
  package static let connection = LockstepFuzzing([
    .arrive, .exactly, .through, .available, .write, .makeRoom, .wait, .reconnect,
    .special, .finish, .reset, .wake, .disconnect, .disconnectAfter, .wait, .flood,
  ])

  /// The kinds of steps that inputs are made of, by the low half of a step's byte.
  package let kinds: [ProgramDecoder.Kind]
  /// Runs one input in lockstep; nil: nothing wrong with it.
  package let body: FuzzBody

  private init(_ kinds: [ProgramDecoder.Kind]) {
    self.kinds = kinds
    body = { Lockstep.violation(in: $0, kinds: kinds, filter: PassThrough()) }
  }

  /// The program that an input means.
  package func program(from bytes: UnsafeRawBufferPointer) -> SocketProgram {
    var decoder = ProgramDecoder(bytes, kinds: kinds)
    return decoder.program()
  }

  /// An input that means this program; nil: a program of other things, or one that is too long.
  package func encode(_ program: SocketProgram) -> [UInt8]? { ProgramEncoder.encode(program, kinds: kinds) }
}
