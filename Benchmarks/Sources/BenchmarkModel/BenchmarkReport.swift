/// What a run measured: the content of `benchmarks.json`.
package struct BenchmarkReport: Hashable, Codable, Sendable {
  /// Of this format; it changes when a reader would have to.
  package var formatVersion = 1
  /// Where and how.
  package var provenance: Provenance
  /// In the order of the table.
  package var workloads: [WorkloadResult]
  /// In the order of the table.
  package var growth: [GrowthResult]
  /// Servers that do nothing.
  package var idle: [IdleResult]

  /// A report.
  package init(
    provenance: Provenance, workloads: [WorkloadResult] = [], growth: [GrowthResult] = [], idle: [IdleResult] = []
  ) {
    self.provenance = provenance
    self.workloads = workloads
    self.growth = growth
    self.idle = idle
  }
}

/// The machine, the build and the manner of a run.
package struct Provenance: Hashable, Codable, Sendable {
  /// When it began, ISO 8601.
  package var date: String
  /// As the kernel calls it.
  package var processor: String
  /// Processors that were online.
  package var cores: Int
  /// Release of the kernel.
  package var kernel: String
  /// Of the compiler.
  package var swift: String
  /// Of the sources; "+" behind it: with changes that were not committed.
  package var commit: String
  /// Averages over one minute, when the run began and ended: other work on the machine widens the spread.
  package var loadAtStart: Double
  /// The same, at the end.
  package var loadAtEnd: Double
  /// How often each contestant of a workload was measured.
  package var rounds: Int
  /// How often each point of a growth series was.
  package var growthRounds: Int
  /// How long each time.
  package var seconds: Double
  /// The order of the rounds was drawn from it.
  package var seed: UInt64
  /// Too short to be believed: it only shows that everything runs.
  package var isQuick: Bool
  /// What could not be measured as the tables say.
  package var notes: [String]

  /// The provenance of a run.
  package init(
    date: String, processor: String, cores: Int, kernel: String, swift: String, commit: String, loadAtStart: Double,
    loadAtEnd: Double, rounds: Int, growthRounds: Int, seconds: Double, seed: UInt64, isQuick: Bool, notes: [String]
  ) {
    self.date = date
    self.processor = processor
    self.cores = cores
    self.kernel = kernel
    self.swift = swift
    self.commit = commit
    self.loadAtStart = loadAtStart
    self.loadAtEnd = loadAtEnd
    self.rounds = rounds
    self.growthRounds = growthRounds
    self.seconds = seconds
    self.seed = seed
    self.isQuick = isQuick
    self.notes = notes
  }
}

/// One measurement of one contestant.
package struct Sample: Hashable, Codable, Sendable {
  /// Units a second, or bytes.
  package var value: Double
  /// Seconds of the server's processor time for a unit; nil: not measured.
  package var processor: Double?

  /// A sample.
  package init(value: Double, processor: Double? = nil) {
    self.value = value
    self.processor = processor
  }
}

/// What a workload's contestants did.
package struct WorkloadResult: Hashable, Codable, Sendable {
  /// The workload's.
  package var id, title, reason, unit: String
  /// The workload's.
  package var direction: Direction
  /// In the order of the table.
  package var entries: [EntryResult]
  /// In the order of the table.
  package var comparisons: [ComparisonResult]
  /// Why there are no results.
  package var failure: String?

  /// The result of so many whole rounds: `samples[entry id][round]`.
  package init(_ workload: Workload, samples: [String: [Sample]], failure: String? = nil) {
    id = workload.id
    title = workload.title
    reason = workload.reason
    unit = workload.unit
    direction = workload.direction
    self.failure = failure
    entries = workload.entries.compactMap { EntryResult($0, samples: samples[$0.id] ?? []) }
    comparisons = workload.comparisons.compactMap { ComparisonResult($0, samples, direction: workload.direction) }
  }
}

