import ScenarioModel
import ScenarioRunner
import Testing

/// Over the real kernel a case is not at rest while a read lacks nothing but the machine's time.
@Suite struct OwedReadTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    /// Of the second read.
    var boundary = ReadCommand.Boundary.exactly(1)
    var sent = "ab"
    var world = WorldName.loopback
    var extra: [SubjectCommand] = []
    /// Whether the second didRead, which is late, is waited for.
    var isAwaited: Bool

    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "its bytes are there", isAwaited: true),
    Row(name: "there is something for a read of whatever there is", boundary: .available(limit: 0), isAwaited: true),
    Row(name: "there is nothing left for it", boundary: .available(limit: 0), sent: "a", isAwaited: false),
    Row(name: "there are too few bytes", boundary: .exactly(2), isAwaited: false),
    Row(name: "nobody looks for its delimiter", boundary: .through(.bytes([98]), limit: 0), isAwaited: false),
    Row(name: "virtual time has no busy machine", world: .simulated, isAwaited: false),
    Row(name: "the socket is closing", extra: [.disconnectAfterReading], isAwaited: false),
    Row(name: "its queue is blocked", extra: [.blockDelegateQueue], isAwaited: false),
  ]

  /// The first read completes at 2 ms; nothing more is expected, and the second one comes at 300 ms.
  private static func result(_ row: Row, comes: Bool) -> (result: CaseResult, end: Duration) {
    var world = FakeWorld([
      happens(connected, at: .milliseconds(1)),
      happens(.didRead(bytes: bytes("a"), tag: 1), at: .milliseconds(2)),
    ])
    if comes { world.schedule([happens(.didRead(bytes: bytes("b"), tag: 2), at: .milliseconds(300))]) }
    world.name = row.world
    let second = SubjectCommand.read(ReadCommand(boundary: row.boundary, tag: 2))
    let story = scenario([event(.didConnect), event(.didRead), nothing(5)]) {
      $0.peers = [
        PeerLane(
          name: "peer",
          steps: [PeerStep.accept, .send(.bytes(bytes(row.sent)))].map { Located($0, at: line(20)) })
      ]
      let commands = [connectCommand, read(1), second] + row.extra
      $0.subjects = [SubjectLane(name: "socket", steps: commands.map { step($0) })]
    }
    let result = CaseRunner.run(
      story, variant: Variant(family: .ipv4, cut: .whole, queues: .separate), seed: 1, profile: .documented,
      in: &world, tolerance: Tolerance(early: .zero, late: .zero))
    return (result, world.now)
  }

  @Test(arguments: rows) func aStrayThatIsOnItsWayIsSeen(_ row: Row) {
    let (result, end) = Self.result(row, comes: true)
    #expect(result.deviations.map(\.kind) == (row.isAwaited ? [.unexpected] : []), "\(result.deviations)")
    if !row.isAwaited { #expect(end == .milliseconds(52), "a case that waits for nothing is as quick as ever") }
  }

  @Test(arguments: rows) func aReadThatNeverCompletesIsNotWaitedForLong(_ row: Row) {
    let (result, end) = Self.result(row, comes: false)
    #expect(result.verdict == .passed, "\(result.deviations)")
    #expect(end == (row.isAwaited ? .milliseconds(1_002) : .milliseconds(52)))
  }
}
