import ArgumentParser
import ConversationRecorder
import Conversations
import Foundation
import HostTools
import RunReports
import ScenarioDrafts
import ScenarioModel
import SocketPOSIX
import SoloPeer
import TLSDecryption
import TerminalText
import TestCertificates

/// Records what real programs say to each other.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Stands between a client and a server, and makes a scenario of each connection.",
    discussion: """
      Connections to --listen go on to --to; both may be TCP or a Unix-domain path. TLS passes through. It stands in \
      the file as records, or, where --key-log has its secrets, as what was said inside. With --open-tls the recorder \
      opens TLS itself, also after STARTTLS: it shows clients a certificate of its own for the name that they ask for, \
      from an authority that lives as long as the recording and that they have to trust, and does not judge the \
      server's. Each scenario is written when its connection is over; Ctrl-C, --count and --size end the recording, \
      and keep what there is of connections that are open. To their clients and to the server that is a reset: nobody \
      takes what is cut off for the whole.

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

  @Option(
    help: ArgumentHelp(
      "The file that SSLKEYLOGFILE names to the client or the server; it may come to be later.", valueName: "file"))
  var keyLog: String?

  @Flag(
    help: """
      Opens TLS: clients must trust the authority that is written to the folder, as authority.pem, or authority-2.pem \
      and so on where that is taken.
      """
  )
  var openTLS = false

  @OptionGroup var options: DraftOptions

  private static let turnLimit = Duration.milliseconds(200)

  /// Bytes in all.
  private var most: Int { (size ?? .max >> 20) << 20 }

  func validate() throws {
    guard count ?? 1 > 0, size ?? 1 > 0 else {
      throw ValidationError("--count and --size are at least 1: leave them out to record until Ctrl-C.")
    }
    guard size ?? 1 <= Int.max >> 20 else {
      throw ValidationError("--size is at most \(Int.max >> 20): leave it out to record until Ctrl-C.")
    }
    guard !name.contains("#"), !name.contains("/") else {
      throw ValidationError("--name \(name) can't be a part of a file's name: leave `#` and `/` out.")
    }
    guard !openTLS || keyLog == nil else {
      throw ValidationError("--open-tls and --key-log: the recorder has all secrets of the TLS that it opens. Say one.")
    }
  }

  func run() throws {
    try DraftOptions.refuseFolder(asKeyLog: keyLog)
    let (listen, server) = (try PeerCommand.address(listen), try PeerCommand.address(to))
    do {
      try record(listen, server)
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }

  private func record(_ listen: RawAddress, _ server: RawAddress) throws {
    guard !ConversationRecorder.reachesItself(at: listen, to: server) else {
      throw ValidationError("--to is where --listen is: the recorder would connect to itself for ever.")
    }
    let watch = InterruptWatch()
    defer { watch.end() }
    let writer = DraftWriter(try options.folder(into, tag: "recorded"))
    let authority = options.force ? "\(into)/authority.pem" : HostFiles.freePath("\(into)/authority.pem")
    let interceptor = try openTLS ? interceptor(listen, server, authority: authority) : nil
    let recorder: ConversationRecorder
    do throws(SystemCallFailure) {
      recorder = try ConversationRecorder(
        at: listen, to: server, interceptor: interceptor, most: most, name: PeerAddress.text)
    } catch { throw LabFailure("\(self.listen) can't be had: \(error).") }
    Console.print("Listens at \(PeerAddress.text(recorder.address)), goes on to \(to). Ctrl-C ends it.")
    if interceptor != nil { Console.print("TLS is opened: clients must trust \(authority) while this lasts.") }
    var kept = 0
    func keep(_ recording: ConversationRecording) {
      kept += 1
      writer.write(numbered: name, source: "Recorded by a proxy") { opened(recording) }
    }
    var failure: LabFailure?
    do throws(SystemCallFailure) {
      while !watch.isInterrupted, !writer.hasFailed, kept < count ?? .max, recorder.count < most {
        let wanted = (count ?? .max) - kept - recorder.open
        try recorder.turn(limit: Self.turnLimit, accepting: wanted) { keep($0) }
      }
    } catch { failure = LabFailure("The recording ended: \(error).") }
    // What is open is kept, whatever has happened.
    recorder.end { keep($0) }
    let (folder, unwritten) = writer.finish()
    DraftPrinter.printReplacements(folder)
    if let failure = failure ?? unwritten { throw failure }
    guard !folder.written.isEmpty else {
      Console.error("Nobody came.")
      throw LabExit.nothingRan.error
    }
    let place = folder.written.count == 1 ? folder.written[0] : into
    Console.print("Next: \(ReproCommand.text(verb: "run", [place]))")
  }

  /// Its authority is drawn anew for each recording, so that to have trusted an old one is no danger.
  private func interceptor(
    _ listen: RawAddress, _ server: RawAddress, authority path: String
  ) throws -> TLSInterceptor {
    do {
      let loopback: [[UInt8]] = [[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]]
      let others = [listen, server].compactMap(\.hostBytes).filter { !loopback.contains($0) }
      let interceptor = try TLSInterceptor(
        now: Int64(Date().timeIntervalSince1970), seed: UInt64.random(in: .min ... .max), addresses: loopback + others)
      try HostFiles.write(interceptor.authority, to: path)
      return interceptor
    } catch let error as CertificateFailure { throw LabFailure("TLS can't be opened: \(error.description).") }
  }

  /// With what was said inside of TLS, if its secrets are known by now.
  private func opened(_ recording: ConversationRecording) -> Conversation {
    var conversation = recording.conversation
    var log = TLSKeyLog()
    if openTLS {
      for line in recording.secrets { log.take(line) }
    } else if let keyLog, HostFiles.exists(keyLog) {
      do { log.take(String(decoding: try HostFiles.read(keyLog), as: UTF8.self)) } catch {
        conversation.notes.append("TLS could not be decrypted: the key log can't be read.")
      }
    }
    return log.count > 0 ? TLSDecryption(log).opened(conversation).0 : conversation
  }
}
