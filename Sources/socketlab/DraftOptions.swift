import ArgumentParser
import Conversations
import HostTools
import ScenarioDrafts

/// What recorded and imported scenarios have in common.
struct DraftOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Which side the peer plays, client or server; the subject plays the other. Without it the peer is the server, \
      unless the client ended its direction first and read on, or reset.
      """, valueName: "side"))
  var asPeer: Conversation.Side?

  @Flag(
    help: """
      Replaces names, addresses, tokens and passwords in what is text by others of the same length, and lists them.
      """)
  var scrub = false

  @Option(help: ArgumentHelp("Pauses below it are not repeated, in milliseconds.", valueName: "ms"))
  var shortestPause = 5

  @Option(help: ArgumentHelp("Longer pauses are cut to it, in milliseconds.", valueName: "ms"))
  var longestPause = 2_000

  @Flag(help: "Writes over files that are there.")
  var force = false

  func validate() throws {
    guard (0...3_600_000).contains(shortestPause), (0...3_600_000).contains(longestPause) else {
      throw ValidationError("A pause is 0 to 3600000 milliseconds.")
    }
  }

  /// Throws if the key log is a folder. One that is not there may come to be.
  static func refuseFolder(asKeyLog path: String?) throws {
    guard let path, PathText.isFolder(path) else { return }
    throw ValidationError("\(path) is a folder. Name a file with --key-log: the one that SSLKEYLOGFILE names.")
  }

  /// - Parameter tag: of all scenarios in it.
  func folder(_ path: String, tag: String) throws -> DraftFolder {
    let pacing = Pacing(shortest: .milliseconds(shortestPause), longest: .milliseconds(longestPause))
    let settings = DraftFolder.Settings(
      peer: asPeer, pacing: pacing, overwrites: force, scrubs: scrub, tag: tag,
      schema: LabHome.place("Scenarios") + "/schema.json")
    return try DraftFolder(path: path, settings, tell: DraftPrinter.print)
  }
}

extension Conversation.Side: ExpressibleByArgument {}
