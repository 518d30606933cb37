import CocoaAsyncSocket
import Foundation

// CocoaAsyncSocket as a subject of SocketLab. The protocol is in ../README.md, the mapping in README.md.

private func hello() -> Message {
  var features = [
    "ipv6", "unix", "names", "addresses", "interface", "fixed-ports", "connect-timeout", "read-timeout",
    "write-timeout", "absurd-timeouts", "read-available", "read-length", "read-delimiter", "read-limit", "read-most",
    "queues", "reactions", "hold", "reuse", "end-without-read", "misuse", "system-errors",
  ]
  var calls = [
    "connect", "listen", "read", "write", "disconnect", "disconnectAfterReading", "disconnectAfterWriting",
    "disconnectAfterReadingAndWriting", "set", "release", "perform",
  ]
  var properties = [
    "isConnected", "isDisconnected", "isSecure", "isIPv4", "isIPv6", "connectedHost", "connectedPort", "localHost",
    "localPort", "connectedURL", "connectedAddress", "localAddress", "ipv4Enabled", "ipv6Enabled", "ipv4Preferred",
    "autoDisconnectOnClosedReadStream", "alternateAddressDelay", "userData", "progressOfRead", "progressOfWrite",
  ]
  var callbacks = [
    "newSocketQueue", "didAccept", "didConnect", "didConnectToURL", "didRead", "didReadPartial", "didWrite",
    "didWritePartial", "shouldTimeoutRead", "shouldTimeoutWrite", "didCloseRead", "didDisconnect",
  ]
  #if os(Linux)
    calls += ["startTLS", "trust"]
    callbacks += ["didSecure", "didReceiveTrust"]
    properties += ["peerCertificate"]
    features += [
      "tls-client", "tls-server", "tls1.0", "tls1.1", "tls1.2", "tls1.3", "tls-time", "tls-host-anchors",
      "tls-client-certificate", "tls-manual-trust", "tls-revocation", "tls-ciphers", "tls-alpn", "tls-relaxed",
    ]
  #endif
  return [
    "type": "hello", "protocol": 1, "name": "cocoa", "version": "7.6.5", "calls": calls, "callbacks": callbacks,
    "properties": properties, "features": features, "flavours": ["gcd"],
  ]
}

/// What a step means that the library has no object for.
private struct NoObject: Error { var reason: String }

/// What is between `case` and `ended`; the delegate of all of its sockets.
final class Case: NSObject, GCDAsyncSocketDelegate, @unchecked Sendable {
  // Unchecked: what changes is below the lock, which is never held while the library is called.
  private let lock = NSLock()
  private let number: Int
  private var sockets: [String: GCDAsyncSocket] = [:]
  private var names: [ObjectIdentifier: String] = [:]
  private var reactions: [Message]
  private var trust: [String: (Bool) -> Void] = [:]
  private var children = 0
  private var isOver = false
  /// Lets callbacks go that are kept busy.
  private let over = DispatchSemaphore(value: 0)

  init(_ message: Message) {
    number = message["case"] as? Int ?? 0
    reactions = message["reactions"] as? [Message] ?? []
    super.init()
    for name in message["sockets"] as? [String] ?? [] {
      adopt(GCDAsyncSocket(delegate: self, delegateQueue: DispatchQueue(label: name)), as: name)
    }
  }

  private func adopt(_ socket: GCDAsyncSocket, as name: String) {
    sockets[name] = socket
    names[ObjectIdentifier(socket)] = name
  }

  private func socket(_ message: Message) -> GCDAsyncSocket? {
    lock.withLock { sockets[message["socket"] as? String ?? ""] }
  }

  /// Says what belongs to the case, as long as there is one.
  private func answer(_ message: Message) { lock.withLock { if !isOver { say(message) } } }

  // MARK: - Callbacks

  /// Tells a callback, and takes the steps of the reaction to it; returns what they answer.
  @discardableResult
  private func tell(
    _ callback: String, _ socket: GCDAsyncSocket, data: Data? = nil, _ members: () -> Message = { [:] }
  ) -> Double {
    let steps = lock.withLock { () -> [Message] in
      guard !isOver else { return [] }
      let name = names[ObjectIdentifier(socket)] ?? "unknown"
      let members = members()
      let head: Message = ["type": "callback", "at": now(), "socket": name, "callback": callback]
      say(head.merging(members) { first, _ in first }, data: data)
      return reaction(callback, name, members)
    }
    var answer = 0.0
    for step in steps {
      if lock.withLock({ isOver }) { break }
      take(step, &answer)
    }
    return answer
  }

