import SocketCore
import TestSupport
import Testing

/// Closing at the local side's wish: at once, and after queued operations.
@Suite("Closing wishes")
struct ClosingTests {
  enum Step: Sendable {
    case read, write
    case afterReads, afterWrites, afterBoth
    case disconnect
    /// Satisfies one read or write.
    case serveRead, serveWrite
    case finish, reset
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var steps: [Step]
    /// Whether it is closed then, and why.
    var end: RecordedEvent?
    var completions: Int
    var testDescription: String { name }

    init(_ name: String, _ steps: [Step], end: RecordedEvent?, completions: Int) {
      self.name = name
      self.steps = steps
      self.end = end
      self.completions = completions
    }
  }

  static let closed = RecordedEvent.disconnected(nil)

  static let rows: [Row] = [
    Row("DIS-09 reads done, the write is lost", [.read, .write, .afterReads, .serveRead], end: closed, completions: 1),
    Row("DIS-09 one of two reads", [.read, .read, .afterReads, .serveRead], end: nil, completions: 1),
    Row("DIS-09 both reads", [.read, .read, .afterReads, .serveRead, .serveRead], end: closed, completions: 2),
    Row("DIS-09 writes don't fulfil it", [.read, .write, .afterReads, .serveWrite], end: nil, completions: 1),
    Row(
      "DIS-10 writes done, the read is dropped", [.read, .write, .afterWrites, .serveWrite], end: closed, completions: 1
    ),
    Row("DIS-10 one of two writes", [.write, .write, .afterWrites, .serveWrite], end: nil, completions: 1),
    Row("DIS-10 reads don't fulfil it", [.read, .write, .afterWrites, .serveRead], end: nil, completions: 1),
    Row("DIS-11 reads first", [.read, .write, .afterBoth, .serveRead], end: nil, completions: 1),
    Row(
      "DIS-11 reads, then writes", [.read, .write, .afterBoth, .serveRead, .serveWrite], end: closed, completions: 2),
    Row("DIS-11 writes first", [.read, .write, .afterBoth, .serveWrite], end: nil, completions: 1),
    Row(
      "DIS-11 writes, then reads", [.read, .write, .afterBoth, .serveWrite, .serveRead], end: closed, completions: 2),
    Row("DIS-12 nothing pending, reads", [.afterReads], end: closed, completions: 0),
    Row("DIS-12 nothing pending, writes", [.afterWrites], end: closed, completions: 0),
    Row("DIS-12 nothing pending, both", [.afterBoth], end: closed, completions: 0),
    Row(
      "DIS-13 later operations are ignored", [.read, .afterReads, .read, .write, .serveRead], end: closed,
      completions: 1),
    Row(
      "DIS-13 a later write does not hold it back", [.write, .afterWrites, .write, .serveWrite], end: closed,
      completions: 1),
    Row(
      "DIS-14 reads then writes need both", [.read, .write, .afterReads, .afterWrites, .serveRead], end: nil,
      completions: 1),
    Row(
      "DIS-14 writes then reads need both", [.read, .write, .afterWrites, .afterReads, .serveWrite], end: nil,
      completions: 1),
    Row(
      "DIS-14 both wishes fulfilled", [.read, .write, .afterReads, .afterWrites, .serveRead, .serveWrite], end: closed,
      completions: 2),
    Row(
      "DIS-14 a later wish cancels none", [.read, .write, .afterBoth, .afterReads, .serveRead], end: nil, completions: 1
    ),
    Row("DIS-15 a plain disconnect is at once", [.read, .write, .afterBoth, .disconnect], end: closed, completions: 0),
    Row(
      "DIS-19 the peer closes first", [.read, .write, .afterReads, .finish], end: .disconnected(.closedByPeer),
      completions: 0),
    Row(
      "DIS-19 the peer resets first", [.write, .afterWrites, .reset], end: .disconnected(.posix(104, call: "write")),
      completions: 0),
    Row("DIS-21 a read that never completes keeps it open", [.read, .afterReads], end: nil, completions: 0),
    Row(
      "LIFE-15 a second disconnect adds nothing", [.disconnect, .disconnect, .afterBoth], end: closed, completions: 0),
  ]

  @Test("close when they should, and with the right reason", arguments: rows)
  func table(row: Row) {
    var bench = SocketBench(sendRoom: 0)
    for (tag, step) in row.steps.enumerated() { Self.perform(step, tag: tag, &bench) }
    let events = bench.take()
    #expect(events.filter { !$0.isDisconnect && !$0.isPartial }.count == row.completions)
    #expect(events.filter(\.isDisconnect) == (row.end.map { [$0] } ?? []))
    #expect(events.last?.isDisconnect ?? false == (row.end != nil))
    #expect(bench.machine.isDisconnected == (row.end != nil))
  }

  private static func perform(_ step: Step, tag: Int, _ bench: inout SocketBench<MemoryTransport>) {
    switch step {
    case .read: bench.read(.exactly(1, timeout: -1, tag: tag))
    case .write: bench.write([1], tag: tag)
    case .afterReads: bench.close(afterReads: true)
    case .afterWrites: bench.close(afterWrites: true)
    case .afterBoth: bench.close(afterReads: true, afterWrites: true)
    case .disconnect: bench.disconnect()
    case .serveRead: bench.arrive("x")
    case .serveWrite: bench.drain(1)
    case .finish: bench.finish()
    case .reset: bench.reset()
    }
  }

