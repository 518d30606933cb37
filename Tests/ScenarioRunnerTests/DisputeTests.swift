import ScenarioModel
import Testing

@testable import ScenarioRunner

/// Which of several tolerated forms came, and whether that is on record.
@Suite struct DisputeTests {
  private static func disputed(_ recorded: RecordedForms?) -> Scenario {
    scenario([
      event(.didConnect),
      .oneOf(
        [
          Alternative(grade: .pass, profile: nil, expectations: [event(.didDisconnect, line: 4)]),
          Alternative(grade: .nonStrict, profile: nil, expectations: [event(.didSecure, line: 5)]),
          Alternative(grade: .nonStrict, profile: nil, expectations: []),
        ], position: line(3)),
    ]) {
      $0.subjects = [SubjectLane(name: "socket", steps: [step(connectCommand)])]
      $0.recordedForms = recorded
    }
  }

  private static func result(
    _ callbacks: [Callback], recorded: Set<Int>?, profile: Profile = .documented
  ) -> CaseResult {
    let place = RecordedForms.Place(oneOf: 1, world: .simulated)
    var world = FakeWorld(([connected] + callbacks).enumerated().map { happens($1, at: .milliseconds($0 + 1)) })
    return CaseRunner.run(
      disputed(recorded.map { RecordedForms([place: $0]) }), variant: variant, seed: 1, profile: profile, in: &world,
      tolerance: Tolerance(early: .zero, late: .zero))
  }

  private static let variant = Variant(family: .ipv4, cut: .whole, queues: .separate)

  @Test func theFormIsTold() {
    #expect(Self.result([.didDisconnect(nil)], recorded: nil).forms == [1])
    #expect(Self.result([.didSecure], recorded: nil).forms == [2])
    #expect(Self.result([], recorded: nil).forms == [3])
  }

  @Test func aFlipFails() throws {
    let flipped = Self.result([.didSecure], recorded: [1])
    #expect(flipped.verdict == .failed)
    let deviation = try #require(flipped.deviations.first)
    #expect(deviation.kind == .disputed && deviation.position == line(3))
    #expect(deviation.expected == "the form that is on record: alternative 1: didDisconnect")
    #expect(deviation.actual.hasPrefix("alternative 2, tolerated: didSecure."))
    // For the better is a change, too.
    #expect(Self.result([.didDisconnect(nil)], recorded: [2]).verdict == .failed)
  }

  @Test func whatIsOnRecordPasses() {
    #expect(Self.result([.didSecure], recorded: [2]).verdict == .passedNonStrict)
    #expect(Self.result([.didSecure], recorded: [1, 2]).verdict == .passedNonStrict)
    #expect(Self.result([.didDisconnect(nil)], recorded: [1, 2]).verdict == .passed)
    #expect(Self.result([.didSecure], recorded: nil).verdict == .passedNonStrict)
    #expect(Self.result([.didSecure], recorded: [1], profile: .upstream).verdict == .passedNonStrict)
  }

  @Test func theRecordIsReadAsItIsWritten() throws {
    let scenario = Self.disputed(nil)
    var record = DisputeRecord()
    record.add(Self.result([.didSecure], recorded: nil), of: scenario)
    let text = record.text([scenario])
    #expect(text.split(separator: "\n").last == "area/case 1 simulated 2  # didSecure")
    #expect(try DisputeRecord(text: text).text([scenario]) == text)
    #expect(record.missing([scenario]) == ["area/case 1 loopback"])
    record.add(Self.result([], recorded: nil), of: scenario)
    let either = record.text([scenario])
    #expect(either.split(separator: "\n").last == "area/case 1 simulated either 2 3")
    let former = try DisputeRecord(text: either)
    var again = DisputeRecord()
    again.add(Self.result([], recorded: nil), of: scenario)
    again.keepRaces(of: former)
    #expect(again.text([scenario]) == either)
    var other = DisputeRecord()
    other.add(Self.result([.didDisconnect(nil)], recorded: nil), of: scenario)
    other.keepRaces(of: former)
    #expect(other.text([scenario]).hasSuffix("area/case 1 simulated 1  # didDisconnect\n"))
  }

  @Test(arguments: [
    "a/b", "a/b 0 loopback 1", "a/b 1 moon 1", "a/b 1 loopback", "a/b 1 loopback either", "a/b 1 loopback x",
  ])
  func badLinesAreRefused(_ line: String) {
    #expect(throws: LabFailure.self) { try DisputeRecord(text: "# a record\n\n\(line)\n") }
    do {
      _ = try DisputeRecord(text: "# a record\n\n\(line)\n")
    } catch {
      #expect(error.message.hasPrefix("line 3 is not"))
    }
  }

  /// The # of a case's id begins no comment.
  @Test func casesAreOnRecord() throws {
    let record = try DisputeRecord(text: "# a record\na/b#row 1 loopback 2  # didSecure # really\n#a/c 1 loopback 1\n")
    #expect(record.forms == ["a/b#row": RecordedForms([.init(oneOf: 1, world: .loopback): [2]])])
  }

  @Test func otherScenariosHaveNoDisputes() {
    #expect(DisputeRecord.concerns(Self.disputed(nil)))
    #expect(!DisputeRecord.concerns(scenario([oneOf([event(.didRead)], [event(.didWrite)])])))
  }
}