  private func reaction(_ callback: String, _ socket: String, _ members: Message) -> [Message] {
    for (place, reaction) in reactions.enumerated() {
      guard reaction["on"] as? String == callback, reaction["socket"] as? String ?? socket == socket else { continue }
      if let tag = reaction["tag"] as? Int, tag != members["tag"] as? Int { continue }
      if let child = reaction["child"] as? String, child != members["child"] as? String { continue }
      if let left = reaction["times"] as? Int {
        guard left > 0 else { continue }
        reactions[place]["times"] = left - 1
      }
      return reaction["steps"] as? [Message] ?? []
    }
    return []
  }

  private func take(_ step: Message, _ answer: inout Double) {
    switch step["type"] as? String {
    case "hold":
      if over.wait(timeout: .now() + (step["seconds"] as? Double ?? 0)) == .success { over.signal() }
    case "reach": self.answer(["type": "reached", "id": step["id"] as? Int ?? 0, "at": now()])
    case "answer": answer = step["seconds"] as? Double ?? 0
    default: take(step)
    }
  }

  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue? {
    tell("newSocketQueue", sock)
    return nil
  }

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    tell("didAccept", sock) {
      children += 1
      let name = children == 1 ? "child" : "child\(children)"
      adopt(newSocket, as: name)
      return ["child": name]
    }
  }

  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    tell("didConnect", sock) { ["host": host, "port": Int(port)] }
  }

  func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL) { tell("didConnectToURL", sock) { ["path": url.path] } }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    tell("didRead", sock, data: data) { ["tag": tag] }
  }

  func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    tell("didReadPartial", sock) { ["count": Int(partialLength), "tag": tag] }
  }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) { tell("didWrite", sock) { ["tag": tag] } }

  func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    tell("didWritePartial", sock) { ["count": Int(partialLength), "tag": tag] }
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    tell("shouldTimeoutRead", sock) { ["tag": tag, "elapsed": elapsed, "count": Int(length)] }
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    tell("shouldTimeoutWrite", sock) { ["tag": tag, "elapsed": elapsed, "count": Int(length)] }
  }

  func socketDidCloseReadStream(_ sock: GCDAsyncSocket) { tell("didCloseRead", sock) }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
    tell("didDisconnect", sock) { err.map { Self.described($0) } ?? [:] }
  }

  func socketDidSecure(_ sock: GCDAsyncSocket) { tell("didSecure", sock) }

  #if os(Linux)
    func socket(
      _ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping (Bool) -> Void
    ) {
      tell("didReceiveTrust", sock) {
        self.trust[names[ObjectIdentifier(sock)] ?? ""] = completionHandler
        return [:]
      }
    }
  #endif

  private static func described(_ error: any Error) -> Message {
    if let error = error as? NoObject { return ["error": "NoObject", "message": error.reason] }
    let error = error as NSError
    let own = [
      1: "BadConfig", 2: "BadParam", 3: "ConnectTimeout", 4: "ReadTimeout", 5: "WriteTimeout", 6: "ReadMaxedOut",
      7: "Closed", 8: "Other",
    ]
    let word =
      switch error.domain {
      case GCDAsyncSocketErrorDomain: own[error.code] ?? "Other"
      case NSPOSIXErrorDomain: "errno \(error.code)"
      case "kCFStreamErrorDomainNetDB": "NetDB \(error.code)"
      case "kCFStreamErrorDomainSSL": "SSL \(error.code)"
      default: "\(error.domain) \(error.code)"
      }
    var message: Message = ["error": word, "message": error.localizedDescription]
    message["reason"] = error.localizedFailureReason
    return message
  }

  // MARK: - Calls

  /// A call or a question: of the lab's own, or inside a callback.
  func take(_ message: Message) {
    let at = now()
    guard message["type"] as? String == "call" else {
      let value = socket(message).map { read(message["property"] as? String ?? "", of: $0) }
      return answer(["type": "value", "id": message["id"] as? Int ?? 0, "at": now(), "value": value ?? NSNull()])
    }
    var result: Message = ["result": "done"]
    do { result.merge(try perform(message)) { first, _ in first } } catch {
      result = Self.described(error)
      result["result"] = "refused"
    }
    let head: Message = ["type": "result", "id": message["id"] as? Int ?? 0, "at": at]
    answer(head.merging(result) { first, _ in first })
  }

  private func perform(_ message: Message) throws -> Message {
    let name = message["socket"] as? String ?? ""
    if message["call"] as? String == "release" {
      _ = lock.withLock { sockets.removeValue(forKey: name) }
      return [:]
    }
    guard let socket = socket(message) else { throw NoObject(reason: "there is no socket named \(name)") }
    switch message["call"] as? String {
    case "listen": return try listen(socket, message)
    case "perform":
      var failure: (any Error)?
      socket.perform {
        for step in message["calls"] as? [Message] ?? [] {
          do { try self.call(step, socket, name) } catch { failure = failure ?? error }
        }
      }
      if let failure { throw failure }
    default: try call(message, socket, name)
    }
    return [:]
  }

  private func call(_ message: Message, _ socket: GCDAsyncSocket, _ name: String) throws {
    let timeout = Self.seconds(message["timeout"])
    let tag = message["tag"] as? Int ?? 0
    let limit = UInt(max(message["limit"] as? Int ?? 0, 0))
    switch message["call"] as? String {
    case "connect": try connect(socket, message, timeout)
    case "read":
      switch message["until"] as? String {
      case "length":
        socket.readData(toLength: UInt(max(message["length"] as? Int ?? 0, 0)), withTimeout: timeout, tag: tag)
      case "delimiter":
        socket.readData(
          to: Self.bytes(message["delimiter"]), withTimeout: timeout, maxLength: limit, tag: tag)
      default:
        socket.readData(withTimeout: timeout, buffer: nil, bufferOffset: 0, maxLength: limit, tag: tag)
      }
    case "write": socket.write(Self.bytes(message["data"]), withTimeout: timeout, tag: tag)
    case "disconnect": socket.disconnect()
    case "disconnectAfterReading": socket.disconnectAfterReading()
    case "disconnectAfterWriting": socket.disconnectAfterWriting()
    case "disconnectAfterReadingAndWriting": socket.disconnectAfterReadingAndWriting()
    case "set": set(socket, message)
    #if os(Linux)
      case "startTLS": socket.startTLS(try Self.settings(message))
      case "trust":
        guard let handler = lock.withLock({ trust[name] }) else {
          throw NoObject(reason: "no question about trust was asked")
        }
        handler(message["isTrusted"] as? Bool ?? false)
    #endif
    default: throw NoObject(reason: "there is no such call")
    }
  }

  private static func bytes(_ value: Any?) -> Data {
    value as? Data ?? Data(base64Encoded: value as? String ?? "") ?? Data()
  }

  private static func seconds(_ value: Any?) -> TimeInterval {
    switch value {
    case let number as NSNumber: number.doubleValue
    case "NaN" as String: .nan
    case "Infinity" as String: .infinity
    case "-Infinity" as String: -.infinity
    default: -1
    }
  }

  /// `URL(fileURLWithPath:)` would make an empty path the working folder.
  private static func url(_ path: String) -> URL {
    path.isEmpty ? URL(string: "file:") ?? URL(fileURLWithPath: "") : URL(fileURLWithPath: path)
  }

  private func connect(_ socket: GCDAsyncSocket, _ message: Message, _ timeout: TimeInterval) throws {
    let interface = message["interface"] as? String
    if let path = message["path"] as? String { return try socket.connect(to: Self.url(path), withTimeout: timeout) }
    if let address = message["address"] {
      return try socket.connect(toAddress: Self.bytes(address), viaInterface: interface, withTimeout: timeout)
    }
    try socket.connect(
      toHost: message["host"] as? String ?? "", onPort: UInt16(message["port"] as? Int ?? 0),
      viaInterface: interface, withTimeout: timeout)
  }

  private func listen(_ socket: GCDAsyncSocket, _ message: Message) throws -> Message {
    if let path = message["path"] as? String {
      try socket.accept(on: Self.url(path))
      return [:]
    }
    let port = UInt16(message["port"] as? Int ?? 0)
    if let interface = message["interface"] as? String {
      try socket.accept(onInterface: interface, port: port)
    } else {
      try socket.accept(onPort: port)
    }
    return ["port": Int(socket.localPort), "host": socket.localHost ?? NSNull()]
  }

  private func set(_ socket: GCDAsyncSocket, _ message: Message) {
    let isOn = message["value"] as? Bool ?? false
    switch message["property"] as? String {
    case "ipv4Enabled": socket.isIPv4Enabled = isOn
    case "ipv6Enabled": socket.isIPv6Enabled = isOn
    case "ipv4Preferred": socket.isIPv4PreferredOverIPv6 = isOn
    case "autoDisconnectOnClosedReadStream": socket.autoDisconnectOnClosedReadStream = isOn
    case "alternateAddressDelay": socket.alternateAddressDelay = message["value"] as? Double ?? 0
    default: socket.userData = message["value"] as? String
    }
  }

  // MARK: - The end

  /// Closes what is open.
  func end() {
    let open = lock.withLock {
      isOver = true
      return sockets
    }
    over.signal()
    var left: [String] = []
    for (name, socket) in open {
      socket.disconnect()
      if !socket.isDisconnected { left.append(name) }
      socket.setDelegate(nil, delegateQueue: nil)
    }
    say(["type": "ended", "case": number, "open": left])
  }
}

/// Reads the lab's lines until there are no more.
@main
enum Program {
  static func main() {
    var current: Case?
    while let line = readLine() {
      guard let message = MessageReader.message(line) else { continue }
      switch message["type"] as? String {
      case "hello": say(hello())
      case "case":
        current = Case(message)
        say(["type": "ready", "case": message["case"] as? Int ?? 0])
      case "end":
        current?.end()
        current = nil
      default: current?.take(message)
      }
    }
  }
}
