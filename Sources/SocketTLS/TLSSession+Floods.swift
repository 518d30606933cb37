import COpenSSL
import SocketCore

/// The bounds on peers that keep a session busy without sending data.
extension TLSSession {
  /// Counts the messages since the last data: new keys, tickets, requests for another handshake. (Of empty records and
  /// warnings OpenSSL itself stands no more than 32 and 5 in a row.)
  struct FloodCounter {
    var messages = 0
    private let start: Int

    init(since reads: Int = 0) { start = reads }

    /// Four times what BoringSSL and rustls bear. Servers send up to a dozen tickets after the handshake; data that we
    /// send count, too, so that a peer that only listens may change its keys as often as it likes.
    static let maxMessages = 128
    /// A message may come in many records, but not for ever.
    static let maxRecords = 1 << 14

    func isFlood(at reads: Int) -> Bool {
      messages > FloodCounter.maxMessages || reads - start > 2 * FloodCounter.maxRecords
    }

    static let failure = TLSCode.unexpectedRecord.failure(
      "The peer sent more than \(maxMessages) messages of TLS in a row, or one in more than \(maxRecords) records, "
        + "and no data.")
  }

  /// The most bytes of a handshake: sixteen times what certificates may have.
  static let handshakeLimit = TLSContext.certificateLimit << 4

  static let endlessHandshake = TLSCode.unexpectedRecord.failure(
    "The peer sent more than \(handshakeLimit) bytes, and the TLS handshake is not complete.")

  /// Fails, with an alert to the peer. OpenSSL has no function for alerts, but sends one when a record is wrong: so it
  /// gets one whose head no peer may send, with enough behind it to complete whatever it was in the midst of.
  func failWithAlert(_ failure: SocketFailure) -> SocketFailure {
    // Behind the peer's close_notify OpenSSL looks for no data any more, but still for the rest of a message.
    let isHandshaking = !isEstablished || SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0
    fail(failure)
    let wrong: [UInt8] = [99, 3, 3, 0xFF, 0xFF]
    let rest = [UInt8](repeating: 0, count: 1 << 15)
    wire.buffers.pointee.input.free()
    for bytes in [wrong, rest] {
      bytes.withUnsafeBytes { if let base = $0.baseAddress { wire.buffers.pointee.input.append(base, $0.count) } }
    }
    wire.buffers.pointee.readsLeft = .max
    var byte: UInt8 = 0
    // Some of the flood may have been taken in already: a record full of messages.
    for _ in 0..<TLSSession.maxTries {
      ERR_clear_error()
      let result = isHandshaking ? SSL_do_handshake(ssl) : SSL_peek(ssl, &byte, 1)
      guard result <= 0, SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else { break }
    }
    ERR_clear_error()
    wire.buffers.pointee.input.free()
    return failure
  }

  private static let maxTries = 1024
}
