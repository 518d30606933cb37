import COpenSSL
import Foundation
import Glibc
import HostTools
import Synchronization
import TestCertificates

/// TLS on a connection while a subject is tried, on a thread of its own, so that waiting for the subject does not hold
/// it up.
final class CheckTLS: Sendable {
  /// What the other side wrote first, or why nothing came.
  enum Outcome: Hashable, Sendable {
    case read(String)
    case failed(String)
  }

  /// The host that the certificate is for.
  static let host = "good.example"
  /// More is not read.
  private static let most = 64

  private let outcome = Mutex<Outcome?>(nil)
  private let done = DispatchSemaphore(value: 0)

  /// Begins the handshake on the connection, which blocks, and is closed at the end.
  ///
  /// - Parameter isServer: whose side it is; a client trusts any server.
  init(_ connection: Int32, isServer: Bool) {
    let thread = Thread { [self] in
      // OpenSSL writes without MSG_NOSIGNAL, and the other side may be gone: the signal is this thread's, and ends with
      // it.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      let found = Self.play(connection, isServer: isServer)
      close(connection)
      outcome.withLock { $0 = found }
      done.signal()
    }
    thread.start()
  }

  /// The outcome; nil: none within `seconds`.
  func wait(seconds: Int) -> Outcome? {
    guard done.wait(timeout: .now() + .seconds(seconds)) == .success else { return nil }
    return outcome.withLock { $0 }
  }

  private static func play(_ connection: Int32, isServer: Bool) -> Outcome {
    guard let context = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
      return .failed("there is no TLS to be had")
    }
    defer { SSL_CTX_free(context) }
    if isServer {
      do { try TestPKI.shared.identity(.leaf).show(in: context) } catch { return .failed("\(error)") }
    }
    guard let session = SSL_new(context), SSL_set_fd(session, connection) == 1 else {
      return .failed("there is no TLS to be had")
    }
    defer { SSL_free(session) }
    ERR_clear_error()
    guard (isServer ? SSL_accept(session) : SSL_connect(session)) == 1 else { return .failed(reason) }
    var room = [UInt8](repeating: 0, count: most)
    let count = SSL_read(session, &room, Int32(room.count))
    return count > 0 ? .read(String(decoding: room[..<Int(count)], as: UTF8.self)) : .failed(reason)
  }

  private static var reason: String {
    let code = ERR_peek_error()
    guard code != 0, let text = ERR_reason_error_string(code) else { return "the connection ended" }
    return String(cString: text)
  }
}
