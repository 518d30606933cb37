import Foundation
import HostTools
import ScenarioModel
import Testing

/// A failure of the lab's own says what it is, however it is asked.
@Suite struct LabFailureTests {
  @Test func itsWordsAreItsDescription() {
    let failure: any Error = LabFailure("reports/index.html can't be written: No space left on device.")
    #expect(failure.localizedDescription == "reports/index.html can't be written: No space left on device.")
    // As a part of a sentence.
    #expect(HostFiles.reason(failure) + "." == failure.localizedDescription)
  }
}