/// One contestant of a workload.
package struct EntryResult: Hashable, Codable, Sendable {
  /// The entry's.
  package var id, title: String
  /// By round.
  package var samples: [Sample]
  /// Of the samples' values.
  package var spread: Spread

  init?(_ entry: Entry, samples: [Sample]) {
    guard let spread = Spread(samples.map(\.value)) else { return nil }
    id = entry.id
    title = entry.title
    self.samples = samples
    self.spread = spread
  }

  /// Seconds of processor time for a unit; the median, nil if not measured.
  package var processor: Double? { Spread(samples.compactMap(\.processor))?.median }
}

/// How a subject did against a rival: one ratio a round.
package struct ComparisonResult: Hashable, Codable, Sendable {
  /// What was asked.
  package var comparison: Comparison
  /// Subject to rival, by round; the subject's own values without a rival.
  package var ratios: [Double]
  /// Of the ratios.
  package var spread: Spread
  /// The median ratio of the rival's processor time for a unit to the subject's; more is better.
  package var processorRatio: Double?
  /// What that comes to.
  package var verdict: Verdict

  init?(_ comparison: Comparison, _ samples: [String: [Sample]], direction: Direction) {
    let subject = samples[comparison.subject] ?? []
    let rival = comparison.rival.map { samples[$0] ?? [] } ?? subject.map { _ in Sample(value: 1) }
    let pairs = Array(zip(subject, rival))
    let ratios = pairs.map { $0.value / ($1.value + (comparison.allowance ?? 0)) }
    guard let spread = Spread(ratios) else { return nil }
    self.comparison = comparison
    self.spread = spread
    self.ratios = ratios
    processorRatio =
      Spread(
        pairs.compactMap { subject, rival in
          guard let own = subject.processor, let other = rival.processor, own > 0 else { return nil }
          return other / own
        })?.median
    verdict = Verdict(spread.median, bar: comparison.bar, aim: comparison.aim, direction: direction)
  }
}

/// What a median comes to against bar and aim.
package enum Verdict: String, Codable, Sendable, CaseIterable {
  /// As good as the aim.
  case aim
  /// As good as the bar.
  case bar
  /// Not as good as the bar.
  case missed
  /// Not half as good as the bar.
  case underHalf
  /// Nothing was asked.
  case unjudged

  /// Judges a median.
  package init(_ median: Double, bar: Double?, aim: Double?, direction: Direction) {
    guard let bar else {
      self = .unjudged
      return
    }
    let half = direction == .higher ? bar / 2 : bar * 2
    if let aim, direction.reaches(median, aim) {
      self = .aim
    } else if direction.reaches(median, bar) {
      self = .bar
    } else {
      self = direction.reaches(median, half) ? .missed : .underHalf
    }
  }

  /// Whether something was asked and not reached.
  package var isBad: Bool { self == .missed || self == .underHalf }
}

