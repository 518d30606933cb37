import ScenarioModel
import Testing

@testable import RunReports

struct DiagramRowTests {
  private static func rows(_ build: (inout TraceBuilder) -> Void, deviations: [Deviation] = []) -> [DiagramRow] {
    var trace = TraceBuilder()
    build(&trace)
    let scenario = SampleReport.scenario("a/b", "t", [])
    return DiagramRow.rows(of: SampleReport.result(scenario, .failed, trace: trace.events, deviations: deviations)).rows
  }

  private static func words(_ row: DiagramRow) -> EventWords? {
    guard case .event(let words) = row.content else { return nil }
    return words
  }

  @Test func aDripIsOneRowPerKind() {
    let rows = Self.rows { trace in
      for byte in 0..<57 {
        trace.send([UInt8(byte)], after: 20)
        trace.back(.didReadPartial(count: 1, tag: 1), after: 1)
      }
      trace.back(.didRead(bytes: [], tag: 1))
    }
    #expect(rows.map(\.times) == [57, 57, 1])
    #expect(Self.words(rows[0])?.payload?.bytes == (0..<57).map(UInt8.init))
    #expect(rows[0].until - rows[0].at == .milliseconds(21 * 56))
  }

  @Test func rowsAlikeInWordsOnlyAreCountedNotThoseThatDiffer() {
    let rows = Self.rows { trace in
      for tag in 0..<6 { trace.back(.didWrite(tag: tag)) }
      for _ in 0..<6 { trace.back(.didWrite(tag: 9)) }
    }
    #expect(rows.map(\.times) == [1, 1, 1, 1, 1, 1, 6])
  }

  @Test func callbacksOnRunLoopsNameTheirLoop() {
    func text(_ callback: Callback, on loop: String, mode: String) -> String {
      let delivered = DeliveredCallback(
        socket: "socket", delegate: "delegate", callback: callback, runLoop: loop, mode: mode)
      return EventWords(.callback(delivered)).text
    }
    let timeout = SubjectError(domain: .runLoop, code: 4, message: "too late")
    #expect(text(.didWrite(tag: 1), on: "main", mode: "default") == "didWrite tag 1, on main")
    #expect(text(.willConnect, on: "worker", mode: "private") == "willConnect on worker, in mode private")
    #expect(text(.willDisconnect(nil), on: "main", mode: "default") == "willDisconnect no error, on main")
    #expect(
      text(.didDisconnect(timeout), on: "main", mode: "default")
        == "didDisconnect ReadTimeout (AsyncSocketErrorDomain 4): too late, on main")
  }

  @Test func callsOfTheRunLoopClassTellWhatTheyReturned() {
    func words(_ call: RunLoopCommand.Call, _ result: CommandResult) -> EventWords {
      EventWords(.command(.runLoop(RunLoopCommand(call)), socket: "socket", result: result, inCallback: false))
    }
    #expect(words(.move(to: "worker"), .returned(true)).text == "moveToRunLoop worker — returns true")
    #expect(!words(.addMode(nil), .returned(false)).isTrouble)
    #expect(words(.addMode(nil), .returned(false)).text == "addRunLoopMode none — returns false")
    #expect(words(.run(mode: "a", duration: .milliseconds(500)), .done).text == "runMode a for 0.5 s")
    #expect(words(.setModes([]), .hung).isTrouble)
  }

  @Test func deviationsAreNeverFoldedAway() {
    let deviation = SampleReport.deviation(.late, expected: "e", actual: "a", at: 5)
    let rows = Self.rows({ trace in for _ in 0..<10 { trace.back(.didWrite(tag: 9)) } }, deviations: [deviation])
    #expect(rows.map(\.times) == [5, 1, 4])
    #expect(rows.map(\.deviations.count) == [0, 1, 0])
  }

  @Test func longTracesLoseTheirMiddleButNoDeviation() {
    let deviation = SampleReport.deviation(.late, expected: "e", actual: "a", at: 500)
    let rows = Self.rows({ trace in for tag in 0..<1_000 { trace.back(.didWrite(tag: tag)) } }, deviations: [deviation])
    #expect(rows.count == DiagramRow.most + 3)
    #expect(rows[100].content == .omitted(400))
    #expect(rows[101].index == 500 && rows[101].deviations == [deviation])
    #expect(rows[102].content == .omitted(399))
    #expect(rows.last?.index == 999)
  }

  @Test func everyEventIsInSomeRow() {
    for result in SampleReport.report.cases {
      let rows = DiagramRow.rows(of: result).rows
      let receipts = result.trace.events.count {
        if case .peerSaw(.sent, _) = $0.kind { true } else { false }
      }
      let shown = rows.reduce(0) { $0 + $1.times + $1.mergedCount }
      #expect(shown == result.trace.events.count - receipts, "\(result.name)")
    }
  }

  @Test func aReceiptThatDiffersStays() {
    let rows = Self.rows { trace in
      trace.act(.send([1, 2, 3]))
      trace.see(.sent(2))
      trace.see(.sent(3))
      trace.see(.sent(3))
    }
    #expect(rows.map { Self.words($0)?.text } == ["send 3 B", "sent 2 B", "sent 3 B"])
  }

  @Test func deviationsWithoutAnEventAreKept() {
    let scenario = SampleReport.scenario("a/b", "t", [])
    let deviations = [nil, 0, 1, -1].map { SampleReport.deviation(.missing, expected: "e", actual: "a", at: $0) }
    var trace = TraceBuilder()
    trace.back(.didSecure)
    let result = SampleReport.result(scenario, .failed, trace: trace.events, deviations: deviations)
    let (rows, unplaced) = DiagramRow.rows(of: result)
    #expect(rows.map(\.deviations.count) == [1])
    #expect(unplaced.count == 3)
  }

  @Test func manyLanesShareTheLast() {
    let rows = Self.rows { trace in
      for child in 0..<40 { trace.back(.didSecure, on: "child\(child)") }
      for peer in 0..<40 { trace.act(.close, by: "peer\(peer)") }
    }
    let layout = LaneLayout(rows)
    #expect(layout.heads(layout.sockets).count == 5)
    #expect(layout.heads(layout.peers).map(\.text).last == "peer3 +36")
    #expect(layout.isShared(.socket("child39")) && !layout.isShared(.socket("child0")))
    #expect(layout.width < 2_000)
  }
}
