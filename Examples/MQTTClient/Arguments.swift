import Foundation

/// The command line.
struct Arguments {
  enum Command: String {
    case publish, subscribe, probe
  }

  /// What the user got wrong.
  struct Mistake: Error {
    let text: String
  }

  static let usage = """
    usage: MQTTClient publish TOPIC [MESSAGE]     publishes; without MESSAGE what the input holds
           MQTTClient subscribe TOPIC             prints what comes
           MQTTClient probe                       connects and takes its leave, again and again
      --host H, --port P       the broker; 127.0.0.1, 1883
      --id ID                  the client's name
      --qos 0|1|2              quality of service; 0
      --retain                 publish: the broker keeps the message
      --count N                publish: so often; subscribe: ends after so many; probe: rounds
      --keep-alive SECONDS     60
      --reconnect SECONDS      makes a lost connection anew after so long
      --will TOPIC=MESSAGE     what the broker publishes if the client is lost

    """

  let command: Command
  private(set) var settings = MQTTClient.Settings()
  private(set) var topic = ""
  private(set) var message: String?
  private(set) var qos = MQTTMessage.QoS.atMostOnce
  private(set) var isRetained = false
  private(set) var count: Int?

  init(_ words: [String]) throws(Mistake) {
    guard let command = words.first.flatMap(Command.init) else { throw Mistake(text: "a command is missing") }
    self.command = command
    var rest = words.dropFirst()
    var texts: [String] = []
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        texts.append(word)
        continue
      }
      if word == "--retain" {
        isRetained = true
      } else {
        guard let value = rest.popFirst() else { throw Mistake(text: "\(word) needs a value") }
        try take(word, value)
      }
    }
    let most = command == .publish ? 2 : command == .subscribe ? 1 : 0
    guard texts.count <= most, !(most > 0 && texts.isEmpty) else {
      throw Mistake(text: "\(command) takes other arguments")
    }
    topic = texts.first ?? ""
    message = texts.count > 1 ? texts[1] : nil
  }

  private mutating func take(_ name: String, _ value: String) throws(Mistake) {
    let mistake = Mistake(text: "\(name) does not take '\(value)'")
    func number<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) throws(Mistake) -> Number {
      guard let number = Number(value), range.contains(number) else { throw mistake }
      return number
    }
    switch name {
    case "--host": settings.host = value
    case "--port": settings.port = try number(1...UInt16.max)
    case "--id": settings.id = value
    case "--qos": qos = MQTTMessage.QoS(rawValue: try number(0...UInt8(2))) ?? .atMostOnce
    case "--count": count = try number(1...1_000_000)
    case "--keep-alive": settings.keepAlive = try number(0...UInt16.max)
    case "--reconnect":
      guard let delay = Double(value), delay >= 0, delay <= 3600 else { throw mistake }
      settings.reconnectDelay = delay
    case "--will":
      guard let sign = value.firstIndex(of: "="), sign != value.startIndex else { throw mistake }
      let text = value[value.index(after: sign)...]
      settings.will = MQTTMessage(topic: String(value[..<sign]), payload: Data(text.utf8), qos: .atLeastOnce)
    default: throw Mistake(text: "there is no option \(name)")
    }
  }
}
