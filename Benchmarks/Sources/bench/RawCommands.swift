import ArgumentParser
import BenchmarkHarness
import BenchmarkModel
import CRivals
import Contestants
import Foundation

extension ServerKind: ExpressibleByArgument {}
extension Contestant: ExpressibleByArgument {}
extension Shortcut: ExpressibleByArgument {}

/// One server under test. The harness starts it as a child; by hand it is for profilers.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serves as one contestant: prints 'port N', then serves until its input ends.",
    discussion: "By hand, keep the input open:  perf record -g bench serve echo gcd-same")

  @Argument(help: "What to do: \(ServerKind.allCases.map(\.rawValue).joined(separator: ", ")).")
  var kind: ServerKind
  @Argument(help: "Who does it: \(Contestant.allCases.map(\.rawValue).joined(separator: ", ")).")
  var contestant: Contestant
  @Option(help: "Bytes of a piece.")
  var size = 65536
  @Option(help: "How many reads or writes are queued ahead.")
  var depth = 1
  @Option(help: "After how many lines or pieces a byte goes back.")
  var acknowledge = 1000
  @Option(help: "What the socket does without: \(Shortcut.allCases.map(\.rawValue).joined(separator: ", ")).")
  var without: Shortcut?

  func validate() throws {
    guard without == nil || contestant.isSubject else {
      throw ValidationError("--without is for the socket itself, not for \(contestant.title)")
    }
    guard size > 0, depth > 0, acknowledge > 0 else {
      throw ValidationError("size, depth and acknowledge must be at least 1")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    BenchmarkRun.raiseFileLimit()
    let role = ServerRole(kind, contestant, size: size, depth: depth, acknowledge: acknowledge, without: without)
    let port = try role.start()
    FileHandle.standardOutput.write(Data("port \(port)\n".utf8))
    guard contestant == .gcdMain else { Self.waitForTheEnd() }
    Thread.detachNewThread { Self.waitForTheEnd() }
    dispatchMain()
  }

  /// Ends the process when its input ends.
  private static func waitForTheEnd() -> Never {
    var byte: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &byte, 1)
      if count == 0 || (count < 0 && errno != EINTR) { _exit(0) }
    }
  }
}

/// The load generator alone, against a server that runs already.
struct LoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load",
    abstract: "Loads a server that runs already and prints its rate.")

  @Argument(help: "What the server does: \(ServerKind.allCases.map(\.rawValue).joined(separator: ", ")).")
  var kind: ServerKind
  @Option(help: "The server's port on 127.0.0.1.")
  var port: UInt16
  @Option(help: "How many connections at once (echo, respond).")
  var connections = 1
  @Option(help: "Bytes of a message or of a line with its CRLF.")
  var size: Int?
  @Option(help: "What the server was started with.")
  var acknowledge = 1000
  @Option(help: "Bytes of an answer's body; what the server was started with as size.")
  var body = 64
  @Option(help: "Seconds to measure.")
  var time = 2.0
  @Option(help: "The server's process, to measure its processor time along with it.")
  var pid: Int32 = 0

  func validate() throws {
    guard connections > 0, (size ?? 2) >= 2, body > 0, time > 0 else {
      throw ValidationError("connections and time must be positive, and size at least 2")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    BenchmarkRun.raiseFileLimit()
    var plan = load_plan()
    plan.port = port
    plan.connections = Int32(connections)
    plan.size = size ?? (kind == .lines ? 32 : 64)
    plan.acknowledge = acknowledge
    plan.answer = answerHeader.utf8.count + body
    plan.warm_up = time / 10
    plan.seconds = time
    plan.pid = pid
    let result = BenchmarkRun.load(kind, plan)
    guard result.error == 0 else {
      let reason = String(cString: strerror(result.error))
      throw ServerFailure(description: "port \(port): \(String(cString: result.stage)): \(reason)")
    }
    let unit =
      switch kind {
      case .send, .tlsSend: "B"
      case .echo: "messages"
      case .respond: "answers"
      case .lines: "lines"
      case .receive, .tlsReceive: "pieces"
      }
    var text = "\((result.units / result.seconds).rounded()) \(unit)/s"
    if result.processor >= 0 {
      text += ", \((result.processor / result.units * 1e9).rounded()) ns of the server's processor time each"
    }
    print(text)
  }
}
