import SocketCore
import SocketValues
import TestSupport
import Testing

/// Stack, memory and work stay in proportion, whatever the queues, the lengths and the peer do.
@Suite("Resources")
struct ResourceTests {
  static let smallStack = 512 << 10

  @Test("INV-14: 100,000 one-byte reads against one burst on a small stack")
  func manyReads() {
    var passes = 0
    var completed = 0
    var isInOrder = true
    let ran = SmallStack.run(bytes: Self.smallStack) {
      let machine = SocketMachine()
      var transport = MemoryTransport()
      machine.adoptConnection(announcing: nil)
      for tag in 0..<100_000 { if let read = ReadRequest.exactly(1, timeout: 10, tag: tag) { machine.read(read) } }
      transport.arrive([UInt8](repeating: 5, count: 100_000))
      machine.note(transport.takeHints())
      repeat {
        machine.advance(&transport, now: Instant(nanoseconds: 1), canAskDelegate: true)
        machine.drainEvents { event in
          guard case .didRead(let block, let tag, _) = event, block.count == 1, tag == completed else {
            isInOrder = false
            return
          }
          completed += 1
        }
        passes += 1
      } while machine.needsAnotherPass
    }
    #expect(ran)
    #expect(isInOrder)
    #expect(completed == 100_000)
    #expect(passes < 200)
  }

  @Test("INV-14, WR-12: 100,000 one-byte writes on a small stack")
  func manyWrites() {
    var completed = 0
    var sent = 0
    let ran = SmallStack.run(bytes: Self.smallStack) {
      let machine = SocketMachine()
      var transport = MemoryTransport()
      machine.adoptConnection(announcing: nil)
      for tag in 0..<100_000 { if let write = WriteRequest([7], timeout: 10, tag: tag) { machine.write(write) } }
      repeat {
        machine.advance(&transport, now: Instant(nanoseconds: 1), canAskDelegate: true)
        machine.drainEvents { if case .didWrite(let tag) = $0, tag == completed { completed += 1 } }
      } while machine.needsAnotherPass
      sent = transport.sent.count
    }
    #expect(ran)
    #expect(completed == 100_000)
    #expect(sent == 100_000)
  }

  @Test("INV-14: dropping 100,000 queued operations on a small stack")
  func dropping() {
    let ran = SmallStack.run(bytes: Self.smallStack) {
      let machine = SocketMachine()
      machine.adoptConnection(announcing: nil)
      for tag in 0..<100_000 {
        if let read = ReadRequest.exactly(1, timeout: 10, tag: tag) { machine.read(read) }
        if let write = WriteRequest([7], timeout: 10, tag: tag) { machine.write(write) }
      }
      machine.disconnect()
    }
    #expect(ran)
  }

  @Test("RD-LEN-10: a huge length reserves nothing until bytes come", arguments: [8 << 30, Int.max])
  func hugeLengths(length: Int) {
    var bench = SocketBench(opened: RoomProbe())
    if let read = ReadRequest.exactly(length, timeout: -1, tag: 1) { bench.machine.read(read) }
    for _ in 0..<10 {
      bench.machine.note(.readable)
      bench.pass()
    }
    #expect(bench.take() == [RecordedEvent](repeating: .readPartial(1, tag: 1), count: 10))
    #expect(bench.transport.largestRoom <= 1 << 20)
    bench.disconnect()
    #expect(bench.take() == [.disconnected(nil)])
  }

  /// One byte a readiness; notes how much memory it was offered.
  struct RoomProbe: StreamTransport {
    var largestRoom = 0
    var shortReceiveMeansEmpty: Bool { true }

    mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
      largestRoom = max(largestRoom, buffer.count)
      buffer[0] = 1
      return .bytes(1)
    }

    mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult { .wouldBlock }
    mutating func peek() -> TransportResult { .wouldBlock }
    mutating func pendingError() -> Int32 { 0 }
  }

  // MARK: Work

  /// Memory that is made anew costs a copy of everything gathered. Doubling makes that a few times; once a byte would
  /// be quadratic.
  @Test("RD-DELIM-19: a line that drips in does not move its bytes for each of them")
  func drippingLine() {
    var bench = SocketBench()
    bench.read(.through([13, 10], limit: 0, timeout: -1, tag: 1))
    let count = 200_000
    for _ in 0..<count { bench.arrive([65]) }
    bench.arrive([13, 10])
    let events = bench.take()
    #expect(events.last == .read([UInt8](repeating: 65, count: count) + [13, 10], tag: 1))
    #expect(events.count == count + 1)
    #expect(bench.transport.newRooms <= 24)
    #expect(bench.transport.receiveCalls <= count + 2)
  }

  /// The last bytes of a long read come through the prebuffer, where one call serves many small reads.
  @Test("RD-LEN-05: a long read whose end drips in", arguments: [65_536, 1 << 18])
  func drippingLength(size: Int) {
    var bench = SocketBench(opened: Source(left: size))
    let length = size + 4000
    if let read = ReadRequest.exactly(length, timeout: -1, tag: 1) { bench.machine.read(read) }
    bench.pass()
    for _ in 0..<4000 {
      bench.transport.left += 1
      bench.machine.note(.readable)
      bench.passOnce()
    }
    let last = bench.take().last
    #expect(last == .read([UInt8](repeating: 1, count: length), tag: 1))
  }

  /// So many bytes, each of them 1.
  struct Source: StreamTransport {
    var left: Int
    var shortReceiveMeansEmpty: Bool { true }

    mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
      guard left > 0 else { return .wouldBlock }
      let count = min(left, buffer.count)
      for index in 0..<count { buffer[index] = 1 }
      left -= count
      return .bytes(count)
    }

    mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult { .wouldBlock }
    mutating func peek() -> TransportResult { left > 0 ? .bytes(left) : .wouldBlock }
    mutating func pendingError() -> Int32 { 0 }
  }

  @Test("many small reads are served by few receives")
  func fewReceives() {
    var bench = SocketBench()
    for tag in 0..<4000 { if let read = ReadRequest.exactly(10, timeout: -1, tag: tag) { bench.machine.read(read) } }
    bench.arrive([UInt8](repeating: 3, count: 40_000))
    #expect(bench.take().count == 4000)
    #expect(bench.transport.receiveCalls <= 2)
  }

  @Test("a pass is bounded: a fast peer gives others their turn, and nothing is lost by it", arguments: [true, false])
  func budget(isRead: Bool) {
    var bench = SocketBench()
    let bytes = [UInt8](repeating: 3, count: 3 << 20)
    if isRead {
      bench.transport.arrive(bytes)
      if let read = ReadRequest.exactly(bytes.count, timeout: -1, tag: 1) { bench.machine.read(read) }
    } else {
      for tag in 0..<3072 {
        if let write = WriteRequest(bytes[..<1024], timeout: -1, tag: tag) { bench.machine.write(write) }
      }
    }
    bench.passOnce()
    #expect(bench.machine.needsAnotherPass)
    bench.pass()
    #expect(!bench.machine.needsAnotherPass)
    #expect(
      bench.take().filter { !$0.isPartial } == (isRead ? [.read(bytes, tag: 1)] : (0..<3072).map { .wrote(tag: $0) }))
  }

  @Test("INV-10: an end that is being announced asks for no other pass, though its own stopped at its budget")
  func endAtTheBudget() {
    var bench = SocketBench(idle: MemoryTransport())
    bench.machine.configuration.announcesEnds = true
    bench.machine.adoptConnection(announcing: nil)
    for tag in 0..<9000 { if let read = ReadRequest.exactly(1, timeout: -1, tag: tag) { bench.machine.read(read) } }
    if let write = WriteRequest([1], timeout: -1, tag: 0) { bench.machine.write(write) }
    bench.transport.arrive([UInt8](repeating: 3, count: 9000))
    bench.transport.reset()
    bench.machine.note(bench.transport.takeHints())
    bench.passOnce()
    let told = bench.take()
    let isAnnounced = if case .willDisconnect(_)? = told.last { true } else { false }
    // As many reads as a pass completes: before it writes, and again when that has failed.
    #expect(isAnnounced && told.count == 2 * 4096 + 1)
    #expect(!bench.machine.needsAnotherPass)
    bench.machine.concludeEnd()
    #expect(bench.take().last?.isDisconnect == true)
  }

  @Test("UB-27: after a burst no memory is kept")
  func memoryAfterBurst() {
    var bench = SocketBench()
    bench.read(.through([10], limit: 0, timeout: -1, tag: 1))
    bench.arrive([UInt8](repeating: 65, count: 4 << 20))
    bench.arrive([10, 1, 2, 3])
    #expect(bench.machine.backlog.buffered == 3)
    bench.read(.exactly(3, timeout: -1, tag: 2))
    #expect(bench.machine.backlog.buffered == 0)
    #expect(bench.take().last == .read([1, 2, 3], tag: 2))
  }
}
