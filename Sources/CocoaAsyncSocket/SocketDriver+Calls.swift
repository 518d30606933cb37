import Foundation
import SocketCore
import SocketPOSIX
import SocketTLS
import SocketValues

// The class's calls.
extension SocketDriver {
  /// Reads from the session of a secured connection.
  func tlsSession<Result>(_ body: (TLSSession) -> Result?) -> Result? {
    look { machine.isSecure ? (machine.session as? TLSSession).flatMap(body) : nil }
  }

  func startTLS(_ makeSession: @escaping StreamMachine.SessionMaker) {
    enter { engine.startTLS(makeSession) }
  }

  func readData(
    withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt, maxLength length: UInt,
    tag: Int
  ) {
    guard let place = DescriptorDriver.readDestination(buffer, offset) else { return }
    read(
      .available(limit: Int(clamping: length), timeout: timeout, tag: tag, destination: place.destination))
  }

  func readData(
    toLength length: UInt, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    tag: Int
  ) {
    guard let place = DescriptorDriver.readDestination(buffer, offset) else { return }
    read(
      .exactly(Int(clamping: length), timeout: timeout, tag: tag, destination: place.destination))
  }

  func readData(
    to data: Data?, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    maxLength length: UInt, tag: Int
  ) {
    guard let data else { return }
    let limit = Int(clamping: length)
    if buffer == nil, offset == 0 {
      // By far the most frequent read: compiled apart, it does not count references to a destination.
      read(through: data, limit: limit, timeout: timeout, tag: tag, destination: nil)
    } else if let place = DescriptorDriver.readDestination(buffer, offset) {
      read(through: data, limit: limit, timeout: timeout, tag: tag, destination: place.destination)
    }
  }

  func read(_ request: ReadRequest?) {
    guard let request else { return }
    enterToQueue(isWrite: false) { engine.read(request, mayWait: $0) }
  }

  @inline(__always)
  private func read(through delimiter: Data, limit: Int, timeout: Double, tag: Int, destination: CallerBuffer?) {
    enterToQueue(isWrite: false) { mayWait in
      guard let delimiter = known(delimiter),
        let request = ReadRequest.through(
          delimiter, limit: limit, timeout: timeout, tag: tag, destination: destination)
      else { return true }
      return engine.read(request, mayWait: mayWait)
    }
  }

  /// Writes of at least this many bytes offer the caller's own memory to the kernel, and are copied only if it does not
  /// take all of them at once.
  private static let minBorrowed = 1 << 13

  func write(_ bytes: UnsafeRawBufferPointer, timeout: Double, tag: Int) {
    guard bytes.count >= Self.minBorrowed else {
      guard let request = WriteRequest(bytes: ByteBlock(copying: bytes), timeout: timeout, tag: tag) else { return }
      return enterToQueue(isWrite: true) { engine.write(request, mayWait: $0) }
    }
    var block = ByteBlock(borrowing: bytes, from: self)
    lock.lock()
    engine.begin(callEntry)
    if engine.writeBegins() { settle() }
    offer(block, timeout: timeout, tag: tag)
    let postponed = settlePostponing()
    // A further reference to the block is the engine's, which uses it under the lock. The bytes are copied without the
    // lock, because that may take long; callbacks about the write wait for it, since it has not returned (D-34). They
    // do not wait for a block of `perform(_:)` that has begun meanwhile, and that may be waiting for one of them.
    if !isKnownUniquelyReferenced(&block) {
      copyingWrites += 1
      unlock()
      let copy = block.copyToKeep()
      _ = lock.lockUnlessOwned()
      copyingWrites -= 1
      if let copy { block.keep(copy) }
    }
    ask(postponed)
    unlock()
  }

  private func offer(_ block: ByteBlock, timeout: Double, tag: Int) {
    guard let request = WriteRequest(bytes: block, timeout: timeout, tag: tag) else { return }
    var transport = stream?.transport ?? .none
    engine.write(borrowing: request, &transport)
  }

  func disconnect() {
    enter {
      exchangeBeforeEnd()
      engine.disconnect()
      settle()
      engine.scheduleDelayedLanes()
      // The end is in line before a write of another thread has returned, too.
      settle()
      serveHeldBack()
    }
  }

  func disconnect(afterReads reads: Bool, afterWrites writes: Bool) {
    enter { engine.disconnect(afterReads: reads, afterWrites: writes) }
  }
}
