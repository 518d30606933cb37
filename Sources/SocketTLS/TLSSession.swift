import COpenSSL
import SocketCore

/// TLS over OpenSSL as a transformer of bytes.
///
/// Laws, besides those of `SecureSession`
/// - Whether the peer is trusted is decided by `ChainEvaluation` or by the delegate's answer, never by what OpenSSL
///   would do by itself; a client is not established without such a decision.
/// - The end of the wire without close_notify is a failure: -9806 during the handshake, -9816 afterwards (TLS-32). It
///   is judged when everything before it was opened.
/// - Nothing here reads a clock (unless the settings leave the time of verification to us, and but for the age of a
///   server's ticket keys), and what is random comes from OpenSSL's generator on the calling thread.
package final class TLSSession: SecureSession {
  enum State {
    case handshaking, established
    /// Output may still be on its way.
    case failed(SocketFailure)
  }

  /// The delegate's part of the decision.
  enum Answer { case notAsked, awaited(PeerTrust), given(Bool) }

  let settings: TLSConfiguration
  let policy: TrustPolicy
  let ssl: OpaquePointer
  let wire = Wire()
  /// Held because OpenSSL's callbacks go through it.
  private let context: TLSContext

  var state = State.handshaking
  var answer = Answer.notAsked
  /// What our own judgement found, once there was one.
  var judgement: Judgement?
  private var inputHasEnded = false
  private var sentCloseNotify = false
  /// What came since there were data last.
  private var floodCounter = FloodCounter()
  /// OpenSSL may have made itself a buffer that nothing is in.
  private var mayHoldBuffers = false
  /// The first bytes from the peer: they tell whether it speaks TLS at all.
  private var opening: [UInt8] = []
  /// While an answer is awaited: how far the records that came meanwhile were looked at.
  var scannedWhileAwaitingTrust = 0

  enum Judgement {
    case accepted
    case refused(SocketFailure)
  }

  package let recordLimit = 1 << 14

  /// Settings that make no sense, and an identity that can't be used, are `other`. With a cache, connections with equal
  /// settings share what they can.
  package init(_ settings: TLSConfiguration, contexts: TLSContextCache? = nil) throws(SocketFailure) {
    if settings.manualTrust, settings.role == .server {
      throw .other("Trust can be evaluated manually by clients only, and the settings say server.")
    }
    var policy = TrustPolicy()
    policy.anchors = settings.anchors
    policy.anchorsOnly = settings.anchorsOnly
    policy.revocationLists = settings.revocationLists
    policy.verification = settings.verification
    policy.time = settings.verificationTime
    policy.peerRole = settings.role == .client ? .server : .client
    if settings.role == .client, let name = settings.peerName { policy.name = try TLSSession.name(name, settings) }
    self.settings = settings
    self.policy = policy

    let key = TLSContext.Key(settings)
    context = if let contexts { try contexts.context(key) } else { try TLSContext(key) }
    ERR_clear_error()
    guard let ssl = SSL_new(context.context) else { throw OpenSSLErrors.failure("TLS can't be set up") }
    self.ssl = ssl
    // From here on everything is there, and deinit frees it when something is thrown.
    let bio = try wire.makeBIO()
    SSL_set_bio(ssl, bio, bio)
    guard SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1 else {
      throw OpenSSLErrors.failure("TLS can't be set up")
    }
    switch settings.role {
    case .server: SSL_set_accept_state(ssl)
    case .client:
      SSL_set_connect_state(ssl)
      if case .host(let name)? = policy.name, lab_tls_set_server_name(ssl, name) != 1 {
        throw OpenSSLErrors.failure("The peer name can't be sent")
      }
    }
  }

  /// nil: the text is no name, and nothing here compares it with a certificate. Such a text is not sent, and the
  /// delegate finds it in the question about trust, whose evaluation refuses it.
  private static func name(_ text: String, _ settings: TLSConfiguration) throws(SocketFailure) -> PeerName? {
    do { return try PeerName(text) } catch {
      guard settings.manualTrust || !settings.verification.checksChain else { throw error }
      return nil
    }
  }

  deinit { SSL_free(ssl) }

  // MARK: The wire

  package var inputRoom: UnsafeMutableRawBufferPointer {
    // A quarter at least: less would mean many small system calls.
    let count = wire.buffers.pointee.input.count
    return wire.buffers.pointee.input.room(count == 0 ? Wire.inputSize : Wire.inputSize / 4)
  }

  package func inputFilled(_ count: Int) {
    if opening.count < 8 {
      let start = wire.buffers.pointee.input.room(count)
      opening += start.prefix(min(count, 8 - opening.count))
    }
    wire.buffers.pointee.input.filled(count)
  }

  package func inputEnded() { inputHasEnded = true }

  package var output: UnsafeRawBufferPointer { wire.buffers.pointee.output.contents }

  package func outputTaken(_ count: Int) { wire.buffers.pointee.output.drop(count) }

  package func rest() {
    wire.buffers.pointee.input.rest()
    wire.buffers.pointee.output.rest()
    if mayHoldBuffers { releaseBuffers() }
  }

  /// OpenSSL makes itself a buffer to send with for every message that comes behind the handshake, and frees it with
  /// the next write, which may never come. It must not do so while a record is half read: not all of its versions look
  /// themselves.
  private func releaseBuffers() {
    guard maySeal, SSL_has_pending(ssl) == 0, lab_tls_awaits_record(ssl) == 1 else { return }
    SSL_free_buffers(ssl)
    mayHoldBuffers = false
  }

  package var recordBudget: Int {
    get { max(0, wire.buffers.pointee.readsLeft / 2) }
    set { wire.buffers.pointee.readsLeft = newValue > .max / 2 ? .max : newValue * 2 }
  }

  /// OpenSSL wants more than it got only because the budget is used up.
  private var hasUsedItsBudget: Bool {
    wire.buffers.pointee.readsLeft <= 0 && wire.buffers.pointee.input.count > 0
  }

  // MARK: The handshake

  package func handshake() -> HandshakeProgress {
    switch state {
    case .failed(let failure): return .failed(failure)
    case .established: return .complete
    case .handshaking: break
    }
    if case .awaited(let trust) = answer { return wait(for: trust) }
    if settings.role == .server, opening.isEmpty {
      // No byte has arrived, and OpenSSL would allocate its read buffer.
      return inputHasEnded ? .failed(fail(TLSSession.endInHandshake)) : .needsInput
    }
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    if result == 1 { return conclude() }
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ:
      if wire.buffers.pointee.taken > TLSSession.handshakeLimit {
        return .failed(failWithAlert(TLSSession.endlessHandshake))
      }
      if hasUsedItsBudget { return .budgetUsed }
      return inputHasEnded ? .failed(fail(TLSSession.endInHandshake)) : .needsInput
    case SSL_ERROR_WANT_RETRY_VERIFY:
      guard case .awaited(let trust) = answer else { return .failed(fail(.handshake)) }
      return wait(for: trust)
    case SSL_ERROR_ZERO_RETURN:
      return .failed(fail(TLSCode.closedGraceful.failure("The peer ended TLS during the handshake (close_notify).")))
    default: return .failed(failHandshake())
    }
  }

  static let endInHandshake = TLSCode.closedAbort.failure(
    "The peer closed the connection during the TLS handshake.")

  /// The same question again, unless the peer has refused or ended the connection meanwhile.
  private func wait(for trust: PeerTrust) -> HandshakeProgress {
    if let failure = endWhileWaiting(hasEnded: inputHasEnded) { return .failed(fail(failure)) }
    return .awaitsTrust(trust)
  }

  private func conclude() -> HandshakeProgress {
    if settings.role == .client {
      // A handshake without a certificate would come here without anybody having judged it.
      guard case .accepted = judgement else {
        return .failed(fail(TLSCode.badCertificate.failure("The peer was not asked for its certificate.")))
      }
    }
    state = .established
    // Versions 3.0 of OpenSSL before 3.0.15 take any protocol that a server names.
    if settings.role == .client, let name = applicationProtocol, !settings.applicationProtocols.contains(name) {
      return .failed(fail(TLSCode.illegalParameter.failure("The peer chose a protocol that was not offered (ALPN).")))
    }
    return .complete
  }

  private func failHandshake() -> SocketFailure {
    if case .refused(let failure) = judgement {
      ERR_clear_error()
      return fail(failure)
    }
    let errors = OpenSSLErrors.take()
    guard errors.peerAlert == nil, !looksLikeTLS else {
      let state = SSL_get_state(ssl)
      let isAboutCertificates = state == TLS_ST_CR_CERT || state == TLS_ST_SR_CERT
      return fail(TLSFailure.make(errors, .handshake, isAboutCertificates: isAboutCertificates))
    }
    let text = TLSCertificate.printable(opening)
    return fail(TLSCode.recordOverflow.failure("The peer does not speak TLS: its first bytes are \"\(text)\"."))
  }

  /// A record's type and major version; for a server also a ClientHello in the manner of SSL 2.
  private var looksLikeTLS: Bool {
    guard opening.count >= 3 else { return true }
    if (20...23).contains(opening[0]), opening[1] == 3 { return true }
    return settings.role == .server && opening[0] & 0x80 != 0 && opening[2] == 1
  }

  // MARK: Data

  package func open(into buffer: UnsafeMutableRawBufferPointer) -> SecureResult {
    receive {
      SSL_read($0, buffer.baseAddress, Int32(clamping: buffer.count))
    } amount: { _, result in
      Int(result)
    }
  }

  /// Lets OpenSSL look for data. It comes back behind every message that is none, to be counted and called again.
  private func receive(
    _ call: (OpaquePointer) -> Int32, amount: (OpaquePointer, Int32) -> Int
  ) -> SecureResult {
    if let result = refusal { return result }
    var outcome: SecureResult?
    while outcome == nil {
      ERR_clear_error()
      wire.buffers.pointee.isStarved = false
      let result = call(ssl)
      if result > 0 {
        floodCounter = FloodCounter(since: wire.buffers.pointee.reads)
        outcome = .bytes(amount(ssl, result))
      } else {
        outcome = received(result)
      }
      // At once: otherwise the next read would answer the request, and return as if it had read a message.
      answerKeyUpdate()
    }
    return outcome ?? .needsInput
  }

  /// OpenSSL answers a request to change keys with its next write, which may never come.
  private func answerKeyUpdate() {
    guard SSL_get_key_update_type(ssl) != SSL_KEY_UPDATE_NONE, case .established = state, !sentCloseNotify, maySeal
    else {
      return
    }
    ERR_clear_error()
    guard SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1, SSL_do_handshake(ssl) == 1 else {
      fail(.sending)
      return
    }
  }

  package func peek() -> SecureResult {
    var byte: UInt8 = 0
    return receive {
      SSL_peek($0, &byte, 1)
    } amount: { ssl, _ in
      max(1, Int(SSL_pending(ssl)))
    }
  }

  private var refusal: SecureResult? {
    switch state {
    case .established: nil
    case .failed(let failure): .failed(failure)
    case .handshaking: .needsInput
    }
  }

  /// Why there are no data; nil: OpenSSL is to be called again.
  private func received(_ result: Int32) -> SecureResult? {
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
      if !wire.buffers.pointee.isStarved || !maySeal { mayHoldBuffers = true }
      if !wire.buffers.pointee.isStarved {
        floodCounter.messages += 1
        // Counts like a record (two reads), because one record may hold many messages.
        wire.buffers.pointee.readsLeft -= 2
      }
      if floodCounter.isFlood(at: wire.buffers.pointee.reads) { return .failed(failWithAlert(FloodCounter.failure)) }
      if !wire.buffers.pointee.isStarved { return wire.buffers.pointee.readsLeft > 0 ? nil : .budgetUsed }
      if hasUsedItsBudget { return .budgetUsed }
      guard inputHasEnded else { return .needsInput }
      return .failed(
        fail(
          TLSCode.closedNoNotify.failure(
            "The peer ended its stream without close_notify: what came may be incomplete.")))
    case SSL_ERROR_ZERO_RETURN:
      // Nothing may come between the pieces of a message (RFC 8446, 5.1). This one will never be complete, and until it
      // is nothing can be sent.
      return maySeal ? .closed : .failed(failWithAlert(TLSSession.endInMessage))
    default: return .failed(fail(.receiving))
    }
  }

  private static let endInMessage = TLSCode.unexpectedRecord.failure(
    "The peer ended TLS (close_notify) in the midst of one of its messages.")

  package var maySeal: Bool { SSL_in_init(ssl) == 0 }

  package func seal(_ bytes: UnsafeRawBufferPointer) -> SocketFailure? {
    switch state {
    case .failed(let failure): return failure
    case .handshaking: return TLSCode.internal.failure("Nothing can be sent over TLS before it is set up.")
    case .established: break
    }
    guard !sentCloseNotify else { return TLSCode.closedGraceful.failure("TLS was ended from this side already.") }
    guard bytes.count > 0 else { return nil }
    ERR_clear_error()
    var sent = 0
    guard SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &sent) == 1, sent == bytes.count else {
      return fail(.sending)
    }
    floodCounter = FloodCounter(since: wire.buffers.pointee.reads)
    return nil
  }

  package func close() {
    guard case .established = state, !sentCloseNotify else { return }
    sentCloseNotify = true
    ERR_clear_error()
    _ = SSL_shutdown(ssl)
    ERR_clear_error()
  }

  // MARK: Failing

  @discardableResult
  func fail(_ failure: SocketFailure) -> SocketFailure {
    if case .failed(let first) = state { return first }
    state = .failed(failure)
    return failure
  }

  @discardableResult
  private func fail(_ activity: TLSFailure.Activity) -> SocketFailure {
    fail(TLSFailure.make(OpenSSLErrors.take(), activity))
  }
}