/// How the cost of something grew.
package struct GrowthResult: Hashable, Codable, Sendable {
  /// One cost at one size.
  package struct Point: Hashable, Codable, Sendable {
    /// What was varied.
    package var size: Int
    /// Seconds, over the rounds.
    package var cost: Spread

    /// A point.
    package init(size: Int, cost: Spread) {
      self.size = size
      self.cost = cost
    }
  }

  /// One contestant.
  package struct Line: Hashable, Codable, Sendable {
    /// The line's.
    package var id, title: String
    /// Whether its slope is judged.
    package var isSubject: Bool
    /// By size.
    package var points: [Point]
    /// The exponent of the cost over the upper half of the sizes; see `Growth`.
    package var slope: Double?

    /// A line; the slope is worked out.
    package init(id: String, title: String, isSubject: Bool, points: [Point]) {
      self.id = id
      self.title = title
      self.isSubject = isSubject
      self.points = points
      slope = Growth.slope(of: points.map { (Double($0.size), $0.cost.median) })
    }
  }

  /// The series'.
  package var id, title, reason, size, cost: String
  /// In the order of the table.
  package var lines: [Line]
  /// A subject's slope above this is a defect.
  package var steepest: Double
  /// Why there are no results.
  package var failure: String?

  /// The result of a series.
  package init(_ series: GrowthSeries, lines: [Line], steepest: Double, failure: String? = nil) {
    id = series.id
    title = series.title
    reason = series.reason
    size = series.size
    cost = series.cost
    self.lines = lines
    self.steepest = steepest
    self.failure = failure
  }

  /// The subject's lines that are worse than linear.
  package var defects: [Line] { defects(beyond: steepest) }

  /// The subject's lines that are steeper than the limit and what the flattest line, beside rivals, is steeper than
  /// linear: that much is the machine's, whose caches hold a hundred connections and not ten thousand.
  package func defects(beyond limit: Double) -> [Line] {
    let flattest = lines.contains { !$0.isSubject } ? lines.compactMap(\.slope).min() : nil
    let allowed = limit + max(0, (flattest ?? 1) - 1)
    return lines.filter { $0.isSubject && ($0.slope ?? 0) > allowed }
  }
}

/// A server that does nothing.
package struct IdleResult: Hashable, Codable, Sendable {
  /// The contestant's.
  package var id, title: String
  /// Whether it is judged: it must not wake up.
  package var isSubject: Bool
  /// Connections that were open.
  package var connections: Int
  /// Bytes of memory for each connection.
  package var bytesPerConnection: Double
  /// Times a second that any of its threads ran.
  package var wakeUps: Double
  /// Threads it had.
  package var threads: Int

  /// A result.
  package init(
    id: String, title: String, isSubject: Bool, connections: Int, bytesPerConnection: Double, wakeUps: Double,
    threads: Int
  ) {
    self.id = id
    self.title = title
    self.isSubject = isSubject
    self.connections = connections
    self.bytesPerConnection = bytesPerConnection
    self.wakeUps = wakeUps
    self.threads = threads
  }

  /// The bar is none at all.
  package var isDefect: Bool { isSubject && wakeUps > 0 }
}

extension WorkloadResult {
  /// Not half of a bar was reached.
  package var isFarOff: Bool { comparisons.contains { $0.verdict == .underHalf } }
}

extension GrowthResult {
  /// A slope is beyond what even a short run must show.
  package var isFarOff: Bool { !defects(beyond: GrowthSeries.steepestInQuickRuns).isEmpty }
}

extension BenchmarkReport {
  /// Why the run is not good, a sentence each. With `onlyHalf`, bars count at half of their height and slopes at
  /// halfway to quadratic.
  package func complaints(onlyHalf: Bool) -> [String] {
    var complaints = workloads.compactMap { result in result.failure.map { "\(result.id): \($0)" } }
    complaints += growth.compactMap { result in result.failure.map { "\(result.id): \($0)" } }
    for workload in workloads {
      for result in workload.comparisons where onlyHalf ? result.verdict == .underHalf : result.verdict.isBad {
        let median = (result.spread.median * 100).rounded() / 100
        complaints.append(
          "\(workload.id): \(result.comparison.subject)\(result.comparison.against) is \(median), asked is "
            + "\(workload.direction == .higher ? "at least" : "at most") \(result.comparison.bar ?? 0)")
      }
    }
    for series in growth {
      let limit = onlyHalf ? GrowthSeries.steepestInQuickRuns : series.steepest
      for line in series.defects(beyond: limit) {
        let slope = ((line.slope ?? 0) * 100).rounded() / 100
        complaints.append("\(series.id): the cost of \(line.title) grows worse than linearly (exponent \(slope))")
      }
    }
    for result in idle where result.isDefect {
      complaints.append("idle: \(result.title) wakes up \(result.wakeUps) times a second with nothing to do")
    }
    return complaints
  }
}
