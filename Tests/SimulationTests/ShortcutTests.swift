import ScenarioModel
import ScenarioRunner
import SocketCore
import Testing

@testable import Simulation

/// The engine's shortcuts save work, and nobody sees which ones a socket takes.
@Suite struct ShortcutTests {
  /// Without polling, which is the loopback world's.
  private static let subsets = (0..<SocketEngine.Shortcuts.polling.rawValue).map(
    SocketEngine.Shortcuts.init(rawValue:))

  @Test("a scenario's speeds are shortcuts", arguments: Speed.allCases)
  func speedsAreShortcuts(speed: Speed) throws {
    let shortcuts = try #require(SocketEngine.Shortcuts(named: speed.rawValue))
    switch speed {
    case .all: #expect(shortcuts == .all)
    case .plain: #expect(shortcuts == [])
    default: #expect(shortcuts.rawValue.nonzeroBitCount == 1 && shortcuts.isSubset(of: .all))
    }
  }

  /// What is drawn is another subset than what is asked for, so the speed of a variant must win.
  @Test("a variant's speed holds for every socket of a case")
  func variantsHaveTheirSpeed() throws {
    let script = try Self.script(try #require(SampleScenarios.texts.first).name)
    for speed in Speed.allCases where speed != .all {
      var variant = try #require(script.scenario.variants.first)
      variant.speed = speed
      let setup = CaseSetup(scenario: script.scenario, variant: variant, seed: 1, reactions: ReactionBook([]))
      let course = SimulatedCase(setup, faults: .standard, shortcuts: nil)
      course.open()
      #expect(!course.subjects.isEmpty)
      for subject in course.subjects {
        #expect(subject.engine.shortcuts == SocketEngine.Shortcuts(named: speed.rawValue))
      }
    }
  }

  @Test("every sample is as expected with any of the shortcuts", arguments: SampleScenarios.texts.map(\.name))
  func samplesPass(name: String) throws {
    let script = try Self.script(name)
    for shortcuts in Self.subsets {
      for variant in script.scenario.variants.prefix(9) {
        let result = Self.run(script, variant, seed: UInt64(shortcuts.rawValue), .standard, shortcuts)
        guard result.verdict != .passed || result.trace.hasNotes else { continue }
        Issue.record("without \(SocketEngine.Shortcuts.all.subtracting(shortcuts)): \(result.story)")
        return
      }
    }
  }

  /// On a wire without faults, where the loop serves what it may, every socket's delegate is told the same. How often
  /// an operation's progress is told depends on how many passes it takes, and whether a read or a write is done first
  /// on when its bytes come.
  @Test("with and without the shortcuts a delegate is told the same", arguments: SampleScenarios.texts.map(\.name))
  func delegatesAreToldTheSame(name: String) throws {
    let script = try Self.script(name)
    var faults = LinkFaults.none
    faults.lending = 1
    for variant in script.scenario.variants {
      let told = Self.told(Self.run(script, variant, seed: 1, faults, .all))
      for shortcuts in Self.subsets {
        let other = Self.told(Self.run(script, variant, seed: 1, faults, shortcuts))
        #expect(other == told, "\(variant.name), without \(SocketEngine.Shortcuts.all.subtracting(shortcuts))")
      }
    }
  }

  private static func script(_ name: String) throws -> CaseScript {
    let yaml = try #require(SampleScenarios.texts.first { $0.name == name }?.yaml)
    return CaseScript(try SampleScenarios.read(name, yaml), profile: .documented)
  }

  private static func run(
    _ script: CaseScript, _ variant: Variant, seed: UInt64, _ faults: LinkFaults, _ shortcuts: SocketEngine.Shortcuts
  ) -> CaseResult {
    var world = SimulatedWorld(faults: faults, shortcuts: shortcuts)
    return CaseRunner.run(script, variant: variant, seed: seed, in: &world, tolerance: .simulated)
  }

  /// What each socket's delegate is told of reads, of writes and of the rest, in order.
  private static func told(_ result: CaseResult) -> [String: [Callback]] {
    var told: [String: [Callback]] = [:]
    for event in result.trace.events {
      guard case .callback(let delivered) = event.kind else { continue }
      let matter: String
      switch delivered.callback {
      case .didReadPartial, .didWritePartial: continue
      case .didRead, .shouldTimeoutRead: matter = "reads"
      case .didWrite, .shouldTimeoutWrite: matter = "writes"
      default: matter = "rest"
      }
      told["\(delivered.socket), \(matter)", default: []].append(delivered.callback)
    }
    return told
  }
}
