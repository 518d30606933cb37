import ScenarioModel
import SubjectProtocol

/// Messages as a subject would write them.
enum MessageText {
  static func line(_ message: SubjectMessage) -> String {
    switch message {
    case .hello(let version, let claims):
      object([
        ("type", text("hello")), ("protocol", "\(version)"), ("name", text(claims.name)),
        ("version", text(claims.version)), ("calls", list(claims.calls.sorted())),
        ("callbacks", words(claims.callbacks, claims.unknown, "callbacks")),
        ("properties", words(claims.properties, claims.unknown, "properties")),
        ("features", words(claims.features, claims.unknown, "features")),
        ("flavours", words(claims.flavours, claims.unknown, "flavours")),
      ])
    case .ready(let number): object([("type", text("ready")), ("case", "\(number)")])
    case .result(let answer): line(answer)
    case .value(let id, let at, let value):
      object([("type", text("value")), ("id", "\(id)"), ("at", at.map { "\($0)" }), ("value", self.value(value))])
    case .reached(let id, let at): object([("type", text("reached")), ("id", "\(id)"), ("at", "\(at)")])
    case .callback(let socket, let callback, let at):
      object(
        [
          ("type", text("callback")), ("socket", text(socket)), ("callback", text(callback.kind.rawValue)),
          ("at", "\(at)"),
        ] + arguments(callback))
    case .ended(let number, let open):
      object([("type", text("ended")), ("case", "\(number)"), ("open", list(open))])
    case .note(let note): object([("type", text("note")), ("text", text(note))])
    }
  }

  private static func line(_ answer: CallAnswer) -> String {
    let (word, more): (String, [(String, String?)]) =
      switch answer.result {
      case .done: ("done", [])
      case .returned(let isTrue): (isTrue ? "true" : "false", [])
      case .refused(let error): ("refused", members(error))
      case .unsupported(let why): ("unsupported", [("message", text(why))])
      case .hung: ("hung", [])
      }
    return object(
      [
        ("type", text("result")), ("id", "\(answer.id)"), ("at", answer.at.map { "\($0)" }), ("result", text(word)),
        ("port", answer.port.map { "\($0)" }), ("host", answer.host.map(text)),
      ] + more)
  }

  private static func members(_ error: SubjectError?) -> [(String, String?)] {
    guard let error else { return [] }
    // Of a domain that nobody knows the word is what stands in front of the message.
    let word = error.domain == .other ? error.message : ErrorWord.word(error)
    return [
      ("error", text(word)), ("message", error.domain == .other ? nil : text(error.message)),
      ("reason", error.reason.map(text)),
    ]
  }

  private static func arguments(_ callback: Callback) -> [(String, String?)] {
    switch callback {
    case .didConnect(let host, let port): [("host", text(host)), ("port", "\(port)")]
    case .didConnectToURL(let path): [("path", text(path))]
    case .didAccept(let child): [("child", text(child))]
    case .didRead(let bytes, let tag): [("data", text(base64(bytes))), ("tag", "\(tag)")]
    case .didReadPartial(let count, let tag), .didWritePartial(let count, let tag):
      [("count", "\(count)"), ("tag", "\(tag)")]
    case .didWrite(let tag): [("tag", "\(tag)")]
    case .shouldTimeoutRead(let tag, let elapsed, let done), .shouldTimeoutWrite(let tag, let elapsed, let done):
      [("tag", "\(tag)"), ("elapsed", "\(elapsed)"), ("count", "\(done)")]
    case .didDisconnect(let error), .willDisconnect(let error): members(error)
    case .newSocketQueue, .didCloseRead, .didSecure, .didReceiveTrust, .willConnect, .wantsRunLoop: []
    }
  }

  private static func value(_ value: PropertyValue) -> String {
    switch value {
    case .none: "null"
    case .flag(let flag): "\(flag)"
    case .number(let number): "\(number)"
    case .text(let string): text(string)
    case .bytes(let bytes): object([("base64", text(base64(bytes)))])
    case .names(let names): list(names)
    case .progress(let tag, let done, let total, let fraction):
      object([
        ("tag", "\(tag)"), ("done", "\(done)"), ("total", "\(total)"),
        ("fraction", fraction.isNaN ? nil : "\(fraction)"),
      ])
    }
  }

  // MARK: JSON

  private static func object(_ members: [(String, String?)]) -> String {
    let parts = members.compactMap { name, value in value.map { "\(text(name)): \($0)" } }
    return "{\(parts.joined(separator: ", "))}"
  }

  private static func words<Word: RawRepresentable<String> & Hashable>(
    _ known: Set<Word>, _ unknown: [UnknownWord], _ name: String
  ) -> String {
    list(known.map(\.rawValue).sorted() + unknown.filter { $0.list == name }.map(\.word))
  }

  private static func list(_ texts: [String]) -> String { "[\(texts.map(text).joined(separator: ", "))]" }

  private static func text(_ text: String) -> String {
    var line = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": line += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        line += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line + "\""
  }

  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

  private static func base64(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 3).map { start in
      let group = bytes[start..<min(start + 3, bytes.count)]
      let number = (group + [0, 0]).prefix(3).reduce(0) { $0 << 8 | Int($1) }
      let coded = [18, 12, 6, 0].prefix(group.count + 1).map { digits[number >> $0 & 63] }
      return String(coded) + String(repeating: "=", count: 3 - group.count)
    }.joined()
  }
}
