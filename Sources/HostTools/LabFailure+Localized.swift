import Foundation
import ScenarioModel

/// Whoever asks Foundation what went wrong gets the lab's own words, and not the number of an error.
extension LabFailure: LocalizedError {
  package var errorDescription: String? { message }
}
