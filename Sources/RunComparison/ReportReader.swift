import ReportMarkup
import RunReports
import ScenarioModel

/// Reads a `report.json` as far as a comparison needs it: some hundred megabytes a second.
///
/// Laws
/// - Bytes that are no whole report of this schema are an error that says where and why; never a run without cases.
/// - Keys that are not known are skipped. A key that comes twice is an error.
package struct ReportReader {
  private var run = ComparedRun()
  private var words: [String: String] = [:]
  private var schema: UInt64?
  private var unfinished: (startedAt: String, command: String)?
  private var parts: Set<String> = []

  /// Reads the bytes of a whole report.
  package static func read(_ bytes: [UInt8]) throws(ReportReadFailure) -> ComparedRun {
    try JSONScanner.readAll(bytes) { scanner in
      var reader = ReportReader()
      try reader.readRoot(&scanner)
      if let note = reader.unfinished {
        throw ReportReadFailure.unfinished(startedAt: note.startedAt, command: note.command)
      }
      for part in ["schema", "run", "cases"] where !reader.parts.contains(part) {
        throw ReportReadFailure.malformed("no key \(part)")
      }
      return reader.run
    }
  }

  private mutating func readRoot(_ scanner: inout JSONScanner) throws {
    try scanner.object { key, scanner in
      parts.insert(key)
      switch key {
      case "schema":
        let number = try scanner.integer()
        guard number == ReportJSON.schemaVersion else { throw ReportReadFailure.unknownSchema(number) }
      case "unfinished": try readUnfinished(&scanner)
      case "run": try readRun(&scanner)
      case "causes":
        var rank = 0
        try scanner.list { scanner in
          try readCause(&scanner, rank: rank)
          rank += 1
        }
      case "cases": try scanner.list { scanner in run.cases.append(try readCase(&scanner)) }
      default: try scanner.skip()
      }
    }
  }

  private mutating func readUnfinished(_ scanner: inout JSONScanner) throws {
    var note = (startedAt: "", command: "")
    try scanner.object { key, scanner in
      switch key {
      case "started_at": note.startedAt = try scanner.text()
      case "command": note.command = try scanner.text()
      default: try scanner.skip()
      }
    }
    unfinished = note
  }

  /// A number that others are added to and multiplied with. More than a run can have counts as that.
  private func count(_ scanner: inout JSONScanner, atLeast least: Int) throws -> Int {
    min(max(least, try scanner.integer()), 1 << 30)
  }

  private mutating func readRun(_ scanner: inout JSONScanner) throws {
    try scanner.object { key, scanner in
      switch key {
      case "started_at": run.startedAt = try scanner.text()
      case "version": run.version = try scanner.text()
      case "subject": run.subject = try scanner.text()
      case "programs": run.programs = try readPrograms(&scanner)
      case "lab_commit": run.labCommit = try scanner.text()
      case "subject_commit": run.subjectCommit = try scanner.text()
      case "profile": run.profile = try scanner.text()
      case "seeds": run.seeds = try count(&scanner, atLeast: 1)
      case "rounds": run.rounds = try count(&scanner, atLeast: 1)
      case "unlisted_cases": run.unlistedCases = try count(&scanner, atLeast: 0)
      case "unlisted_known": run.unlistedKnown = try count(&scanner, atLeast: 0)
      case "duration_ms": run.milliseconds = try scanner.number()
      case "host": run.host = try readHost(&scanner)
      case "resources": run.resources = try readResources(&scanner)
      case "cases_not_judged": run.casesNotJudged = try scanner.integer()
      default: try scanner.skip()
      }
    }
  }

  private func readPrograms(_ scanner: inout JSONScanner) throws -> [ProgramFacts] {
    var programs: [ProgramFacts] = []
    try scanner.list { scanner in
      var facts = ProgramFacts(name: "", library: nil, version: nil)
      try scanner.object { key, scanner in
        switch key {
        case "name": facts.name = try scanner.text()
        case "library": facts.library = try scanner.text()
        case "library_version": facts.version = try scanner.text()
        case "left_out": facts.leftOut = try scanner.text()
        case "called": facts.called = try scanner.text()
        default: try scanner.skip()
        }
      }
      programs.append(facts)
    }
    return programs
  }

  private func readHost(_ scanner: inout JSONScanner) throws -> String {
    var (system, processors) = ("", 0)
    try scanner.object { key, scanner in
      switch key {
      case "system": system = try scanner.text()
      case "processors": processors = try scanner.integer()
      default: try scanner.skip()
      }
    }
    return "\(system), \(QuantityText.count(processors, "processor"))"
  }

  private func readResources(_ scanner: inout JSONScanner) throws -> RunResources {
    var resources = RunResources(peakMemory: 0, processor: .zero)
    try scanner.object { key, scanner in
      switch key {
      case "peak_memory": resources.peakMemory = try scanner.integer()
      case "processor_ms": resources.processor = .microseconds(Int64(min(max(0, try scanner.number()), 1e12) * 1_000))
      default: try scanner.skip()
      }
    }
    return resources
  }

  private mutating func readCause(_ scanner: inout JSONScanner, rank: Int) throws {
    var title = ""
    var ids: [String] = []
    try scanner.object { key, scanner in
      switch key {
      case "title": title = try scanner.text()
      case "findings":
        try scanner.list { scanner in
          try scanner.object { key, scanner in
            if key == "id" { ids.append(try scanner.text()) } else { try scanner.skip() }
          }
        }
      default: try scanner.skip()
      }
    }
    for id in ids { run.causes[id] = (title, rank) }
  }

  private mutating func readCase(_ scanner: inout JSONScanner) throws -> ComparedCase {
    let start = scanner.offset
    var found = ComparedCase(ComparedCase.Key(scenario: "", variant: "", world: .loopback))
    var has: Set<String> = []
    try scanner.object { key, scanner in
      switch key {
      case "scenario": found.key.scenario = word(try scanner.text())
      case "variant": found.key.variant = word(try scanner.text())
      case "world": found.key.world = try choice(&scanner)
      case "seed": found.seed = try scanner.unsigned()
      case "verdict": found.verdict = try choice(&scanner)
      case "canary": found.canary = try scanner.flag()
      case "title": found.title = word(VisibleText.scrub(try scanner.text(), singleLine: true))
      case "duration_ms": found.milliseconds = try scanner.number()
      case "trace_hash": found.traceHash = try scanner.text()
      case "scenario_hash": found.scenarioHash = word(try scanner.text())
      case "path": found.path = word(try scanner.text())
      case "finding": found.finding = try scanner.text()
      case "deviations": try readDeviations(&scanner, of: &found)
      case "reason":
        if found.headline.isEmpty {
          found.headline = word(VisibleText.clipped(try scanner.text(), to: 400))
        } else {
          try scanner.skip()
        }
      case "known":
        found.isKnown = true
        try scanner.skip()
      case "voided":
        found.isVoided = true
        try scanner.skip()
      case "trace":
        let range = try scanner.skip()
        if range.count > 2 { found.trace = range }
      default:
        try scanner.skip()
        return
      }
      if key == "scenario" || key == "variant" || key == "world" || key == "verdict" { has.insert(key) }
    }
    guard has.count == 4 else {
      throw JSONScanner.Failure(problem: "a case without scenario, variant, world or verdict", offset: start)
    }
    return found
  }

  /// Reads what is reported of the first deviation; the rest is skipped.
  private mutating func readDeviations(_ scanner: inout JSONScanner, of found: inout ComparedCase) throws {
    var isFirst = true
    try scanner.list { scanner in
      guard isFirst else {
        try scanner.skip()
        return
      }
      isFirst = false
      var deviation = Deviation(kind: .missing, expected: "", actual: "")
      try scanner.object { key, scanner in
        switch key {
        case "kind": deviation.kind = try choice(&scanner)
        case "expected": deviation.expected = try scanner.text()
        case "actual": deviation.actual = try scanner.text()
        case "position": deviation.position = try readPosition(&scanner)
        case "trace_index": deviation.traceIndex = try scanner.integer()
        default: try scanner.skip()
        }
      }
      found.kind = deviation.kind
      found.position = deviation.position
      found.deviationIndex = deviation.traceIndex
      found.headline = VisibleText.clipped(CaseSummary.headline(deviation), to: 400)
    }
  }

  private func readPosition(_ scanner: inout JSONScanner) throws -> SourcePosition {
    var position = SourcePosition(line: 1, column: 1)
    try scanner.object { key, scanner in
      switch key {
      case "line": position.line = try scanner.integer()
      case "column": position.column = try scanner.integer()
      default: try scanner.skip()
      }
    }
    return position
  }

  /// One of the words that a key may have.
  private func choice<Choice: RawRepresentable<String>>(_ scanner: inout JSONScanner) throws -> Choice {
    let place = scanner.offset
    let text = try scanner.text()
    guard let choice = Choice(rawValue: text) else {
      throw JSONScanner.Failure(problem: "\(VisibleText.clipped(text, to: 40)) is no \(Choice.self)", offset: place)
    }
    return choice
  }

  /// The same text once for all cases that have it.
  private mutating func word(_ text: String) -> String {
    if let known = words[text] { return known }
    words[text] = text
    return text
  }
}

extension JSONScanner {
  /// Reads the bytes from their beginning to their end; whatever is behind the value is wrong, and what is wrong is
  /// said with its place.
  package static func readAll<Content>(
    _ bytes: [UInt8], _ body: (inout JSONScanner) throws -> Content
  ) throws(ReportReadFailure) -> Content {
    do {
      return try bytes.withUnsafeBufferPointer { buffer in
        var scanner = JSONScanner(buffer)
        let content = try body(&scanner)
        guard scanner.isAtEnd() else { throw scanner.failure("there is more behind its end") }
        return content
      }
    } catch let failure as JSONScanner.Failure {
      throw .malformed("\(failure.place(in: bytes)): \(failure.problem)")
    } catch let failure as ReportReadFailure {
      throw failure
    } catch { throw .malformed("\(error)") }
  }
}
