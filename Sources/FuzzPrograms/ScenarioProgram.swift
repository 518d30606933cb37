import ReferenceModel
import ScenarioModel
import ScenarioRunner
import Simulation

/// A scenario as the program of one socket: the scenario is played in a perfect world, and its trace tells what was
/// called, what arrived and when. What was random or waited for is settled there, so a program is what one run did.
package enum ScenarioProgram {
  /// Why a scenario is no program.
  package enum Obstacle: Error, Hashable, Sendable, CustomStringConvertible {
    case runsElsewhere
    case speaksTLS
    /// Its run did not come to an end.
    case failed(Verdict)
    case neverConnects
    /// Bytes travel over more than one socket of the subject's.
    case severalSockets
    /// More bytes than a fuzzer's input holds.
    case tooLarge(Int)

    package var description: String {
      switch self {
      case .runsElsewhere: "it does not run in the simulated world"
      case .speaksTLS: "it speaks TLS, which programs do not know"
      case .failed(let verdict): "its run ends with the verdict \(verdict.rawValue)"
      case .neverConnects: "no connection of the subject's comes to be"
      case .severalSockets: "more than one socket of the subject's has a connection"
      case .tooLarge(let count): "\(count) bytes travel in it"
      }
    }
  }

  /// Bytes that may travel in a program.
  package static let maxBytes = 4096
  private static let maxEvents = 20_000

  /// The program of the scenario's first variant.
  package static func program(_ scenario: Scenario) -> Result<SocketProgram, Obstacle> {
    guard scenario.worlds.contains(.simulated) else { return .failure(.runsElsewhere) }
    guard let variant = scenario.variants.first(where: { $0.security == .plain }) else { return .failure(.speaksTLS) }
    var script = CaseScript(scenario, profile: .documented)
    script.maxEvents = maxEvents
    var world = SimulatedWorld(faults: .none)
    let result = CaseRunner.run(script, variant: variant, seed: 0, in: &world, tolerance: .simulated)
    guard result.isAsExpected || result.verdict == .failed else { return .failure(.failed(result.verdict)) }
    return program(of: result.trace, scenario: scenario)
  }

  /// The program that a trace of the scenario tells.
  package static func program(of trace: Trace, scenario: Scenario) -> Result<SocketProgram, Obstacle> {
    var connected: Set<String> = []
    var travelled = 0
    for event in trace.events {
      switch event.kind {
      case .tls: return .failure(.speaksTLS)
      case .command(.startTLS, _, _, _): return .failure(.speaksTLS)
      case .command(.write(let write), _, _, _): travelled += write.payload.count
      case .peerAction(.send(let bytes), _): travelled += bytes.count
      case .callback(let delivered):
        switch delivered.callback {
        case .didConnect, .didConnectToURL: connected.insert(delivered.socket)
        case .didAccept(let child): connected.insert(child)
        default: break
        }
      default: break
      }
    }
    guard let socket = connected.first else { return .failure(.neverConnects) }
    guard connected.count == 1 else { return .failure(.severalSockets) }
    guard travelled <= maxBytes else { return .failure(.tooLarge(travelled)) }
    var reader = TraceReader(socket: socket, reactions: ReactionBook(scenario.reactions))
    for event in trace.events { reader.take(event) }
    return .success(reader.finished)
  }
}

/// Reads the program of one socket out of a trace.
private struct TraceReader {
  private let socket: String
  private let reactions: ReactionBook
  private var program = SocketProgram()
  /// Before the first connection is told calls wait with the socket, and a peer may have spoken already.
  private var isConnected = false
  private var clock = Duration.zero
  /// When the socket told something for the last time.
  private var lastTold = Duration.zero
  private var last: DeliveredCallback?
  /// Tags of the scenario, in the order of the calls.
  private var readTags: [Int] = []
  private var writeTags: [Int] = []
  private var inside: [(after: DeliveredCallback, call: SocketProgram.Call)] = []

  init(socket: String, reactions: ReactionBook) {
    self.socket = socket
    self.reactions = reactions
  }

  mutating func take(_ event: TraceEvent) {
    switch event.kind {
    case .command(let command, socket, .done, let inCallback): take(command, inCallback: inCallback, at: event.at)
    case .peerAction(let action, _): take(action, at: event.at)
    case .callback(let delivered): take(delivered, at: event.at)
    default: break
    }
  }

  private mutating func add(_ step: SocketProgram.Step, at instant: Duration) {
    let milliseconds = Int((instant - clock) / .milliseconds(1))
    if milliseconds > 0, isConnected { program.steps.append(.wait(milliseconds)) }
    clock = max(clock, instant)
    program.steps.append(step)
  }

