import Foundation
import HostTools
import ScenarioModel
import TestSupport
import Testing

@testable import ScenarioFiles

/// Files that are made from others, and what a check of all files together shows.
@Suite struct NewScenarioTests {
  private static let text = SampleScenario.withSchema

  private func library(_ files: [String: String]) throws -> (scratch: Scratch, library: ScenarioLibrary) {
    let scratch = try Scratch()
    try scratch.write(Dictionary(uniqueKeysWithValues: files.map { ("Scenarios/\($0).yaml", $1) }))
    return (scratch, try ScenarioLibrary(folder: scratch.path("Scenarios")))
  }

  @Test func aTemplateIsWrittenWithTheSchemaOfItsNewPlace() throws {
    let (scratch, library) = try library(["templates/client": Self.text])
    let new = try NewScenario(named: "read/deeper/mine", from: "client", in: library)
    #expect(new.id == "read/deeper/mine" && new.template.id == "templates/client")
    try new.write()
    let written = try String(contentsOfFile: scratch.path("Scenarios/read/deeper/mine.yaml"), encoding: .utf8)
    #expect(written == Self.text.replacingOccurrences(of: "../schema.json", with: "../../schema.json"))
    let elsewhere = try NewScenario(named: scratch.path("qa/mine.yaml"), from: "templates/client", in: library)
    try elsewhere.write()
    let other = try String(contentsOfFile: scratch.path("qa/mine.yaml"), encoding: .utf8)
    #expect(other.hasPrefix("# yaml-language-server: $schema=../Scenarios/schema.json\ntitle:"))
  }

  @Test func aFileThatIsThereStays() throws {
    let (scratch, library) = try library(["templates/client": Self.text, "read/mine": Self.text])
    let failure = #expect(throws: UsageFailure.self) {
      try NewScenario(named: "read/mine", from: "client", in: library)
    }
    #expect(failure?.message == "\(scratch.path("Scenarios/read/mine.yaml")) exists already; nothing was changed.")
    // Somebody makes it meanwhile.
    let new = try NewScenario(named: "read/other", from: "client", in: library)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: scratch.path("Scenarios/read/other.yaml")))
    #expect(throws: UsageFailure.self) { try new.write() }
    #expect(try String(contentsOfFile: scratch.path("Scenarios/read/other.yaml"), encoding: .utf8) == "mine")
  }

  @Test func aPlaceThatCannotBeWrittenIsNoWrongUsage() throws {
    let (_, library) = try library(["templates/client": Self.text])
    for path in ["/proc/mine.yaml", "/proc/here/mine.yaml"] {
      let new = try NewScenario(named: path, from: "client", in: library)
      #expect(throws: LabFailure.self, "\(path)") { try new.write() }
    }
  }

  @Test(arguments: ["mine", "../outside", "read/Mine", "read//mine", "read/"]) func aNameThatIsNoIdIsRefused(
    _ name: String
  ) throws {
    let (_, library) = try library(["templates/client": Self.text])
    #expect(throws: UsageFailure.self) { try NewScenario(named: name, from: "client", in: library) }
  }

  @Test(arguments: ["./read/mine", "../read/mine", "/read/mine", "./Scenarios/read/mine"])
  func aPathWithoutItsEndingIsNotTakenForAnId(_ name: String) throws {
    let (_, library) = try library(["templates/client": Self.text])
    let failure = #expect(throws: UsageFailure.self) {
      try NewScenario(named: name, from: "client", in: library)
    }
    #expect(failure?.message == "\(name) is a path, and a scenario's file ends in .yaml: add that.")
  }

  @Test func aTemplateThatIsNotThereGetsASuggestion() throws {
    let (_, library) = try library(["templates/client": Self.text])
    let failure = #expect(throws: UsageFailure.self) {
      try NewScenario(named: "read/mine", from: "templates/clint", in: library)
    }
    #expect(failure?.message.contains("Did you mean templates/client?") == true)
  }

  @Test func aControlThatDoesNotExistIsFoundByTheCheck() throws {
    let (_, library) = try library([
      "read/good": Self.text + "control: control/line\n", "read/bad": Self.text + "control: control/lime\n",
      "control/line": Self.text,
    ])
    let checked = library.checked(["read"])
    #expect(checked.map(\.id) == ["read/bad", "read/good"])
    #expect(checked[0].diagnostics.map(\.message) == ["The control control/lime is no scenario of this suite."])
    #expect(checked[0].diagnostics.first?.help == "Did you mean control/line?")
    // Under the word itself, whatever line it is in.
    let line = Self.text.split(separator: "\n", omittingEmptySubsequences: false).count
    #expect(checked[0].diagnostics.first?.position == SourcePosition(line: line, column: 10))
    #expect(checked[1].diagnostics.isEmpty)
  }

  @Test func aCanaryVouchesForNothing() throws {
    let (_, library) = try library([
      "read/bad": Self.text + "control: control/fails\n", "control/fails": Self.text + "canary: true\n",
    ])
    let checked = library.checked(["read"])
    #expect(checked[0].diagnostics.map(\.code) == ["conflicting-keys"])
    #expect(checked[0].diagnostics.first?.message.contains("control/fails is a canary") == true)
  }
}
