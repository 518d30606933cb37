/// What is known of a fuzz target without running it: the catalogue that commands, reports and tests share.
package struct FuzzTarget: Hashable, Sendable {
  /// How a target is built.
  package enum Lane: String, CaseIterable, Hashable, Sendable, Codable {
    /// Coverage only: the quickest.
    case cov
    /// With AddressSanitizer.
    case asan
    /// With ThreadSanitizer.
    case tsan
    /// As it ships, with nothing put in: what an exploration runs.
    case plain
  }

  /// What the input is.
  package enum Encoding: Hashable, Sendable {
    /// Decisions and payload (`FuzzInput`).
    case program
    /// Text; the fuzzer's bytes are it.
    case text
  }

  /// The folder below Fuzz/.
  package var name: String
  /// What holds whatever the input, in one line.
  package var promise: String
  /// What the bytes of its inputs mean.
  package var encoding: Encoding
  /// Bytes of the longest input.
  package var maxLength: Int
  /// Executions a second of one process that are asked for, inputs of up to 256 bytes.
  package var goals: [Lane: Int]
  /// The same, below which a campaign fails its gate: about half of what an idle machine of two cores shows, so that a
  /// body that has become slow is noticed and a busy machine is not.
  package var floors: [Lane: Int]
  /// The builds that campaigns run.
  package var lanes: [Lane]
  /// Whether an input may hop between threads: looking for leaks after each would cost all the speed.
  package var hopsThreads: Bool
  /// Whether a finding can be said as a scenario.
  package var tellsScenarios: Bool

  /// The executable that SwiftPM builds.
  package var product: String { "fuzz_\(name)" }

  private init(
    _ name: String, _ promise: String, _ encoding: Encoding, maxLength: Int, goals: (cov: Int, asan: Int),
    floors: (cov: Int, asan: Int),
    lanes: [Lane] = [.cov, .asan], hopsThreads: Bool = false, tellsScenarios: Bool = false
  ) {
    self.name = name
    self.promise = promise
    self.encoding = encoding
    self.maxLength = maxLength
    self.goals = [.cov: goals.cov, .asan: goals.asan]
    self.floors = [.cov: floors.cov, .asan: floors.asan]
    self.lanes = lanes
    self.hopsThreads = hopsThreads
    self.tellsScenarios = tellsScenarios
  }

  private init(plain name: String, _ promise: String) {
    self.init(name, promise, .text, maxLength: 0, goals: (0, 0), floors: (0, 0), lanes: [.plain])
    (goals, floors) = ([:], [:])
  }

  /// What `explore` does, in campaigns of its own: no program of libFuzzer's, and none of `all`.
  package static let exploration = FuzzTarget(
    plain: "explore",
    "Whatever happens to a socket, it does what the model foretells, what scenarios expect and what every case must")

  /// Every target but the canary.
  package static let all: [FuzzTarget] = [
    FuzzTarget(
      "scanner", "The leftmost delimiter is found, however the bytes are cut, at a cost linear in them", .program,
      maxLength: 4096, goals: (250_000, 100_000), floors: (90_000, 13_000)),
    FuzzTarget(
      "prebuffer", "Bytes leave as they came, in order, whatever is asked between", .program, maxLength: 4096,
      goals: (150_000, 50_000), floors: (65_000, 11_000)),
    FuzzTarget(
      "readqueue", "Each read ends once, in its turn, with exactly its bytes, as the model says", .program,
      maxLength: 4096, goals: (150_000, 50_000), floors: (26_000, 7500), tellsScenarios: true),
    FuzzTarget(
      "writequeue", "The wire carries the writes' bytes in order, and each write is reported when its last is gone",
      .program, maxLength: 4096, goals: (150_000, 50_000), floors: (35_000, 9500), tellsScenarios: true),
    FuzzTarget(
      "duplex", "Two sockets joined by a pipe exchange their streams and come to rest", .program, maxLength: 4096,
      goals: (50_000, 20_000), floors: (16_000, 4300), tellsScenarios: true),
    FuzzTarget(
      "connection", "A socket's lives, with clocks and every kind of end, go as the model says", .program,
      maxLength: 4096, goals: (50_000, 20_000), floors: (22_000, 5000), tellsScenarios: true),
    FuzzTarget(
      "tls", "Nothing but authentic data comes out of a secured stream, and its end is never taken for another",
      .program, maxLength: 4096, goals: (1000, 300), floors: (900, 300)),
    FuzzTarget(
      "chain", "A chain of certificates is trusted only if an evaluator written from RFC 5280 finds a valid path in it",
      .program, maxLength: 96, goals: (800, 400), floors: (250, 100)),
    FuzzTarget(
      "credentials", "Certificates, keys and containers are read or refused, and never cost more than they may",
      .program, maxLength: 4096, goals: (10_000, 4000), floors: (1000, 400)),
    FuzzTarget(
      "scenario", "A text is read or refused with a place in it; what is read prints and reads the same", .text,
      maxLength: 16384, goals: (20_000, 8000), floors: (4500, 1900)),
    FuzzTarget(
      "runner", "The simulated world shows the trace that the model foretells", .program, maxLength: 2048,
      goals: (1000, 400), floors: (850, 230), tellsScenarios: true),
    FuzzTarget(
      "address", "Addresses are read as the C library reads them, and print so that they read the same", .text,
      maxLength: 256, goals: (250_000, 100_000), floors: (60_000, 25_000)),
    FuzzTarget(
      "report", "A report survives being written and read, and no page carries what came from outside unescaped",
      .program, maxLength: 16384, goals: (20_000, 8000), floors: (3300, 1900)),
    FuzzTarget(
      "capture", "A capture is read or refused, the same however it is cut, and makes files that the lab reads", .text,
      maxLength: 8192, goals: (10_000, 4000), floors: (1500, 600)),
    FuzzTarget(
      "relay", "Packets leave the relay as they came but for what is to be done to them, with right checksums",
      .program, maxLength: 4096, goals: (50_000, 20_000), floors: (10_000, 4000)),
    FuzzTarget(
      "subject", "What a subject program writes is a message in its turn or a mistake that can be shown", .text,
      maxLength: 4096, goals: (20_000, 8000), floors: (4000, 1500)),
    FuzzTarget(
      "records", "A file kept between runs is read or refused with words that can be shown, never in part", .text,
      maxLength: 8192, goals: (10_000, 4000), floors: (1000, 400)),
    FuzzTarget(
      "lifecycle", "Sockets used from several queues, or moved between run loops, call where they must and let go",
      .program, maxLength: 512, goals: (10_000, 4000), floors: (1700, 650), lanes: [.cov, .asan, .tsan],
      hopsThreads: true),
  ]

  /// Wrong on purpose (`CanaryFuzzing`). Not one of `all`: only who names it meets it.
  package static let canary = FuzzTarget(
    "canary", "Nothing: a defect is planted in it, which a campaign must find", .program, maxLength: 64,
    goals: (100_000, 50_000), floors: (100_000, 50_000), lanes: [.cov, .asan, .tsan])

  /// The target below Fuzz/ of that name, the canary included; nil: there is none.
  package static func named(_ name: String) -> FuzzTarget? { (all + [canary]).first { $0.name == name } }
}
