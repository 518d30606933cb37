/// The result of one call on the transport.
package enum TransportResult: Equatable, Sendable {
  /// A number of bytes, more than 0.
  case bytes(Int)
  case wouldBlock
  /// The peer's FIN: no bytes follow. Only a receive returns it.
  case endOfStream
  /// An errno.
  case failed(Int32)
  /// A layer between the wire and the machine failed: TLS. Only a secured transport returns it.
  case broken(SocketFailure)
}

/// A connected, non-blocking byte stream, passed to the machine for the duration of one pass. Time, randomness and I/O
/// are arguments: real descriptors, the simulated link, fuzzers and TLS all implement these few methods.
package protocol StreamTransport {
  /// Receives up to the buffer's size (which is more than 0).
  mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult

  /// Sends the pieces in order, as many bytes as will go; at least one piece, none empty.
  mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult

  /// The result that a receive would have, without taking anything: `.bytes` if input is waiting.
  mutating func peek() -> TransportResult

  /// Takes the pending error of a connection that broke; 0 if none.
  mutating func pendingError() -> Int32

  /// Whether a receive that filled less than the buffer has emptied the transport until readiness is signalled anew.
  var shortReceiveMeansEmpty: Bool { get }
}

/// Stands in where a transport is required and there is no connection: it moves no bytes.
package struct ClosedTransport: StreamTransport {
  package init() {}
  package func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult { .wouldBlock }
  package func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult { .wouldBlock }
  package func peek() -> TransportResult { .wouldBlock }
  package func pendingError() -> Int32 { 0 }
  package var shortReceiveMeansEmpty: Bool { true }
}
