import ScenarioModel
import ScenarioRunner
import Testing

/// What a didConnect tells, whatever its scenario expects of it (CON-02, DIAG-04).
@Suite struct ConnectedPeersTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var host = "127.0.0.1"
    var port: UInt16 = 4000
    /// Where the socket is sent, one after the other.
    var targets: [ConnectCommand.Target] = [.peer("peer")]
    var requirement: String?
    var testDescription: String { "\(host) \(port) of \(targets)" }
  }

  static let rows = [
    Row(), Row(host: "::1"), Row(host: "::ffff:127.0.0.1"), Row(host: "localhost", requirement: "DIAG-04"),
    Row(host: "", requirement: "DIAG-04"), Row(host: "fe80::1%lo", requirement: "DIAG-04"),
    Row(port: 4001, requirement: "CON-02"), Row(port: 0, requirement: "CON-02"),
    Row(targets: [.host("some.example", port: .peer("peer"))]),
    Row(port: 4001, targets: [.host("some.example", port: .peer("peer"))], requirement: "CON-02"),
    // A reaction may have sent it to either by then.
    Row(port: 5000, targets: [.peer("peer"), .peer("second")]),
    Row(port: 5001, targets: [.peer("peer"), .peer("second")], requirement: "CON-02"),
    // To a port whose number nobody knows beforehand.
    Row(port: 4001, targets: [.peer("peer"), .host("127.0.0.1", port: .listener("server"))]),
    Row(port: 4001, targets: [.peer("unknown")]), Row(port: 4001, targets: []),
  ]

  @Test(arguments: rows) func aDidConnectIsJudged(_ row: Row) {
    let scenario = scenario([event(.didConnect, line: 11)]) {
      $0.subjects = [
        SubjectLane(name: "socket", steps: row.targets.map { step(.connect(ConnectCommand(target: $0))) })
      ]
    }
    var world = FakeWorld([
      happens(.didConnect(host: row.host, port: row.port), on: "socket", at: .milliseconds(1))
    ])
    world.ports = ["peer": 4000, "second": 5000]
    let result = CaseRunner.run(
      scenario, variant: Variant(family: .ipv4, cut: .whole, queues: .separate), seed: 1, profile: .documented,
      in: &world, tolerance: Tolerance(early: .zero, late: .zero))
    let told = result.deviations.compactMap(\.requirement).filter { ["CON-02", "DIAG-04"].contains($0) }
    #expect(told == [row.requirement].compactMap(\.self), "\(result.deviations)")
  }
}
