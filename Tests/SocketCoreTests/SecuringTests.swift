import SocketCore
import TestSupport
import Testing

/// The upgrade and the secured stream, with a session that only frames.
@Suite("Securing")
struct SecuringTests {
  private static let hello = ClearSession.record(.hello)

  /// A bench whose connection is secured; what was sent and told until then is forgotten.
  private static func secured(sendRoom: Int = .max, closes: Bool = true) -> SocketBench<MemoryTransport> {
    var bench = SocketBench(sendRoom: sendRoom, closesOnEndOfStream: closes)
    bench.startTLS(ClearSession())
    bench.arrive(hello)
    #expect(bench.take() == [.secured])
    return bench
  }

  @Test("TLS-01, TLS-02, TLS-03: the handshake waits for both queues, what is queued behind it for the handshake")
  func order() {
    var bench = SocketBench(sendRoom: 0)
    bench.read(.exactly(2, timeout: -1, tag: 1))
    bench.write([7], tag: 2)
    bench.startTLS(ClearSession())
    bench.read(.exactly(3, timeout: -1, tag: 3))
    bench.write("abc".utf8, tag: 4)
    bench.arrive("ok")
    #expect(bench.take() == [.read("ok", tag: 1)])
    #expect(bench.transport.sent.isEmpty)
    bench.drain(100)
    #expect(bench.take() == [.wrote(tag: 2)])
    #expect(bench.transport.sent == [7] + Self.hello)
    #expect(!bench.machine.isSecure)
    bench.arrive(ClearSession.wire("xyz"))
    #expect(bench.take() == [.secured, .read("xyz", tag: 3), .wrote(tag: 4)])
    #expect(bench.machine.isSecure)
    #expect(bench.transport.sent == [7] + Self.hello + ClearSession.record(.data, Array("abc".utf8)))
  }

