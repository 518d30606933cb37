import ArgumentParser
import ConversationRecorder
import Conversations
import HostTools
import ScenarioModel
import SocketPOSIX
import TerminalText

/// Records what real programs say to each other.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Stands between a client and a server, and makes a scenario of each connection.",
    discussion: """
      Connections to --listen go on to --to; both may be TCP or a Unix-domain path. TLS passes through and stands in \
      the file as records. Each scenario is written when its connection is over; Ctrl-C, --count and --size end the \
      recording, and keep what there is of connections that are open.

      Exit codes: 0 recorded, 2 wrong usage, 4 the address could not be had or a file not be written, 5 nobody came.
      """)

  @Option(help: ArgumentHelp("Where clients connect to: 127.0.0.1:7777, or a path.", valueName: "address"))
  var listen: String

  @Option(help: ArgumentHelp("Where the server is: 127.0.0.1:8080, or a path.", valueName: "address"))
  var to: String

  @Option(help: "The folder that the scenarios go to.")
  var into = "recorded"

  @Option(help: ArgumentHelp("What the files are called; a number follows.", valueName: "name"))
  var name = "connection"

  @Option(help: ArgumentHelp("Ends after so many connections.", valueName: "n"))
  var count: Int?

  @Option(help: ArgumentHelp("Ends after so many MiB in all.", valueName: "MiB"))
  var size: Int?

  @OptionGroup var options: DraftOptions

  private static let turnLimit = Duration.milliseconds(200)

  func run() throws {
    let (listen, server) = (try PeerCommand.address(listen), try PeerCommand.address(to))
    do {
      try record(listen, server)
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }

  private func record(_ listen: RawAddress, _ server: RawAddress) throws {
    var folder = try DraftFolder(path: into, options: options)
    let recorder: ConversationRecorder
    do throws(SystemCallFailure) {
      recorder = try ConversationRecorder(at: listen, to: server, name: PeerCommand.text)
    } catch { throw LabFailure("\(self.listen) can't be had: \(error).") }
    Console.print("Listens at \(PeerCommand.text(recorder.address)), goes on to \(to). Ctrl-C ends it.")
    let watch = InterruptWatch()
    defer { watch.end() }
    var number = 0
    var failure: LabFailure?
    func keep(_ conversation: Conversation) {
      number += 1
      do {
        try folder.write(conversation, name: "\(name)-\(number)", source: "Recorded, connection \(number)")
      } catch { failure = failure ?? error as? LabFailure ?? LabFailure("\(error)") }
    }
    do throws(SystemCallFailure) {
      while !watch.isInterrupted, failure == nil, number < count ?? .max, recorder.count < (size ?? .max >> 20) << 20 {
        let isWanted = number + recorder.open < count ?? .max
        try recorder.turn(limit: Self.turnLimit, accepts: isWanted) { keep($0) }
      }
    } catch { failure = LabFailure("The recording ended: \(error).") }
    // What is open is kept, whatever has happened.
    recorder.end { keep($0) }
    folder.printReplacements()
    if let failure { throw failure }
    guard !folder.written.isEmpty else {
      Console.error("Nobody came.")
      throw LabExit.nothingRan.error
    }
    Console.print("Next: \(LabHome.program) run \(folder.written.count == 1 ? folder.written[0] : into)")
  }
}
