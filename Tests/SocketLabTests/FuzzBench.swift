import Foundation
import FuzzCampaign
import TestSupport

typealias FuzzBench = ScriptedFuzzer

// The command line over a fuzzer that plays a part.
extension ScriptedFuzzer {
  func campaign(_ name: String = "latest") throws -> Campaign {
    try CampaignJSON.decode(Data(contentsOf: folder.appendingPathComponent("reports/fuzz/\(name)/campaign.json")))
  }

  private static func arguments(_ arguments: [String]) -> [String] {
    let takesBinaries = ["run", "replay", "triage", "minimise", "promote", "prune", "coverage", "build"]
    let binaries = takesBinaries.contains(arguments.first ?? "") ? ["--binaries", "bin"] : []
    let isRun = arguments.first == "run" && !arguments.contains("--speed")
    return ["fuzz"] + arguments + binaries + (isRun ? ["--speed", "0"] : [])
  }

  func run(_ arguments: [String]) throws -> SocketLabProgram.Result {
    try SocketLabProgram.run(Self.arguments(arguments), in: folder)
  }

  /// Starts the command and does not wait for it.
  func start(_ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = SocketLabProgram.url
    process.arguments = Self.arguments(arguments)
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }
}