  @Test("TLS-29, INV-05: bytes in any chunks, in and out", arguments: 1...12)
  func chunks(size: Int) {
    var bench = SocketBench(sendRoom: 0)
    bench.startTLS(ClearSession(recordLimit: 5))
    bench.read(.through([10], limit: 0, timeout: -1, tag: 1))
    bench.read(.exactly(6, timeout: -1, tag: 2))
    bench.read(.available(limit: 2, timeout: -1, tag: 3))
    bench.write("0123456789ab".utf8, tag: 4)
    let wire = ClearSession.wire("li", "ne\nsix", "ok", "!!", "any")
    for start in stride(from: 0, to: wire.count, by: size) {
      bench.arrive(wire[start..<min(start + size, wire.count)])
      bench.drain(size)
    }
    bench.drain(100)
    let events = bench.take()
    let whole = events.filter { !$0.isPartial }
    #expect(whole.first == .secured)
    #expect(
      whole.filter { $0 != .wrote(tag: 4) }.dropFirst().elementsEqual([
        .read("line\n", tag: 1), .read("sixok!", tag: 2),
        whole.last { if case .read(_, 3) = $0 { true } else { false } }!,
      ]))
    #expect(whole.contains(.wrote(tag: 4)))
    let sent = ["01234", "56789", "ab"].flatMap { ClearSession.record(.data, Array($0.utf8)) }
    #expect(bench.transport.sent == Self.hello + sent)
  }

  @Test("TLS-30: a write counts by whole records that are on their way", arguments: 0...24)
  func accounting(room: Int) {
    var bench = Self.secured(sendRoom: 3 + room)
    bench.write((0..<40).map { UInt8($0) }, tag: 1)
    // Records of 16, 16 and 8 bytes behind headers of 3.
    let done = room >= 19 ? 16 : 0
    #expect(bench.take() == (done > 0 ? [.wrotePartial(done, tag: 1)] : []))
    #expect(bench.machine.writeProgress?.done == done)
    bench.drain(1000)
    #expect(bench.take().last == .wrote(tag: 1))
    let pieces = [0..<16, 16..<32, 32..<40].flatMap { ClearSession.record(.data, $0.map { UInt8($0) }) }
    #expect(bench.transport.sent == Self.hello + pieces)
  }

  @Test("small writes share records")
  func gathering() {
    var bench = Self.secured()
    for tag in 0..<6 { if let request = WriteRequest([UInt8(tag), 9, 9], tag: tag) { bench.machine.write(request) } }
    bench.pass()
    #expect(bench.take() == (0..<6).map { .wrote(tag: $0) })
    #expect(bench.transport.sent.count == Self.hello.count + 18 + 2 * ClearSession.headerSize)
  }

  @Test("TLS-05: what came in before the session was made belongs to it")
  func prebuffered() {
    var bench = SocketBench()
    bench.read(.through([10], limit: 0, timeout: -1, tag: 1))
    bench.startTLS(ClearSession())
    bench.read(.exactly(3, timeout: -1, tag: 2))
    bench.arrive(Array("go\n".utf8) + ClearSession.wire("abc"))
    #expect(bench.take() == [.read("go\n", tag: 1), .secured, .read("abc", tag: 2)])
  }

  @Test("TLS-06: clear bytes behind the upgrade are never delivered")
  func injection() {
    var bench = SocketBench()
    bench.read(.through([10], limit: 0, timeout: -1, tag: 1))
    bench.startTLS(ClearSession())
    bench.read(.through([10], limit: 0, timeout: -1, tag: 2))
    bench.arrive("go\nEVIL\n")
    #expect(bench.take() == [.read("go\n", tag: 1), .disconnected(.tls(-9847))])
  }

  @Test("TLS-31, TLS-32: the notice is an end, its absence a truncation", arguments: [true, false], [true, false])
  func ends(withNotice: Bool, closes: Bool) {
    var bench = Self.secured(closes: closes)
    bench.transport.arrive(ClearSession.wire("last", hello: false) + (withNotice ? ClearSession.record(.notice) : []))
    bench.finish()
    #expect(bench.take() == [])
    bench.read(.exactly(4, timeout: -1, tag: 1))
    let ending: RecordedEvent =
      withNotice ? (closes ? .disconnected(.closedByPeer) : .readClosed) : .disconnected(.tls(-9816))
    #expect(bench.take() == [.read("last", tag: 1), ending])
  }

  @Test("the notice is noticed without a read and without a FIN")
  func noticeAlone() {
    var bench = Self.secured()
    bench.arrive(ClearSession.record(.notice))
    #expect(bench.take() == [.disconnected(.closedByPeer)])
    #expect(bench.machine.takeCommands() == [.close(.secured, finalBytes: ClearSession.record(.notice))])
  }

  @Test("INV-11: without a read one flush is taken ahead, no more")
  func backPressure() {
    var bench = Self.secured()
    for _ in 0..<100 { bench.arrive(ClearSession.wire(String(repeating: "x", count: 200), hello: false)) }
    #expect(bench.transport.waiting > 100 * 200 - 512)
    #expect(bench.take() == [])
  }

  @Test("TLS-41: what the session says to itself is invisible, and answered at once", arguments: [true, false])
  func behindTheScenes(isReading: Bool) {
    var bench = Self.secured()
    if isReading { bench.read(.exactly(1, timeout: -1, tag: 1)) }
    bench.arrive(ClearSession.record(.behindTheScenes))
    #expect(bench.take() == [])
    #expect(bench.transport.sent == Self.hello + ClearSession.record(.behindTheScenes))
  }

  @Test(
    "INV-11: answers that the peer does not read are not piled up, and no question is lost", arguments: [true, false])
  func floodOfQuestions(isReading: Bool) {
    var bench = Self.secured(sendRoom: 3)
    if isReading { bench.read(.exactly(4, timeout: -1, tag: 1)) }
    let question = ClearSession.record(.behindTheScenes)
    let questions = 60_000
    bench.arrive((0..<questions).flatMap { _ in question } + ClearSession.wire("last", hello: false))
    // What was taken in is what makes the answers that may wait, and a bufferful more.
    let taken = questions * question.count - bench.transport.waiting
    #expect(taken < 160_000, "\(taken) bytes of questions were taken in")
    for _ in 0..<20 { bench.drain(100_000) }
    if !isReading { bench.read(.exactly(4, timeout: -1, tag: 1)) }
    #expect(bench.take() == [.read("last", tag: 1)])
    #expect(bench.transport.sent.count == Self.hello.count + questions * question.count)
  }

  @Test("DIS-24: the notice goes out before the close", arguments: [true, false])
  func finalBytes(isWish: Bool) {
    var bench = Self.secured()
    bench.write("bye".utf8, tag: 1)
    if isWish { bench.close(afterWrites: true) } else { bench.disconnect() }
    #expect(bench.take() == [.wrote(tag: 1), .disconnected(nil)])
    let notice = ClearSession.record(.notice)
    #expect(bench.machine.takeCommands() == [.close(isWish ? .graceful : .secured, finalBytes: notice)])
  }

  @Test("a close at once never cuts into a record with the notice")
  func noNoticeInsideARecord() {
    var bench = Self.secured(sendRoom: 5)
    bench.write((0..<16).map { UInt8($0) }, tag: 1)
    bench.disconnect()
    #expect(bench.machine.takeCommands() == [.close(.secured)])
  }

  @Test("a failure's alert goes to the peer, gracefully, and nothing queued behind does (TLS-15)")
  func failure() {
    var bench = SocketBench()
    bench.startTLS(ClearSession())
    bench.write("secret".utf8, tag: 1)
    bench.arrive(ClearSession.record(.data, [1]))
    #expect(bench.take() == [.disconnected(.tls(-9819))])
    #expect(bench.transport.sent == Self.hello)
    #expect(bench.machine.takeCommands() == [.close(.graceful, finalBytes: ClearSession.record(.alert))])
  }

  @Test("TLS-35: a write that meets the peer's close reports the alert that came before it")
  func alertBeforeErrno() {
    var bench = Self.secured()
    bench.transport.arrive(ClearSession.record(.alert))
    bench.transport.reset()
    bench.write([1], tag: 1)
    #expect(bench.take() == [.disconnected(.tls(-9824))])
  }

  @Test("a reset that a write finds is a reset, not a truncation")
  func resetFoundByAWrite() {
    var bench = Self.secured()
    bench.read(.exactly(1, timeout: -1, tag: 1))
    // The transport tells of the reset once: to the write, before the read can see anything but an end.
    bench.transport.reset()
    bench.write([1], tag: 2)
    #expect(bench.take() == [.disconnected(.posix(104, call: "write"))])
  }

  @Test("TLS-18: a session that can't be made ends the connection when its turn comes")
  func noSession() {
    var bench = SocketBench()
    bench.read(.exactly(1, timeout: -1, tag: 1))
    bench.machine.startTLS { .failure(.other("no")) }
    bench.pass()
    #expect(bench.take() == [])
    bench.arrive("x")
    #expect(bench.take() == [.read("x", tag: 1), .disconnected(.other)])
  }

  @Test("TLS-20, TLS-21: the answer decides, and nothing goes on before it", arguments: [true, false])
  func trust(isTrusted: Bool) {
    var bench = SocketBench()
    bench.startTLS(ClearSession(asksTrust: true))
    bench.write("x".utf8, tag: 1)
    bench.arrive(ClearSession.wire("more"))
    bench.arrive(ClearSession.wire("and more", hello: false))
    #expect(bench.take() == [.trustAsked])
    bench.answer(bench.trustQuestions[0], isTrusted ? .trusted : .distrusted)
    #expect(bench.take() == (isTrusted ? [.secured, .wrote(tag: 1)] : [.disconnected(.tls(-9825))]))
    // Twice, and after the end (TLS-22).
    bench.answer(bench.trustQuestions[0], .distrusted)
    #expect(bench.take() == [])
  }

  @Test("TLS-22, INV-18: an answer for an earlier connection is none to the question that is open now")
  func staleTrust() {
    var bench = SocketBench()
    bench.startTLS(ClearSession(asksTrust: true))
    bench.arrive(Self.hello)
    bench.disconnect()
    bench.transport = MemoryTransport()
    bench.machine.adoptConnection(announcing: nil)
    bench.startTLS(ClearSession(asksTrust: true))
    bench.arrive(Self.hello)
    #expect(bench.take() == [.trustAsked, .disconnected(nil), .trustAsked])
    for answer in [TrustAnswer.trusted, .distrusted] {
      bench.answer(bench.trustQuestions[0], answer)
      #expect(bench.take() == [] && !bench.machine.isSecure)
    }
    bench.answer(bench.trustQuestions[1], .trusted)
    #expect(bench.take() == [.secured])
  }

  @Test("TLS-22, TLS-24: while the answer is pending the socket can be closed and the peer's end is noticed")
  func pendingTrust() {
    var bench = SocketBench()
    bench.startTLS(ClearSession(asksTrust: true))
    bench.transport.arrive(ClearSession.wire("more"))
    bench.finish()
    #expect(bench.take() == [.trustAsked, .disconnected(.tls(-9806))])
    bench.answer(bench.trustQuestions[0], .trusted)
    #expect(bench.take() == [])
  }

  @Test("TLS-23: nobody to ask")
  func nobodyToAsk() {
    for hasDelegate in [true, false] {
      var bench = SocketBench()
      bench.canAskDelegate = hasDelegate
      bench.startTLS(ClearSession(asksTrust: true))
      bench.arrive(Self.hello)
      if hasDelegate { bench.answer(bench.trustQuestions[0], .notHandled) }
      #expect(bench.take().last == .disconnected(.other))
    }
  }

  @Test("TLS-08, TLS-37, LIFE-10: a second upgrade is ignored, the next connection is clear")
  func startsClean() {
    var bench = Self.secured()
    bench.startTLS(ClearSession())
    #expect(bench.machine.backlog.reads == 0)
    bench.disconnect()
    #expect(!bench.machine.isSecure)
    bench.transport = MemoryTransport()
    bench.machine.adoptConnection(announcing: nil)
    bench.write("clear".utf8, tag: 1)
    #expect(bench.transport.sent == Array("clear".utf8))
    #expect(!bench.machine.isSecure)
  }
}
