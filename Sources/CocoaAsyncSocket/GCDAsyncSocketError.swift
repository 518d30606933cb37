import Foundation
import SocketCore
import SocketPOSIX

/// The domain of the library's own errors (ERR-01).
public let GCDAsyncSocketErrorDomain = "GCDAsyncSocketErrorDomain"

/// The domain of name-resolution failures (ERR-06).
let netDBErrorDomain = "kCFStreamErrorDomainNetDB"

/// An error of the library's own domain, as Swift sees it: errors arrive as `NSError` and can be cast to this type, so
/// `catch GCDAsyncSocketError.closedError` and `(error as? GCDAsyncSocketError)?.code` both work.
public struct GCDAsyncSocketError: CustomNSError, Hashable, Sendable {
  /// What went wrong.
  public enum Code: Int, Sendable, Hashable {
    /// Never used.
    case noError = 0
    /// The socket is not set up for the call: no delegate, already started, both families off.
    case badConfigError
    /// An argument makes no sense: an empty host, an unknown interface, an ill-formed address.
    case badParamError
    /// No connection was made within the timeout of the connect call (CON-08).
    case connectTimeoutError
    /// A read was not complete in time (TMO-04).
    case readTimeoutError
    /// A write was not complete in time (TMO-04).
    case writeTimeoutError
    /// A read up to a delimiter has maxLength bytes without a complete delimiter in them (RD-MAX-02).
    case readMaxedOutError
    /// The peer has ended its stream (HALF-01).
    case closedError
    /// Anything else; the localised description says what.
    case otherError
  }

  /// The error as it travels through callbacks and throwing calls; of this domain, with one of our codes.
  private let base: NSError

  /// What went wrong.
  public var code: Code { Code(rawValue: base.code) ?? .otherError }
  /// In words; never empty in an error of the library's (ERR-12).
  public var message: String { base.localizedDescription }
  /// The localised description, and whatever else the error was made with.
  public var userInfo: [String: Any] { base.userInfo }

  /// The code's number, as of the enumeration that older versions of the original have in this place. A `switch` over
  /// all cases of that is one over `Code(rawValue:)` here, or has a `default`.
  public var rawValue: Int { code.rawValue }

  /// The error with that code; nil: there is none. For programs written for those versions.
  public init?(rawValue: Int) {
    guard let code = Code(rawValue: rawValue) else { return nil }
    self.init(code)
  }

  private init(_ base: NSError) { self.base = base }

  init(_ code: Code, _ message: String) { self.init(code, userInfo: [NSLocalizedDescriptionKey: message]) }

  /// An error as the library would report it. Without a localised description in `userInfo` it gets one.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    var userInfo = userInfo
    if userInfo[NSLocalizedDescriptionKey] == nil {
      userInfo[NSLocalizedDescriptionKey] = "GCDAsyncSocket error \(code.rawValue)."
    }
    self.init(NSError(domain: GCDAsyncSocketErrorDomain, code: code.rawValue, userInfo: userInfo))
  }

  /// From an error of the library's domain, as Swift makes it for imported errors; one of another domain becomes
  /// `otherError`.
  public init(_nsError error: NSError) { self = Self._unconditionallyBridgeFromObjectiveC(error) }

  /// The error as an `NSError`.
  public var _nsError: NSError { base }

  /// Equal codes, and equal entries of `userInfo`.
  public static func == (one: GCDAsyncSocketError, other: GCDAsyncSocketError) -> Bool {
    one.base === other.base || one.base.isEqual(other.base)
  }

  /// Of the code. (NSError's own hash ends the program on Linux.)
  public func hash(into hasher: inout Hasher) { hasher.combine(base.code) }

  /// `GCDAsyncSocketErrorDomain`.
  public static var errorDomain: String { GCDAsyncSocketErrorDomain }
  /// The code's number.
  public var errorCode: Int { code.rawValue }
  /// The same as `userInfo`.
  public var errorUserInfo: [String: Any] { userInfo }

  /// Never used.
  public static var noError: Code { .noError }
  /// See `Code.badConfigError`.
  public static var badConfigError: Code { .badConfigError }
  /// See `Code.badParamError`.
  public static var badParamError: Code { .badParamError }
  /// See `Code.connectTimeoutError`.
  public static var connectTimeoutError: Code { .connectTimeoutError }
  /// See `Code.readTimeoutError`.
  public static var readTimeoutError: Code { .readTimeoutError }
  /// See `Code.writeTimeoutError`.
  public static var writeTimeoutError: Code { .writeTimeoutError }
  /// See `Code.readMaxedOutError`.
  public static var readMaxedOutError: Code { .readMaxedOutError }
  /// See `Code.closedError`.
  public static var closedError: Code { .closedError }
  /// See `Code.otherError`.
  public static var otherError: Code { .otherError }
}

