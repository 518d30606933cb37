import ScenarioModel
import TestSupport
import Testing

@testable import SubjectPrograms

@Suite struct SubjectProgramTests {
  @Test func aNameThatNothingHasIsToldWithThoseThereAre() {
    #expect {
      try SubjectProgram.find("nobody", in: "/nowhere")
    } throws: { error in
      (error as? LabFailure)?.message.contains("There is no subject nobody. The subjects are reference") == true
    }
  }
}
