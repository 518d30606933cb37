import ArgumentParser
import Glibc
import HostTools
import RunReports
import ScenarioModel
import SocketPOSIX
import SoloPeer
import TerminalText

/// Plays the peer of a scenario alone, for any program.
struct PeerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peer", abstract: "Plays the peer of a scenario alone, for any program at the other end.",
    discussion: """
      What the peer does and sees is printed as it happens. Steps that wait for the subject or for points are left \
      out: there is only the other program. With --ui each step waits for a key.

      When the other end does not do as the lane says, that is printed at once; if it does not end within a second, \
      the connection is reset. With --times the next one is played all the same, and the exit code is 1 at the end. \
      Between two connections the peer goes on listening: who comes too early waits.

      TLS shows the lab's test certificates, which are valid now. `socketlab pki export` writes root.pem, which a \
      client that verifies must trust. With --now pinned both are valid around 2030-01-01, as in scenarios.

      Exit codes: 0 the lane was played, 1 the other end did not do as the lane says, or Ctrl-C came in the middle of \
      the lane, 2 wrong usage, 3 the scenario file is wrong, 4 the address could not be had, 5 the other end never came.
      """)

  @OptionGroup var library: LibraryOptions

  @Argument(help: "The scenario: an id, or the path of a file.")
  var name: String

  @Option(help: ArgumentHelp("Where it listens: 127.0.0.1:7777, [::1]:7777; port 0 is any.", valueName: "address"))
  var listen: String?

  @Option(help: ArgumentHelp("Where it connects to, instead.", valueName: "address"))
  var connect: String?

  @Option(help: ArgumentHelp("Which peer, if the scenario has several.", valueName: "name"))
  var lane: String?

  @Option(
    help: ArgumentHelp(
      "For how many connections, one after the other, good or bad; 0: until Ctrl-C.", valueName: "n"))
  var times = 1

  @Option(help: "What certificates are valid around: real, or pinned (2030-01-01T00:00:00Z, as in scenarios).")
  var now = CertificateMoment.real

  @Flag(help: "Waits before each step: n next, r reset, f half-close, g go on without waiting, q quit.")
  var ui = false

  private static let turnLimit = Duration.milliseconds(200)
  /// In milliseconds.
  private static let pauseAfterDeviation: Int32 = 500

  func validate() throws {
    guard times >= 0 else { throw ValidationError("--times is at least 1, or 0 to play until Ctrl-C.") }
  }

  func run() throws {
    let place = try place()
    let (lane, lines) = try chosenLane()
    let solo = SoloLane(lane, stepByStep: ui)
    if solo.leftOut > 0 {
      Console.error("Left out: \(QuantityText.count(solo.leftOut, "step")) about the subject or other lanes.")
    }
    let watch = InterruptWatch()
    defer { watch.end() }
    let keys = ui ? KeyBoard() : nil
    defer { keys?.end() }
    let peer = SoloPeer(solo, at: place, certificatesAround: now.instant, tell: Self.show)
    defer { peer.close() }
    try Self.atAddress { () throws(SystemCallFailure) in
      guard let address = try peer.open() else { return }
      let verb = solo.lane.steps.first?.value == .refuse ? "Refuses connections" : "Listens"
      Console.print("\(verb) at \(PeerAddress.text(address)). Ctrl-C ends it.")
    }
    try playAll(peer, lines, watch, keys)
  }

  /// As often as is wanted, whatever the other ends do. `lines` are those of the scenario's file.
  private func playAll(_ peer: SoloPeer, _ lines: [Substring], _ watch: InterruptWatch, _ keys: KeyBoard?) throws {
    var played = 0
    var hasDeviated = false
    while times == 0 || played < times {
      // Its listener stays: who has connected meanwhile waits for the next play, and is not reset.
      if played > 0 { try Self.atAddress { () throws(SystemCallFailure) in try peer.startAgain() } }
      let isEnough = !play(peer, lines, watch, keys)
      if peer.deviation != nil {
        hasDeviated = true
        // Where nobody answers, nobody will the next time.
        guard peer.hasConnection else { break }
        // A server that hangs up at once would be called again without end.
        if connect != nil { _ = poll(nil, 0, Self.pauseAfterDeviation) }
      } else if !peer.hasConnection, !peer.answersNobody {
        // Whoever plays until Ctrl-C waits for one more when it comes.
        if times == 0, played > 0 { break }
        Console.error("Nobody came.")
        throw hasDeviated ? LabExit.deviation.error : LabExit.nothingRan.error
      } else if peer.laneIsOver || peer.answersNobody && !peer.hasConnection {
        Console.print("\(Console.styled("✓", .good)) the lane was played")
      } else {
        Console.print("\(Console.styled("·", .caution)) ended by hand in the middle of the lane")
        throw LabExit.deviation.error
      }
      played += 1
      if isEnough || watch.isInterrupted { break }
    }
    if hasDeviated { throw LabExit.deviation.error }
  }

  /// Once. False: the person has enough.
  private func play(_ peer: SoloPeer, _ lines: [Substring], _ watch: InterruptWatch, _ keys: KeyBoard?) -> Bool {
    var shown: SourcePosition?
    var isTold = false
    func tellDeviation() {
      guard !isTold, let deviation = peer.deviation else { return }
      isTold = true
      Console.print("\(Console.styled("✗", .bad)) expected  \(Console.visible(deviation.expected))")
      Console.print("  actual    \(Console.visible(deviation.actual))")
    }
    while !watch.isInterrupted, !peer.isOver {
      if keys != nil, let next = peer.nextStep, next != shown {
        shown = next
        let text = lines.indices.contains(next.line - 1) ? lines[next.line - 1].trimmingPrefix(/[ -]*/) : ""
        Console.print(Console.styled("  next, line \(next.line): \(text)\n  \(SoloPeer.keys)", .quiet))
      }
      let isKey = peer.turn(limit: Self.turnLimit, watching: keys == nil ? nil : STDIN_FILENO)
      // At once: the other end may not end for long.
      tellDeviation()
      guard isKey else { continue }
      let goesOn = keys?.take(peer) != false
      tellDeviation()
      guard goesOn else { return false }
    }
    return true
  }

  /// Does what needs the address; without it the command ends.
  private static func atAddress(_ body: () throws(SystemCallFailure) -> Void) throws {
    do throws(SystemCallFailure) { try body() } catch {
      Console.error("The address can't be had: \(error).")
      throw LabExit.subjectNotDriven.error
    }
  }

  private static func show(_ event: TraceEvent) {
    let line = EventLine(event)
    let at = QuantityText.fixed(event.at.inSeconds, decimals: 3)
    let text = line.wire.isEmpty ? line.text : line.wire
    Console.print("\(String(repeating: " ", count: max(0, 9 - at.count)))\(at) s  \(Console.visible(text))")
  }

  // MARK: - What is meant

  private func chosenLane() throws -> (PeerLane, lines: [Substring]) {
    let (library, ids) = try library.choice([name])
    guard let entry = ids.first.flatMap({ library[$0] }), ids.count == 1 else {
      throw ValidationError("Name one scenario.")
    }
    guard let scenario = entry.scenario else {
      DiagnosticOutput.print(entry)
      throw LabExit.badScenario.error
    }
    let names = scenario.peers.map(\.name)
    guard let found = scenario.peers.first(where: { lane == nil || $0.name == lane }) else {
      throw ValidationError("\(name) has no peer \(lane ?? "at all"); its peers: \(names.joined(separator: ", ")).")
    }
    guard lane != nil || names.count == 1 else {
      throw ValidationError("\(name) has several peers: say --lane with one of \(names.joined(separator: ", ")).")
    }
    return (found, entry.text.split(separator: "\n", omittingEmptySubsequences: false))
  }

  private func place() throws -> SoloPeer.Place {
    switch (listen, connect) {
    case (let text?, nil): return .listens(try Self.address(text))
    case (nil, let text?): return .connects(try Self.address(text))
    default: throw ValidationError("Say where the peer is: --listen 127.0.0.1:7777, or --connect 127.0.0.1:7777.")
    }
  }

  /// An address of a peer; one that is none is wrong usage.
  static func address(_ text: String) throws -> RawAddress {
    do throws(LabFailure) { return try PeerAddress.parsed(text) } catch { throw ValidationError(error.message) }
  }
}

/// Keys as they are pressed, or the bytes of whatever stands in for a keyboard.
private final class KeyBoard {
  private var mode: RawMode?

  init() { mode = isatty(STDIN_FILENO) == 1 ? RawMode(keepsSignals: true) : nil }

  func end() { mode?.end() }

  /// Takes the key that is there; false: the person has enough.
  func take(_ peer: SoloPeer) -> Bool {
    var key: UInt8 = 0
    return read(STDIN_FILENO, &key, 1) == 1 && peer.take(key)
  }
}
