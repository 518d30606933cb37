import COpenSSL
import ScenarioModel

/// A scripted peer's side of one TLS connection: wire bytes in, wire bytes out, plaintext in between, and a tool box
/// for saying things that TLS forbids. It shares no code with what is judged.
///
/// Laws
/// - Bytes in, bytes out: no clock, no descriptor, no thread; randomness is OpenSSL's on the calling thread.
/// - What comes out does not depend on how the bytes that went in were chunked.
/// - Everything OpenSSL wants to send passes through `release`, message by message: there it is held back (`until`),
///   edited, cut into records of another size, or sealed anew by a forge. Otherwise it leaves as OpenSSL made it.
/// - A session that forges seals all its encrypted records itself, so that those made by hand can stand anywhere.
/// - Alerts that came wait in `alerts` until a step takes them.
final class PeerTLSSession: @unchecked Sendable {
  // Unchecked: a session belongs to one machine, and a machine is used by one thread at a time, that of its case.
  enum State: Equatable {
    case shaking
    case established
    /// With OpenSSL's reason.
    case failed(String)
  }

  let context: PeerTLSContext
  let ssl: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer
  let forges: Bool
  var settings: PeerTLS
  private(set) var state = State.shaking
  /// The peer's close_notify came: there is no more plaintext.
  private(set) var isClosedByPeer = false
  private var inputHasEnded = false
  /// The other side has sent a fatal alert.
  var wasAlerted = false
  private var framing = ClearBytesFilter()
  /// Decrypted bytes that are not handed out yet.
  private var clear: [UInt8] = []
  private var hasToldTruncation = false
  /// Received and taken by no step yet.
  var alerts: [TLSAlert] = []
  /// How often the other side has changed its keys, less what steps have taken.
  var newKeys = 0
  var tlsEvents: [TLSEvent] = []
  /// Plaintext that came and is not yet taken.
  private var plain: [[UInt8]] = []
  /// Bytes for the wire.
  var wire: [UInt8] = []

  // What the message callback saw, see `PeerTLSSession+Watching`.
  var captured: [Captured] = []
  var recordsMade = 0
  var sawInnerType = false
  var hasSentCiphers = false
  var hasSentFinished = false
  var keyUpdatesSent = 0
  /// Traffic secrets by their labels in the key log.
  var secrets: [String: [UInt8]] = [:]
  private var made: [UInt8] = []
  /// The header of an alert in clear came, and OpenSSL has not reported the alert.
  var hasRefusedAlert = false
  /// Why OpenSSL gave up on the handshake.
  private var reasonOfRefusal: String?

  // What is on its way out, see `PeerTLSSession+Releasing`.
  var heap: [OutgoingMessage] = []
  /// `until` was reached: nothing more goes out by itself.
  var isHolding = false
  var wireEpoch: OutgoingMessage.Epoch?
  var forgesByEpoch: [OutgoingMessage.Epoch: RecordForge] = [:]

