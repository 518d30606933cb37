import BenchmarkModel
import CRivals
import Foundation

/// A run: all contestants of a workload in each round, in an order that is drawn, so that whatever else the machine
/// does hits all of them, and each round gives one ratio.
package struct BenchmarkRun {
  /// How a run is done.
  package struct Options: Sendable {
    /// How often each contestant is measured.
    package var rounds: Int
    /// How often each point of a growth series is.
    package var growthRounds: Int
    /// How long each time.
    package var seconds: Double
    /// Fewer sizes and connections.
    package var isQuick: Bool
    /// For the order of the rounds.
    package var seed: UInt64
    /// The suite.
    package var scenarioFolder: String

    /// Options.
    package init(
      rounds: Int, growthRounds: Int, seconds: Double, isQuick: Bool, seed: UInt64, scenarioFolder: String
    ) {
      self.rounds = rounds
      self.growthRounds = growthRounds
      self.seconds = seconds
      self.isQuick = isQuick
      self.seed = seed
      self.scenarioFolder = scenarioFolder
    }

    /// Long enough to tell a bad result from a bad moment.
    package var forASecondLook: Options {
      var longer = self
      longer.rounds = max(rounds, 9)
      longer.growthRounds = max(growthRounds, 3)
      longer.seconds = max(seconds, 0.3)
      return longer
    }
  }

  // MARK: Once more

  /// Measures a workload again that fell far short of a bar.
  package mutating func again(_ workload: Workload, progress: (String) -> Void) -> WorkloadResult {
    noteSecondLook(workload.id)
    return run(workload, progress: progress)
  }

  /// Measures a series again that grew far too fast.
  package mutating func again(_ series: GrowthSeries, progress: (String) -> Void) -> GrowthResult {
    noteSecondLook(series.id)
    return run(series, progress: progress)
  }

  private mutating func noteSecondLook(_ id: String) {
    notes.append(
      "\(id) fell far short in the short run; these figures are of a second one: \(options.rounds) rounds, "
        + "\(options.growthRounds) of growth, \(options.seconds) s each.")
  }

  /// Connections of the idle servers in a quick run.
  private static let quickConnections = 500

  private let options: Options
  private let measuring: Measuring
  private let growthMeasuring: Measuring
  private var numbers: SeededNumbers
  /// What could not be measured as the tables say.
  package private(set) var notes: [String] = []
  private let maxConnections: Int

  /// Raises the limit of open files as far as it goes; what that is too low for is measured smaller, with a note.
  package init(_ options: Options) {
    self.options = options
    measuring = Measuring(seconds: options.seconds, scenarioFolder: options.scenarioFolder, seed: options.seed)
    // A growth point is one of many; a third of the time is enough for its median.
    growthMeasuring = Measuring(
      seconds: options.seconds / 3, scenarioFolder: options.scenarioFolder, seed: options.seed)
    numbers = SeededNumbers(seed: options.seed)
    signal(SIGPIPE, SIG_IGN)
    maxConnections = max(1, Self.raiseFileLimit() - Self.descriptorsBesides)
  }

  /// Raises the limit of open files of this process and its future children as far as it goes, and returns it.
  @discardableResult
  package static func raiseFileLimit() -> Int {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(files, &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(files, &limit)
    getrlimit(files, &limit)
    return Int(clamping: limit.rlim_cur)
  }

  /// Listeners, pipes, pollers and the like.
  private static let descriptorsBesides = 100

  // MARK: Workloads

  /// Runs all rounds of a workload. What fails is in the result: it must not keep others from being measured. What this
  /// build is without is noted.
  package mutating func run(_ workload: Workload, progress: (String) -> Void) -> WorkloadResult {
    let (workload, absent) = workload.built
    if !absent.isEmpty {
      notes.append("\(workload.id) without \(absent.joined(separator: ", ")): this build does not have it.")
    }
    var samples: [String: [Sample]] = [:]
    do {
      for round in 1...options.rounds {
        for entry in workload.entries.shuffled(using: &numbers) {
          progress("\(workload.id): round \(round) of \(options.rounds), \(entry.title)")
          samples[entry.id, default: []].append(try measuring.sample(fitting(entry.trial)))
        }
      }
    } catch {
      return WorkloadResult(workload, samples: [:], failure: "\(error)")
    }
    return WorkloadResult(workload, samples: samples)
  }

  /// The trial with no more connections than there can be.
  private mutating func fitting(_ trial: Trial) -> Trial {
    switch trial {
    case .serve(let role, let connections, let message):
      .serve(role, connections: fitting(connections), message: message)
    case .idle(let role, let connections):
      .idle(role, connections: fitting(options.isQuick ? min(connections, Self.quickConnections) : connections))
    case .search, .scenarios, .command: trial
    }
  }

  private mutating func fitting(_ connections: Int) -> Int {
    guard connections > maxConnections else { return connections }
    let note =
      "A process may have \(maxConnections + Self.descriptorsBesides) files open (ulimit -Hn): "
      + "\(maxConnections) connections were measured instead of \(connections)."
    if !notes.contains(note) { notes.append(note) }
    return maxConnections
  }

  // MARK: Growth

  /// Measures all points of a series, in rounds like those of workloads.
  package mutating func run(_ series: GrowthSeries, progress: (String) -> Void) -> GrowthResult {
    var costs: [String: [Int: [Double]]] = [:]
    let steepest = options.isQuick ? GrowthSeries.steepestInQuickRuns : GrowthSeries.steepest
    do {
      for round in 1...options.growthRounds {
        for size in options.isQuick ? series.quickSizes : series.sizes {
          for line in series.lines.shuffled(using: &numbers) {
            progress("\(series.id): round \(round) of \(options.growthRounds), \(line.title), \(size)")
            let trial = fitting(line.trial(size))
            let sample = try growthMeasuring.sample(trial)
            let reached = Self.size(size, of: trial)
            costs[line.id, default: [:]][reached, default: []].append(line.whole(reached) / sample.value)
          }
        }
      }
    } catch {
      return GrowthResult(series, lines: [], steepest: steepest, failure: "\(error)")
    }
    let lines = series.lines.map { line in
      GrowthResult.Line(
        id: line.id, title: line.title, isSubject: line.isSubject,
        points: (costs[line.id] ?? [:]).sorted { $0.key < $1.key }.compactMap { size, costs in
          Spread(costs).map { GrowthResult.Point(size: size, cost: $0) }
        })
    }
    return GrowthResult(series, lines: lines, steepest: steepest)
  }

  /// The size that was measured: fewer connections than asked for, if more can't be had.
  private static func size(_ size: Int, of trial: Trial) -> Int {
    if case .serve(let role, let connections, _) = trial, role.kind == .echo || role.kind == .respond {
      return connections
    }
    return size
  }

  // MARK: Idle

  /// Looks at servers that do nothing, once each.
  package mutating func idle(progress: (String) -> Void) throws -> [IdleResult] {
    let connections = fitting(options.isQuick ? 100 : 1000)
    return try [Contestant.gcdSame, .gcdSeparate, .runLoop, .nio, .c].map { contestant in
      progress("idle: \(contestant.title)")
      return try IdleServer.measure(
        ServerRole(.echo, contestant), connections: connections, watching: options.isQuick ? 0.5 : 3)
    }
  }

  /// The load alone, for a server that runs already: for profilers.
  package static func load(_ kind: ServerKind, _ plan: load_plan) -> load_result { Measuring.load(kind, plan) }
}
