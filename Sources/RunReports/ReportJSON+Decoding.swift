import Foundation
import ReportMarkup
import ScenarioModel

/// Why bytes are no report this version can read.
package enum ReportReadFailure: Error, Hashable, Sendable {
  /// Not JSON, or not of the schema's shape; says where and why.
  case malformed(String)
  /// Written under a schema of another version.
  case unknownSchema(Int)
  /// The note of a run that has not ended, or died.
  case unfinished(startedAt: String, command: String)
}

extension ReportJSON {
  /// Reads back what `encode` wrote. Keys it does not know are ignored, so that reports of later versions with the same
  /// schema number stay readable.
  package static func decode(_ bytes: some Sequence<UInt8>) throws(ReportReadFailure) -> ReportDigest {
    let bytes = Array(bytes)
    // What the decoder would pass over.
    if let problem = JSONScanner.problem(of: bytes) { throw .malformed(problem) }
    let data = Data(bytes)
    let decoder = JSONDecoder()
    do {
      let head = try decoder.decode(WrittenHead.self, from: data)
      guard head.schema == schemaVersion else { throw ReportReadFailure.unknownSchema(head.schema) }
      if let note = head.unfinished {
        throw ReportReadFailure.unfinished(startedAt: note.started_at, command: note.command)
      }
      return try decoder.decode(WrittenReport.self, from: data).digest
    } catch let failure as ReportReadFailure {
      throw failure
    } catch let error as DecodingError {
      throw .malformed(words(for: error, in: bytes))
    } catch {
      throw .malformed("\(error)")
    }
  }

  private static func words(for error: DecodingError, in bytes: [UInt8]) -> String {
    let context: DecodingError.Context
    let problem: String
    switch error {
    case .typeMismatch(let type, let found): (context, problem) = (found, "no \(type)")
    case .valueNotFound(let type, let found): (context, problem) = (found, "no \(type)")
    case .keyNotFound(let key, let found): (context, problem) = (found, "no key \(key.stringValue)")
    case .dataCorrupted(let found): (context, problem) = (found, found.debugDescription)
    @unknown default: return "\(error)"
    }
    let place = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    // Of a number that fits nowhere the decoder says only that the text as a whole is none of JSON's.
    if place.isEmpty, let number = tooLarge(in: bytes) { return number }
    return place.isEmpty ? problem : "\(place): \(problem)"
  }

  /// The first whole number that has more than 64 bits, with its place; nil: there is none.
  private static func tooLarge(in bytes: [UInt8]) -> String? {
    bytes.withUnsafeBufferPointer { buffer in
      var scanner = JSONScanner(buffer)
      return try? tooLarge(&scanner, buffer, at: "")
    }
  }

  private static func tooLarge(
    _ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>, at place: String
  ) throws -> String? {
    guard !scanner.isAtEnd() else { return nil }
    var found: String?
    switch bytes[scanner.offset] {
    case UInt8(ascii: "{"):
      try scanner.object { key, scanner in
        let inner = try tooLarge(&scanner, bytes, at: "\(place).\(key)")
        found = found ?? inner
      }
    case UInt8(ascii: "["):
      var index = 0
      try scanner.list { scanner in
        let inner = try tooLarge(&scanner, bytes, at: "\(place)[\(index)]")
        found = found ?? inner
        index += 1
      }
    default:
      let range = try scanner.skip()
      let word = String(decoding: bytes[range], as: UTF8.self)
      let isWhole = word.allSatisfy { $0.isASCII && ($0.isNumber || $0 == "-") }
      guard isWhole, UInt64(word) == nil, Int64(word) == nil else { return nil }
      return "\(place): \(VisibleText.clipped(word, to: 40)) is no whole number of 64 bits"
    }
    return found
  }
}

/// The part of the file that says how to read the rest.
private struct WrittenHead: Decodable {
  struct Unfinished: Decodable {
    var started_at: String
    var command: String
  }

  var schema: Int
  /// See `UnfinishedRun`.
  var unfinished: Unfinished?
}

private struct WrittenReport: Decodable {
  struct Run: Decodable {
    var started_at: String
    var version: String
    var subject: String
    var profile: Profile
    var seed: UInt64
    var seeds: Int
    var cases_not_judged: Int?
    var programs: [Program]?
    var lab_commit: String?
    var subject_commit: String?
  }

  struct Program: Decodable {
    var name: String
    var library: String?
    var library_version: String?
    var left_out: String?
    var called: String?

    var facts: ProgramFacts {
      var facts = ProgramFacts(name: name, library: library, version: library_version, called: called)
      facts.leftOut = left_out
      return facts
    }
  }

  struct Voided: Decodable {
    var control: String
    var control_verdict: Verdict?
    var verdict: Verdict
  }

  struct Known: Decodable {
    var reason: String
  }

  struct Case: Decodable {
    var scenario: String
    var variant: String
    var world: WorldName
    var seed: UInt64
    var verdict: Verdict
    var canary: Bool
    var title: String
    var requirements: [String]
    var tags: [String]
    var trace_hash: String
    var duration_ms: Double
    var deviations: [WrittenDeviation]
    var reason: String?
    var backtrace: [String]?
    var voided: Voided?
    var known: Known?
    var tls: WrittenTLS?
    var capture: String?
    var scenario_hash: String?
    var path: String?
    var finding: String?
  }

  /// `Deviation` with its index under the file's key.
  struct WrittenDeviation: Decodable {
    var kind: Deviation.Kind
    var expected: String
    var actual: String
    var position: SourcePosition?
    var requirement: String?
    var trace_index: Int?
  }

  var schema: Int
  var run: Run
  var cases: [Case]

  var digest: ReportDigest {
    ReportDigest(
      schema: schema, startedAt: run.started_at, version: run.version, subject: run.subject, profile: run.profile,
      seed: run.seed, seeds: run.seeds, casesNotJudged: run.cases_not_judged ?? 0,
      programs: (run.programs ?? []).map(\.facts), cases: cases.map(\.digest))
  }
}

extension WrittenReport.Case {
  var digest: CaseDigest {
    CaseDigest(
      scenario: scenario, variant: variant, world: world, seed: seed, verdict: verdict, canary: canary, title: title,
      requirements: requirements, tags: tags, traceHash: trace_hash, milliseconds: duration_ms,
      deviations: deviations.map {
        Deviation(
          kind: $0.kind, expected: $0.expected, actual: $0.actual, position: $0.position,
          requirement: $0.requirement, traceIndex: $0.trace_index)
      },
      reason: reason, backtrace: backtrace ?? [],
      voided: voided.map {
        VoidedCase(control: $0.control, controlVerdict: $0.control_verdict, verdict: $0.verdict)
      }, isKnown: known != nil, tls: tls?.summary, capture: capture, scenarioHash: scenario_hash)
  }
}
