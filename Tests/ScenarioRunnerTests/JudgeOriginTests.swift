import ScenarioModel
import ScriptedPeer
import Testing

@testable import ScenarioRunner

/// An event too close to the point its window counts from: which of the two is blamed, and with what facts.
@Suite struct JudgeOriginTests {
  private static let expectations = [event(.didWrite, window: window(50, nil, from: .point("seen")))]

  /// A write is called at 10 ms; the point is reached and didWrite comes at the given instants.
  private static func deviation(
    seen: Int, after waitedSince: Int?, written: Int, lastActivityAt: Int = 10
  ) -> Deviation? {
    var judge = Judge(
      scenario: scenario(expectations), profile: .documented, tolerance: Tolerance(early: .zero, late: .zero))
    var events: [(Int, () -> Void)] = []
    judge.observe(
      TraceEvent(
        at: .milliseconds(lastActivityAt),
        kind: .command(write("a", tag: 1), socket: "socket", result: .done, inCallback: false)), index: 0)
    let point = SyncBoard.Point(
      name: "seen", at: .milliseconds(seen), position: line(9), waitedSince: waitedSince.map { .milliseconds($0) })
    events.append((seen, { judge.reached(point) }))
    events.append((written, { judge.observe(callback(.didWrite(tag: 1), at: written), index: 1) }))
    for event in events.sorted(by: { $0.0 < $1.0 }) { event.1() }
    judge.finish()
    return judge.deviations.first
  }

  @Test func thePointCameLate() throws {
    let late = try #require(Self.deviation(seen: 150, after: 5, written: 151))
    #expect(late.kind == .late)
    #expect(late.expected == "seen at least 50ms before didWrite")
    #expect(
      late.actual
        == "seen was reached only at 150ms in line 9: what its lane waited for had been under way since 10ms; "
        + "didWrite { tag: 1 } at 151ms, 1ms after seen, which was reached at 150ms in line 9")
  }

  @Test func theEventCameEarly() throws {
    // The write was called right before the point was reached, so that one was in time.
    let early = try #require(Self.deviation(seen: 150, after: 5, written: 151, lastActivityAt: 149))
    #expect(early.kind == .early)
    #expect(
      early.actual == "didWrite { tag: 1 } at 151ms, 1ms after seen, which was reached at 150ms in line 9")
    // A lane that waited for nothing came to its point by itself.
    #expect(Self.deviation(seen: 150, after: nil, written: 151)?.kind == .early)
  }

  @Test func theEventCameBeforeItsPoint() throws {
    let late = try #require(Self.deviation(seen: 150, after: 5, written: 120))
    #expect(late.kind == .late && late.actual.contains("at 120ms, 30ms before seen, which was reached at 150ms"))
    let early = try #require(Self.deviation(seen: 30, after: 5, written: 20))
    #expect(early.kind == .early && early.actual.contains("at 20ms, 10ms before seen"))
  }

  @Test func thePointNeverCame() {
    let judge = judged(Self.expectations, [callback(.didWrite(tag: 1), at: 20)])
    #expect(judge.deviations.map(\.actual) == ["didWrite { tag: 1 } at 20ms, before seen was reached"])
    var finished = judge
    finished.finish()
    #expect(finished.deviations.first?.actual.hasSuffix("; seen was never reached") == true)
    var cut = judge
    cut.finish(cutShortAt: .milliseconds(70))
    let fate = "; the case ended before it was, at 70ms, because of a deviation"
    #expect(cut.deviations.first?.actual.hasSuffix("before seen was reached" + fate) == true)
  }

  /// An event may come before the point that it must follow within some time, because the two are told by two lanes;
  /// but no further before it than behind it, and not without it.
  @Test(arguments: [
    (20, 60, true), (20, 70, true), (20, 71, false), (90, 60, true), (111, 60, false), (20, nil, false),
  ])
  func withinCountsBothWays(written: Int, seen: Int?, isFine: Bool) {
    for optional in [false, true] {
      let expected = event(.didWrite, optional: optional, window: window(nil, 50, from: .point("seen")))
      var judge = Judge(
        scenario: scenario([expected]), profile: .documented, tolerance: Tolerance(early: .zero, late: .zero))
      let reach = seen.map { SyncBoard.Point(name: "seen", at: .milliseconds($0), position: line(9)) }
      if let reach, seen! < written { judge.reached(reach) }
      judge.observe(callback(.didWrite(tag: 1), at: written), index: 3)
      if let reach, seen! >= written { judge.reached(reach) }
      judge.finish()
      let found = judge.deviations + judge.unmetOrigins
      #expect(found.isEmpty == isFine, "\(found)")
      if written < seen ?? .max, !isFine {
        #expect(found.map(\.kind) == [seen == nil ? .missing : .late] && found.map(\.traceIndex) == [3])
        let words = seen == nil ? "seen was never reached" : "51ms before seen"
        #expect(found.first?.actual.contains(words) == true, "\(found)")
      }
    }
  }

  /// The event has another reading, which is in order whatever the point does.
  @Test(arguments: [false, true]) func aReadingWithoutThePointIsEnough(isSecond: Bool) {
    let windowed = event(.didWrite, window: window(nil, 50, from: .point("seen")))
    let plain = event(.didWrite)
    let expectations: [[Expectation]] = [
      [isSecond ? oneOf([plain], [windowed]) : oneOf([windowed], [plain])],
      [isSecond ? anyOrder(plain, windowed) : anyOrder(windowed, plain)],
      isSecond
        ? [oneOf([plain], []), event(.didWrite, optional: true, window: window(nil, 50, from: .point("seen")))]
        : [event(.didWrite, optional: true, window: window(nil, 50, from: .point("seen"))), oneOf([plain], [])],
    ]
    for expected in expectations {
      var judge = Judge(
        scenario: scenario(expected), profile: .documented, tolerance: Tolerance(early: .zero, late: .zero))
      judge.observe(callback(.didWrite(tag: 1), at: 20), index: 0)
      judge.reached(SyncBoard.Point(name: "seen", at: .milliseconds(300), position: line(9)))
      if case .anyOrder = expected[0] { judge.observe(callback(.didWrite(tag: 2), at: 310), index: 1) }
      judge.finish()
      #expect(judge.deviations + judge.unmetOrigins == [], "\(expected.count)")
      #expect(judge.isSatisfied)
    }
  }

  @Test func withTheWindowKeptNobodyIsBlamed() {
    #expect(Self.deviation(seen: 100, after: 5, written: 150) == nil)
  }

  @Test func lanesTellSinceWhenTheyWaited() {
    var board = SyncBoard()
    let steps: [PeerStep] = [
      .accept, .expect(.bytes(bytes("ab"))), .reach("seen"), .reach("twice"), .wait(.zero), .reach("own"),
    ]
    var machine = PeerMachine(
      lane: PeerLane(name: "peer", steps: steps.map { Located($0, at: line(1)) }), cut: .whole, seed: 1)
    _ = machine.nextAction(now: .zero, sync: &board)
    machine.observe(.connected, at: .milliseconds(3))
    #expect(machine.nextAction(now: .milliseconds(3), sync: &board) == nil)
    machine.observe(.received(bytes("ab")), at: .milliseconds(90))
    #expect(machine.nextAction(now: .milliseconds(90), sync: &board) == nil)
    #expect(board.points.map(\.waitedSince) == [.milliseconds(3), .milliseconds(3), nil])
  }
}
