import Foundation
import SocketCore

/// Raised by the original for misuse: a start without a delegate, or of a socket that is started already. Here the name
/// of `AsyncSocketMisuse` (LIFE-04, LIFE-07).
public let AsyncSocketException = "AsyncSocketException"

/// The domain of the run-loop class's own errors (ERR-02).
public let AsyncSocketErrorDomain = "AsyncSocketErrorDomain"

/// A code of `AsyncSocketErrorDomain`, as Swift imports the enumeration of the original's last header: compare its
/// `rawValue` with `NSError.code`. The constants below have the names that earlier headers gave them.
public enum AsyncSocketError: Int, Sendable {
  /// A call on the system failed, or an argument makes no sense: an empty host, an ill-formed address, a busy port.
  case cfSocketError = -1
  /// Never used.
  case noError = 0
  /// onSocketWillConnect answered no (CON-41).
  case canceledError
  /// No connection was made within the timeout of the connect call (CON-08).
  case connectTimeoutError
  /// A read up to a delimiter has maxLength bytes without a complete delimiter in them (RD-MAX-02).
  case readMaxedOutError
  /// A read was not complete in time (TMO-04).
  case readTimeoutError
  /// A write was not complete in time (TMO-04).
  case writeTimeoutError
}

/// See `AsyncSocketError.cfSocketError`.
public let AsyncSocketCFSocketError = AsyncSocketError.cfSocketError
/// See `AsyncSocketError.noError`.
public let AsyncSocketNoError = AsyncSocketError.noError
/// See `AsyncSocketError.canceledError`.
public let AsyncSocketCanceledError = AsyncSocketError.canceledError
/// See `AsyncSocketError.connectTimeoutError`.
public let AsyncSocketConnectTimeoutError = AsyncSocketError.connectTimeoutError
/// See `AsyncSocketError.readMaxedOutError`.
public let AsyncSocketReadMaxedOutError = AsyncSocketError.readMaxedOutError
/// See `AsyncSocketError.readTimeoutError`.
public let AsyncSocketReadTimeoutError = AsyncSocketError.readTimeoutError
/// See `AsyncSocketError.writeTimeoutError`.
public let AsyncSocketWriteTimeoutError = AsyncSocketError.writeTimeoutError

/// What the original raises an exception for: the program's own mistake, found by the call itself, which changes
/// nothing (LIFE-04, LIFE-07, D-21).
public struct AsyncSocketMisuse: Error, LocalizedError, Hashable, Sendable {
  /// `AsyncSocketException`.
  public var name: String { AsyncSocketException }
  /// What is wrong, and what to do.
  public let reason: String
  /// The same as `reason`.
  public var errorDescription: String? { reason }
}

extension AsyncSocketError {
  /// The error with that code. Its text is looked for in the table AsyncSocket.strings of the main bundle, by the name
  /// of the constant (RL-28).
  func error(_ key: String, _ text: String, reason: String? = nil) -> NSError {
    let message = Bundle.main.localizedString(forKey: key, value: text, table: "AsyncSocket")
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let reason { userInfo[NSLocalizedFailureReasonErrorKey] = reason }
    return NSError(domain: AsyncSocketErrorDomain, code: rawValue, userInfo: userInfo)
  }

  static var canceled: NSError {
    AsyncSocketCanceledError.error("AsyncSocketCanceledError", "Connection canceled")
  }

  static func socket(_ message: String) -> NSError {
    AsyncSocketCFSocketError.error("AsyncSocketCFSocketError", "General CFSocket error", reason: message)
  }
}

extension SocketFailure {
  /// The error as the run-loop class gives it; nil: the peer has ended its stream (D-23). `toAddress`: the start was
  /// one whose system calls fail as `AsyncSocketCFSocketError` (CON-33, ACC-06).
  func runLoopError(toAddress: Bool) -> (any Error)? {
    switch self {
    case .closedByPeer: nil
    case .badConfig(let message): AsyncSocketMisuse(reason: message)
    case .badParam(let message), .other(let message): AsyncSocketError.socket(message)
    case .connectTimeout:
      AsyncSocketConnectTimeoutError.error(
        "AsyncSocketConnectTimeoutError", "Attempt to connect to host timed out")
    case .readMaxedOut:
      AsyncSocketReadMaxedOutError.error(
        "AsyncSocketReadMaxedOutError", "Read operation reached set maximum length")
    case .readTimeout:
      AsyncSocketReadTimeoutError.error("AsyncSocketReadTimeoutError", "Read operation timed out")
    case .writeTimeout:
      AsyncSocketWriteTimeoutError.error("AsyncSocketWriteTimeoutError", "Write operation timed out")
    case .posix where toAddress: AsyncSocketError.socket(error.localizedDescription)
    case .posix, .lookup, .tls: error
    }
  }
}
