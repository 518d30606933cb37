import ArgumentParser
import CaseReduction
import Foundation
import HostTools
import ScenarioModel
import SuiteRunner
import TerminalText

/// Makes a failing case smaller.
struct ShrinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shrink", abstract: "Makes a failing case smaller, and writes what is left as a scenario file.",
    discussion: """
      Leaves out steps, expectations, bytes, dimensions of the variant and draws of the schedule as long as the case \
      shows the same finding. What belongs together goes together, so that the file passes once the subject is mended; \
      --sound names a lab that says so for sure, and more can go. Of a program's case the library that comes with this \
      lab says so. Ctrl-C ends the search and keeps the best so far.

      Exit codes: 0 the file is written, 2 wrong usage, 3 a scenario file is wrong, 4 cases could not be run or the \
      file not be written, 5 the case is as expected, or shows nothing that can be followed.
      """)

  @OptionGroup var cases: CaseOptions

  @Option(help: ArgumentHelp("A lab whose subject is sound: the program's path.", valueName: "lab"))
  var sound: String?

  @Option(
    help: ArgumentHelp(
      "Where the file goes; without it REPORTS/shrunk/NAME.yaml, or NAME-2.yaml if that is taken.", valueName: "file"))
  var write: String?

  @Flag(help: "Prints the result only.")
  var quiet = false

  func run() throws {
    if let write, PathText.exists(write) {
      throw ValidationError("\(write) exists. Name another file, or move it away.")
    }
    if let write, !write.hasSuffix(".yaml") { throw ValidationError("\(write) must end in .yaml to be a scenario.") }
    if let write, write.split(separator: "/").last?.contains("#") == true {
      throw ValidationError("\(write) has a `#` in its name, like a case of a table. Name another file.")
    }
    let choices = try cases.failing()
    let chosen = choices[0]
    if choices.count > 1, !quiet {
      Console.print("\(QuantityText.count(choices.count, "case")) failed; this is the first: \(chosen.name)")
    }
    do { try shrink(chosen) } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    } catch CaseReducer.Refusal.passes {
      Console.error("\(chosen.name) goes as expected now: there is nothing to make smaller.")
      throw LabExit.nothingRan.error
    } catch CaseReducer.Refusal.differs(let reason) {
      Console.error("\(chosen.name) shows nothing that can be followed: \(reason)")
      throw LabExit.nothingRan.error
    }
  }

  private func shrink(_ chosen: CaseOptions.Choice) throws {
    let stop = StopFlag()
    let interrupts = InterruptWatch(flag: stop)
    defer { interrupts.end() }
    let scratch = NSTemporaryDirectory() + "socketlab-shrink-\(ProcessInfo.processInfo.processIdentifier)"
    defer { if sound != nil { HostFiles.remove(scratch) } }
    let sound = try self.sound.map { try ReferenceLab(program: $0, folder: scratch) }
    let shrinker = CaseShrinker(
      .init(
        scenario: chosen.scenario, path: chosen.path, variant: chosen.variant, world: chosen.world, seed: chosen.seed,
        profile: chosen.profile, subject: try cases.entry(of: chosen)), sound: sound, stop: stop)
    let display = ShrinkDisplay(isQuiet: quiet)
    let start = ContinuousClock.now
    let outcome = try shrinker.run { display.show($0) }
    display.end()
    // Its id stands in the text.
    let text = { (path: String) -> [UInt8] in
      let id = String((path as NSString).lastPathComponent.dropLast(".yaml".count))
      return Array(shrinker.text(of: outcome, id: id, path: path).utf8)
    }
    let path = try write ?? standardPath(of: chosen) { (try? HostFiles.read($0)) == text($0) }
    try HostFiles.write(text(path), to: path)
    let lines = ShrinkText.lines(
      outcome, path: path, command: shrinker.command(outcome, path: path), took: ContinuousClock.now - start)
    for line in lines { Console.print(line) }
  }

  /// Where nothing is, or just the result. What an earlier search has left is somebody's case, and has the same name
  /// whichever variant and seed it is of.
  private func standardPath(of chosen: CaseOptions.Choice, isSame: (String) -> Bool) throws -> String {
    let folder = "\(cases.output)/shrunk"
    try HostFiles.makeFolder(folder)
    return HostFiles.freePath("\(folder)/\(Self.fileName(of: chosen.scenario.id))", isFine: isSame)
  }

  /// Of an id outside the library, which is a path, without the dots and slashes that it begins with: programs take a
  /// name with a dash in front for an option.
  private static func fileName(of id: String) -> String {
    let plain = id.hasSuffix(".yaml") ? id.dropLast(".yaml".count) : id[...]
    let letters: [Character] = plain.map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "-" }
    let name = String(letters.drop { $0 == "-" })
    return (name.isEmpty ? "case" : name) + ".yaml"
  }
}
