import Foundation

/// An answer: a head and a body.
struct HTTPResponse: Sendable {
  let status: String
  var fields: [(name: String, value: String)]
  let body: Data

  init(status: String = "200 OK", type: String, body: Data) {
    self.status = status
    fields = [("Content-Type", type)]
    self.body = body
  }

  init(_ failure: HTTPFailure) {
    let (status, text): (String, String) =
      switch failure {
      case .badRequest(let reason): ("400 Bad Request", reason)
      case .notFound: ("404 Not Found", "There is no such page.")
      case .notAllowed(let allowed): ("405 Method Not Allowed", "This page takes \(allowed.joined(separator: ", ")).")
      case .timeout: ("408 Request Timeout", "The request did not come to its end in time.")
      case .tooLarge(let limit): ("413 Content Too Large", "A body may have \(limit) bytes.")
      case .unknownVersion: ("505 HTTP Version Not Supported", "This server speaks HTTP/1.1.")
      }
    self.init(status: status, type: "text/plain; charset=utf-8", body: Data((text + "\n").utf8))
    if case .notAllowed(let allowed) = failure { fields.append(("Allow", allowed.joined(separator: ", "))) }
  }

  /// Up to and including the blank line.
  func head(isKeepAlive: Bool) -> Data {
    var text = "HTTP/1.1 \(status)\r\n"
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    text += "Content-Length: \(body.count)\r\nConnection: \(isKeepAlive ? "keep-alive" : "close")\r\n\r\n"
    return Data(text.utf8)
  }
}
