import FuzzHarness
import Glibc
import SocketCore
import SocketTLS
import Testing

@testable import SocketFuzzing

/// What was seen of a stream is held against each promise, and each can be broken.
@Suite struct TLSJudgeTests {
  private let transcript: TLSTranscript

  init() throws { transcript = try TLSTranscript.all.get()[0] }

  private func program(_ change: (inout TLSProgram) -> Void) -> TLSProgram {
    var program = TLSProgram()
    (program.clear, program.ends) = (4, true)
    change(&program)
    return program
  }

  /// All has come and was read, and the peer has closed.
  private var whole: TLSOutcome {
    var outcome = TLSOutcome()
    (outcome.clear, outcome.opened) = ([UInt8](repeating: 0x2B, count: 4), transcript.plain)
    (outcome.isSecured, outcome.endings) = (true, [.closedByPeer])
    return outcome
  }

  private func law(
    _ change: (inout TLSOutcome) -> Void, wire: Int? = nil, _ settings: (inout TLSProgram) -> Void = { _ in }
  ) -> String? {
    let program = program(settings)
    var outcome = whole
    change(&outcome)
    let meant = [UInt8](repeating: 0x2B, count: 4) + transcript.wire
    return TLSJudge(program: program, transcript: transcript, wire: Array(meant.prefix(wire ?? .max))).check(outcome)?
      .invariant
  }

  @Test func theWholeStreamPasses() { #expect(law { _ in } == nil) }

  @Test func whatCameIsJudged() {
    #expect(law { $0.clear[3] = 0 } == "tls/authentic")
    #expect(law { $0.opened[7] ^= 1 } == "tls/authentic")
    #expect(law { $0.isSecured = false } == "tls/authentic", "read before the handshake was done")
    func goesOn(_ program: inout TLSProgram) { program.ends = false }
    let left = law({ ($0.opened, $0.endings) = (Array(transcript.plain.dropLast()), []) }, goesOn)
    #expect(left == "tls/complete")
    let shaken = law(
      { ($0.opened, $0.isSecured, $0.endings) = ([], false, []) }, wire: 4 + transcript.handshakeEnd, goesOn)
    #expect(shaken == "tls/complete")
  }

  @Test func itsEndIsJudged() {
    #expect(law { $0.endings = [.closedByPeer, nil] } == "tls/once")
    #expect(law { $0.late = 1 } == "tls/once")
    #expect(law { $0.endings = [] } == "tls/end")
    #expect(law { $0.endings = [nil] } == "tls/end", "nobody wished it")
    #expect(law({ $0.opened = [] }, wire: 4 + transcript.handshakeEnd) == "tls/end", "cut off is not closed")
    let unshaken = law({ ($0.opened, $0.isSecured) = ([], false) }, wire: 9)
    #expect(unshaken == "tls/end")
  }

  @Test func whatIsSentIsJudged() {
    func writes(_ program: inout TLSProgram) { program.writes = true }
    #expect(law({ _ in }, writes) == nil)
    #expect(law({ $0.isToldEarly = true }, writes) == "tls/sent")
    #expect(law({ $0.sent = [119, 1] + TLSTarget.secret }, writes) == "tls/sealed")
  }

  @Test func aRecordThatIsTooLongIsNotAwaited() {
    let program = program { $0.ends = false }
    var outcome = whole
    (outcome.opened, outcome.isSecured, outcome.endings) = ([], false, [])
    let wire = [UInt8](repeating: 0x2B, count: 4) + [22, 3, 3, 0xFF, 0xFF]
    #expect(
      TLSJudge(program: program, transcript: transcript, wire: wire).check(outcome)?.invariant == "tls/record-length")
  }

  @Test func piecesMakeNoDifference() {
    let judge = TLSJudge(program: program { _ in }, transcript: transcript, wire: transcript.wire)
    func law(_ change: (inout TLSOutcome) -> Void) -> String? {
      var cut = whole
      change(&cut)
      return judge.compare(cut, whole)?.invariant
    }
    #expect(law { _ in } == nil)
    let changes: [(inout TLSOutcome) -> Void] = [
      { $0.clear = [] }, { $0.opened.removeLast() }, { $0.isSecured = false }, { $0.endings = [] },
      { $0.endings = [.posix(code: 104, call: "read")] },
    ]
    for change in changes { #expect(law(change) == "tls/chunking") }
  }
}

/// What delegates were told in a socket's life, and what its peer got.
@Suite struct LifecycleJudgeTests {
  @Test func eachCountHasItsLaw() {
    let rows: [(law: String, change: (inout LifecycleLog) -> Void)] = [
      ("lifecycle/queue", { $0.strays = 1 }), ("lifecycle/once", { $0.disconnects = 2 }),
      ("lifecycle/once", { $0.late = 1 }), ("lifecycle/will", { $0.wrongAnnouncements = 1 }),
      ("lifecycle/will", { $0.wrongRests = 1 }), ("lifecycle/turn", { $0.overtaken = 1 }),
      ("lifecycle/data", { $0.torn = 1 }),
    ]
    #expect(LifecycleLog().violation == nil)
    for row in rows {
      var log = LifecycleLog()
      row.change(&log)
      #expect(log.violation?.invariant == row.law)
    }
  }

  @Test func whatIsReadInTheAnnouncementIsWhatWasLeft() {
    var log = LifecycleLog()
    log.take([1, 2], by: 0)
    log.unread = [3, 4]
    log.take([3], by: 0)
    #expect(log.violation == nil && log.read[0] == [1, 2])
    log.take([4], by: 0)
    #expect(log.violation?.invariant == "lifecycle/will")
  }

  @Test func allThatWasSentIsReadWhereItMustBe() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { Glibc.close(ends[0]) }
    let peer = LifecyclePeer(ends[1])
    peer.send(3)
    peer.close()
    #expect(peer.judge(read: [0, 1, 2], isAll: true, written: nil) == nil)
    #expect(peer.judge(read: [0, 1], written: nil) == nil)
    #expect(peer.judge(read: [0, 1], isAll: true, written: nil)?.invariant == "lifecycle/data")
  }
}
