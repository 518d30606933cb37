import FuzzHarness
import FuzzPrograms
import ScenarioModel

/// Inputs as scenarios, and scenarios as inputs.
package enum FuzzScenario {
  /// The scenario file that says what an input does, or why there is none.
  package static func text(
    _ input: [UInt8], _ target: FuzzTarget, id: String, violation: Violation? = nil
  ) -> Result<String, LabFailure> {
    do { return .success(try FindingScenario.text(target: target, input: input, id: id, violation: violation)) } catch {
      return .failure(LabFailure("\(error)"))
    }
  }
}
