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

      Exit codes: 0 the lane was played, 1 the other end did not do as the lane says, 2 wrong usage, 3 the scenario \
      file is wrong, 4 the address could not be had, 5 the other end never came.
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

  @Option(help: ArgumentHelp("For how many connections, one after the other; 0: until Ctrl-C.", valueName: "n"))
  var times = 1

  @Flag(help: "Waits before each step: n next, r reset, f half-close, g go on without waiting, q quit.")
  var ui = false

  private static let turnLimit = Duration.milliseconds(200)

  func validate() throws {
    guard times >= 0 else { throw ValidationError("--times is at least 1, or 0 to play until Ctrl-C.") }
  }

  func run() throws {
    var place = try place()
    let (lane, lines) = try chosenLane()
    let solo = SoloLane(lane, stepByStep: ui)
    if solo.leftOut > 0 {
      Console.error("Left out: \(QuantityText.count(solo.leftOut, "step")) about the subject or other lanes.")
    }
    let watch = InterruptWatch()
    defer { watch.end() }
    let keys = ui ? KeyBoard() : nil
    defer { keys?.end() }
    var played = 0
    while !watch.isInterrupted, times == 0 || played < times {
      // A port that the system chose stays the same for all.
      place = try play(solo, place, lines, watch, keys)
      played += 1
    }
  }

  /// Once; gives the place that it was at. `lines` are those of the scenario's file.
  private func play(
    _ lane: SoloLane, _ wanted: SoloPeer.Place, _ lines: [Substring], _ watch: InterruptWatch, _ keys: KeyBoard?
  ) throws -> SoloPeer.Place {
    var place = wanted
    var isConnected = false
    let peer = SoloPeer(lane, at: place) { event in
      if case .peerSaw(.connected, _) = event.kind { isConnected = true }
      Self.show(event)
    }
    defer { peer.close() }
    do throws(SystemCallFailure) {
      if let address = try peer.open() {
        place = .listens(address)
        let verb = lane.lane.steps.first?.value == .refuse ? "Refuses connections" : "Listens"
        Console.print("\(verb) at \(PeerAddress.text(address)). Ctrl-C ends it.")
      }
    } catch {
      Console.error("The address can't be had: \(error).")
      throw LabExit.subjectNotDriven.error
    }
    var shown: SourcePosition?
    while !watch.isInterrupted, !peer.isOver {
      if keys != nil, let next = peer.nextStep, next != shown {
        shown = next
        let text = lines.indices.contains(next.line - 1) ? lines[next.line - 1].trimmingPrefix(/[ -]*/) : ""
        Console.print(Console.styled("  next, line \(next.line): \(text)\n  \(SoloPeer.keys)", .quiet))
      }
      guard peer.turn(limit: Self.turnLimit, watching: keys == nil ? nil : STDIN_FILENO) else { continue }
      guard keys?.take(peer) != false else { break }
    }
    if let deviation = peer.deviation {
      Console.print("\(Console.styled("✗", .bad)) expected  \(Console.visible(deviation.expected))")
      Console.print("  actual    \(Console.visible(deviation.actual))")
      throw LabExit.deviation.error
    }
    guard isConnected || peer.answersNobody else {
      Console.error("Nobody came.")
      throw LabExit.nothingRan.error
    }
    let wasPlayed = peer.laneIsOver || peer.answersNobody
    Console.print("\(Console.styled("✓", .good)) \(wasPlayed ? "the lane was played" : "ended by hand")")
    return place
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
