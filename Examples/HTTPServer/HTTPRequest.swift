import Foundation

/// What the head of a request says. The body comes later.
struct HTTPRequest: Sendable {
  /// How long the body is.
  enum Framing: Equatable, Sendable {
    case none
    case length(UInt)
    case chunked
  }

  let method: String
  /// Without the query.
  let path: String
  let contentType: String?
  let isKeepAlive: Bool
  let expectsContinue: Bool
  let framing: Framing
  var body = Data()

  /// Reads a head up to and including its blank line.
  init(head: Data) throws(HTTPFailure) {
    guard let text = String(data: head, encoding: .utf8) else { throw .badRequest("The head is no text.") }
    var lines = text.components(separatedBy: "\r\n")
    let parts = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy({ $0.isASCII && $0.isLetter }),
      parts[1].hasPrefix("/")
    else { throw .badRequest("A request begins like this: GET /page HTTP/1.1") }
    guard parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0" else { throw .unknownVersion }

    var fields: [String: String] = [:]
    for line in lines where !line.isEmpty {
      guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
        line[..<colon].allSatisfy({ $0.isASCII && !$0.isWhitespace })
      else { throw .badRequest("A header field looks like this: Name: value") }
      let name = line[..<colon].lowercased()
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      // Two lengths are a way to smuggle requests past a proxy.
      guard fields[name] == nil || name != "content-length" else { throw .badRequest("Content-Length came twice.") }
      fields[name] = fields[name].map { "\($0), \(value)" } ?? value
    }
    guard fields["host"] != nil || parts[2] == "HTTP/1.0" else { throw .badRequest("HTTP/1.1 asks for Host.") }

    method = String(parts[0])
    path = String(parts[1].prefix { $0 != "?" })
    contentType = fields["content-type"]
    expectsContinue = fields["expect"]?.lowercased() == "100-continue"
    let wishes = (fields["connection"] ?? "").lowercased().split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    isKeepAlive = parts[2] == "HTTP/1.1" ? !wishes.contains("close") : wishes.contains("keep-alive")
    framing = try Self.framing(length: fields["content-length"], coding: fields["transfer-encoding"])
  }

  private static func framing(length: String?, coding: String?) throws(HTTPFailure) -> Framing {
    if let coding {
      guard coding.lowercased() == "chunked" else { throw .badRequest("The only known coding is chunked.") }
      guard length == nil else { throw .badRequest("A chunked body has no Content-Length.") }
      return .chunked
    }
    guard let length else { return .none }
    guard length.allSatisfy(\.isNumber), let count = UInt(length) else {
      throw .badRequest("Content-Length is a number.")
    }
    return count == 0 ? .none : .length(count)
  }
}

/// Why a request is not served.
enum HTTPFailure: Error {
  case badRequest(String)
  case notFound
  case notAllowed(allowed: [String])
  case timeout
  case tooLarge(limit: UInt)
  case unknownVersion
}
