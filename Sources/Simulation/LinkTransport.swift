import SocketCore

/// One end of a simulated link, as the machine sees a connected descriptor.
struct LinkTransport: StreamTransport {
  let link: SimulatedLink
  let side: LinkSide

  mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
    link.receive(side, into: buffer)
  }

  mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult {
    link.send(side, pieces)
  }

  mutating func peek() -> TransportResult { link.peek(side) }

  mutating func pendingError() -> Int32 { link.pendingError(side) }

  var shortReceiveMeansEmpty: Bool { link.shortReceiveMeansEmpty }
}
