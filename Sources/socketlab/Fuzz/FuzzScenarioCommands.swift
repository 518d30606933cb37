import ArgumentParser
import CampaignRunner
import Foundation
import FuzzHarness
import FuzzPrograms
import HostTools
import ScenarioModel
import TerminalText

/// Prints what an input does.
struct FuzzDecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode", abstract: "Prints what an input does, as a scenario file.",
    discussion: "An input that is a text is printed as it is.")

  @Argument(help: "The target.")
  var target: String

  @Argument(help: "The input: a file, or a finding's folder in a campaign.")
  var file: String

  @Option(help: "The file to write to instead, such as Scenarios/found/name.yaml.")
  var output: String?

  func run() throws {
    let target = try FuzzOptions.target(self.target)
    let input: [UInt8]
    do { input = try HostFiles.read(try HostFiles.input(at: file)) } catch let failure as LabFailure {
      throw ValidationError(failure.message)
    }
    let text: String
    if target.encoding == .text {
      text = String(decoding: input, as: UTF8.self)
    } else {
      switch FuzzScenario.text(input, target, id: "found/\(target.name)") {
      case .success(let scenario): text = scenario
      case .failure(let failure):
        Console.error("\(file) can't be said as a scenario: \(failure.message).")
        throw LabExit.badScenario.error
      }
    }
    guard let output else { return Console.write(text) }
    do {
      let folder = (output as NSString).deletingLastPathComponent
      if !folder.isEmpty { try HostFiles.makeFolder(folder) }
      try HostFiles.write(text.utf8, to: output)
    } catch let failure as LabFailure {
      throw ValidationError(failure.message)
    }
    Console.print(output)
  }
}

/// Makes inputs from scenarios.
struct FuzzEncodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encode", abstract: "Makes inputs from scenarios, to begin with.",
    discussion: """
      Without ids all scenarios are taken. What a scenario does in a perfect world becomes an input that does the \
      same. Into the working corpus, unless --output says where.
      """)

  @OptionGroup var options: FuzzOptions
  @OptionGroup var library: LibraryOptions

  @Argument(help: "The target.")
  var target: String

  @Argument(help: "Scenario ids, or folders of them: read/delimiters-may-be-any-bytes, read. None: all.")
  var names: [String] = []

  @Option(help: "The folder for the inputs, such as Fuzz/seeds/TARGET.")
  var output: String?

  @Flag(help: "Says for each scenario without an input why there is none.")
  var verbose = false

  func run() throws {
    let target = try FuzzOptions.target(self.target)
    let library = try self.library.library()
    let entries = library.entries(named: names)
    if let name = names.first(where: { library.entries(named: [$0]).isEmpty }) {
      throw ValidationError(library.complaint(about: name))
    }
    let made = SeedMaker.seeds(for: target, from: entries.compactMap(\.scenario))
    guard !made.seeds.isEmpty else {
      Console.error("No input for \(target.name): \(made.omissions.first.map { $0.reason } ?? "no scenario fits").")
      throw LabExit.nothingRan.error
    }
    let folder = output ?? options.layout.workingCorpus(target)
    do {
      try HostFiles.makeFolder(folder)
      for seed in made.seeds { try HostFiles.write(seed.bytes, to: "\(folder)/\(seed.name)") }
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
    let omitted = QuantityText.count(made.omissions.count, "scenario")
    Console.print("\(QuantityText.count(made.seeds.count, "input")) in \(folder); \(omitted) without one")
    if verbose { for omission in made.omissions { Console.print("  \(omission.scenario): \(omission.reason)") } }
  }
}
