import FuzzHarness
import ReferenceModel

/// Lives of one socket: every way to start and to end, both directions, clocks, late results of earlier lives.
package enum ConnectionFuzzing {
  /// Runs one input in lockstep; nil: nothing wrong with it.
  package static let body: FuzzBody = { Lockstep.violation(in: $0, kinds: kinds, filter: PassThrough()) }

  /// The program that an input means. How connections are started, and what comes of the attempts, is not part of it:
  /// each start is a connection.
  package static func program(from bytes: UnsafeRawBufferPointer) -> SocketProgram {
    var decoder = ProgramDecoder(bytes, kinds: kinds)
    return decoder.program()
  }

  /// An input that means this program; nil: it is too long for one.
  package static func encode(_ program: SocketProgram) -> [UInt8]? { ProgramEncoder.encode(program, kinds: kinds) }

  /// The kinds of steps that inputs are made of, by the low half of a step's byte.
  package static let kinds: [ProgramDecoder.Kind] = [
    .arrive, .exactly, .through, .available, .write, .makeRoom, .wait, .reconnect,
    .special, .finish, .reset, .wake, .disconnect, .disconnectAfter, .wait, .flood,
  ]
}
