import COpenSSL

/// One of the two TLS sessions of a connection that the recorder opens, over buffers of memory.
final class TLSLeg {
  /// What a step came to.
  enum Progress: Equatable {
    case done
    /// It needs more bytes from the other side, or an answer from elsewhere.
    case waits
    /// The other side has said that it sends no more (close_notify).
    case closed
    /// With OpenSSL's reason.
    case failed(String)
  }

  let ssl: OpaquePointer
  private(set) var isEstablished = false
  /// The other side has sent its close_notify.
  private(set) var isClosed = false
  private(set) var failure: String?
  /// The number of OpenSSL's reason for the failure.
  private(set) var failureReason: Int32 = 0
  private let input: OpaquePointer
  private let output: OpaquePointer

  /// nil: there is no memory.
  init?(_ context: OpaquePointer, isServer: Bool) {
    ERR_clear_error()
    guard let ssl = SSL_new(context) else { return nil }
    guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
      SSL_free(ssl)
      return nil
    }
    (self.ssl, self.input, self.output) = (ssl, input, output)
    SSL_set_bio(ssl, input, output)
    lab_peer_open_input(input)
    if isServer { SSL_set_accept_state(ssl) } else { SSL_set_connect_state(ssl) }
  }

  deinit { SSL_free(ssl) }

  /// OpenSSL's callbacks find the session by it; it outlives this.
  func belong(to session: InterceptedSession) {
    SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(session).toOpaque())
  }

  /// OpenSSL's last complaint.
  static var error: String {
    let code = ERR_peek_last_error()
    guard code != 0 else { return "no reason given" }
    return ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    BIO_write(input, base, Int32(clamping: bytes.count))
  }

  func takeOutput() -> [UInt8] {
    let count = lab_peer_pending(output)
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, taken in
      taken = Int(max(0, BIO_read(output, buffer.baseAddress, Int32(clamping: count))))
    }
  }

  func shakeHands() -> Progress {
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    guard result != 1 else {
      isEstablished = true
      return .done
    }
    return outcome(result)
  }

  /// The next of what was said inside, about a record of it; nil: there is none now.
  func read(_ take: (UnsafeBufferPointer<UInt8>) -> Void) -> Progress {
    ERR_clear_error()
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16_384) { buffer in
      let count = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
      guard count > 0 else { return outcome(count) }
      take(UnsafeBufferPointer(rebasing: buffer[..<Int(count)]))
      return .done
    }
  }

  func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    ERR_clear_error()
    // Into memory: all of it or, when the session has failed, nothing.
    if SSL_write(ssl, bytes.baseAddress, Int32(bytes.count)) <= 0 { failure = failure ?? Self.error }
  }

  /// Says that no more is sent.
  func closeNotify() {
    guard isEstablished, failure == nil else { return }
    ERR_clear_error()
    SSL_shutdown(ssl)
  }

  private func outcome(_ result: Int32) -> Progress {
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE, SSL_ERROR_WANT_CLIENT_HELLO_CB: return .waits
    case SSL_ERROR_ZERO_RETURN:
      isClosed = true
      return .closed
    default:
      failureReason = lab_record_reason(ERR_peek_last_error())
      failure = failure ?? Self.error
      return .failed(failure ?? "")
    }
  }
}
