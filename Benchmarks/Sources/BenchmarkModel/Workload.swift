/// What one contestant does in one sample.
package enum Trial: Hashable, Sendable {
  /// A server in a process of its own under the load that goes with its kind; units are messages, lines, or bytes.
  case serve(ServerRole, connections: Int, message: Int)
  /// Bytes searched for a delimiter, in this process; units are bytes.
  case search(Search)
  /// Idle connections to an echo server; the value is bytes of memory for each.
  case idle(ServerRole, connections: Int)
  /// Cases of the suite in the simulated world on this thread; units are cases.
  case scenarios(batch: Int)
  /// A command of the lab, from the start of its process to its end, over a suite of so many files; units are files.
  case command(LabVerb, files: Int)
}

/// What the lab is told to do with a suite.
package enum LabVerb: String, Hashable, Sendable {
  /// In the simulated world, with all reports.
  case run
  /// Reads all files.
  case check
}

/// One delimiter search.
package struct Search: Hashable, Sendable {
  /// Who searches.
  package enum Method: Hashable, Sendable {
    /// The library, with all bytes there from the start.
    case whole
    /// The library, with so many bytes coming at a time.
    case dripped(Int)
    /// glibc.
    case memchr, memmem
  }

  /// What is searched in.
  package enum Content: Hashable, Sendable {
    /// Words and spaces.
    case prose
    /// Lines of words with CRLF ends.
    case lines
    /// One byte over and over: the first byte of the delimiter.
    case hostile
  }

  /// Who searches.
  package var method: Method
  /// What is searched in; the delimiter stands at its end.
  package var content: Content
  /// Bytes searched.
  package var size: Int
  /// The delimiter.
  package var delimiter: [UInt8]

  /// A search.
  package init(_ method: Method, in content: Content, size: Int, for delimiter: [UInt8]) {
    self.method = method
    self.content = content
    self.size = size
    self.delimiter = delimiter
  }
}

/// One of those that are measured in the same rounds.
package struct Entry: Hashable, Sendable {
  /// Unique in its workload.
  package var id: String
  /// For tables.
  package var title: String
  /// What it does.
  package var trial: Trial

  /// An entry.
  package init(_ id: String, _ title: String, _ trial: Trial) {
    self.id = id
    self.title = title
    self.trial = trial
  }
}

/// Which way is better.
package enum Direction: String, Codable, Sendable {
  /// More a second.
  case higher
  /// Fewer bytes.
  case lower

  /// Whether a value is as good as a limit.
  package func reaches(_ value: Double, _ limit: Double) -> Bool { self == .higher ? value >= limit : value <= limit }
}

/// What is asked of a subject against a rival.
package struct Comparison: Hashable, Codable, Sendable {
  /// The entry that is judged.
  package var subject: String
  /// The entry it is measured against; nil: the subject's own value is judged.
  package var rival: String?
  /// What the subject may have more than the rival, in the workload's unit: it counts as the rival's. nil: nothing.
  package var allowance: Double?
  /// What it must reach; nil: printed, not judged.
  package var bar: Double?
  /// What it should reach.
  package var aim: Double?

  /// A comparison with a rival.
  package init(
    _ subject: String, _ rival: String?, allowance: Double? = nil, bar: Double? = nil, aim: Double? = nil
  ) {
    self.subject = subject
    self.rival = rival
    self.allowance = allowance
    self.bar = bar
    self.aim = aim
  }

  /// ` against nio`, ` against gcd-separate + 512`; empty without a rival.
  package var against: String {
    guard let rival else { return "" }
    return " against \(rival)\(allowance.map { " + \(Int($0))" } ?? "")"
  }
}

/// One thing that is measured: contestants that do the same, and what is asked of the subject.
package struct Workload: Sendable {
  /// As on the command line.
  package var id: String
  /// A few words.
  package var title: String
  /// Why it is measured.
  package var reason: String
  /// What a value counts.
  package var unit: String
  /// Which way is better.
  package var direction: Direction
  /// In the order of the tables; the order of the rounds is drawn.
  package var entries: [Entry]
  /// In the order of the tables.
  package var comparisons: [Comparison]

  /// A workload.
  package init(
    _ id: String, _ title: String, unit: String, direction: Direction = .higher, reason: String, entries: [Entry],
    comparisons: [Comparison]
  ) {
    self.id = id
    self.title = title
    self.reason = reason
    self.unit = unit
    self.direction = direction
    self.entries = entries
    self.comparisons = comparisons
  }
}

/// How the cost of something grows with its size.
package struct GrowthSeries: Sendable {
  /// One line of the plot.
  package struct Line: Sendable {
    /// Unique in its series.
    package var id: String
    /// For tables.
    package var title: String
    /// Whether its slope is judged: the subject's is.
    package var isSubject: Bool
    /// What is done at a size.
    package var trial: @Sendable (Int) -> Trial
    /// How many units of the trial make one whole at a size; the cost of the whole is plotted.
    package var whole: @Sendable (Int) -> Double

    /// A line.
    package init(
      _ id: String, _ title: String, isSubject: Bool, whole: @escaping @Sendable (Int) -> Double,
      trial: @escaping @Sendable (Int) -> Trial
    ) {
      self.id = id
      self.title = title
      self.isSubject = isSubject
      self.trial = trial
      self.whole = whole
    }
  }

  /// As on the command line.
  package var id: String
  /// A few words.
  package var title: String
  /// Why, and what a whole is.
  package var reason: String
  /// What is varied.
  package var size: String
  /// What costs.
  package var cost: String
  /// The sizes.
  package var sizes: [Int]
  /// The sizes of a quick run.
  package var quickSizes: [Int]
  /// In the order of the tables.
  package var lines: [Line]

  /// A slope above this is worse than linear: linear, and what measurements on a shared machine may be off by.
  package static let steepest = 1.15
  /// Halfway to quadratic: worse than linear beyond every doubt of a quick run.
  package static let steepestInQuickRuns = 1.5

  /// A series.
  package init(
    _ id: String, _ title: String, size: String, cost: String, reason: String, sizes: [Int], quickSizes: [Int],
    lines: [Line]
  ) {
    self.id = id
    self.title = title
    self.reason = reason
    self.size = size
    self.cost = cost
    self.sizes = sizes
    self.quickSizes = quickSizes
    self.lines = lines
  }
}

extension Workload {
  /// The workload with those entries that this build has, and the titles of the others.
  package var built: (workload: Workload, absent: [String]) {
    let absent = entries.filter { entry in
      switch entry.trial {
      case .serve(let role, _, _), .idle(let role, _): !role.isBuilt
      case .search, .scenarios, .command: false
      }
    }
    let ids = Set(absent.map(\.id))
    var workload = self
    workload.entries.removeAll { ids.contains($0.id) }
    workload.comparisons.removeAll { ids.contains($0.subject) || $0.rival.map(ids.contains) ?? false }
    return (workload, absent.map(\.title))
  }
}
