import Glibc
import SocketCore
import TestSupport
import Testing

@Suite("Write queue")
struct WriteQueueTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    /// The sizes of the writes; tags are their places.
    var writes: [Int]
    var sends: [ScriptedTransport.Send]
    var events: [RecordedEvent]
    /// How many bytes went out.
    var sent: Int
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "WR-05 what fits has no partials", writes: [10], sends: [.takes(99)], events: [.wrote(tag: 0)], sent: 10),
    Row(
      name: "one call gathers all", writes: [3, 4, 5], sends: [.takes(99)],
      events: [.wrote(tag: 0), .wrote(tag: 1), .wrote(tag: 2)], sent: 12),
    Row(
      name: "partial inside the second", writes: [3, 4, 5], sends: [.takes(5), .wouldBlock],
      events: [.wrote(tag: 0), .wrotePartial(2, tag: 1)], sent: 5),
    Row(
      name: "partial at a boundary starts nothing", writes: [3, 4], sends: [.takes(3), .wouldBlock],
      events: [.wrote(tag: 0)], sent: 3),
    Row(
      name: "partial sends in one pass are one report", writes: [10], sends: [.takes(3), .takes(4), .wouldBlock],
      events: [.wrotePartial(7, tag: 0)], sent: 7),
    Row(name: "would block at once", writes: [10], sends: [.wouldBlock], events: [], sent: 0),
    Row(
      name: "WR-08 a failure in the middle", writes: [3, 4, 5], sends: [.takes(5), .failed(32)],
      events: [.wrote(tag: 0), .wrotePartial(2, tag: 1), .disconnected(.posix(32, call: "write"))], sent: 5),
    Row(
      name: "a failure at once", writes: [3, 4], sends: [.failed(104)],
      events: [.disconnected(.posix(104, call: "write"))],
      sent: 0),
    Row(
      name: "WR-15 the kernel is short of memory for a moment", writes: [3, 4], sends: [.takes(4), .failed(ENOBUFS)],
      events: [.wrote(tag: 0), .wrotePartial(1, tag: 1), .disconnected(.posix(ENOBUFS, call: "write"))], sent: 4),
    Row(
      name: "WR-15 the kernel is out of memory", writes: [3], sends: [.failed(ENOMEM)],
      events: [.disconnected(.posix(ENOMEM, call: "write"))], sent: 0),
    Row(
      name: "byte by byte", writes: [2, 1], sends: [.takes(1), .takes(1), .takes(1)],
      events: [.wrote(tag: 0), .wrote(tag: 1)], sent: 3),
  ]

  @Test("completes in order and tells progress once", arguments: rows)
  func table(row: Row) {
    var bench = SocketBench(opened: ScriptedTransport(sends: row.sends))
    for (tag, size) in row.writes.enumerated() {
      if let request = WriteRequest([UInt8](repeating: UInt8(tag), count: size), tag: tag) {
        bench.machine.write(request)
      }
    }
    bench.pass()
    // Among the rows is a kernel that is short of memory (WR-15).
    #expect(bench.take() == row.events)
    let all = row.writes.enumerated().flatMap { [UInt8](repeating: UInt8($0.offset), count: $0.element) }
    #expect(bench.transport.sent == Array(all.prefix(row.sent)))
  }

  @Test("partials are increments, and less than the whole in sum (INV-15, INV-16, WR-04)")
  func increments() {
    var bench = SocketBench(sendRoom: 4)
    bench.write([UInt8](repeating: 1, count: 10), tag: 5)
    bench.drain(0)
    bench.drain(3)
    bench.drain(2)
    bench.drain(1)
    #expect(
      bench.take() == [
        .wrotePartial(4, tag: 5), .wrotePartial(3, tag: 5), .wrotePartial(2, tag: 5), .wrote(tag: 5),
      ])
  }

  @Test("after would-block it sends again only when writability is signalled")
  func waitsForWritability() {
    var bench = SocketBench(opened: ScriptedTransport(sends: [.wouldBlock, .takes(9)]))
    bench.write([1, 2], tag: 1)
    bench.machine.note(.readable)
    bench.write([3], tag: 2)
    #expect(bench.transport.offers.count == 1)
    bench.machine.note(.writable)
    bench.pass()
    #expect(bench.transport.offers == [[2], [2, 1]])
    #expect(bench.take() == [.wrote(tag: 1), .wrote(tag: 2)])
  }

  @Test("gathers many small writes in few calls, 64 pieces at most")
  func gathering() {
    var bench = SocketBench(
      opened: ScriptedTransport(sends: [ScriptedTransport.Send](repeating: .takes(.max), count: 9)))
    for tag in 0..<200 { if let request = WriteRequest([UInt8(tag)], tag: tag) { bench.machine.write(request) } }
    bench.pass()
    #expect(bench.transport.offers.map(\.count) == [64, 64, 64, 8])
    #expect(bench.take() == (0..<200).map { .wrote(tag: $0) })
    #expect(bench.transport.sent == (0..<200).map { UInt8($0) })
  }

  @Test("nothing of a write behind the upgrade barrier goes out in clear (TLS-15)")
  func barrier() {
    var bench = SocketBench()
    bench.read(.exactly(1, timeout: -1, tag: 1))
    bench.machine.startTLS { .success(ClearSession()) }
    bench.write("secret".utf8, tag: 2)
    #expect(bench.transport.sent.isEmpty)
    bench.arrive("x")
    #expect(bench.take() == [.read("x", tag: 1)])
    #expect(bench.transport.sent == ClearSession.record(.hello))
  }

  @Test("random sizes against random room: bytes, order, sums (INV-06, INV-15, INV-16)", arguments: 0..<40)
  func randomWrites(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var bench = SocketBench(sendRoom: random.int(0...50))
    var expected: [UInt8] = []
    var sizes: [Int] = []
    for _ in 0..<random.int(1...120) {
      if random.oneIn(3) { bench.drain(random.int(0...90)) }
      let bytes = random.bytes(random.int(1...60), from: Array(0...255))
      bench.write(bytes, tag: sizes.count)
      sizes.append(bytes.count)
      expected += bytes
      #expect(bench.transport.sent == Array(expected.prefix(bench.transport.sent.count)))
    }
    let fails = random.oneIn(3)
    if fails {
      bench.reset()
    } else {
      while bench.transport.sent.count < expected.count { bench.drain(random.int(1...64)) }
    }
    Self.check(bench.take(), sizes: sizes, sent: bench.transport.sent.count, fails: fails)
    if !fails { #expect(bench.transport.sent == expected) }
  }

  private static func check(_ events: [RecordedEvent], sizes: [Int], sent: Int, fails: Bool) {
    var next = 0
    var partial = 0
    var told = 0
    for event in events {
      switch event {
      case .wrote(let tag):
        #expect(tag == next, "INV-04")
        #expect(partial < sizes[tag], "INV-16")
        told += sizes[tag]
        next += 1
        partial = 0
      case .wrotePartial(let count, let tag):
        #expect(tag == next)
        #expect(count > 0)
        partial += count
      case .disconnected(let reason):
        #expect(fails)
        #expect(reason == .posix(104, call: "read") || reason == .posix(104, call: "write"))
      default: Issue.record("unexpected \(event)")
      }
    }
    #expect(told + partial == sent, "what was told is what was sent")
    #expect(events.last?.isDisconnect == fails)
    if !fails { #expect(next == sizes.count) }
  }

  @Test("WR-10: what has arrived is delivered before a write that fails ends the connection")
  func readsBeforeFailure() {
    let transport = ScriptedTransport(receives: [.bytes(Array("bye".utf8))], sends: [.failed(32)])
    var bench = SocketBench(opened: transport)
    bench.machine.read(.available(limit: 0, timeout: -1, tag: 1))
    bench.write([1], tag: 2)
    #expect(bench.take() == [.read("bye", tag: 1), .disconnected(.posix(32, call: "write"))])
  }

  @Test("RDQ-15: a blocked write stops no read, an absent read no write")
  func directionsAreIndependent() {
    var bench = SocketBench(sendRoom: 0)
    bench.write([1], tag: 1)
    bench.read(.exactly(2, timeout: -1, tag: 2))
    bench.arrive("ab")
    #expect(bench.take() == [.read("ab", tag: 2)])
    bench.arrive("unread")
    bench.drain(1)
    #expect(bench.take() == [.wrote(tag: 1)])
  }

  private static func parts(_ progress: SocketMachine.Progress?) -> [Int] {
    progress.map { [$0.tag, $0.done, $0.total] } ?? []
  }

  @Test("WR-17: progress is the active write's")
  func progress() {
    var bench = SocketBench(sendRoom: 3)
    bench.write([UInt8](repeating: 0, count: 8), tag: 4)
    bench.write([UInt8](repeating: 0, count: 8), tag: 5)
    #expect(Self.parts(bench.machine.writeProgress) == [4, 3, 8])
    #expect(bench.machine.writeProgress?.fraction == 0.375)
    bench.drain(5)
    #expect(Self.parts(bench.machine.writeProgress) == [5, 0, 8])
    bench.drain(8)
    #expect(bench.machine.writeProgress == nil)
  }

  @Test("DIAG-11: progress of reads")
  func readProgress() {
    var bench = SocketBench()
    #expect(bench.machine.readProgress == nil)
    bench.read(.exactly(10, timeout: -1, tag: 4))
    bench.arrive("abcd")
    #expect(Self.parts(bench.machine.readProgress) == [4, 4, 10])
    bench.arrive("efghij")
    bench.read(.through([13, 10], limit: 0, timeout: -1, tag: 5))
    #expect(bench.machine.readProgress?.fraction == 1)
    bench.arrive("xy")
    #expect(Self.parts(bench.machine.readProgress) == [5, 2, 0])
    #expect(bench.machine.backlog == (reads: 1, writes: 0, buffered: 2))
  }
}
