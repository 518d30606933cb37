/// What one call on the transport did.
package enum TransportResult: Equatable, Sendable {
  /// So many bytes, more than 0.
  case bytes(Int)
  case wouldBlock
  /// The peer's FIN: nothing will ever come again. Only a receive answers so.
  case endOfStream
  /// An errno.
  case failed(Int32)
  /// What lies between the wire and the machine failed: TLS. Only a secured transport answers so.
  case broken(SocketFailure)
}

/// A connected, non-blocking byte stream, handed to the machine for the length of one pass. Time, randomness and I/O
/// are arguments: real descriptors, the simulated link, fuzzers and TLS all stand behind these few verbs.
package protocol StreamTransport {
  /// Receives up to the buffer's size (which is more than 0).
  mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult

  /// Sends the pieces in order, as many bytes as will go; at least one piece, none empty.
  mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult

  /// What a receive would say, without taking anything: `.bytes` if input is waiting.
  mutating func peek() -> TransportResult

  /// Takes the pending error of a connection that broke; 0 if none.
  mutating func pendingError() -> Int32

  /// Whether a receive that filled less than the buffer has emptied the transport until readiness is signalled anew.
  var shortReceiveMeansEmpty: Bool { get }
}

/// Stands where a transport is asked for and there is no connection: nothing comes and nothing goes.
package struct ClosedTransport: StreamTransport {
  package init() {}
  package func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult { .wouldBlock }
  package func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult { .wouldBlock }
  package func peek() -> TransportResult { .wouldBlock }
  package func pendingError() -> Int32 { 0 }
  package var shortReceiveMeansEmpty: Bool { true }
}