  init(_ settings: PeerTLS, context: PeerTLSContext, forges: Bool) throws(PeerTLSContext.Refusal) {
    ERR_clear_error()
    guard let ssl = SSL_new(context.raw), let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
      throw PeerTLSContext.Refusal(reason: "OpenSSL makes no session: \(PeerTLSContext.error)")
    }
    (self.ssl, self.input, self.output) = (ssl, input, output)
    self.context = context
    self.settings = settings
    self.forges = forges || context.replacedChain != nil
    SSL_set_bio(ssl, input, output)
    lab_peer_open_input(input)
    if context.role == .server { SSL_set_accept_state(ssl) } else { SSL_set_connect_state(ssl) }
    if let name = settings.serverName, context.role == .client { _ = lab_peer_set_server_name(ssl, name) }
    if let size = settings.recordSize, size >= 512 { _ = lab_peer_set_fragment(ssl, size) }
    watch()
  }

  deinit { SSL_free(ssl) }

  var isTLS13: Bool { SSL_version(ssl) == TLSVersion.tls13.number }

  // MARK: - In

  /// Bytes from the wire.
  func receive(_ bytes: [UInt8]) {
    clear += framing.take(bytes)
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        BIO_write(input, buffer.baseAddress.map { $0 + start }, Int32(clamping: buffer.count - start))
      }
      guard count > 0 else { return }
      start += Int(count)
    }
  }

  /// The other side's FIN (or RST) came.
  func receiveEnd() {
    inputHasEnded = true
    lab_peer_end_input(input)
  }

  /// Goes on as far as the bytes allow.
  func pump() {
    if state == .shaking { shake() }
    if state == .established { read() }
    release()
  }

  /// Nothing more is decrypted.
  var isOver: Bool {
    if case .failed = state { return true }
    return isClosedByPeer
  }

  /// Whether the other side has sent its last TLS message: close_notify or a fatal alert.
  var isSilenced: Bool { isClosedByPeer || wasAlerted }

  /// What came behind the end of TLS since the last call: bytes in clear, and records that stay encrypted.
  func takeLeftovers() -> (clear: [UInt8], records: [UInt8]) {
    guard isOver else { return ([], []) }
    let count = lab_peer_pending(input)
    guard count > 0 || !clear.isEmpty else { return ([], []) }
    var unread = [UInt8](repeating: 0, count: count)
    _ = unread.withUnsafeMutableBytes { BIO_read(input, $0.baseAddress, Int32(clamping: count)) }
    defer { clear = [] }
    return (clear, Array(unread.dropLast(min(clear.count, unread.count))))
  }

  func takePlain() -> [[UInt8]] {
    defer { plain = [] }
    return plain
  }

  private func shake() {
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    collect()
    if result == 1 {
      tellCertificates()
      state = .established
      tlsEvents.append(.established(facts))
    } else if !wantsMore(result) {
      let reason = reasonOfRefusal ?? PeerTLSContext.error
      reasonOfRefusal = reason
      // The rest of an alert may still be on its way.
      if hasRefusedAlert, !takeRefusedAlert(), !inputHasEnded { return }
      fail(reason)
    }
  }

  /// Reads the alert whose record OpenSSL has refused because of its version: before both know the version of the
  /// session it may be that of the ClientHello's record (RFC 5246, E.1), and RFC 8446, 5.1 ignores it. False: it has
  /// not come whole.
  private func takeRefusedAlert() -> Bool {
    var alert: [UInt8] = [0, 0]
    guard lab_peer_pending(input) >= alert.count else { return false }
    BIO_read(input, &alert, Int32(alert.count))
    receive(.alert, alert)
    return true
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while !isClosedByPeer {
      ERR_clear_error()
      let count = SSL_read(ssl, &buffer, Int32(buffer.count))
      collect()
      if count > 0 {
        let bytes = Array(buffer[..<Int(count)])
        plain.append(bytes)
        tlsEvents.append(.plainReceived(bytes))
      } else if SSL_get_error(ssl, count) == SSL_ERROR_ZERO_RETURN {
        isClosedByPeer = true
      } else if wantsMore(count) {
        return
      } else if inputHasEnded, alerts.allSatisfy({ $0.level == 1 }) {
        if !hasToldTruncation { tlsEvents.append(.failed("the stream ended without close_notify")) }
        hasToldTruncation = true
        return
      } else {
        return fail(PeerTLSContext.error)
      }
    }
  }

  private func wantsMore(_ result: Int32) -> Bool {
    let error = SSL_get_error(ssl, result)
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE
  }

  /// The other side ended its stream in the middle of the handshake, and that is all that went wrong.
  private(set) var wasBrokenOff = false

  func fail(_ reason: String) {
    guard state != .failed(reason) else { return }
    tellCertificates()
    wasBrokenOff = inputHasEnded && state == .shaking && alerts.isEmpty
    state = .failed(wasBrokenOff ? "the stream ended" : reason)
    if case .failed(let reason) = state { tlsEvents.append(.failed(reason)) }
  }

  /// Moves what OpenSSL wrote to where messages are put together.
  func collect() {
    let count = lab_peer_pending(output)
    if count > 0 {
      let start = made.count
      made += [UInt8](repeating: 0, count: count)
      _ = made.withUnsafeMutableBytes { buffer in
        BIO_read(output, buffer.baseAddress.map { $0 + start }, Int32(clamping: count))
      }
    }
    assemble(from: &made)
  }

  // MARK: - Out

  /// Encrypts; false when the session cannot send.
  func write(_ bytes: [UInt8]) -> Bool {
    guard state == .established, !bytes.isEmpty else { return state == .established }
    let most = min(settings.recordSize ?? 16_384, 16_384)
    var start = 0
    while start < bytes.count {
      ERR_clear_error()
      let piece = Array(bytes[start..<min(start + most, bytes.count)])
      let count = SSL_write(ssl, piece, Int32(piece.count))
      guard count > 0 else { return false }
      captured.append(
        Captured(
          type: .applicationData, message: nil, content: Array(piece.prefix(Int(count))), records: recordsMade,
          epoch: sendingEpoch))
      recordsMade = 0
      sawInnerType = false
      collect()
      start += Int(count)
    }
    tlsEvents.append(.plainSent(bytes))
    release()
    return true
  }

  /// close_notify, once, if there is a session to close.
  func closeNotify() {
    guard state == .established else { return }
    ERR_clear_error()
    SSL_shutdown(ssl)
    collect()
    release()
  }

  /// New keys for sending; false before TLS 1.3.
  func updateKeys(requested: Bool) -> Bool {
    let kind = requested ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED
    guard state == .established, SSL_key_update(ssl, kind) == 1 else { return false }
    return goOn()
  }

  /// Sends `count` tickets; false unless it is a server of TLS 1.3.
  func sendTickets(_ count: Int) -> Bool {
    guard state == .established else { return false }
    for _ in 0..<count {
      guard SSL_new_session_ticket(ssl) == 1, goOn() else { return false }
    }
    return true
  }

  private func goOn() -> Bool {
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    collect()
    release()
    return result == 1 || wantsMore(result)
  }

  func takeWire() -> [UInt8] {
    defer { wire = [] }
    return wire
  }
}
