import ScenarioModel
import SocketCore

extension SubjectError {
  /// The machine's failure in the lab's terms.
  init(_ failure: SocketFailure) {
    func library(_ code: LibraryErrorCode, _ message: String) -> SubjectError {
      SubjectError(domain: .library, code: code.rawValue, message: message)
    }
    self =
      switch failure {
      case .badConfig(let message): library(.badConfig, message)
      case .badParam(let message): library(.badParam, message)
      case .connectTimeout: library(.connectTimeout, "The connect timed out.")
      case .readTimeout: library(.readTimeout, "The read timed out.")
      case .writeTimeout: library(.writeTimeout, "The write timed out.")
      case .readMaxedOut: library(.readMaxedOut, "The read reached its limit without the delimiter.")
      case .closedByPeer: library(.closed, "The peer closed the connection.")
      case .other(let message): library(.other, message)
      case .posix(let code, let call):
        SubjectError(domain: .posix, code: Int(code), message: ErrnoName.name(of: code) ?? "errno", reason: call)
      case .lookup(let code, let message): SubjectError(domain: .netDB, code: Int(code), message: message)
      case .tls(let code, let message): SubjectError(domain: .ssl, code: Int(code), message: message)
      }
  }
}
