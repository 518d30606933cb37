import BenchmarkModel
import BenchmarkProbes
import CRivals
import Foundation

/// Takes one sample of one trial.
final class Measuring {
  private let seconds: Double
  private let scenarioFolder: String
  private var seed: UInt64
  private var scenarios: ScenarioProbe?
  private var contents: [Search: [UInt8]] = [:]
  private let command = LabCommand()

  init(seconds: Double, scenarioFolder: String, seed: UInt64) {
    self.seconds = seconds
    self.scenarioFolder = scenarioFolder
    self.seed = seed
  }

  func sample(_ trial: Trial) throws -> Sample {
    switch trial {
    case .serve(let role, let connections, let message):
      try serve(role, connections: connections, message: message)
    case .search(let search): try self.search(search)
    case .idle(let role, let connections):
      Sample(value: try IdleServer.measure(role, connections: connections, watching: 0).bytesPerConnection)
    case .scenarios(let batch): try runScenarios(batch)
    case .command(let verb, let files): try command.measure(verb, files: files)
    }
  }

  // MARK: Servers

  /// A fresh process for each sample: a lucky layout of its memory decides one round, not all.
  private func serve(_ role: ServerRole, connections: Int, message: Int) throws -> Sample {
    let server = try ChildServer(role)
    defer { server.stop() }
    var plan = load_plan()
    plan.port = server.port
    plan.pid = server.pid
    plan.connections = Int32(connections)
    plan.size = message
    plan.acknowledge = role.acknowledge
    plan.answer = answerHeader.utf8.count + role.size
    plan.warm_up = seconds / 5
    plan.seconds = seconds
    plan.least = Self.least(role, connections: connections)
    let result = Self.load(role.kind, plan)
    guard result.error == 0, result.units > 0 else {
      throw MeasurementFailure(
        "\(role.kind.rawValue) of \(role.contestant.rawValue) with \(connections) connections: "
          + "\(result.stage.map { String(cString: $0) } ?? "nothing came"): \(ChildServer.reason(result.error))")
    }
    let units = result.units * (role.kind == .receive || role.kind == .tlsReceive ? Double(role.size) : 1)
    return Sample(
      value: units / result.seconds, processor: result.processor >= 0 ? result.processor / units : nil)
  }

  /// What must have been through before a sample tells anything: a queue as a whole, or a message of each connection.
  private static func least(_ role: ServerRole, connections: Int) -> Double {
    switch role.kind {
    case .echo, .respond: Double(connections)
    case .send, .tlsSend: Double(role.depth * role.size)
    case .lines, .receive, .tlsReceive: Double(role.depth)
    }
  }

  /// The load that goes with a kind of server.
  static func load(_ kind: ServerKind, _ plan: load_plan) -> load_result {
    var plan = plan
    return switch kind {
    case .echo: load_echo(&plan)
    case .respond: load_answers(&plan)
    case .lines: load_lines(&plan)
    case .receive: load_chunks(&plan)
    case .send: load_drain(&plan)
    case .tlsReceive: load_tls_chunks(&plan)
    case .tlsSend: load_tls_drain(&plan)
    }
  }

  // MARK: Search

  private func search(_ search: Search) throws -> Sample {
    let bytes = content(of: search)
    let expected = search.size
    var searched = 0.0
    var spent = 0.0
    // At least three batches: the first one warms up and is not counted.
    var batches = 0
    while spent < seconds || batches < 3 {
      let (end, count, time) = try Self.batch(search, bytes)
      guard end == expected else {
        throw MeasurementFailure("\(search.method) found the delimiter behind \(end ?? -1), not \(expected)")
      }
      if batches > 0 { (searched, spent) = (searched + Double(count), spent + time) }
      batches += 1
    }
    return Sample(value: searched / spent)
  }

  /// Searches for about a millisecond or more. Returns where the delimiter ended, the bytes searched and the seconds.
  private static func batch(_ search: Search, _ bytes: [UInt8]) throws -> (end: Int?, bytes: Int, seconds: Double) {
    guard let probe = SearchProbe(delimiter: search.delimiter) else { throw MeasurementFailure("an empty delimiter") }
    let times = max(1, (1 << 22) / search.size)
    var end: Int?
    var seconds = 0.0
    func timed(_ body: () -> Void) {
      let start = ContinuousClock.now
      body()
      let passed = ContinuousClock.now - start
      seconds += Double(passed.components.seconds) + Double(passed.components.attoseconds) * 1e-18
    }
    bytes.withUnsafeBytes { bytes in
      switch search.method {
      case .whole: end = probe.search(bytes, times: times, measure: timed)
      case .dripped(let drip): timed { end = probe.search(bytes, drip: drip) }
      case .memchr, .memmem:
        timed {
          let place = rival_search(
            bytes.baseAddress, bytes.count, search.delimiter, search.delimiter.count, times)
          end = place < 0 ? nil : place + search.delimiter.count
        }
      }
    }
    if case .dripped = search.method { return (end, search.size, seconds) }
    return (end, search.size * times, seconds)
  }

  /// The same bytes for all who search for the same; the delimiter stands at the end and nowhere else.
  private func content(of search: Search) -> [UInt8] {
    var key = search
    key.method = .whole
    if let known = contents[key] { return known }
    let made = SearchContent.bytes(for: search)
    contents[key] = made
    return made
  }

  // MARK: Scenarios

  private func runScenarios(_ batch: Int) throws -> Sample {
    let probe = try scenarios ?? ScenarioProbe(folder: scenarioFolder, events: 8...12)
    scenarios = probe
    var cases = 0
    // Processor time: what else the machine does is no matter of the simulation's.
    let start = rival_thread_time()
    repeat {
      seed &+= 1 << 32
      try probe.run(batch, seed: seed)
      cases += batch
    } while rival_thread_time() - start < seconds
    return Sample(value: Double(cases) / (rival_thread_time() - start))
  }
}

/// What is searched in.
package enum SearchContent {
  private static let words = [
    "the", "socket", "reads", "until", "a", "delimiter", "comes", "and", "hands", "out", "what", "it", "has", "got",
    "so", "far", "while", "peers", "send", "more", "of", "their", "bytes",
  ]

  package static func bytes(for search: Search) -> [UInt8] {
    let room = max(0, search.size - search.delimiter.count)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(search.size)
    switch search.content {
    case .hostile: bytes = Array(repeating: search.delimiter.last ?? 0, count: room)
    case .prose, .lines:
      var numbers = SeededNumbers(seed: 1)
      var column = 0
      while bytes.count < room {
        let word = Array(words[Int(numbers.next() % UInt64(words.count))].utf8)
        bytes += word
        column += word.count
        if search.content == .lines, column > 60 {
          bytes += [0x0D, 0x0A]
          column = 0
        } else {
          bytes.append(0x20)
        }
      }
      bytes.removeLast(bytes.count - room)
      // No half a line end right before the delimiter.
      while let last = bytes.last, last == 0x0D || last == 0x0A { bytes[bytes.count - 1] = 0x20 }
    }
    return bytes + search.delimiter
  }
}