  @Test("DIS-22: a wish closes gracefully, a disconnect at once", arguments: [true, false])
  func manner(isWish: Bool) {
    var bench = SocketBench()
    if isWish { bench.close(afterWrites: true) } else { bench.disconnect() }
    #expect(bench.machine.takeCommands() == [.close(isWish ? .graceful : .immediate)])
  }

  @Test(
    "DIS-18: a wish on an idle instance is nothing, not even later",
    arguments: [(true, false), (false, true), (true, true)])
  func idle(reads: Bool, writes: Bool) {
    var bench = SocketBench(idle: MemoryTransport())
    bench.close(afterReads: reads, afterWrites: writes)
    #expect(bench.take() == [])
    bench.machine.adoptConnection(announcing: nil)
    bench.write([1], tag: 1)
    bench.pass()
    #expect(bench.take() == [.wrote(tag: 1)])
    #expect(bench.machine.isConnected)
  }

  @Test("DIS-20: the last read and the end together close with the wish or the end, once")
  func lastReadAtEnd() {
    var bench = SocketBench()
    bench.read(.exactly(1, timeout: -1, tag: 1))
    bench.close(afterReads: true)
    bench.transport.arrive("x".utf8)
    bench.finish()
    let events = bench.take()
    #expect(events.first == .read("x", tag: 1))
    #expect(events.dropFirst() == [.disconnected(nil)] || events.dropFirst() == [.disconnected(.closedByPeer)])
  }

  @Test("HALF-13: a wish for a read that a half-close made impossible is never fulfilled")
  func impossibleRead() {
    var bench = SocketBench(closesOnEndOfStream: false)
    bench.read(.exactly(2, timeout: -1, tag: 1))
    bench.close(afterReads: true)
    bench.arrive("x")
    bench.finish()
    bench.wait(milliseconds: 100_000)
    #expect(bench.take() == [.readPartial(1, tag: 1), .readClosed])
    bench.disconnect()
    #expect(bench.take() == [.disconnected(nil)])
  }

  @Test("DIS-16: while connecting, with nothing that matches, it closes at once", arguments: [true, false])
  func connecting(isFulfilled: Bool) throws {
    var bench = SocketBench(idle: MemoryTransport())
    let context = StartContext(hasDelegate: true, hasDelegateQueue: true, now: bench.now) { [] }
    try bench.machine.connect(toHost: "127.0.0.1", port: 1, interface: nil, timeout: -1, in: context)
    bench.read(.exactly(1, timeout: -1, tag: 1))
    if !isFulfilled { bench.write([1], tag: 2) }
    bench.close(afterWrites: true)
    let attempt = AttemptID(generation: 1, index: 0)
    if isFulfilled {
      #expect(bench.take() == [.disconnected(nil)])
      #expect(bench.machine.takeCommands().last == .abandon(attempt))
    } else {
      #expect(bench.take() == [])
      bench.machine.attemptSucceeded(attempt, announcing: .didConnect(.loopback(.ipv4, port: 1)))
      bench.pass()
      #expect(bench.take() == [.connected(host: "127.0.0.1", port: 1), .wrote(tag: 2), .disconnected(nil)])
      #expect(bench.machine.takeCommands().last == .close(.graceful))
    }
  }

  @Test("DIS-17, ACC-33: on a listener it closes at once; operations on it never run")
  func listening() {
    var bench = SocketBench(idle: MemoryTransport())
    bench.machine.listenerIsReady()
    bench.read(.exactly(1, timeout: 0, tag: 1))
    bench.write([1], timeout: 0, tag: 2)
    #expect(bench.machine.nextDeadline == nil)
    bench.wait(milliseconds: 1000)
    #expect(bench.take() == [])
    bench.disconnect()
    #expect(bench.take() == [.disconnected(nil)])
    bench.machine.listenerIsReady()
    bench.close(afterReads: true)
    #expect(bench.take() == [.disconnected(nil)])
    #expect(bench.machine.takeCommands().last == .close(.immediate))
  }

  @Test("TLS-10: an upgrade asked for after a wish is ignored")
  func upgradeAfterWish() {
    var bench = SocketBench(sendRoom: 0)
    bench.write([1], tag: 1)
    bench.close(afterWrites: true)
    bench.machine.startTLS { .success(ClearSession()) }
    bench.drain(1)
    #expect(bench.take() == [.wrote(tag: 1), .disconnected(nil)])
  }

  @Test("DIS-01, LIFE-13: a disconnect drops everything, and nothing of it comes back")
  func dropsEverything() {
    var bench = SocketBench(sendRoom: 0)
    for tag in 0..<5 {
      bench.read(.exactly(3, timeout: 1, tag: tag))
      bench.write([9], timeout: 1, tag: tag)
    }
    bench.arrive("abcd")
    bench.disconnect()
    #expect(bench.take().suffix(2) == [.readPartial(1, tag: 1), .disconnected(nil)])
    #expect(bench.machine.nextDeadline == nil)
    #expect(bench.machine.backlog == (reads: 0, writes: 0, buffered: 0))
    bench.transport = MemoryTransport()
    bench.machine.adoptConnection(announcing: nil)
    bench.arrive("xyz")
    bench.wait(milliseconds: 5000)
    #expect(bench.take() == [])
    #expect(bench.transport.sent.isEmpty)
  }
}
