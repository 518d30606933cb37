import ScenarioModel
import TestSupport
import Testing

@testable import SubjectPrograms

@Suite struct SubjectProgramTests {
  private static func refusal(_ word: String) -> String? {
    do {
      _ = try SubjectProgram.find(word, in: "/nowhere")
      return nil
    } catch { return error.message }
  }

  @Test func aNameThatNothingHasIsToldWithThoseThereAre() {
    #expect(Self.refusal("nobody")?.contains("There is no subject nobody. The subjects are reference") == true)
  }

  @Test func aFolderWithARunInItIsASubject() throws {
    let scratch = try Scratch()
    try scratch.write(["mine/notes": "", "empty/notes": ""])
    let path = try scratch.program("mine/run", "#!/bin/sh\n")
    let words = [path, scratch.path("mine"), scratch.path("mine") + "/"]
    let found = try words.map { try SubjectProgram.find($0, in: "/nowhere") }
    #expect(Set(found).count == 1)
    #expect(found.first?.name == "mine")
    #expect(Self.refusal(scratch.path("empty"))?.contains("has no program `run`") == true)
    #expect(Self.refusal(scratch.path("nobody"))?.contains("There is no program") == true)
  }

  /// The system would say of the program that it is not there.
  @Test(
    "An interpreter that is not there is told as such",
    arguments: [
      ("#!/usr/bin/env python3\n", nil), ("#! /bin/sh -e\n", nil), ("#!/bin/sh", nil), ("#!sh\n", nil), ("#!\n", nil),
      ("", nil), ("\u{7f}ELF", nil), ("# no script\n", nil),
      ("#!/nowhere/python\n", "asks for /nowhere/python, which is not there"),
      ("#! /nowhere/python -u\n", "asks for /nowhere/python, which is not there"),
      ("#!/bin/sh\r\nexit\r\n", "ends with a carriage return"),
    ] as [(String, String?)])
  func interpreters(content: String, says: String?) throws {
    let scratch = try Scratch()
    let refusal = Self.refusal(try scratch.program("subject", content))
    guard let says else {
      #expect(refusal == nil)
      return
    }
    #expect(refusal?.contains(says) == true, "\(refusal ?? "none")")
  }
}
