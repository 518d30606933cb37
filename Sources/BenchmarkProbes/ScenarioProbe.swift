import Foundation
import ScenarioModel
import ScenarioRunner
import ScenarioYAML
import Simulation

/// Cases of the suite in the simulated world, one after another on the calling thread.
public final class ScenarioProbe {
  /// What can't be measured, and why.
  public struct Failure: Error, CustomStringConvertible {
    /// A sentence.
    public let description: String
  }

  private struct Case {
    var script: CaseScript
    var variant: Variant
  }

  private let cases: [Case]
  private var next = 0

  /// How many cases take turns.
  public var count: Int { cases.count }

  /// Reads the scenarios below `folder` and keeps the cases that pass and leave between `events` events in their
  /// trace. Cases over TLS are left out: handshakes cost as much as a hundred events.
  public init(folder: String, events: ClosedRange<Int>) throws {
    let scenarios = try Self.scenarios(below: folder)
    let plan = SuitePlan(
      scenarios, selection: SuiteSelection(alwaysCanaries: false), worlds: [.simulated], seeds: [1])
    var kept: [Case] = []
    for planned in plan.cases where planned.variant.security.version == nil {
      let script = CaseScript(scenarios[planned.scenario], profile: .documented)
      let item = Case(script: script, variant: planned.variant)
      let result = Self.run(item, seed: planned.seed)
      if result.verdict.isAsExpected, events.contains(result.trace.events.count) { kept.append(item) }
    }
    guard !kept.isEmpty else {
      throw Failure(description: "No case below \(folder) leaves \(events.lowerBound) to \(events.upperBound) events.")
    }
    cases = kept
  }

  /// Runs `count` cases, each with a seed of its own. Throws if one doesn't pass: a case that fails is no measure.
  public func run(_ count: Int, seed: UInt64) throws {
    for index in 0..<count {
      let item = cases[next]
      next = (next + 1) % cases.count
      let result = Self.run(item, seed: seed &+ UInt64(index))
      guard result.verdict.isAsExpected else {
        throw Failure(description: "\(result.scenario) with seed \(result.seed) is \(result.verdict).")
      }
    }
  }

  private static func run(_ item: Case, seed: UInt64) -> CaseResult {
    var world = SimulatedWorld()
    return CaseRunner.run(item.script, variant: item.variant, seed: seed, in: &world, tolerance: .simulated)
  }

  private static func scenarios(below folder: String) throws -> [Scenario] {
    let walk = FileManager.default.enumerator(atPath: folder)
    let paths = (walk?.compactMap { $0 as? String } ?? []).filter { path in
      path.hasSuffix(".yaml") && !path.hasPrefix("tls/") && !path.hasPrefix("templates/")
    }
    guard !paths.isEmpty else { throw Failure(description: "There are no scenarios below \(folder).") }
    return paths.sorted().flatMap { path -> [Scenario] in
      let file = URL(fileURLWithPath: folder).appendingPathComponent(path)
      guard let data = FileManager.default.contents(atPath: file.path) else { return [] }
      let beside = file.deletingLastPathComponent()
      let result = ScenarioReader.read(bytes: Array(data), id: String(path.dropLast(".yaml".count))) { name in
        FileManager.default.contents(atPath: beside.appendingPathComponent(name).path).map(Array.init)
      }
      return result.scenarios
    }
  }
}
