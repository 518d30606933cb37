import Foundation
import SocketCore

/// Raised by the original for misuse: a start without a delegate, or of a socket that is started already. Here the name
/// of `AsyncSocketMisuse` (LIFE-04, LIFE-07).
public let AsyncSocketException = "AsyncSocketException"

/// The domain of the run-loop class's own errors (ERR-02).
public let AsyncSocketErrorDomain = "AsyncSocketErrorDomain"

/// A code of `AsyncSocketErrorDomain`, as Swift imports an enumeration of C: compare `Int(code.rawValue)` with
/// `NSError.code`.
public struct AsyncSocketError: RawRepresentable, Hashable, Sendable {
  /// The number.
  public var rawValue: Int32

  /// The code with that number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The code with that number.
  public init(_ rawValue: Int32) { self.rawValue = rawValue }
}

/// A call on the system failed, or an argument makes no sense: an empty host, an ill-formed address, a busy port.
public let AsyncSocketCFSocketError = AsyncSocketError(-1)
/// Never used.
public let AsyncSocketNoError = AsyncSocketError(0)
/// onSocketWillConnect answered no (CON-41).
public let AsyncSocketCanceledError = AsyncSocketError(1)
/// No connection was made within the timeout of the connect call (CON-08).
public let AsyncSocketConnectTimeoutError = AsyncSocketError(2)
/// A read up to a delimiter has maxLength bytes without a complete delimiter in them (RD-MAX-02).
public let AsyncSocketReadMaxedOutError = AsyncSocketError(3)
/// A read was not complete in time (TMO-04).
public let AsyncSocketReadTimeoutError = AsyncSocketError(4)
/// A write was not complete in time (TMO-04).
public let AsyncSocketWriteTimeoutError = AsyncSocketError(5)

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
    return NSError(domain: AsyncSocketErrorDomain, code: Int(rawValue), userInfo: userInfo)
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
