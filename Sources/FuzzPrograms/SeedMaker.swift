import CoreFuzzing
import FuzzHarness
import ReferenceModel
import ScenarioModel
import ScenarioYAML

/// Seeds out of scenarios: what people found worth writing down is where a fuzzer should begin.
package enum SeedMaker {
  /// An input that says what a scenario says.
  package struct Seed: Hashable, Sendable {
    /// The scenario's id with dashes: fit for a file name.
    package var name: String
    /// The input.
    package var bytes: [UInt8]
  }

  /// A scenario that gave no seed, and why.
  package struct Omission: Hashable, Sendable {
    /// The scenario's id.
    package var scenario: String
    /// Why, in words.
    package var reason: String
  }

  /// The seeds of a target out of these scenarios, equal ones once; and which scenarios gave none. Targets that take
  /// neither texts of scenarios nor programs of a socket get none at all. Plays each scenario once in virtual time.
  package static func seeds(
    for target: FuzzTarget, from scenarios: [Scenario]
  ) -> (seeds: [Seed], omissions: [Omission]) {
    var seeds: [Seed] = []
    var omissions: [Omission] = []
    var known: Set<[UInt8]> = []
    for scenario in scenarios {
      switch seed(for: target, from: scenario) {
      case .success(let bytes):
        if known.insert(bytes).inserted { seeds.append(Seed(name: name(scenario), bytes: bytes)) }
      case .failure(let omission): omissions.append(omission)
      }
    }
    return (seeds, omissions)
  }

  private static func name(_ scenario: Scenario) -> String { scenario.id.split(separator: "/").joined(separator: "-") }

  private static func seed(for target: FuzzTarget, from scenario: Scenario) -> Result<[UInt8], Omission> {
    func omitted(_ reason: String) -> Result<[UInt8], Omission> {
      .failure(Omission(scenario: scenario.id, reason: reason))
    }
    let bytes: [UInt8]
    if target.name == "scenario" {
      bytes = Array(ScenarioWriter.yaml(scenario).utf8)
    } else {
      guard let code = ProgramCode.named(target.name) else { return omitted("\(target.name) takes no scenarios") }
      switch ScenarioProgram.program(scenario) {
      case .failure(let obstacle): return omitted("\(obstacle)")
      case .success(let program):
        guard let written = code.write(program) ?? code.write(fitted(program, code)) else {
          return omitted("\(target.name) has no such steps")
        }
        bytes = written
      }
    }
    return bytes.count <= target.maxLength ? .success(bytes) : omitted("\(bytes.count) bytes are too many")
  }

  /// The program's beginning, without the steps that the target does not know: still a seed.
  private static func fitted(_ program: SocketProgram, _ code: ProgramCode) -> SocketProgram {
    var fitted = SocketProgram()
    fitted.closesOnEndOfStream = program.closesOnEndOfStream
    fitted.livesOnRunLoop = program.livesOnRunLoop
    fitted.extensions = Array(program.extensions.prefix(ProgramDecoder.maxExtensions))
    fitted.steps = program.steps.filter { step in
      var alone = SocketProgram()
      alone.steps = [step]
      return code.write(alone) != nil
    }
    fitted.steps = Array(fitted.steps.prefix(ProgramDecoder.maxSteps))
    fitted.reactions = program.reactions.filter { reaction in
      var alone = SocketProgram()
      alone.reactions = [reaction]
      return code.write(alone) != nil
    }
    fitted.reactions = Array(fitted.reactions.prefix(ProgramDecoder.maxReactions))
    return fitted
  }
}

extension SeedMaker.Omission: Error {}
