import ReportMarkup
import RunComparison
import RunReports

extension HistoryEntry {
  /// The version of `benchmarks.json` that is read.
  private static let benchmarkFormat = 1

  /// What is kept of the bytes of a `benchmarks.json`: of every row the ratio or figure of each round. What is wrong
  /// with them is said with its line and column.
  package static func benchmarks(_ bytes: [UInt8]) throws(ReportReadFailure) -> HistoryEntry {
    try JSONScanner.readAll(bytes) { scanner in
      var reader = BenchmarkReader()
      try reader.readRoot(&scanner)
      return try reader.entry
    }
  }

  private struct BenchmarkReader {
    var format: Int?
    var date = ""
    var commit: String?
    var host = ""
    var manner = ""
    var measures: [HistoryMeasure] = []

    var entry: HistoryEntry {
      get throws {
        guard let format else { throw ReportReadFailure.malformed("no key formatVersion") }
        guard format == benchmarkFormat else { throw ReportReadFailure.unknownSchema(format) }
        guard !date.isEmpty else { throw ReportReadFailure.malformed("no key provenance") }
        var entry = HistoryEntry(
          kind: .benchmarks, name: date, startedAt: date, commit: commit, host: host, size: 0)
        entry.measures = measures
        for index in entry.measures.indices { entry.measures[index].basis = "\(host), \(manner)" }
        return entry
      }
    }

    mutating func readRoot(_ scanner: inout JSONScanner) throws {
      try scanner.object { key, scanner in
        switch key {
        case "formatVersion": format = try scanner.integer()
        case "provenance": try readProvenance(&scanner)
        case "workloads": try scanner.list { scanner in try readWorkload(&scanner) }
        case "idle": try scanner.list { scanner in try readIdle(&scanner) }
        default: try scanner.skip()
        }
      }
    }

    private mutating func readProvenance(_ scanner: inout JSONScanner) throws {
      var (processor, cores, kernel, seconds, rounds) = ("", 0, "", 0.0, 0)
      try scanner.object { key, scanner in
        switch key {
        case "date": date = try scanner.text()
        case "commit": commit = try scanner.text()
        case "processor": processor = try scanner.text()
        case "cores": cores = try scanner.integer()
        case "kernel": kernel = try scanner.text()
        case "seconds": seconds = try scanner.number()
        case "rounds": rounds = try scanner.integer()
        default: try scanner.skip()
        }
      }
      host = "\(processor), \(cores) cores, \(kernel)"
      manner = "\(rounds) rounds of \(seconds) s"
    }

    /// One measure for each comparison that a bar is set for.
    private mutating func readWorkload(_ scanner: inout JSONScanner) throws {
      var (id, isHigherBetter) = ("", true)
      var rows: [(name: String, samples: [Double])] = []
      try scanner.object { key, scanner in
        switch key {
        case "id": id = try scanner.text()
        case "direction": isHigherBetter = try scanner.text() == "higher"
        case "comparisons": try scanner.list { scanner in rows.append(try comparison(&scanner)) }
        default: try scanner.skip()
        }
      }
      for row in rows {
        guard let value = SampleMath.median(row.samples) else { continue }
        var measure = HistoryMeasure(
          "\(id): \(row.name)", value, .ratio, isHigherBetter: isHigherBetter, noise: .measured)
        measure.samples = row.samples
        add(measure)
      }
    }

    private func comparison(_ scanner: inout JSONScanner) throws -> (name: String, samples: [Double]) {
      var (subject, rival) = ("", "")
      var samples: [Double] = []
      try scanner.object { key, scanner in
        switch key {
        case "comparison":
          try scanner.object { key, scanner in
            switch key {
            case "subject": subject = try scanner.text()
            case "rival": rival = try scanner.text()
            default: try scanner.skip()
            }
          }
        case "ratios": try scanner.list { scanner in samples.append(try scanner.number()) }
        default: try scanner.skip()
        }
      }
      return (rival.isEmpty ? subject : "\(subject) against \(rival)", samples)
    }

    private mutating func readIdle(_ scanner: inout JSONScanner) throws {
      var (id, bytes, isSubject) = ("", 0.0, false)
      try scanner.object { key, scanner in
        switch key {
        case "id": id = try scanner.text()
        case "bytesPerConnection": bytes = try scanner.number()
        case "isSubject": isSubject = try scanner.flag()
        default: try scanner.skip()
        }
      }
      guard isSubject else { return }
      add(
        HistoryMeasure("idle: memory a connection, \(id)", bytes, .bytes, isHigherBetter: false, noise: .measured))
    }

    private mutating func add(_ measure: HistoryMeasure) {
      guard !measures.contains(where: { $0.name == measure.name }) else { return }
      measures.append(measure)
    }
  }
}
