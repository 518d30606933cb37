import ScenarioModel
import ScenarioRunner
import Testing

/// Windows at their exact edges.
@Suite struct JudgeWindowTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var window: TimeWindow
    var at: Duration
    var kind: Deviation.Kind?
    var testDescription: String { name }
  }

  private static let tick = Duration.nanoseconds(1)
  /// The previous expectation is met at 100 ms, the point is reached at 150 ms.
  static let rows: [Row] = [
    Row(name: "at its earliest", window: window(300, 500), at: .milliseconds(400), kind: nil),
    Row(name: "a tick before", window: window(300, 500), at: .milliseconds(400) - tick, kind: .early),
    Row(name: "at its latest", window: window(300, 500), at: .milliseconds(600), kind: nil),
    Row(name: "a tick after", window: window(300, 500), at: .milliseconds(600) + tick, kind: .late),
    Row(name: "exactly at", window: window(300, 300), at: .milliseconds(400), kind: nil),
    Row(name: "from the start", window: window(300, 300, from: .start), at: .milliseconds(300), kind: nil),
    Row(name: "from the start, late", window: window(300, 300, from: .start), at: .milliseconds(400), kind: .late),
    Row(name: "from a point", window: window(10, 10, from: .point("p")), at: .milliseconds(160), kind: nil),
    Row(name: "from a point, early", window: window(10, 10, from: .point("p")), at: .milliseconds(159), kind: .early),
    Row(name: "before its point", window: window(0, 10, from: .point("q")), at: .milliseconds(160), kind: .early),
    Row(
      name: "not later than a point that has not come", window: window(nil, 10, from: .point("q")),
      at: .milliseconds(160), kind: nil),
  ]

  private static func events(at instant: Duration) -> [TraceEvent] {
    [
      callback(connected, at: 100), TraceEvent(at: .milliseconds(150), kind: .point("p")),
      TraceEvent(at: instant, kind: .callback(delivered(.didWrite(tag: 1)))),
    ]
  }

  @Test(arguments: rows) func holdsToTheTick(_ row: Row) {
    let judge = judged([event(.didConnect), event(.didWrite, window: row.window)], Self.events(at: row.at))
    #expect(judge.deviations.map(\.kind) == (row.kind.map { [$0] } ?? []))
  }

  @Test(arguments: rows) func toleranceMovesTheEdges(_ row: Row) {
    let tolerance = Tolerance(early: Self.tick, late: Self.tick)
    let judge = judged(
      [event(.didConnect), event(.didWrite, window: row.window)], Self.events(at: row.at), tolerance: tolerance)
    let isWithinATick = row.name.hasPrefix("a tick")
    #expect(judge.deviations.map(\.kind) == (isWithinATick ? [] : row.kind.map { [$0] } ?? []))
  }

  @Test func whatIsNotThereIsLateWhenTheToleranceIsOver() {
    let tolerance = Tolerance(early: .zero, late: .milliseconds(10))
    let expectations = [event(.didConnect, window: window(nil, 300))]
    #expect(judged(expectations, [], until: 310, tolerance: tolerance).deviations == [])
    #expect(judged(expectations, [], until: 311, tolerance: tolerance).deviations.map(\.kind) == [.late])
  }

  /// What was delivered late makes the next one look early: only where one callback is counted from another.
  @Test(arguments: [(TimeWindow.Origin.previous, true), (.start, false), (.point("p"), false)])
  func lateDeliveryExcusesOnlyWhatIsCountedFromIt(_ origin: TimeWindow.Origin, isExcused: Bool) {
    let tolerance = Tolerance(early: .zero, earlyAfterDelivery: .milliseconds(15), late: .zero)
    let earliest = origin == .previous ? 50 : origin == .start ? 150 : 30
    let judge = judged(
      [event(.didConnect), event(.didWrite, window: window(earliest, nil, from: origin))],
      [
        callback(connected, at: 100), TraceEvent(at: .milliseconds(120), kind: .point("p")),
        callback(.didWrite(tag: 1), at: 140),
      ], tolerance: tolerance)
    #expect(judge.deviations.isEmpty == isExcused)
  }

  /// A tolerance that grows with the host's delays has an end, and none where time is virtual.
  @Test func tolerancesAreBounded() {
    #expect(Tolerance.simulated.early == .milliseconds(1) && Tolerance.simulated.late == .milliseconds(10))
    let quiet = Tolerance.loopback(jitter: .zero)
    #expect(quiet.late == .milliseconds(250) && quiet.earlyAfterDelivery == .milliseconds(15))
    let busy = Tolerance.loopback(jitter: .seconds(60))
    #expect(busy.late == .milliseconds(1250) && busy.earlyAfterDelivery == .milliseconds(115))
    #expect(busy.early == .milliseconds(1))
  }

  @Test func theNextDeadlineIsWhereTimeAloneDecides() {
    let expectations = [event(.didConnect), event(.didWrite, window: window(nil, 500)), nothing(50)]
    #expect(judged(expectations, []).nextDeadline == nil)
    #expect(judged(expectations, [callback(connected, at: 100)]).nextDeadline == .milliseconds(600) + Self.tick)
    let written = [callback(connected, at: 100), callback(.didWrite(tag: 1), at: 200)]
    #expect(judged(expectations, written).nextDeadline == .milliseconds(250))
    #expect(judged(expectations, written, until: 250).nextDeadline == nil)
    #expect(judged(expectations, written, until: 250).isSatisfied)
  }

  @Test func aDeadlineInOneAlternativeIsNotLateForAll() {
    let choice = oneOf([event(.didWrite, window: window(nil, 100))], [event(.didRead)])
    let judge = judged([choice], [], until: 200)
    #expect(judge.deviations == [])
    #expect(judged([choice], [callback(.didRead(bytes: [], tag: 0), at: 300)]).deviations == [])
  }

  @Test func timeChoosesBetweenAlternatives() {
    let choice = oneOf(
      [event(.didDisconnect, window: window(nil, 100))], [event(.didDisconnect, window: window(500, 600))])
    for (instant, kinds) in [(50, []), (300, [Deviation.Kind.late]), (550, [])] {
      #expect(judged([choice], [callback(.didDisconnect(nil), at: instant)]).deviations.map(\.kind) == kinds)
    }
  }

  @Test func repeatedEventsCountFromEachOther() {
    let expectation = event(.didWrite, times: 3, window: window(100, 100))
    let even = [100, 200, 300].map { callback(.didWrite(tag: 1), at: $0) }
    #expect(judged([expectation], even).deviations == [])
    let uneven = [100, 200, 290].map { callback(.didWrite(tag: 1), at: $0) }
    #expect(judged([expectation], uneven).deviations.map(\.kind) == [.early])
  }

  @Test func aLateEventReplacesTheRemarkThatItHadNotCome() {
    let events = [callback(.didWrite(tag: 1), at: 150)]
    var judge = judged([event(.didWrite, window: window(nil, 100))], [], until: 120)
    judge.observe(events[0], index: 7)
    judge.finish()
    #expect(judge.deviations.map(\.kind) == [.late])
    #expect(judge.deviations.first?.traceIndex == 7)
  }
}
