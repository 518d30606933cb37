import ScenarioModel
import SocketCore

extension SubjectError {
  /// The run-loop class's failure in the lab's terms; nil: the peer has ended its stream. `toAddress`: the start was
  /// one whose system calls fail as `CFSocket` (CON-33, ACC-06).
  init?(runLoop failure: SocketFailure, toAddress: Bool) {
    switch failure {
    case .closedByPeer: return nil
    case .badConfig(let message): self.init(domain: .exception, code: 0, message: message)
    case .badParam(let message), .other(let message): self.init(runLoop: .cfSocket, message)
    case .connectTimeout: self.init(runLoop: .connectTimeout, "Attempt to connect to host timed out")
    case .readMaxedOut: self.init(runLoop: .readMaxedOut, "Read operation reached set maximum length")
    case .readTimeout: self.init(runLoop: .readTimeout, "Read operation timed out")
    case .writeTimeout: self.init(runLoop: .writeTimeout, "Write operation timed out")
    case .posix(let code, let call) where toAddress:
      self.init(runLoop: .cfSocket, "\(call): \(ErrnoName.name(of: code) ?? "errno")")
    case .posix, .lookup, .tls: self.init(failure)
    }
  }

  init(runLoop code: RunLoopErrorCode, _ message: String) {
    self.init(domain: .runLoop, code: code.rawValue, message: message)
  }

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
