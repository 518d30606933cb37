import Foundation
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
    let program = try SubjectProgram.find(try scratch.program("subject", content), in: "/nowhere")
    let trouble = try SubjectPreparation.run(program)
    guard let says else {
      #expect(trouble == nil)
      return
    }
    #expect(trouble?.contains(says) == true, "\(trouble ?? "none")")
  }

  /// It is a subject all the same: what can't be started is left out, and who else was named is judged.
  @Test func whatIsNotExecutableIsFoundAndCantBeStarted() throws {
    let scratch = try Scratch()
    try scratch.write(["mine/run": "#!/bin/sh\n"])
    let program = try SubjectProgram.find(scratch.path("mine"), in: "/nowhere")
    let trouble = try #require(try SubjectPreparation.run(program))
    #expect(trouble.contains("is not executable: chmod +x "), "\(trouble)")
  }

  @Test(
    "A name may begin with a word of variants' names, and not be one",
    arguments: [
      ("tlsreq", "tlsreq"), ("splitter", "splitter"), ("tls", "tls"), ("split", "split"), ("ownlib", "ownlib"),
      ("My-Lib", "my_lib"), ("lib.py", "lib"), ("split3", nil), ("own", nil), ("IPv4", nil), ("bytes", nil),
      ("run_loop", "run_loop"), ("plain", nil), ("Reference", nil),
    ] as [(String, String?)])
  func names(spelling: String, name: String?) throws {
    let scratch = try Scratch()
    let path = try scratch.program(spelling, "#!/bin/sh\n")
    guard let name else {
      let refusal = Self.refusal(path)
      let word = spelling.lowercased()
      let reason = "can't be called `\(word)`: `\(word)` is a word that commands or variants' names use."
      #expect(refusal?.contains(reason) == true, "\(refusal ?? "none")")
      return
    }
    #expect(try SubjectProgram.find(path, in: "/nowhere").name == name)
  }

  @Test(arguments: ["2fast", "bücher", "a b", String(repeating: "a", count: 41)])
  func aNameThatCantStandInAVariantsNameIsRefused(word: String) throws {
    let scratch = try Scratch()
    let refusal = Self.refusal(try scratch.program(word, "#!/bin/sh\n"))
    #expect(refusal?.contains(": a name has ") == true, "\(refusal ?? "none")")
  }

  @Test func aSubjectIsSpelledAsItsFolderIs() throws {
    let scratch = try Scratch()
    try scratch.write(["My-Lib/notes": ""])
    _ = try scratch.program("My-Lib/run", "#!/bin/sh\n")
    let folder = try SubjectProgram.find(scratch.path("My-Lib"), in: "/nowhere")
    #expect(folder.name == "my_lib" && folder.spellings == ["My-Lib"] && folder.isInFolder)
    let alone = try SubjectProgram.find(try scratch.program("So-Lo.py", "#!/bin/sh\n"), in: "/nowhere")
    #expect(alone.name == "so_lo" && alone.spellings == ["So-Lo", "So-Lo.py"] && !alone.isInFolder)
    let named = try SubjectProgram.find("My-Lib", in: scratch.folder.path)
    #expect(named.name == "my_lib")
  }

  /// A dot belongs to a folder's name; of a program alone what follows it says what the program is written in.
  @Test func aFolderWithADotHasOneNameHoweverItIsCalled() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("My-Lib.v2"), withIntermediateDirectories: true)
    let path = try scratch.program("My-Lib.v2/run", "#!/bin/sh\n")
    let words = ["My-Lib.v2", scratch.path("My-Lib.v2"), scratch.path("My-Lib.v2") + "/", path]
    let found = try words.map { try SubjectProgram.find($0, in: scratch.folder.path) }
    #expect(Set(found).count == 1)
    #expect(found[0].name == "my_lib.v2" && found[0].spellings == ["My-Lib.v2"])
  }
}
