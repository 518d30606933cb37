/// A transport with an established session around it: what the machine receives is decrypted, what it sends is
/// encrypted, and everything else works as on a bare descriptor.
struct SecuredTransport<Base: StreamTransport>: StreamTransport {
  var base: Base
  let layer: SecureLayer

  /// One record at a time comes out of the session: a short one says nothing about the next.
  var shortReceiveMeansEmpty: Bool { false }

  mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
    while true {
      switch layer.session.open(into: buffer) {
      case .bytes(let count): return .bytes(count)
      case .closed: return .endOfStream
      case .failed(let failure): return .broken(failure)
      case .budgetUsed: return stopEarly()
      case .needsInput: if let result = receiveInput() { return result }
      }
    }
  }

  /// Decrypts at most what has arrived already: it reads ahead by one flush at most (INV-11).
  mutating func peek() -> TransportResult {
    while true {
      switch layer.session.peek() {
      case .bytes(let count): return .bytes(count)
      case .closed: return .endOfStream
      case .failed(let failure): return .broken(failure)
      case .budgetUsed: return stopEarly()
      case .needsInput: if let result = receiveInput() { return result }
      }
    }
  }

  /// Feeds the session with bytes from the wire; nil: it may have data now.
  private mutating func receiveInput() -> TransportResult? {
    guard !layer.wireEnded else { return .endOfStream }
    guard !layer.inputIsDrained else { return .wouldBlock }
    guard layer.session.output.count <= SecureLayer.maxOutput else {
      layer.awaitsRoom = true
      return .wouldBlock
    }
    guard layer.inputBudget > 0 else { return stopEarly() }
    let room = layer.session.inputRoom
    let result = base.receive(into: room)
    switch result {
    case .bytes(let count):
      layer.fill(count)
      if count < room.count, base.shortReceiveMeansEmpty, !layer.distrustsShortReceives { layer.inputIsDrained = true }
      return nil
    case .endOfStream:
      layer.wireEnds()
      return .endOfStream
    case .wouldBlock, .failed, .broken: return result
    }
  }

  /// Ends the receive, so that the other sockets of the loop are served first.
  private func stopEarly() -> TransportResult {
    layer.stoppedEarly = true
    return .wouldBlock
  }

  mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult {
    var completed = 0
    var flush = layer.flush(&base, completed: &completed)
    if flush == .empty, completed == 0 {
      guard layer.session.maySeal else {
        layer.sealingWaits = true
        return .wouldBlock
      }
      if let failure = layer.seal(pieces) { return .broken(failure) }
      flush = layer.flush(&base, completed: &completed)
    }
    if completed > 0 { return .bytes(completed) }
    guard case .failed(let errno) = flush else { return .wouldBlock }
    // A second write's errno says less than the first one's.
    return .failed(layer.sendErrno ?? errno)
  }

  mutating func pendingError() -> Int32 { base.pendingError() }
}
