import ArgumentParser
import Foundation
import FuzzCampaign
import FuzzHarness
import ScenarioModel

struct FuzzReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "replay", abstract: "Runs inputs through a target.")
}
