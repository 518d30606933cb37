import COpenSSL
import SocketCore

/// OpenSSL's error stack of this thread, oldest first: the first entry is the cause, the others come from functions
/// that passed it on.
struct OpenSSLErrors {
  struct Entry: Equatable {
    var library: Int32
    var reason: Int32
    var text: String
  }

  let entries: [Entry]

  /// Takes the stack and leaves it empty.
  static func take() -> OpenSSLErrors {
    var entries: [Entry] = []
    var data: UnsafePointer<CChar>?
    var flags: Int32 = 0
    while true {
      let code = ERR_get_error_all(nil, nil, nil, &data, &flags)
      guard code != 0 else { break }
      guard entries.count < 8 else { continue }
      var text = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(ERR_GET_REASON(code))"
      if let data, flags & ERR_TXT_STRING != 0, data.pointee != 0 { text += " (\(String(cString: data)))" }
      entries.append(Entry(library: ERR_GET_LIB(code), reason: ERR_GET_REASON(code), text: text))
    }
    return OpenSSLErrors(entries: entries)
  }

  /// The reasons, each once, at most three.
  var text: String {
    var texts: [String] = []
    for entry in entries where texts.count < 3 && !texts.contains(entry.text) { texts.append(entry.text) }
    return texts.isEmpty ? "no reason given" : texts.joined(separator: "; ")
  }

  /// What libssl itself said first.
  var cause: Entry? { entries.first { $0.library == ERR_LIB_SSL } }

  /// The alert the peer sent, if that is the cause; OpenSSL's reason for one is its number above an offset.
  var peerAlert: Int32? {
    cause.flatMap { (0...255).contains($0.reason - SSL_AD_REASON_OFFSET) ? $0.reason - SSL_AD_REASON_OFFSET : nil }
  }

  func has(library: Int32, reason: Int32) -> Bool {
    entries.contains { $0.library == library && $0.reason == reason }
  }

  /// A failure that says what was attempted and OpenSSL's reasons.
  static func failure(_ attempt: String) -> SocketFailure {
    .other("\(attempt): \(take().text).")
  }
}
