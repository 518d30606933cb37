import FuzzHarness
import RunReports
import ScenarioModel

/// Bytes as a run report whose every text comes from a stranger, and bytes as the file of one.
///
/// Laws
/// - `report/again`: what is written of a report reads back to the same facts, byte for byte of every text.
/// - `report/json`, `report/junit`, `report/markdown`, `report/html`: no text from outside becomes markup, and no page
///   holds a character that its format forbids.
/// - `report/divergence`: which worlds disagree does not depend on how often, and hardly on in which order, cases come.
/// - Any bytes given to the reader are read or refused with words: `report/refusal`.
package enum ReportFuzzing {
  package static let body: FuzzBody = { bytes in check(bytes, pages: Pages()) }

  /// The writers under test; tests replace them by broken ones.
  package struct Pages: Sendable {
    package var json: @Sendable (RunReport) -> [UInt8] = { ReportJSON.encode($0) }
    package var junit: @Sendable (RunReport) -> [UInt8] = { JUnitReport.make($0) }
    package var markdown: @Sendable (RunReport) -> [UInt8] = { MarkdownSummary.make($0) }
    package var html: @Sendable (RunReport) -> [UInt8] = { HTMLReport.make($0) }

    package init() {}
  }

  /// What is looked at: one thing for each input, since each page has its price and the whole HTML page the highest.
  package enum Aspect: UInt8, CaseIterable, Sendable {
    case json, junit, markdown, html, divergence, text

    /// Few of the numbers mean the HTML page.
    fileprivate init(_ byte: UInt8) {
      switch byte & 63 {
      case ...15: self = .json
      case ...31: self = .junit
      case ...47: self = .markdown
      case ...51: self = .divergence
      case ...62: self = .text
      default: self = .html
      }
    }

    /// A number that means it, for seeds and tests.
    package var byte: UInt8 {
      switch self {
      case .json: 0
      case .junit: 16
      case .markdown: 32
      case .divergence: 48
      case .text: 52
      case .html: 63
      }
    }
  }

  /// The length, modulo 8, of inputs that mean a whole HTML page.
  package static let htmlLength = 7

  package static func check(_ bytes: UnsafeRawBufferPointer, pages: Pages) -> Violation? {
    var input = FuzzInput(bytes)
    var aspect = Aspect(input.byte())
    // A page costs as much as fifty of the others, and a fuzzer would love nothing more: inputs of one length in eight.
    if aspect == .html, bytes.count % 8 != htmlLength { aspect = .markdown }
    if aspect == .text { return checkReading(Array(input.rest())) }
    var builder = ReportInput(input)
    return check(builder.report(), aspect: aspect, pages: pages)
  }

  /// The report that the bytes mean; nil when they are a file's.
  package static func report(of bytes: UnsafeRawBufferPointer) -> RunReport? {
    var input = FuzzInput(bytes)
    guard Aspect(input.byte()) != .text else { return nil }
    var builder = ReportInput(input)
    return builder.report()
  }

  package static func check(_ report: RunReport, aspect: Aspect, pages: Pages) -> Violation? {
    switch aspect {
    case .json: return checkJSON(report, pages.json(report))
    case .junit: return fault("report/junit", PageOracles.faultOfJUnit(pages.junit(report)))
    case .markdown: return fault("report/markdown", PageOracles.faultOfMarkdown(pages.markdown(report)))
    case .html: return fault("report/html", PageOracles.faultOfHTML(pages.html(report)))
    case .divergence: return checkDivergences(report.cases)
    case .text: return nil
    }
  }

  private static func fault(_ law: String, _ fault: String?) -> Violation? { fault.map { Violation(law, $0) } }

  /// A file of a stranger's.
  private static func checkReading(_ bytes: [UInt8]) -> Violation? {
    do throws(ReportReadFailure) {
      _ = try ReportJSON.decode(bytes)
      return nil
    } catch {
      guard case .malformed(let words) = error, words.isEmpty else { return nil }
      return Violation("report/refusal", "refused without a word")
    }
  }

  private static func checkJSON(_ report: RunReport, _ written: [UInt8]) -> Violation? {
    if let control = written.first(where: { ($0 < 0x20 && $0 != 0x0A) || $0 == 0x7F }) {
      return Violation("report/json", "control character \(control)")
    }
    let digest: ReportDigest
    do throws(ReportReadFailure) {
      digest = try ReportJSON.decode(written)
    } catch {
      return Violation("report/again", "what was written is refused: \(error)")
    }
    let head: [(String, String)] = [
      (digest.startedAt, report.startedAt), (digest.version, report.version), (digest.subject, report.subject),
    ]
    guard head.allSatisfy({ $0.0.isSame(as: $0.1) }), digest.profile == report.profile, digest.seed == report.seed,
      digest.seeds == report.seeds, digest.cases.count == report.cases.count
    else { return Violation("report/again", "another head") }
    for (read, told) in zip(digest.cases, report.cases) {
      if let difference = difference(read, told) { return Violation("report/again", difference) }
    }
    return nil
  }

  /// What of a case has changed on its way through the file.
  private static func difference(_ read: CaseDigest, _ told: CaseResult) -> String? {
    let texts: [(String, String?, String?)] = [
      ("scenario", read.scenario, told.scenario), ("title", read.title, told.title),
      ("hash", read.traceHash, told.traceHash), ("reason", read.reason, told.reason),
      ("capture", read.capture, told.capture), ("variant", read.variant, told.variant.name),
    ]
    for (name, read, told) in texts where !isSame(read, told) { return name }
    guard read.world == told.world, read.seed == told.seed, read.verdict == told.verdict, read.canary == told.canary
    else { return "world, seed, verdict or canary" }
    guard isSame(read.requirements, told.requirements), isSame(read.tags, told.tags) else {
      return "requirements or tags"
    }
    guard isSame(read.backtrace, told.backtrace) else { return "backtrace" }
    guard read.voided?.verdict == told.voided?.verdict, read.voided?.controlVerdict == told.voided?.controlVerdict,
      isSame(read.voided?.control, told.voided?.control)
    else { return "control" }
    let milliseconds = told.duration / .milliseconds(1)
    guard abs(read.milliseconds - milliseconds) <= 0.0006 + abs(milliseconds) * 1e-9 else { return "duration" }
    guard read.deviations.count == told.deviations.count,
      zip(read.deviations, told.deviations).allSatisfy({ isSame($0, $1) })
    else { return "deviations" }
    return read.tls == TLSSummary(told.trace) ? nil : "TLS"
  }

  private static func isSame(_ read: Deviation, _ told: Deviation) -> Bool {
    read.kind == told.kind && read.expected.isSame(as: told.expected) && read.actual.isSame(as: told.actual)
      && read.position == told.position && isSame(read.requirement, told.requirement)
      && read.traceIndex == told.traceIndex
  }

  private static func isSame(_ read: String?, _ told: String?) -> Bool {
    switch (read, told) {
    case (nil, nil): true
    case (let read?, let told?): read.isSame(as: told)
    default: false
    }
  }

  private static func isSame(_ read: [String], _ told: [String]) -> Bool {
    read.count == told.count && zip(read, told).allSatisfy { $0.isSame(as: $1) }
  }

  /// Cases whose worlds disagree, however the list of cases is turned. Only the last of equal cases counts, so equal
  /// ones are told apart by their seeds first.
  private static func checkDivergences(_ cases: [CaseResult]) -> Violation? {
    let cases = cases.enumerated().flatMap { index, result in
      WorldName.allCases.map { world in
        var result = result
        result.seed = UInt64(index)
        if world != result.world, index % 2 == 0 { result.verdict = .passed }
        result.world = world
        return result
      }
    }
    let told = Set(WorldDivergence.all(in: cases))
    guard Set(WorldDivergence.all(in: cases.reversed())) == told, Set(WorldDivergence.all(in: cases + cases)) == told
    else { return Violation("report/divergence", "the order or the number of cases changes it") }
    return told.allSatisfy { $0.loopback != $0.simulated }
      ? nil : Violation("report/divergence", "worlds that agree are told as disagreeing")
  }
}

extension String {
  /// Byte for byte: Swift takes texts of the same meaning for equal.
  fileprivate func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
