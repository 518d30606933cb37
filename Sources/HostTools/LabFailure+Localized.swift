import Foundation
import ScenarioModel

/// Gives `localizedDescription` the lab's own words instead of an error number.
extension LabFailure: LocalizedError {
  package var errorDescription: String? { message }
}