extension GCDAsyncSocketError: _ObjectiveCBridgeable {
  // The bridge is what makes `error as? GCDAsyncSocketError` see into an NSError on Linux.

  /// The error as the `NSError` that callbacks and throwing calls hand out.
  public func _bridgeToObjectiveC() -> NSError { base }

  /// Bridges an error of the library's domain.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout GCDAsyncSocketError?) {
    _ = _conditionallyBridgeFromObjectiveC(source, result: &result)
  }

  /// Bridges an error of the library's domain; false for others.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSError, result: inout GCDAsyncSocketError?
  ) -> Bool {
    guard source.domain == errorDomain, Code(rawValue: source.code) != nil else { return false }
    result = GCDAsyncSocketError(source)
    return true
  }

  /// Bridges; an error of another domain becomes `otherError`.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> GCDAsyncSocketError {
    var result: GCDAsyncSocketError?
    if let source { _forceBridgeFromObjectiveC(source, result: &result) }
    return result ?? GCDAsyncSocketError(.otherError, source?.localizedDescription ?? "Unknown error.")
  }
}

/// Lets `catch GCDAsyncSocketError.closedError` match an `NSError` of the library's domain.
public func ~= (code: GCDAsyncSocketError.Code, error: any Error) -> Bool {
  let error = error as NSError
  return error.domain == GCDAsyncSocketErrorDomain && error.code == code.rawValue
}

extension SocketFailure {
  /// The public error: domain, code, description, and for system calls the reason that names the call (ERR-04).
  var error: NSError {
    switch self {
    case .badConfig(let message): library(.badConfigError, message)
    case .badParam(let message): library(.badParamError, message)
    case .connectTimeout: library(.connectTimeoutError, "Attempt to connect to host timed out")
    case .readTimeout: library(.readTimeoutError, "Read operation timed out")
    case .writeTimeout: library(.writeTimeoutError, "Write operation timed out")
    case .readMaxedOut: library(.readMaxedOutError, "Read operation reached set maximum length")
    case .closedByPeer: library(.closedError, "Socket closed by remote peer")
    case .other(let message): library(.otherError, message)
    case .posix(let code, let call):
      NSError(
        domain: NSPOSIXErrorDomain, code: Int(code),
        userInfo: [
          NSLocalizedDescriptionKey: SystemCallFailure.text(for: code),
          NSLocalizedFailureReasonErrorKey: "Error in \(call)() function",
        ])
    case .lookup(let code, let message):
      NSError(domain: netDBErrorDomain, code: Int(code), userInfo: [NSLocalizedDescriptionKey: message])
    case .tls(let code, let message):
      NSError(domain: "kCFStreamErrorDomainSSL", code: Int(code), userInfo: [NSLocalizedDescriptionKey: message])
    }
  }

  private func library(_ code: GCDAsyncSocketError.Code, _ message: String) -> NSError {
    GCDAsyncSocketError(code, message)._bridgeToObjectiveC()
  }

  init(_ failure: SystemCallFailure) { self = .posix(code: failure.code, call: failure.call) }
}
