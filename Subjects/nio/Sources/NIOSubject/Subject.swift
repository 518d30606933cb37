import Foundation
import NIOCore
import NIOPosix

// SwiftNIO as a subject of SocketLab. The protocol is in ../../../README.md, the mapping in ../../README.md. Everything
// happens on one event loop.

typealias Message = [String: Any]

func now() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

func say(_ message: Message) {
  guard var line = try? JSONSerialization.data(withJSONObject: message) else { return }
  line.append(UInt8(ascii: "\n"))
  FileHandle.standardOutput.write(line)
}

private func hello() -> Message {
  var calls = [
    "connect", "listen", "read", "write", "disconnect", "disconnectAfterReading", "disconnectAfterWriting",
    "disconnectAfterReadingAndWriting", "perform",
  ]
  var callbacks = ["didConnect", "didConnectToURL", "didAccept", "didRead", "didWrite", "didDisconnect"]
  var properties = ["isConnected", "isDisconnected", "connectedHost", "connectedPort", "localHost", "localPort"]
  var features = [
    "ipv6", "unix", "names", "fixed-ports", "interface", "connect-timeout", "read-available", "read-most",
    "read-length", "queues", "reactions", "hold", "reuse", "end-without-read", "system-errors",
  ]
  if ProcessInfo.processInfo.environment["SUBJECT_HAS_TLS"] != nil {
    calls.append("startTLS")
    callbacks.append("didSecure")
    properties.append("isSecure")
    features += ["tls-client", "tls-server", "tls1.2", "tls1.3", "tls-client-certificate", "tls-alpn"]
  }
  return [
    "type": "hello", "protocol": 1, "name": "nio", "version": "2", "calls": calls, "callbacks": callbacks,
    "properties": properties, "features": features,
  ]
}

struct Refusal: Error { var text: String }

/// What is between `case` and `ended`.
final class Case {
  let loop: EventLoop
  private let number: Int
  private var sockets: [String: Socket] = [:]
  private var reactions: [Message]
  private var children = 0
  private(set) var isOver = false

  init(_ message: Message, on loop: EventLoop) {
    self.loop = loop
    number = message["case"] as? Int ?? 0
    reactions = message["reactions"] as? [Message] ?? []
    for name in message["sockets"] as? [String] ?? [] { sockets[name] = Socket(self, name) }
  }

  func adoptChild(by listener: Socket) -> Socket {
    children += 1
    let name = children == 1 ? "child" : "child\(children)"
    let child = Socket(self, name, acceptedBy: listener)
    sockets[name] = child
    return child
  }

  /// A callback, and inside it the reaction to it.
  func tell(_ socket: String, _ callback: String, _ members: Message) {
    guard !isOver else { return }
    let head: Message = ["type": "callback", "at": now(), "socket": socket, "callback": callback]
    say(head.merging(members) { first, _ in first })
    for (place, reaction) in reactions.enumerated() {
      guard reaction["on"] as? String == callback, reaction["socket"] as? String ?? socket == socket else { continue }
      if let tag = reaction["tag"] as? Int, tag != members["tag"] as? Int { continue }
      if let child = reaction["child"] as? String, child != members["child"] as? String { continue }
      if let left = reaction["times"] as? Int {
        guard left > 0 else { continue }
        reactions[place]["times"] = left - 1
      }
      for step in reaction["steps"] as? [Message] ?? [] where !isOver { take(step) }
      return
    }
  }

  func take(_ message: Message) {
    let id = message["id"] ?? 0
    let socket = sockets[message["socket"] as? String ?? ""]
    switch message["type"] as? String {
    case "get":
      say([
        "type": "value", "id": id, "at": now(), "value": socket?.read(message["property"] as? String ?? "") ?? NSNull(),
      ])
    // The library runs one callback at a time: to keep one busy is to keep the loop busy.
    case "hold": Thread.sleep(forTimeInterval: message["seconds"] as? Double ?? 0)
    case "reach": say(["type": "reached", "id": id, "at": now()])
    default:
      let head: Message = ["type": "result", "id": id, "at": now(), "result": "done"]
      let answer = { (result: Message) in
        if !self.isOver { say(result.merging(head) { first, _ in first }) }
      }
      let steps = message["call"] as? String == "perform" ? message["calls"] as? [Message] ?? [] : [message]
      do {
        guard let socket else { throw Refusal(text: "there is no such socket") }
        let waits = try steps.map { try socket.call($0, answer) }
        if !waits.contains(true) { answer([:]) }
      } catch {
        answer(["result": "refused", "error": "EISCONN", "message": "\(error)"])
      }
    }
  }

  func end() {
    isOver = true
    for socket in sockets.values { socket.close() }
    sockets = [:]
    say(["type": "ended", "case": number, "open": [String]()])
  }
}

/// Reads the lab's lines until there are no more; they are taken on the loop.
@main
enum Program {
  static func main() {
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    var current: Case?
    while let line = readLine() {
      loop.execute {
        guard let message = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? Message else { return }
        switch message["type"] as? String {
        case "hello": say(hello())
        case "case":
          current = Case(message, on: loop)
          say(["type": "ready", "case": message["case"] ?? 0])
        case "end": current?.end()
        default: current?.take(message)
        }
      }
    }
    // What was read last is still under way.
    try? loop.submit {}.wait()
  }
}