  private mutating func take(_ action: PeerAction, at instant: Duration) {
    switch action {
    case .send(let bytes): add(.arrive(bytes), at: instant)
    case .sendUrgent(let byte): add(.arrive([byte]), at: instant)
    case .finish, .close: add(.peerFinishes, at: instant)
    case .reset: add(.peerResets, at: instant)
    case .accept, .connect, .shutdownRead, .setReading, .stopListening, .listenAgain: break
    }
  }

  private mutating func take(_ delivered: DeliveredCallback, at instant: Duration) {
    if case .didAccept(let child) = delivered.callback, child == socket { begin() }
    guard delivered.socket == socket else { return }
    last = delivered
    lastTold = instant
    let steps = reactions.steps(for: delivered)
    switch delivered.callback {
    case .didConnect, .didConnectToURL: begin()
    case .shouldTimeoutRead, .shouldTimeoutWrite:
      let answers = steps.compactMap { if case .answer(let value) = $0.step { value } else { nil } }
      program.extensions.append(answers.first.flatMap { milliseconds($0) } ?? 0)
    default: break
    }
  }

  private mutating func begin() {
    if isConnected { program.steps.append(.reconnect) }
    isConnected = true
  }

  private mutating func take(_ command: SubjectCommand, inCallback: Bool, at instant: Duration) {
    switch command {
    case .perform(let commands): for command in commands { take(command, inCallback: inCallback, at: instant) }
    case .set(.autoDisconnectOnClosedReadStream(let closes)): program.closesOnEndOfStream = closes
    case .read(let read):
      readTags.append(read.tag)
      add(.read(kind(of: read.boundary), timeout: milliseconds(read.timeout)), inCallback, at: instant)
    case .write(let write):
      writeTags.append(write.tag)
      add(.write(write.payload.materialised, timeout: milliseconds(write.timeout)), inCallback, at: instant)
    case .disconnect: add(.disconnect, inCallback, at: instant)
    case .disconnectAfterReading: add(.disconnectAfter(reads: true, writes: false), inCallback, at: instant)
    case .disconnectAfterWriting: add(.disconnectAfter(reads: false, writes: true), inCallback, at: instant)
    case .disconnectAfterReadingAndWriting: add(.disconnectAfter(reads: true, writes: true), inCallback, at: instant)
    default: break
    }
  }

  private mutating func add(_ call: SocketProgram.Call, _ inCallback: Bool, at instant: Duration) {
    if inCallback, let last { inside.append((last, call)) } else { add(.call(call), at: instant) }
  }

  private func kind(of boundary: ReadCommand.Boundary) -> SocketProgram.Read {
    switch boundary {
    case .available(let limit): .available(limit: limit)
    case .exactly(let length): .exactly(length)
    case .through(let delimiter, let limit): .through(delimiter.materialised, limit: limit)
    }
  }

  /// nil: never, or longer than anybody waits.
  private func milliseconds(_ value: TimeoutValue) -> Int? {
    guard value.seconds >= 0, value.seconds < 1e6 else { return nil }
    return Int((value.seconds * 1000).rounded(.up))
  }

  /// The program, with the calls inside callbacks where the model has those callbacks. A callback that the model does
  /// not have, since it knows no segments, takes its calls with it.
  var finished: SocketProgram {
    var program = program
    // What came after the last step was waited for.
    let rest = ((lastTold - clock) / .milliseconds(1)).rounded(.up)
    if rest > 0 { program.steps.append(.wait(Int(rest))) }
    var used: Set<Int> = []
    for (delivered, call) in inside {
      let entries = ModelRun(program).entries
      guard let number = entries.indices.first(where: { !used.contains($0) && isSame(entries[$0].event, delivered) })
      else { continue }
      if case .read = call {} else { used.insert(number) }
      program.reactions.append(SocketProgram.Reaction(callback: number, call: call))
    }
    return program
  }

  private func isSame(_ event: ModelEvent, _ delivered: DeliveredCallback) -> Bool {
    switch (event, delivered.callback) {
    case (.connected, .didConnect), (.connected, .didConnectToURL), (.readClosed, .didCloseRead): true
    case (.read(_, let number), .didRead(_, let tag)),
      (.readTimeout(let number, _, _), .shouldTimeoutRead(let tag, _, _)):
      readTags.indices.contains(number) && readTags[number] == tag
    case (.wrote(let number), .didWrite(let tag)),
      (.writeTimeout(let number, _, _), .shouldTimeoutWrite(let tag, _, _)):
      writeTags.indices.contains(number) && writeTags[number] == tag
    default: false
    }
  }
}
