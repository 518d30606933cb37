import ArgumentParser
import CaptureImport
import Conversations
import Foundation
import Glibc
import HostTools
import RunReports
import ScenarioDrafts
import ScenarioModel
import TLSDecryption
import TerminalText

/// Makes scenarios of a packet capture.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Makes a scenario of each TCP connection in a packet capture.",
    discussion: """
      Reads pcap and pcapng, of any size, as they come. Each scenario has one side's part as the peer and the \
      other's as the subject, in the pieces and with the pauses that were seen; what the capture cannot tell stands in \
      the file as a comment. TLS is opened with the secrets that the capture carries, or those of --key-log: the \
      scenario then has the handshake and what was said inside; otherwise it has the records. Ctrl-C ends the reading, \
      and what had come is kept: tcpdump -w - … | ./lab import - goes on until then.

      Exit codes: 0 all of the capture was read, or all that came until Ctrl-C, 1 it is damaged or cut off and what \
      was complete is written, 2 wrong usage, 4 files could not be read or written, 5 there is no connection in it.
      """)

  @Argument(help: ArgumentHelp("The capture; - for standard input.", valueName: "file"))
  var file: String

  @Option(help: "The folder that the scenarios go to.")
  var into = "imported"

  @Option(help: ArgumentHelp("Only connections of which one end has this port.", valueName: "n"))
  var port: UInt16?

  @Option(help: ArgumentHelp("At most so many scenarios.", valueName: "n"))
  var most = 1_000

  @Option(
    help: ArgumentHelp(
      "The secrets of TLS sessions, as programs write them to the file that SSLKEYLOGFILE names.", valueName: "file"))
  var keyLog: String?

  @Flag(help: "TLS stays as the records that were on the wire, also where its secrets are known.")
  var keepRecords = false

  @OptionGroup var options: DraftOptions

  private static let chunk = 4 << 20
  /// How often it is looked for Ctrl-C while nothing comes, in milliseconds.
  private static let look: Int32 = 200
  /// Ctrl-C ends the program that writes the capture as well, which then gives out what it has held back.
  private static let grace = Duration.milliseconds(500)

  func validate() throws {
    guard most > 0 else { throw ValidationError("--most is at least 1.") }
  }

  func run() throws {
    do {
      try importCapture()
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }

  private func importCapture() throws {
    guard file == "-" || !PathText.isFolder(file) else {
      throw ValidationError("\(file) is a folder. Name a capture: a file of pcap or pcapng.")
    }
    let descriptor = file == "-" ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ValidationError("\(file) can't be read: \(String(cString: strerror(errno))).")
    }
    defer { if file != "-" { close(descriptor) } }
    try DraftOptions.refuseFolder(asKeyLog: keyLog)
    let watch = InterruptWatch()
    defer { watch.end() }
    var sink = DraftSelection(
      folder: try options.folder(into, tag: "imported"), name: stem, source: sourceName, port: port, most: most)
    var importer = CaptureImporter(keyLog: keepRecords ? nil : try KeyLogFile.read(keyLog))
    var fault: CaptureFault?
    do throws(CaptureFault) {
      var end: ContinuousClock.Instant?
      while sink.failure == nil, waits(for: descriptor, watch, until: &end), let bytes = try read(descriptor) {
        try importer.take(bytes[...]) { sink.take($0) }
      }
    } catch { fault = error }
    // That the last packet is cut off is how it ends then.
    do throws(CaptureFault) { try importer.end { sink.take($0) } } catch {
      if !watch.isInterrupted { fault = fault ?? error }
    }
    if let failure = sink.failure { throw failure }
    if watch.isInterrupted { Console.print("Interrupted: what had come by then is written.") }
    try conclude(importer, sink, fault)
  }

  /// Waits until there is something to read, or the end of it; false: it was interrupted, and had its time after that.
  private func waits(
    for descriptor: Int32, _ watch: InterruptWatch, until end: inout ContinuousClock.Instant?
  ) -> Bool {
    while true {
      if watch.isInterrupted {
        let now = ContinuousClock.now
        let last = end ?? now.advanced(by: Self.grace)
        end = last
        guard now < last else { return false }
      }
      var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&set, 1, watch.isInterrupted ? Self.look / 10 : Self.look)
      // Where it can't be waited for, `read` says why.
      if ready > 0 || ready < 0 && errno != EINTR { return true }
    }
  }

  private func read(_ descriptor: Int32) throws(CaptureFault) -> [UInt8]? {
    var problem: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, count in
      var got = 0
      repeat { got = Glibc.read(descriptor, buffer.baseAddress, Self.chunk) } while got < 0 && errno == EINTR
      problem = got < 0 ? errno : 0
      count = max(got, 0)
    }
    guard problem == 0 else {
      throw CaptureFault.unreadable("\(shownFile) can't be read on: \(String(cString: strerror(problem))).")
    }
    return bytes.isEmpty ? nil : bytes
  }

  private func conclude(_ importer: CaptureImporter, _ sink: DraftSelection, _ fault: CaptureFault?) throws {
    if let fault, fault.isNoCapture { throw ValidationError("\(shownFile): \(fault.message)") }
    let counts = importer.counts
    DraftPrinter.printReplacements(sink.folder)
    let made = QuantityText.count(sink.folder.written.count, "scenario")
    let seen = QuantityText.count(counts.conversations, "connection")
    Console.print("\(made) of \(seen) in \(shownFile), \(packets(counts))")
    if counts.opened > 0 {
      Console.print("TLS of \(QuantityText.count(counts.opened, "connection")) was opened.")
    }
    if counts.closed > 0, !keepRecords {
      let hint = importer.secretCount > 0 ? "the files say why" : "without its secrets; see --key-log"
      Console.print("TLS of \(QuantityText.count(counts.closed, "connection")) stays as records: \(hint).")
    }
    if sink.leftOut > 0 {
      Console.print("\(QuantityText.count(sink.leftOut, "connection")) beyond the first \(most) left out; see --most.")
    }
    if !sink.folder.written.isEmpty {
      let place = sink.folder.written.count == 1 ? sink.folder.written[0] : into
      Console.print("Next: \(ReproCommand.text(verb: "run", [place]))")
    }
    if let fault, fault.isUnreadable { throw LabFailure("\(fault.message) What was complete before it is written.") }
    if let fault {
      Console.error("\(shownFile): \(fault.message) What was complete before it is written.")
      throw LabExit.deviation.error
    }
    guard !sink.folder.written.isEmpty else {
      Console.error("There is no TCP connection in \(shownFile)\(port.map { " with port \($0)" } ?? "").")
      throw LabExit.nothingRan.error
    }
  }

  private func packets(_ counts: CaptureImporter.Counts) -> String {
    var text = QuantityText.count(counts.packets, "packet")
    if counts.others > 0 { text += ", \(QuantityText.count(counts.others)) of them without TCP" }
    if counts.broken > 0 { text += ", \(QuantityText.count(counts.broken)) with cut or false headers" }
    if counts.fragments > 0 { text += ", \(QuantityText.count(counts.fragments, "fragment")) of no whole packet" }
    if counts.doubtful > 0 { text += ", \(QuantityText.count(counts.doubtful)) with instants in doubt" }
    if counts.late > 0 { text += ", \(QuantityText.count(counts.late)) with data of connections that were over" }
    for (link, count) in counts.unknownLinks.sorted(by: { $0.key < $1.key }) {
      text += ", \(QuantityText.count(count)) of a link type that is not read (\(link))"
    }
    return text
  }

  /// The capture, for people.
  private var shownFile: String { file == "-" ? "standard input" : file }

  private var sourceName: String { file == "-" ? shownFile : String(file.split(separator: "/").last ?? "") }

  /// What files are called after the capture.
  private var stem: String {
    let base = file == "-" ? "stdin" : sourceName
    let plain = (base.split(separator: ".").first.map(String.init) ?? base).lowercased().map { character in
      character.isASCII && (character.isLetter || character.isNumber) ? character : "-"
    }
    return String(plain.prefix(60))
  }
}
