import SocketCore
import SocketValues
import TestSupport
import Testing

/// The read queue by named cases. Names begin with the requirement.
@Suite("Read queue")
struct ReadQueueTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var reads: [NaiveReader.Read]
    /// What arrives, piece by piece; then the peer's end.
    var arrivals: [String]
    var end = MemoryTransport.PeerEnd.open
    /// All events but partial reports; tags are the places of the reads.
    var events: [RecordedEvent]
    var testDescription: String { name }
  }

  static let crlf: [UInt8] = [13, 10]
  static let line = NaiveReader.Read.through(crlf, limit: 0)
  static func line(limit: Int) -> NaiveReader.Read { .through(crlf, limit: limit) }
  static let any = NaiveReader.Read.available(limit: 0)

  static let rows: [Row] = [
    Row(
      name: "RDQ-01 kinds in a row", reads: [.exactly(3), line, any], arrivals: ["abcdef\r\nxyz"],
      events: [.read("abc", tag: 0), .read("def\r\n", tag: 1), .read("xyz", tag: 2)]),
    Row(
      name: "RDQ-08 satisfiable reads before the end", reads: [line, line, line], arrivals: ["a\r\nb\r\nc\r\n"],
      end: .finished,
      events: [
        .read("a\r\n", tag: 0), .read("b\r\n", tag: 1), .read("c\r\n", tag: 2), .disconnected(.closedByPeer),
      ]),
    Row(
      name: "RDQ-09 leftovers hide the end", reads: [line], arrivals: ["a\r\nb\r\n"], end: .finished,
      events: [.read("a\r\n", tag: 0)]),
    Row(
      name: "RD-ANY-04 limits", reads: [.available(limit: 4), .available(limit: 4), any], arrivals: ["0123456789"],
      events: [.read("0123", tag: 0), .read("4567", tag: 1), .read("89", tag: 2)]),
    Row(
      name: "RD-ANY-06 the second waits for more", reads: [any, any], arrivals: ["12345", "67890"],
      events: [.read("12345", tag: 0), .read("67890", tag: 1)]),
    Row(
      name: "RD-ANY-07 the end alone", reads: [any], arrivals: [], end: .finished,
      events: [.disconnected(.closedByPeer)]),
    Row(
      name: "RD-ANY-08 bytes and the end", reads: [any], arrivals: ["12345"], end: .finished,
      events: [.read("12345", tag: 0), .disconnected(.closedByPeer)]),
    Row(
      name: "RD-LEN-02 length 0 has no place", reads: [.exactly(0), .exactly(2)], arrivals: ["ab"],
      events: [.read("ab", tag: 1)]),
    Row(
      name: "RD-LEN-04 surplus stays", reads: [.exactly(4), .exactly(6)], arrivals: ["0123456789"],
      events: [.read("0123", tag: 0), .read("456789", tag: 1)]),
    Row(
      name: "RD-LEN-05 over leftovers and segments", reads: [line, .exactly(10)],
      arrivals: ["x\r\nabc", "defg", "hij"],
      events: [.read("x\r\n", tag: 0), .read("abcdefghij", tag: 1)]),
    Row(
      name: "RD-LEN-06 the peer closes midway", reads: [.exactly(10)], arrivals: ["abcdef"], end: .finished,
      events: [.disconnected(.closedByPeer)]),
    Row(
      name: "RD-LEN-08 the peer resets midway", reads: [.exactly(10)], arrivals: ["abcdef"], end: .reset,
      events: [.disconnected(.posix(104, call: "read"))]),
    Row(
      name: "RD-DELIM-02 no delimiter, no place", reads: [.through([], limit: 0), line], arrivals: ["a\r\n"],
      events: [.read("a\r\n", tag: 1)]),
    Row(
      name: "RD-DELIM-03 the rest is the next read's", reads: [line, .exactly(3)], arrivals: ["a\r\nXYZ"],
      events: [.read("a\r\n", tag: 0), .read("XYZ", tag: 1)]),
    Row(
      name: "RD-DELIM-05 the seam of leftover and arrival", reads: [line, line], arrivals: ["a\r\nx\r", "\n"],
      events: [.read("a\r\n", tag: 0), .read("x\r\n", tag: 1)]),
    Row(
      name: "RD-DELIM-10 consumed bytes complete no match", reads: [.exactly(1), line], arrivals: ["\r\nA\r\n"],
      events: [.read("\r", tag: 0), .read("\nA\r\n", tag: 1)]),
    Row(
      name: "RD-DELIM-12 fewer bytes than the delimiter", reads: [.through(Array("0123456789".utf8), limit: 0)],
      arrivals: ["012345678", "9"], events: [.read("0123456789", tag: 0)]),
    Row(
      name: "RD-DELIM-18 the peer closes before it", reads: [line], arrivals: ["abc"], end: .finished,
      events: [.disconnected(.closedByPeer)]),
    Row(
      name: "RD-DELIM-20 other delimiters over one burst",
      reads: [.through([0x3D], limit: 0), .through([0x3B], limit: 0), .through([0x0A], limit: 0)],
      arrivals: ["k=v;x\n"], events: [.read("k=", tag: 0), .read("v;", tag: 1), .read("x\n", tag: 2)]),
    Row(
      name: "RD-MAX-01 the last allowed byte completes", reads: [line(limit: 6)], arrivals: ["abcd\r\n"],
      events: [.read("abcd\r\n", tag: 0)]),
    Row(
      name: "RD-MAX-02 limit reached", reads: [line(limit: 6)], arrivals: ["abcdef"],
      events: [.disconnected(.readMaxedOut)]),
    Row(
      name: "RD-MAX-03 one byte late", reads: [line(limit: 6)], arrivals: ["abcde\r\n"],
      events: [.disconnected(.readMaxedOut)]),
    Row(name: "RD-MAX-04 one byte below the limit waits", reads: [line(limit: 6)], arrivals: ["abcde"], events: []),
    Row(
      name: "RD-MAX-05 a limit below the delimiter is a no-op", reads: [line(limit: 1), line], arrivals: ["a\r\n"],
      events: [.read("a\r\n", tag: 1)]),
    Row(
      name: "RD-MAX-06 a limit of the delimiter, found", reads: [line(limit: 2)], arrivals: ["\r\n"],
      events: [.read("\r\n", tag: 0)]),
    Row(
      name: "RD-MAX-06 a limit of the delimiter, missed", reads: [line(limit: 2)], arrivals: ["x\r"],
      events: [.disconnected(.readMaxedOut)]),
    Row(
      name: "RD-MAX-08 leftovers count, earlier reads don't", reads: [.exactly(100), line(limit: 6)],
      arrivals: [String(repeating: "-", count: 100) + "abcdefghij"],
      events: [.read(String(repeating: "-", count: 100), tag: 0), .disconnected(.readMaxedOut)]),
    Row(
      name: "RD-MAX-08 earlier reads don't count", reads: [.exactly(100), line(limit: 6)],
      arrivals: [String(repeating: "-", count: 100), "abcd\r\n"],
      events: [.read(String(repeating: "-", count: 100), tag: 0), .read("abcd\r\n", tag: 1)]),
    Row(
      name: "RD-MAX-11 reads behind an overflow are dropped", reads: [line(limit: 3), any], arrivals: ["abcdef"],
      events: [.disconnected(.readMaxedOut)]),
  ]

  @Test("serves the reads as the contract says, also byte by byte", arguments: rows)
  func table(row: Row) {
    #expect(Self.events(row, byteByByte: false) == row.events)
    let kinds = row.reads.contains { if case .available = $0 { true } else { false } }
    if !kinds { #expect(Self.events(row, byteByByte: true) == row.events) }
  }

  static func events(_ row: Row, byteByByte: Bool) -> [RecordedEvent] {
    var bench = SocketBench()
    for (tag, read) in row.reads.enumerated() { bench.read(read.request(tag: tag)) }
    for arrival in row.arrivals {
      if byteByByte { arrival.utf8.forEach { bench.arrive([$0]) } } else { bench.arrive(arrival) }
    }
    switch row.end {
    case .open: break
    case .finished: bench.finish()
    case .reset: bench.reset()
    }
    return bench.take().filter { !$0.isPartial }
  }

  // MARK: Partial reports

  @Test("RD-LEN-03: a drip reports each byte once; the last one with the completion")
  func lengthPartials() {
    var bench = SocketBench()
    bench.read(.exactly(4, timeout: -1, tag: 9))
    "abcd".utf8.forEach { bench.arrive([$0]) }
    #expect(
      bench.take() == [
        .readPartial(1, tag: 9), .readPartial(1, tag: 9), .readPartial(1, tag: 9), .read("abcd", tag: 9),
      ])
  }

  @Test("RDQ-10: a delimiter read reports what it gathered, leftovers too")
  func delimiterPartials() {
    var bench = SocketBench()
    bench.read(.through(Self.crlf, limit: 0, timeout: -1, tag: 1))
    bench.read(.through(Self.crlf, limit: 0, timeout: -1, tag: 2))
    bench.arrive("a\r\nbc")
    bench.arrive("d\r")
    bench.arrive("\n")
    #expect(
      bench.take() == [
        .read("a\r\n", tag: 1), .readPartial(2, tag: 2), .readPartial(2, tag: 2), .read("bcd\r\n", tag: 2),
      ])
  }

  @Test("RDQ-11, RD-MAX-11: progress of the failing pass is told before the end, up to the limit")
  func overflowPartial() {
    var bench = SocketBench()
    bench.read(.through(Self.crlf, limit: 6, timeout: -1, tag: 1))
    bench.arrive("abcdefghij")
    #expect(bench.take() == [.readPartial(6, tag: 1), .disconnected(.readMaxedOut)])
  }

  @Test("RD-MAX-10: an overflow asks nobody")
  func overflowIsNoTimeout() {
    var bench = SocketBench()
    bench.read(.through(Self.crlf, limit: 3, timeout: 10, tag: 1))
    bench.clock.advance(milliseconds: 10_000)
    bench.arrive("abc")
    #expect(bench.questions.isEmpty)
    #expect(bench.take().last == .disconnected(.readMaxedOut))
  }

  @Test("RDQ-11: progress of a pass that meets a reset is told before the end")
  func failurePartial() {
    var bench = SocketBench()
    bench.read(.exactly(10, timeout: -1, tag: 1))
    bench.transport.arrive("abc".utf8)
    bench.reset()
    #expect(bench.take() == [.readPartial(3, tag: 1), .disconnected(.posix(104, call: "read"))])
  }

  @Test("RDQ-11: progress of a pass that meets the end of stream is told before the end")
  func endOfStreamPartial() {
    var bench = SocketBench()
    bench.read(.exactly(10, timeout: -1, tag: 1))
    bench.transport.arrive("abc".utf8)
    bench.finish()
    #expect(bench.take() == [.readPartial(3, tag: 1), .disconnected(.closedByPeer)])
  }

  // MARK: No-ops, tags, state

  @Test("calls that the contract makes no-ops never become a request (RD-LEN-02, RD-DELIM-02, RD-MAX-05, WR-02)")
  func noOps() {
    #expect(ReadRequest.exactly(0, timeout: 0, tag: 0) == nil)
    #expect(ReadRequest.exactly(-1, timeout: 0, tag: 0) == nil)
    #expect(ReadRequest.exactly(.min, timeout: 0, tag: 0) == nil)
    #expect(ReadRequest.through([], limit: 0, timeout: 0, tag: 0) == nil)
    #expect(ReadRequest.through([], limit: 9, timeout: 0, tag: 0) == nil)
    #expect(ReadRequest.through([1, 2], limit: 1, timeout: 0, tag: 0) == nil)
    #expect(ReadRequest.through([1, 2], limit: -1, timeout: 0, tag: 0) == nil)
    #expect(ReadRequest.through([1, 2], limit: 2, timeout: 0, tag: 0) != nil)
    #expect(ReadRequest.available(limit: 0, timeout: 0, tag: 0).boundary == .available(limit: .max))
    #expect(WriteRequest([], tag: 0) == nil)
  }

  @Test("RDQ-04: any tag comes back", arguments: [0, -1, .min, .max, 7, 7])
  func tags(tag: Int) {
    var bench = SocketBench()
    bench.read(.exactly(2, timeout: -1, tag: tag))
    bench.write([1], tag: tag)
    bench.arrive("a")
    bench.arrive("b")
    #expect(bench.take() == [.wrote(tag: tag), .readPartial(1, tag: tag), .read("ab", tag: tag)])
  }

  @Test("a read carries its destination through")
  func destinations() {
    final class Place: Sendable {}
    let place = Place()
    var bench = SocketBench()
    bench.machine.read(.available(limit: 0, timeout: -1, tag: 0, destination: place))
    bench.transport.arrive("a".utf8)
    bench.machine.note(bench.transport.takeHints())
    bench.machine.advance(&bench.transport, now: bench.now, canAskDelegate: true)
    var seen: (any AnyObject & Sendable)?
    bench.machine.drainEvents { if case .didRead(_, _, let destination) = $0 { seen = destination } }
    #expect(seen === place)
  }

  @Test("RDQ-05, INV-11: without a read nothing is received and nothing is lost")
  func backPressure() {
    var bench = SocketBench()
    bench.arrive([UInt8](repeating: 7, count: 100))
    #expect(bench.transport.waiting == 100)
    #expect(bench.transport.receiveCalls == 0)
    bench.read(.exactly(100, timeout: 0, tag: 1))
    #expect(bench.take() == [.read([UInt8](repeating: 7, count: 100), tag: 1)])
  }

  @Test("INV-10: a machine at rest asks the transport nothing more")
  func rest() {
    var bench = SocketBench(closesOnEndOfStream: false)
    bench.read(.exactly(10, timeout: -1, tag: 1))
    bench.arrive("abc")
    for hint in [Readiness.readable, .writable] {
      bench.machine.note(hint)
      bench.pass()
    }
    let calls = bench.transport.receiveCalls
    for _ in 0..<10 { bench.pass() }
    #expect(bench.transport.receiveCalls == calls)
    bench.finish()
    let after = (bench.transport.receiveCalls, bench.transport.peekCalls)
    for _ in 0..<10 { bench.read(.available(limit: 0, timeout: -1, tag: 2)) }
    #expect((bench.transport.receiveCalls, bench.transport.peekCalls) == after)
    #expect(!bench.machine.needsAnotherPass)
  }

  @Test("INV-17: readiness is remembered until the transport would block, not until a short receive")
  func readinessIsRemembered() {
    let transport = ScriptedTransport(receives: [.bytes([1]), .bytes([2]), .bytes([3]), .wouldBlock])
    var bench = SocketBench(opened: transport)
    for tag in 1...3 { bench.read(.available(limit: 0, timeout: -1, tag: tag)) }
    #expect(bench.take() == [.read([1], tag: 1), .read([2], tag: 2), .read([3], tag: 3)])
    #expect(bench.transport.receiveCalls == 3)
  }

  @Test("a short receive ends the asking only where that is what it means", arguments: [true, false])
  func shortReceive(meansEmpty: Bool) {
    var transport = ScriptedTransport(receives: [.bytes([1]), .bytes([2])])
    transport.shortReceiveMeansEmpty = meansEmpty
    var bench = SocketBench(opened: transport)
    bench.read(.exactly(2, timeout: -1, tag: 1))
    #expect(bench.take() == (meansEmpty ? [.readPartial(1, tag: 1)] : [.read([1, 2], tag: 1)]))
    bench.machine.note(.readable)
    bench.pass()
    #expect(bench.take() == (meansEmpty ? [.read([1, 2], tag: 1)] : []))
  }

  @Test("a short receive is no emptiness once urgent data was seen: it may have stopped at its mark")
  func shortReceiveAtMark() {
    var transport = ScriptedTransport(receives: [.bytes([1]), .bytes([2])])
    transport.shortReceiveMeansEmpty = true
    var bench = SocketBench(opened: transport)
    bench.machine.note(.urgent)
    bench.read(.exactly(2, timeout: -1, tag: 1))
    #expect(bench.take() == [.read([1, 2], tag: 1)])
  }

  @Test("a short receive is no emptiness once the peer has closed: the end is behind it")
  func shortReceiveBeforeEnd() {
    var transport = ScriptedTransport(receives: [.bytes([1]), .endOfStream])
    transport.shortReceiveMeansEmpty = true
    var bench = SocketBench(opened: transport)
    bench.machine.note([.readable, .peerClosed])
    bench.read(.exactly(2, timeout: -1, tag: 1))
    #expect(bench.take() == [.readPartial(1, tag: 1), .disconnected(.closedByPeer)])
  }
}
