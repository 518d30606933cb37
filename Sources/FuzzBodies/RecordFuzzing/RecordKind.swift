import CaseWorkers
import FuzzCampaign
import KnownDeviations
import ReportMarkup
import Requirements
import RunComparison
import RunHistory
import RunReports
import ScenarioModel
import ScenarioRunner

/// What a reader makes of bytes.
package enum RecordOutcome: Sendable {
  /// What is wrong with them, in words for people.
  package struct Mistake: Sendable {
    package var text: String
    /// In the bytes; nil: the words tell the place themselves, or there is none.
    package var position: SourcePosition?

    package init(_ text: String, at position: SourcePosition? = nil) {
      self.text = text
      self.position = position
    }
  }

  /// Whether it is the same when it is written and read again; nil: nothing writes it.
  case read(again: Bool?)
  case refused([Mistake])
}

/// The files and messages that are read; raw values stand in inputs and never change.
package enum RecordKind: UInt8, CaseIterable, Sendable {
  case report, baseline, history, benchmarks, campaign, deviations, register, kills, idle, open, disputes, states
  case comparison, result

  /// A JSON document of one root.
  var isDocument: Bool {
    switch self {
    case .report, .baseline, .benchmarks, .campaign, .comparison: true
    case .history, .deviations, .register, .kills, .idle, .open, .disputes, .states, .result: false
    }
  }

  /// Reads bytes as a file of this kind.
  package func read(_ bytes: [UInt8]) -> RecordOutcome {
    switch self {
    case .report: document { _ = HistoryEntry(try ReportReader.read(bytes), name: "run") }
    case .comparison: document { try Self.compare(bytes) }
    case .baseline: baseline(bytes)
    case .history: history(bytes)
    case .benchmarks: document { _ = try HistoryEntry.benchmarks(bytes) }
    case .campaign: campaign(bytes)
    case .deviations: deviations(bytes)
    case .register: register(bytes)
    case .kills:
      lines(bytes) { (text, register) throws(LabFailure) in
        let kills = try KillRecord(text: text, in: register)
        return (try? KillRecord(text: kills.text, in: register).text) == kills.text
      }
    case .idle:
      lines(bytes) { (text, register) throws(LabFailure) in
        let idle = try IdleCitations(text: text, in: register)
        return (try? IdleCitations(text: idle.text, in: register).reasons) == idle.reasons
      }
    case .open:
      lines(bytes) { (text, register) throws(LabFailure) in
        _ = try OpenRequirements(text: text, in: register)
        return nil
      }
    case .disputes:
      lines(bytes) { (text, _) throws(LabFailure) in
        _ = try DisputeRecord(text: text)
        return nil
      }
    case .states: states(bytes)
    case .result: result(bytes)
    }
  }

  private func document(_ body: () throws -> Void) -> RecordOutcome {
    do {
      try body()
      return .read(again: nil)
    } catch { return .refused([RecordOutcome.Mistake(Self.words(error))]) }
  }

  private static func words(_ error: any Error) -> String {
    switch error {
    case ReportReadFailure.malformed(let text): text
    case ReportReadFailure.unfinished(let startedAt, let command):
      "unfinished \(VisibleText.clipped(startedAt, to: 40))"
        + VisibleText.clipped(command, to: 400)
    default: "\(error)"
    }
  }

  /// A run compared with itself, told in both forms.
  private static func compare(_ bytes: [UInt8]) throws {
    let run = try ReportReader.read(bytes)
    let comparison = try RunComparison(old: run, new: run)
    let traces = RecordedTraces(run, bytes: bytes)
    for file in ComparisonFiles.make(comparison, oldTraces: traces, newTraces: traces) { _ = file.make() }
  }

  private func baseline(_ bytes: [UInt8]) -> RecordOutcome {
    do {
      let baseline = try Baseline.read(bytes)
      return .read(again: (try? Baseline.read(baseline.bytes)) == baseline)
    } catch { return .refused([RecordOutcome.Mistake(Self.words(error))]) }
  }

  private func history(_ bytes: [UInt8]) -> RecordOutcome {
    let index = HistoryIndex(bytes)
    guard index.problems.isEmpty else {
      return .refused(
        index.problems.map { RecordOutcome.Mistake($0.text, at: SourcePosition(line: $0.line, column: $0.column)) })
    }
    return .read(again: HistoryIndex(index.entries.flatMap(HistoryIndex.line)).entries == index.entries)
  }

  private func campaign(_ bytes: [UInt8]) -> RecordOutcome {
    do {
      if let problem = JSONScanner.problem(of: bytes) { return .refused([RecordOutcome.Mistake(problem)]) }
      let campaign = try CampaignJSON.decode(bytes)
      let written = try? CampaignJSON.encode(campaign)
      return .read(
        again: written != nil && written.flatMap { try? CampaignJSON.encode(CampaignJSON.decode($0)) } == written)
    } catch { return .refused([RecordOutcome.Mistake(VisibleText.clipped("\(error)", to: 400))]) }
  }

  // What is said of YAML has its place, and the printer makes all of it visible: the target `scenario` looks at both.

  private func deviations(_ bytes: [UInt8]) -> RecordOutcome {
    let file = DeviationFile(path: "x.deviations.yaml", bytes: bytes, library: "x")
    return file.diagnostics.isEmpty ? .read(again: nil) : .refused(Self.mistakes(file.diagnostics))
  }

  private func register(_ bytes: [UInt8]) -> RecordOutcome {
    let files = [Self.index, RegisterFile(path: "Requirements/wr.yaml", bytes: bytes)]
    do throws(RegisterFailure) {
      _ = try RequirementRegister(files: files, folder: "Requirements")
      return .read(again: nil)
    } catch { return .refused(Self.mistakes(error.files.flatMap(\.diagnostics))) }
  }

  private static func mistakes(_ diagnostics: [Diagnostic]) -> [RecordOutcome.Mistake] {
    diagnostics.map { RecordOutcome.Mistake(VisibleText.scrub($0.message, singleLine: true)) }
  }

  /// - Parameter body: whether it is the same when it is written and read again; nil: nothing writes it.
  private func lines(
    _ bytes: [UInt8], _ body: (String, RequirementRegister) throws(LabFailure) -> Bool?
  ) -> RecordOutcome {
    do throws(LabFailure) {
      return .read(again: try body(String(decoding: bytes, as: UTF8.self), Self.known))
    } catch { return .refused([RecordOutcome.Mistake(error.message)]) }
  }

  private func states(_ bytes: [UInt8]) -> RecordOutcome {
    do throws(StateCoverageFailure) {
      let states = try StateCoverage.parse(String(decoding: bytes, as: UTF8.self).split(separator: "\n"))
      return .read(again: (try? StateCoverage.parse(states.lines).lines) == states.lines)
    } catch { return .refused([RecordOutcome.Mistake("\(error)")]) }
  }

  private func result(_ bytes: [UInt8]) -> RecordOutcome {
    do {
      let result = try MessageCoding.decode(CaseResult.self, from: bytes)
      let written = try? MessageCoding.encode(result)
      let again = written.flatMap { try? MessageCoding.encode(MessageCoding.decode(CaseResult.self, from: $0)) }
      return .read(again: written != nil && again == written)
    } catch { return .refused([RecordOutcome.Mistake(VisibleText.clipped("\(error)", to: 400))]) }
  }

  private static let index = RegisterFile(
    path: "Requirements/index.yaml", bytes: Array("areas: { WR: Writing }\nsources: { S1: The reference. }\n".utf8))

  /// A register of two requirements.
  private static let known: RequirementRegister = {
    let text = """
      WR-01: { must: A write is written., scope: any, sources: [S1] }
      WR-02: { must: A write ends., scope: any, sources: [S1] }

      """
    let files = [index, RegisterFile(path: "Requirements/wr.yaml", bytes: Array(text.utf8))]
    guard let register = try? RequirementRegister(files: files, folder: "Requirements") else {
      preconditionFailure("the register of two requirements is sound")
    }
    return register
  }()
}
