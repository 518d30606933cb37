import CoreFuzzing
import FuzzHarness
import ReferenceModel
import Testing

/// The model against the contract, row by row; and the core against the same rows, in lockstep.
@Suite("The reference model")
struct ModelTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var program: SocketProgram
    /// After "connected".
    var told: [String]
    /// What each connection's wire carries; nil: not of interest.
    var wires: [String]?
    var testDescription: String { name }

    init(_ name: String, _ program: SocketProgram, _ told: [String], wires: [String]? = nil) {
      self.name = name
      self.program = program
      self.told = told
      self.wires = wires
    }
  }

  static let reads: [Row] = [
    Row(
      "RDQ-01 the next read starts where its predecessor ended",
      .init(.exactly(3), .through("\r\n"), .available(), .arrive("abcdef\r\nxyz")),
      ["read 0 abc", "read 1 def\r\n", "read 2 xyz"]),
    Row("RDQ-03 not started: nothing happens", .init(.disconnect, .exactly(1), .arrive("x"), .wait(9)), ["wish"]),
    Row("RDQ-05 bytes wait for a read", .init(.arrive("abc"), .wait(1000), .exactly(3)), ["read 0 abc"]),
    Row("RDQ-06 FIN on an idle connection", .init(.peerFinishes), ["closedByPeer"]),
    Row(
      "RDQ-07 unread bytes hide the FIN", .init(.arrive("abc"), .peerFinishes, .wait(9), .available()),
      ["read 0 abc", "closedByPeer"]),
    Row(
      "RDQ-08 what is satisfiable is done before the end",
      .init(.through("\n"), .through("\n"), .arrive("a\nb\n"), .peerFinishes),
      ["read 0 a\n", "read 1 b\n", "closedByPeer"]),
    Row(
      "RDQ-09 leftovers serve later reads", .init(.through("\n"), .arrive("a\nb\n"), .peerFinishes, .through("\n")),
      ["read 0 a\n", "read 1 b\n", "closedByPeer"]),
    Row("RDQ-10 no partial of a read-any", .init(.available(), .wait(1), .arrive("ab")), ["read 0 ab"]),
    Row(
      "RD-ANY-04 a limit is no error", .init(.available(limit: 2), .available(), .arrive("abc")),
      [
        "read 0 ab", "read 1 c",
      ]),
    Row(
      "RD-ANY-06 the second waits", .init(.available(), .available(), .arrive("ab"), .arrive("c")),
      [
        "read 0 ab", "read 1 c",
      ]),
    Row("RD-LEN-02 a length of 0 is no read", .init(.exactly(0), .exactly(1), .arrive("a")), ["read 1 a"]),
    Row(
      "RD-LEN-03 partials are increments", .init(.exactly(3), .arrive("a"), .arrive("b"), .arrive("c")),
      [
        "partial 0 1", "partial 0 1", "read 0 abc",
      ]),
    Row(
      "RD-LEN-06 the peer ends midway", .init(.exactly(3), .arrive("ab"), .peerFinishes),
      [
        "partial 0 2", "closedByPeer",
      ]),
    Row("RD-LEN-08 the peer resets midway", .init(.exactly(3), .arrive("ab"), .peerResets), ["partial 0 2", "broken"]),
    Row(
      "RD-LEN-08 a FIN behind a reset is none", .init(.arrive("ab"), .peerResets, .peerFinishes, .exactly(3)),
      [
        "partial 0 2", "broken",
      ]),
    Row(
      "HALF-08 a reset behind a FIN, found by a read", .init(.arrive("ab"), .peerFinishes, .peerResets, .exactly(3)),
      [
        "partial 0 2", "closedOrBroken",
      ]),
    Row(
      "RDQ-07 nothing arrives behind a FIN", .init(.arrive("a"), .peerFinishes, .arrive("b"), .exactly(2)),
      [
        "partial 0 1", "closedByPeer",
      ]),
    Row("RD-DELIM-02 no delimiter is no read", .init(.through(""), .through("\n"), .arrive("\n")), ["read 1 \n"]),
    Row("RD-DELIM-06 a search backs up", .init(.through("aab"), .arrive("aaab")), ["read 0 aaab"]),
    Row(
      "RD-DELIM-07 over pieces, too", .init(.through("aab"), .arrive("aa"), .arrive("ab")),
      [
        "partial 0 2", "read 0 aaab",
      ]),
    Row(
      "RD-DELIM-08 the leftmost wins", .init(.through("\n"), .through("\n"), .arrive("\n\n")),
      [
        "read 0 \n", "read 1 \n",
      ]),
    Row(
      "RD-DELIM-10 a search begins with its read", .init(.exactly(1), .through("\r\n"), .arrive("\r\nA\r\n")),
      [
        "read 0 \r", "read 1 \nA\r\n",
      ]),
    Row(
      "RD-MAX-01 the limit's byte completes it", .init(.through("\r\n", limit: 4), .arrive("ab\r\n")),
      [
        "read 0 ab\r\n"
      ]),
    Row(
      "RD-MAX-02, RDQ-11 too long", .init(.through("\n", limit: 3), .exactly(1), .arrive("abcd")),
      [
        "partial 0 3", "readMaxedOut",
      ]),
    Row(
      "RD-MAX-03 a byte too late", .init(.through("\r\n", limit: 4), .arrive("abc\r\n")),
      [
        "partial 0 4", "readMaxedOut",
      ]),
    Row(
      "RD-MAX-02 the limit's byte decides", .init(.through("\n", limit: 3), .arrive("abc")),
      [
        "partial 0 3", "readMaxedOut",
      ]),
    Row(
      "RD-MAX-05 a limit it can't fit into", .init(.through("\r\n", limit: 1), .exactly(1), .arrive("a")),
      [
        "read 1 a"
      ]),
    Row(
      "RD-MAX-10 nobody is asked", .init(extensions: [100], .through("\n", limit: 1, timeout: 5), .arrive("ab")),
      [
        "partial 0 1", "readMaxedOut",
      ]),
  ]

  static let writes: [Row] = [
    Row("WR-01 first in, first out", .init(.write("ab"), .write("c")), ["wrote 0", "wrote 1"], wires: ["abc"]),
    Row("WR-02 nothing is no write", .init(.write(""), .write("c")), ["wrote 1"], wires: ["c"]),
    Row(
      "WR-04 a full kernel", .init(room: 1, .write("abc"), .makeRoom(1), .makeRoom(9)),
      ["wrote 0 1 of it", "wrote 0 1 of it", "wrote 0"], wires: ["abc"]),
    Row(
      "WR-08 the peer is gone", .init(room: 1, .write("abc"), .write("d"), .peerResets),
      [
        "wrote 0 1 of it", "broken",
      ], wires: ["a"]),
    Row(
      "WR-11 after a wish nothing is written", .init(.exactly(1), .after(reads: true), .write("x"), .arrive("a")),
      [
        "read 0 a", "wish",
      ], wires: [""]),
    Row(
      "WR-08 before anything is written, although unread bytes hide the reset",
      .init(.arrive("a"), .peerResets, .write("x")),
      ["broken"], wires: [""]),
    Row(
      "LIFE-12, LIFE-13 nothing goes over into the next life",
      .init(
        room: 0, .write("old"), .exactly(5), .arrive("abc"), .reconnect, .makeRoom(9), .write("new"), .arrive("x")),
      [
        "partial 0 3", "wish", "connected", "wrote 1",
      ], wires: ["", "new"]),
    Row(
      "LIFE-12 nor does what the kernel took of a write", .init(room: 1, .write("abc"), .reconnect, .write("de")),
      [
        "wrote 0 1 of it", "wish", "connected", "wrote 1 1 of it",
      ], wires: ["a", "d"]),
    Row(
      "LIFE-12 nor does a reset", .init(.peerResets, .reconnect, .exactly(1), .arrive("a")),
      [
        "broken", "connected", "read 0 a",
      ]),
  ]

  static let clocks: [Row] = [
    Row("TMO-01 never", .init(.exactly(1), .wait(60_000), .disconnect), ["wish"]),
    Row(
      "TMO-02 the clock starts with the turn",
      .init(
        .exactly(1), .exactly(1, timeout: 300), .wait(1000), .arrive("a"), .wait(299), .arrive("b"), .wait(9)),
      [
        "read 0 a", "read 1 b",
      ]),
    Row(
      "TMO-03 progress does not restart it", .init(.exactly(9, timeout: 50), .wait(40), .arrive("a"), .wait(10)),
      [
        "partial 0 1", "read 0 late 50 1", "readTimeout",
      ]),
    Row(
      "TMO-06, TMO-08 extensions add up", .init(extensions: [300, 100], .exactly(2, timeout: 200), .wait(1000)),
      [
        "read 0 late 200 0", "read 0 late 500 0", "read 0 late 600 0", "readTimeout",
      ]),
    Row(
      "TMO-06, TMO-08 of a write, too", .init(room: 0, extensions: [300], .write("a", timeout: 200), .wait(1000)),
      [
        "write 0 late 200 0", "write 0 late 500 0", "writeTimeout",
      ]),
    Row(
      "TMO-05 the earlier of two comes first",
      .init(room: 0, .exactly(1, timeout: 50), .write("a", timeout: 100), .wait(200)),
      [
        "read 0 late 50 0", "readTimeout",
      ]),
    Row("TMO-12 done is done", .init(.exactly(1, timeout: 50), .wait(49), .arrive("a"), .wait(999)), ["read 0 a"]),
    Row("TMO-13 no time at all, and enough there", .init(.arrive("ab"), .exactly(2, timeout: 0)), ["read 0 ab"]),
    Row(
      "TMO-13 no time at all, and one missing", .init(.arrive("a"), .exactly(2, timeout: 0)),
      [
        "partial 0 1", "read 0 late 0 1", "readTimeout",
      ]),
    Row(
      "TMO-15 no time to write", .init(room: 1, .write("a", timeout: 0), .write("b", timeout: 0)),
      [
        "wrote 0", "write 1 late 0 0", "writeTimeout",
      ], wires: ["a"]),
    Row(
      "TMO-18 both at once, one end", .init(room: 0, .exactly(1, timeout: 9), .write("a", timeout: 9), .wait(9)),
      [
        "read 0 late 9 0", "write 0 late 9 0", "readTimeout",
      ]),
    Row(
      "TMO-20 disconnect inside the handler wins",
      .init(
        extensions: [100], reactions: [.init(callback: 1, call: .disconnect)], .exactly(1, timeout: 9), .wait(99)),
      [
        "read 0 late 9 0", "wish",
      ]),
    Row(
      "TMO-22 after the half-close", .init(staysHalfOpen: true, .exactly(9, timeout: 50), .peerFinishes, .wait(50)),
      [
        "read closed", "read 0 late 50 0", "readTimeout",
      ]),
  ]

  static let ends: [Row] = [
    Row(
      "DIS-09 reads done, writes lost",
      .init(
        room: 0, .exactly(1), .write("x"), .after(reads: true), .arrive("a")), ["read 0 a", "wish"], wires: [""]),
    Row(
      "DIS-10 writes done, reads lost",
      .init(
        room: 0, .exactly(1), .write("x"), .after(writes: true), .makeRoom(1)), ["wrote 0", "wish"], wires: ["x"]),
    Row("DIS-12 nothing to wait for", .init(.after(reads: true, writes: true)), ["wish"]),
    Row(
      "DIS-14 wishes add up",
      .init(
        room: 0, .exactly(1), .write("x"), .after(reads: true), .after(writes: true), .arrive("a"), .makeRoom(1)),
      [
        "read 0 a", "wrote 0", "wish",
      ]),
    Row(
      "DIS-14 whichever is done last",
      .init(
        room: 0, .exactly(1), .write("x"), .after(reads: true), .after(writes: true), .makeRoom(1), .arrive("a")),
      [
        "wrote 0", "read 0 a", "wish",
      ], wires: ["x"]),
    Row(
      "LIFE-10 a wish is for one life",
      .init(
        .after(reads: true), .reconnect, .exactly(1), .arrive("a"), .after(writes: true), .reconnect, .write("x"),
        .exactly(1), .arrive("b")),
      [
        "wish", "connected", "read 0 a", "wish", "connected", "wrote 0", "read 1 b",
      ], wires: ["", "", "x"]),
    Row("DIS-15 at once", .init(room: 0, .write("x"), .after(writes: true), .disconnect), ["wish"]),
    Row(
      "DIS-18, LIFE-15 of an idle socket it is nothing",
      .init(
        .disconnect, .disconnect, .after(writes: true), .reconnect, .write("x")), ["wish", "connected", "wrote 0"]),
    Row("DIS-19 the peer first", .init(room: 0, .write("x"), .after(writes: true), .peerFinishes), ["closedByPeer"]),
    Row("HALF-01 writes are lost", .init(room: 0, .write("x"), .peerFinishes), ["closedByPeer"], wires: [""]),
    Row(
      "HALF-02, HALF-07 writes go on",
      .init(
        staysHalfOpen: true, room: 0, .write("x"), .peerFinishes, .makeRoom(1), .peerResets),
      [
        "read closed", "wrote 0", "closedOrBroken",
      ], wires: ["x"]),
    Row(
      "HALF-04 drained first", .init(staysHalfOpen: true, .arrive("ab"), .peerFinishes, .exactly(2)),
      [
        "read 0 ab", "read closed",
      ]),
    Row(
      "HALF-05, HALF-06 no read completes any more",
      .init(
        staysHalfOpen: true, .exactly(9), .arrive("a"), .peerFinishes, .available(), .wake, .disconnect),
      [
        "partial 0 1", "read closed", "wish",
      ]),
    Row(
      "HALF-13 a wish that can't be fulfilled",
      .init(
        staysHalfOpen: true, .exactly(2), .after(reads: true), .peerFinishes, .wait(9999), .disconnect),
      [
        "read closed", "wish",
      ]),
    Row(
      "RDQ-13, WR-18 calls inside callbacks",
      .init(
        reactions: [.init(callback: 0, call: .exactly(1)), .init(callback: 1, call: .write("y"))], .arrive("x")),
      [
        "read 0 x", "wrote 0",
      ], wires: ["y"]),
  ]

  static let runLoops: [Row] = [
    Row(
      "RL-01, RL-04 an end by the peer", .init(onRunLoop: true, .peerFinishes), ["will closedByPeer ", "closedByPeer"]),
    Row("DIS-25 an end of one's own is not announced", .init(onRunLoop: true, .arrive("ab"), .disconnect), ["wish"]),
    Row(
      "DIS-25 nor a graceful one", .init(onRunLoop: true, .write("x"), .after(writes: true)), ["wrote 0", "wish"],
      wires: ["x"]),
    Row(
      "RL-07 unread bytes do not hide the FIN", .init(onRunLoop: true, .arrive("abc"), .peerFinishes, .available()),
      ["will closedByPeer abc", "closedByPeer"]),
    Row(
      "RL-10 nor do leftovers",
      .init(onRunLoop: true, .through("\n"), .arrive("a\nb\n"), .peerFinishes, .through("\n")),
      ["read 0 a\n", "will closedByPeer b\n", "closedByPeer"]),
    Row(
      "RL-09 what is satisfiable is done before the end",
      .init(onRunLoop: true, .through("\n"), .through("\n"), .arrive("a\nb\nc"), .peerFinishes),
      ["read 0 a\n", "read 1 b\n", "will closedByPeer c", "closedByPeer"]),
    Row(
      "RL-03, RD-LEN-07 the bytes of the unfinished read",
      .init(onRunLoop: true, .exactly(9), .arrive("abcd"), .peerFinishes),
      ["partial 0 4", "will closedByPeer abcd", "closedByPeer"]),
    Row(
      "RL-27 a read that timed out", .init(onRunLoop: true, .exactly(9, timeout: 50), .arrive("abcd"), .wait(60)),
      ["partial 0 4", "read 0 late 50 4", "will readTimeout abcd", "readTimeout"]),
    Row(
      "RD-MAX-12 an overflow", .init(onRunLoop: true, .through("\n", limit: 3), .arrive("abcde")),
      ["partial 0 3", "will readMaxedOut abcde", "readMaxedOut"]),
    Row(
      "RL-01 a reset", .init(onRunLoop: true, .arrive("ab"), .peerResets), ["will broken ab", "broken"]),
    Row(
      "HALF-14 both directions", .init(staysHalfOpen: true, onRunLoop: true, room: 0, .write("x"), .peerFinishes),
      ["will closedByPeer ", "closedByPeer"], wires: [""]),
  ]

  static let rows = reads + writes + clocks + ends + runLoops

  @Test("says what the contract says", arguments: rows)
  func contract(row: Row) {
    let run = ModelRun(row.program)
    #expect(run.entries.map(\.text) == ["connected"] + row.told)
    if let wires = row.wires { #expect(run.wires.map { String(decoding: $0, as: UTF8.self) } == wires) }
  }

  @Test("is what the core does, whatever the kernel's behaviour", arguments: rows)
  func core(row: Row) throws {
    for byte: UInt8 in [0, 2, 0b0010_1010, 0b1000_0011, 0b0001_1100, 0b0100_0000] {
      let conduct = Conduct(byte)
      #expect(throws: Never.self, "conduct \(byte)") {
        try Lockstep.run(row.program, conduct: conduct, filter: PassThrough())
        // What the row says holds for one class; that core and model agree, for both.
        var other = row.program
        other.livesOnRunLoop.toggle()
        try Lockstep.run(other, conduct: conduct, filter: PassThrough())
      }
    }
  }

  @Test("a read-any takes what was seen, and nothing that can't be", arguments: [(1, 1), (3, 3), (4, 3), (0, 3)])
  func choices(chosen: Int, taken: Int) {
    var model = SocketModel()
    model.open()
    [UInt8](repeating: 7, count: 5).withUnsafeBytes { model.arrive($0) }
    model.choose(tag: 0, count: chosen)
    model.read(.available(limit: 3), timeout: nil)
    #expect(model.events.last == .read(0..<taken, tag: 0))
  }

  @Test("CON-13, DIS-16: while connecting operations wait, their clocks stand, and wishes count")
  func connecting() {
    var model = SocketModel()
    model.startConnecting(timeout: 500)
    model.read(.exactly(1), timeout: 10)
    model.advance(to: 400)
    #expect(model.events == [] && model.nextDeadline == 500)
    model.open()
    #expect(model.events == [.connected] && model.nextDeadline == 410)
    model.disconnect()
    model.startConnecting(timeout: 500)
    model.advance(to: 900)
    #expect(model.events == [.connected, .disconnected(.wish), .disconnected(.connectTimeout)])
    model.startConnecting(timeout: nil)
    model.disconnect(afterReads: true, afterWrites: false)
    #expect(model.events.last == .disconnected(.wish))
    model.startListening()
    model.connectFailed()
    #expect(model.isListening && model.nextDeadline == nil)
  }
}
