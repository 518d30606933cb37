import Foundation

/// Prints a line at once, also when the output is a pipe.
func log(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Does what the command line says, on the main queue; the client tells it everything on its own.
final class App: MQTTClientDelegate, @unchecked Sendable {
  // Unchecked: everything that changes is touched on the main queue only.
  private let arguments: Arguments
  private var client: MQTTClient!
  private var published = 0
  private var received = 0
  private var round = 0
  private var failures: [String: Int] = [:]
  private var stuck = 0
  private var isDone = false

  init(_ arguments: Arguments) {
    self.arguments = arguments
    client = MQTTClient(arguments.settings, delegate: self)
  }

  func start() {
    do {
      try client.connect()
    } catch {
      log("Can't connect: \(error.localizedDescription)")
      exit(1)
    }
    guard round == 0 else { return }
    switch arguments.command {
    case .publish: break
    case .subscribe: client.subscribe(to: arguments.topic, qos: arguments.qos)
    case .probe: break
    }
  }

  // MARK: The client

  func clientDidConnect(_ client: MQTTClient) {
    DispatchQueue.main.async { [self] in
      if arguments.command != .probe { log("Connected to \(arguments.settings.host):\(arguments.settings.port)") }
      switch arguments.command {
      case .publish: publish()
      case .subscribe: break
      case .probe: client.disconnect()
      }
    }
  }

  private func publish() {
    // What a lost connection has left over, the client sends again itself.
    guard round == 0 else { return }
    round = 1
    let payload = arguments.message.map { Data($0.utf8) } ?? FileHandle.standardInput.readDataToEndOfFile()
    let message = MQTTMessage(
      topic: arguments.topic, payload: payload, qos: arguments.qos, isRetained: arguments.isRetained)
    for _ in 0..<(arguments.count ?? 1) { client.publish(message) }
  }

  func client(_ client: MQTTClient, didPublish id: UInt16) {
    DispatchQueue.main.async { [self] in
      published += 1
      if published == arguments.count ?? 1 { finish("Published \(published)") }
    }
  }

  func client(_ client: MQTTClient, didSubscribeTo topic: String, granted code: UInt8) {
    DispatchQueue.main.async {
      log(code < 0x80 ? "Subscribed to \(topic) with QoS \(code)" : "Refused: \(topic)")
    }
  }

  func client(_ client: MQTTClient, didReceive message: MQTTMessage) {
    DispatchQueue.main.async { [self] in
      guard !isDone else { return }
      log("\(message.topic): \(String(decoding: message.payload, as: UTF8.self))")
      received += 1
      if received == arguments.count { finish("Received \(received)") }
    }
  }

  func clientDidPing(_ client: MQTTClient) {
    DispatchQueue.main.async { if self.arguments.command == .subscribe { log("Ping answered") } }
  }

  func clientDidDisconnect(_ client: MQTTClient, error: Error?) {
    let text = error?.localizedDescription
    DispatchQueue.main.async { [self] in
      if arguments.command == .probe { return roundEnded(text) }
      log("Disconnected: \(text ?? "as wished")")
      if isDone || arguments.settings.reconnectDelay == nil { exit(isDone ? 0 : 1) }
    }
  }

  // MARK: Ends

  private func finish(_ line: String) {
    guard !isDone else { return }
    isDone = true
    log(line)
    client.disconnect()
  }

  private func roundEnded(_ error: String?) {
    round += 1
    failures[error ?? "none", default: 0] += 1
    // Every block that `connect` has put on the client's queue has run by now.
    if client.state != .disconnected { stuck += 1 }
    guard round < arguments.count ?? 1 else {
      for (error, count) in failures.sorted(by: { $0.key < $1.key }) { log("Error \(error): \(count)") }
      log("Rounds: \(round), left in another state than disconnected: \(stuck)")
      exit(stuck == 0 && failures["none"] == round ? 0 : 1)
    }
    start()
  }
}

@main
enum Main {
  static func main() {
    do {
      let app = App(try Arguments(Array(CommandLine.arguments.dropFirst())))
      DispatchQueue.main.async { app.start() }
      withExtendedLifetime(app) { RunLoop.main.run() }
    } catch {
      log("\(error.text)\n\(Arguments.usage)")
      exit(2)
    }
  }
}
