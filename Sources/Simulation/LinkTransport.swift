import SocketCore

/// One end of a simulated link, as the machine sees a connected descriptor.
struct LinkTransport: StreamTransport {
  let link: SimulatedLink
  let side: LinkSide
  /// Whether sends take as much as there is room for, without faults, so that a close that follows drops only what a
  /// kernel has no room for.
  var isPrompt = false

  mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
    link.receive(side, into: buffer)
  }

  mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult {
    link.send(side, pieces, isPrompt: isPrompt)
  }

  mutating func peek() -> TransportResult { link.peek(side) }

  mutating func pendingError() -> Int32 { link.pendingError(side) }

  var shortReceiveMeansEmpty: Bool { link.shortReceiveMeansEmpty }
}
