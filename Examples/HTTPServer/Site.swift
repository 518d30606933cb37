import Foundation

/// The pages: a few from memory, and /echo, which sends back what it gets.
struct Site: Sendable {
  private let pages: [String: (type: String, body: Data)]

  init() {
    let html = """
      <!doctype html><title>Examples</title>
      <p>Served by GCDAsyncSocket. <a href="/hello">/hello</a>, <a href="/digits">/digits</a> (1 MiB), /empty; \
      POST to /echo.

      """
    pages = [
      "/": ("text/html; charset=utf-8", Data(html.utf8)),
      "/hello": ("text/plain", Data("Hello, world!\n".utf8)),
      "/empty": ("text/plain", Data()),
      "/digits": ("text/plain", Data((0..<(1 << 20)).map { UInt8(ascii: "0") + UInt8($0 % 10) })),
    ]
  }

  func response(to request: HTTPRequest) -> HTTPResponse {
    if request.path == "/echo" {
      let allowed = ["POST", "PUT"]
      guard allowed.contains(request.method) else { return HTTPResponse(.notAllowed(allowed: allowed)) }
      return HTTPResponse(type: request.contentType ?? "application/octet-stream", body: request.body)
    }
    guard let page = pages[request.path] else { return HTTPResponse(.notFound) }
    let allowed = ["GET", "HEAD"]
    guard allowed.contains(request.method) else { return HTTPResponse(.notAllowed(allowed: allowed)) }
    return HTTPResponse(type: page.type, body: page.body)
  }
}
