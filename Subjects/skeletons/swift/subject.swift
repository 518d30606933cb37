import Foundation

// NAME as a subject of SocketLab: what is here works, and offers little. The protocol is in Subjects/README.md.

typealias Message = [String: Any]

/// What is not claimed is not asked. Add calls, callbacks and features as the library gets them.
let hello: Message = [
  "type": "hello", "protocol": 1, "name": "NAME", "version": "0",
  "calls": ["connect", "read", "write", "disconnect"],
  "callbacks": ["didConnect", "didRead", "didWrite", "didDisconnect"],
  "properties": ["isConnected"], "features": ["read-available", "read-length"],
]

struct Failure: Error { var code: Int32 }

func now() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

func say(_ message: Message) {
  guard let line = try? JSONSerialization.data(withJSONObject: message) else { return }
  FileHandle.standardOutput.write(line + Data("\n".utf8))
}

/// A callback. A subject that claims `reactions` takes the steps of the one that fits here, before it returns.
func tell(_ socket: String, _ callback: String, _ members: Message = [:]) {
  let head: Message = ["type": "callback", "at": now(), "socket": socket, "callback": callback]
  say(head.merging(members) { first, _ in first })
}

/// A connection, its reads that wait, and what came for them.
final class Connection {
  let descriptor: Int32
  /// A length of 0: what is available.
  var reads: [(length: Int, tag: Any)] = []
  var held = Data()

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }
}

/// Those of the case's sockets that are connected.
var sockets: [String: Connection] = [:]

/// Makes a call; what it sets off is told by callbacks. Put the library in place of the system calls.
func call(_ name: String, _ message: Message) throws {
  let one = sockets[name]
  switch message["call"] as? String {
  case "connect":
    let (host, port) = (message["host"] as? String ?? "", message["port"] as? Int ?? 0)
    sockets[name] = Connection(try connected(to: host, port))
    tell(name, "didConnect", ["host": host, "port": port])
  case "read":
    // A read of no bytes can't complete.
    let length = message["length"] as? Int ?? 0
    guard message["until"] as? String == "available" || length > 0 else { return }
    one?.reads.append((length, message["tag"] ?? 0))
  case "write":
    let data = Data(base64Encoded: message["data"] as? String ?? "") ?? Data()
    let sent = data.withUnsafeBytes { send(one?.descriptor ?? -1, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    guard sent == data.count else { throw Failure(code: errno) }
    tell(name, "didWrite", ["tag": message["tag"] ?? 0])
  default:
    if sockets.removeValue(forKey: name) != nil { tell(name, "didDisconnect") }
  }
}

/// Bytes have come, or the end; somebody reads.
func receive(_ name: String, _ one: Connection) {
  var room = [UInt8](repeating: 0, count: 1 << 16)
  let count = recv(one.descriptor, &room, room.count, 0)
  let code = errno
  guard count <= 0 else {
    one.held += room[..<count]
    return serve(name, one)
  }
  sockets[name] = nil
  tell(name, "didDisconnect", ["error": count == 0 ? "Closed" : "errno \(code)"])
}

/// Completes the reads for which enough is there, in their order.
func serve(_ name: String, _ one: Connection) {
  while let read = one.reads.first, !one.held.isEmpty, one.held.count >= read.length {
    let data = read.length == 0 ? one.held : one.held.prefix(read.length)
    one.held = Data(one.held.dropFirst(data.count))
    one.reads.removeFirst()
    tell(name, "didRead", ["data": data.base64EncodedString(), "tag": read.tag])
  }
}

func connected(to host: String, _ port: Int) throws -> Int32 {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = UInt16(port).bigEndian
  guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw Failure(code: EINVAL) }
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  let code = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard code == 0 else {
    let failure = Failure(code: errno)
    close(descriptor)
    throw failure
  }
  return descriptor
}

func answer(_ message: Message) {
  var result: Message = ["type": "result", "id": message["id"] ?? 0, "at": now(), "result": "done"]
  do { try call(message["socket"] as? String ?? "", message) } catch {
    result["result"] = "refused"
    result["error"] = "errno \((error as? Failure)?.code ?? EINVAL)"
  }
  say(result)
  if let name = message["socket"] as? String, let one = sockets[name] { serve(name, one) }
}

func hear(_ line: Data) {
  guard let message = try? JSONSerialization.jsonObject(with: line) as? Message else { return }
  switch message["type"] as? String {
  case "hello": say(hello)
  case "case": say(["type": "ready", "case": message["case"] ?? 0])
  case "call": answer(message)
  case "get":
    let isConnected = sockets[message["socket"] as? String ?? ""] != nil
    say(["type": "value", "id": message["id"] ?? 0, "at": now(), "value": isConnected])
  default:
    sockets = [:]
    say(["type": "ended", "case": message["case"] ?? 0, "open": [String]()])
  }
}

// The lab's lines and the connections that somebody reads from, whichever comes first.
var lines = Data()
while true {
  let reading = sockets.filter { !$0.value.reads.isEmpty }.map { ($0.key, $0.value) }
  var set = ([0] + reading.map(\.1.descriptor)).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  guard poll(&set, nfds_t(set.count), -1) > 0 else { continue }
  for (place, (name, one)) in reading.enumerated() where set[place + 1].revents != 0 { receive(name, one) }
  guard set[0].revents != 0 else { continue }
  var room = [UInt8](repeating: 0, count: 1 << 16)
  let count = read(0, &room, room.count)
  guard count > 0 else { break }
  lines += room[..<count]
  while let end = lines.firstIndex(of: UInt8(ascii: "\n")) {
    hear(Data(lines[..<end]))
    lines = Data(lines[(end + 1)...])
  }
}
