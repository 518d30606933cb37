import ArgumentParser
import Foundation
import HostTools
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import SuiteRunner
import Synchronization
import TerminalText

/// Looks at the disputed behaviours, and puts on record which form the reference takes.
struct DisputesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disputes", abstract: "Shows which form the reference takes where scenarios tolerate several.",
    discussion: """
      Runs every scenario in which an alternative is tolerated and not wished for, with many seeds and repetitions, \
      and compares the forms that came with \(DisputeFile.name) beside the scenarios; a difference ends with exit \
      code 1. With --record the file is written instead. A `run` fails where a form comes that is not on record.
      """)

  @OptionGroup var library: LibraryOptions

  @Flag(help: "Writes the record anew.")
  var record = false

  @Option(help: "How many seeds to run in the simulated world.")
  var seeds = 100

  @Option(help: "How often to run on loopback.")
  var `repeat` = 10

  @Option(help: "How many loopback cases run at the same time.")
  var jobs = 16

  func validate() throws {
    guard seeds > 0 else { throw ValidationError("--seeds must be at least 1.") }
    guard `repeat` > 0 else { throw ValidationError("--repeat must be at least 1.") }
    guard jobs > 0, jobs <= 256 else { throw ValidationError("--jobs must be between 1 and 256.") }
  }

  func run() throws {
    let library = try self.library.library()
    let file = DisputeFile(below: library.folder)
    let former = try file.read() ?? DisputeRecord()
    // Judged without the record, so that a new form is a form and not a failure.
    let scenarios = library.scenarios.filter(DisputeRecord.concerns).map { scenario in
      var unjudged = scenario
      unjudged.recordedForms = nil
      return unjudged
    }
    var seen = try Self.seen(scenarios, seeds: seeds, rounds: `repeat`, jobs: jobs)
    seen.keepRaces(of: former)
    let (before, after) = (former.text(scenarios), seen.text(scenarios))
    let changes = after.split(separator: "\n").difference(from: before.split(separator: "\n"))
    for change in changes {
      switch change {
      case .remove(_, let line, _): Console.print(Console.styled("- \(line)", .bad))
      case .insert(_, let line, _): Console.print(Console.styled("+ \(line)", .good))
      }
    }
    let count = CountText.count(scenarios.count, "scenario")
    if record {
      try after.write(toFile: file.path, atomically: true, encoding: .utf8)
      Console.print("\(file.path): \(count), \(CountText.count(changes.count, "line")) changed")
    } else if changes.isEmpty {
      Console.print("\(count) with disputed behaviour, all as on record")
    } else {
      Console.print("Not as on record in \(file.path). If that is meant: socketlab disputes --record")
      throw LabExit.deviation.error
    }
  }

  private static func seen(
    _ scenarios: [Scenario], seeds: Int, rounds: Int, jobs: Int
  ) throws -> DisputeRecord {
    let executor = SuiteExecutor(
      scenarios: scenarios, options: .init(jobs: jobs, profile: .documented, jitter: HostProbe.jitter()))
    let cases = scenarios.indices.flatMap { index in
      scenarios[index].variants.flatMap { variant in
        WorldName.allCases.filter(scenarios[index].worlds.contains).flatMap { world in
          (1...UInt64(world == .simulated ? seeds : rounds)).map {
            PlannedCase(scenario: index, variant: variant, world: world, seed: $0)
          }
        }
      }
    }
    let places = Dictionary(scenarios.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    let collected = Mutex((record: DisputeRecord(), failed: [String]()))
    _ = try executor.run(cases) { result in
      collected.withLock {
        if result.isAsExpected, let place = places[result.scenario] {
          $0.record.add(result, of: scenarios[place])
        } else {
          $0.failed.append(result.name)
        }
      }
    }
    let (record, failed) = collected.withLock { ($0.record, $0.failed) }
    guard failed.isEmpty else {
      Console.error("Not as expected, so nothing can be put on record: \(Set(failed).sorted().joined(separator: ", "))")
      throw LabExit.deviation.error
    }
    return record
  }
}
