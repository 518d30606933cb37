import ScenarioModel

/// The words by which a subject names errors: those of scenario files.
package enum ErrorWord {
  /// The error that the word stands for. An unknown word is an error of an unknown domain, and keeps its message.
  ///
  /// - Parameter message: what the library said; empty: nothing.
  package static func error(_ word: String, message: String, reason: String? = nil) -> SubjectError {
    var error = error(word, message)
    error.reason = reason
    return error
  }

  private static func error(_ word: String, _ message: String) -> SubjectError {
    let text = message.isEmpty ? word : message
    if let code = LibraryErrorCode.allCases.first(where: { $0.name == word }) {
      return SubjectError(domain: .library, code: code.rawValue, message: text)
    }
    if let code = RunLoopErrorCode.own.first(where: { $0.name == word }) {
      return SubjectError(domain: .runLoop, code: code.rawValue, message: text)
    }
    if word == SubjectError.misuse { return SubjectError(domain: .exception, code: 0, message: text) }
    if let number = ErrnoName.number(of: word) { return SubjectError(domain: .posix, code: Int(number), message: text) }
    if let number = ErrnoName.lookupNumber(of: word) {
      return SubjectError(domain: .netDB, code: Int(number), message: text)
    }
    if let number = numbered(word, "errno ") { return SubjectError(domain: .posix, code: number, message: text) }
    if let number = numbered(word, "NetDB ") { return SubjectError(domain: .netDB, code: number, message: text) }
    if let number = SSLErrorName.code(of: word) { return SubjectError(domain: .ssl, code: number, message: text) }
    if let number = numbered(word, "SSL ") { return SubjectError(domain: .ssl, code: number, message: text) }
    if word == "SSL" { return SubjectError(domain: .ssl, code: SubjectError.anyTLS, message: text) }
    return SubjectError(domain: .other, code: 0, message: message.isEmpty ? word : "\(word): \(message)")
  }

  /// The word for an error, such that `error` gives it back.
  package static func word(_ error: SubjectError) -> String {
    error.domain == .ssl && error.code != SubjectError.anyTLS ? "SSL \(error.code)" : error.name
  }

  private static func numbered(_ word: String, _ prefix: String) -> Int? {
    word.hasPrefix(prefix) ? Int(word.dropFirst(prefix.count)) : nil
  }
}
