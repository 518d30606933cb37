import CocoaAsyncSocket
import Foundation

/// Fetches one page with HTTP/1.1, line by line: the header up to its blank line, then the body by Content-Length.
/// Usage: HTTPClient host port path
final class HTTPClient: NSObject, GCDAsyncSocketDelegate {
  private enum Tag {
    static let request = 0
    static let header = 10
    static let body = 11
  }

  private let host: String
  private let port: UInt16
  private let path: String
  private var asyncSocket: GCDAsyncSocket!

  init(host: String, port: UInt16, path: String) {
    self.host = host
    self.port = port
    self.path = path
  }

  func start() throws {
    asyncSocket = GCDAsyncSocket(delegate: self, delegateQueue: DispatchQueue.main)
    try asyncSocket.connect(toHost: host, onPort: port, withTimeout: 5)

    // The socket is not connected yet; what is queued now runs as soon as it is.
    let request = "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
    asyncSocket.write(Data(request.utf8), withTimeout: 5, tag: Tag.request)
    asyncSocket.readData(to: Data("\r\n\r\n".utf8), withTimeout: 5, maxLength: 65536, tag: Tag.header)
  }

  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    print("Connected to \(host):\(port)")
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    let text = String(decoding: data, as: UTF8.self)
    switch tag {
    case Tag.header:
      print(text, terminator: "")
      let length = text.lowercased().components(separatedBy: "\r\n")
        .first { $0.hasPrefix("content-length:") }
        .flatMap { UInt($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
      guard let length, length > 0 else { return sock.disconnect() }
      sock.readData(toLength: length, withTimeout: 5, tag: Tag.body)
    case Tag.body:
      print(text)
      sock.disconnect()
    default:
      break
    }
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) {
    if let err { print("Disconnected: \(err.localizedDescription)") }
    exit(err == nil ? 0 : 1)
  }
}

@main
enum Main {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 3, let port = UInt16(arguments[2]), let host = arguments.first, let path = arguments.last
    else {
      print("usage: HTTPClient host port path")
      exit(2)
    }
    let client = HTTPClient(host: host, port: port, path: path)
    do {
      try client.start()
    } catch {
      print("Can't start: \(error.localizedDescription)")
      exit(1)
    }
    RunLoop.main.run()
  }
}
