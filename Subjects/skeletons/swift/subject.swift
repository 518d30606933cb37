import Foundation

// NAME as a subject of SocketLab: what is here works, and offers little. The protocol is in Subjects/README.md.

typealias Message = [String: Any]

/// What is not claimed is not asked. Add calls, callbacks and features as the library gets them.
let hello: Message = [
  "type": "hello", "protocol": 1, "name": "NAME", "version": "0",
  "calls": ["connect", "write", "disconnect"], "callbacks": ["didConnect", "didWrite", "didDisconnect"],
  "properties": ["isConnected"], "features": [String](),
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

/// The sockets of the case; -1: not connected.
var sockets: [String: Int32] = [:]

/// Makes a call; what it sets off is told by callbacks. Put the library in place of the system calls.
func call(_ name: String, _ message: Message) throws {
  switch message["call"] as? String {
  case "connect":
    let (host, port) = (message["host"] as? String ?? "", message["port"] as? Int ?? 0)
    sockets[name] = try connected(to: host, port)
    tell(name, "didConnect", ["host": host, "port": port])
  case "write":
    let data = Data(base64Encoded: message["data"] as? String ?? "") ?? Data()
    let sent = data.withUnsafeBytes { send(sockets[name] ?? -1, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    guard sent == data.count else { throw Failure(code: errno) }
    tell(name, "didWrite", ["tag": message["tag"] ?? 0])
  default:
    guard let open = sockets[name], open >= 0 else { return }
    close(open)
    sockets[name] = -1
    tell(name, "didDisconnect")
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
}

while let line = readLine() {
  guard let message = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? Message else { continue }
  switch message["type"] as? String {
  case "hello": say(hello)
  case "case":
    sockets = Dictionary(uniqueKeysWithValues: (message["sockets"] as? [String] ?? []).map { ($0, -1) })
    say(["type": "ready", "case": message["case"] ?? 0])
  case "call": answer(message)
  case "get":
    let isConnected = (sockets[message["socket"] as? String ?? ""] ?? -1) >= 0
    say(["type": "value", "id": message["id"] ?? 0, "at": now(), "value": isConnected])
  default:
    for open in sockets.values where open >= 0 { close(open) }
    say(["type": "ended", "case": message["case"] ?? 0, "open": [String]()])
  }
}
