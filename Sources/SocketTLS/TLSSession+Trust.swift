import COpenSSL
import SocketCore

/// The decision about the peer: by our own evaluation, or by the delegate.
extension TLSSession {
  /// OpenSSL's callback when it has the peer's chain: 1 goes on, 0 ends the handshake with an alert.
  static func judgePeer(_ chain: OpaquePointer?) -> Int32 {
    guard let chain,
      let ssl = X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()),
      let session = of(OpaquePointer(ssl))
    else { return 0 }
    return session.judge(chain)
  }

  /// The session that OpenSSL calls back for.
  static func of(_ ssl: OpaquePointer) -> TLSSession? {
    SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Certificates that OpenSSL must not even read. It fails behind this, and the handshake for this reason.
  func refuseUnread(_ problem: String) {
    judgement = .refused(TLSCode.badCertificate.failure("The peer's certificates are not read: \(problem)."))
  }

  /// The same for a list of names.
  func refuseList(_ problem: String) {
    judgement = .refused(TLSCode.illegalParameter.failure("The peer's message is not read: \(problem)."))
  }

  private func judge(_ chain: OpaquePointer) -> Int32 {
    let untrusted = X509_STORE_CTX_get0_untrusted(chain)
    guard let leaf = X509_STORE_CTX_get0_cert(chain) else {
      return refuse(chain, X509_V_ERR_UNSPECIFIED, TLSCode.badCertificate.failure("The peer showed no certificate."))
    }
    // Whoever judges, and even if nobody does: OpenSSL itself looks at the certificate's usages later.
    if let problem = DistributionPoints.problem(of: leaf, with: untrusted) {
      return refuse(
        chain, X509_V_ERR_INVALID_EXTENSION, TLSCode.badCertificate.failure("A certificate of the peer's: \(problem)."))
    }
    if settings.manualTrust { return askForTrust(chain, leaf, untrusted) }
    switch ChainEvaluation.verdict(leaf: leaf, untrusted: untrusted, policy: policy) {
    case .trusted: return accept(chain)
    case .refused(let refusal): return refuse(chain, refusal.worst.error, refusal.failure)
    }
  }

  private func accept(_ chain: OpaquePointer) -> Int32 {
    judgement = .accepted
    X509_STORE_CTX_set_error(chain, X509_V_OK)
    return 1
  }

  private func refuse(_ chain: OpaquePointer, _ error: Int32, _ failure: SocketFailure) -> Int32 {
    judgement = .refused(failure)
    // OpenSSL chooses the alert by it.
    X509_STORE_CTX_set_error(chain, error)
    return 0
  }

  /// Stops the handshake at the peer's certificate; OpenSSL comes here again when it is resumed.
  private func askForTrust(_ chain: OpaquePointer, _ leaf: OpaquePointer, _ untrusted: OpaquePointer?) -> Int32 {
    switch answer {
    case .given(true): return accept(chain)
    case .given(false):
      return refuse(
        chain, X509_V_ERR_CERT_REJECTED,
        TLSCode.peerBadCertificate.failure("The delegate does not trust the peer's certificate."))
    case .notAsked, .awaited:
      if case .notAsked = answer {
        guard let own = TLSCertificate(sharing: leaf) else {
          return refuse(
            chain, X509_V_ERR_OUT_OF_MEM, TLSCode.badCertificate.failure("The peer's certificate can't be read."))
        }
        var certificates = TLSSession.certificates(untrusted)
        if certificates.first != own { certificates.insert(own, at: 0) }
        answer = .awaited(PeerTrust(certificates, peerName: policy.name?.text ?? settings.peerName, policy: policy))
      }
      // OpenSSL takes an error that a look at the certificate left in its queue for the reason of the pause.
      ERR_clear_error()
      return lab_tls_pause(ssl) == 1 ? 1 : 0
    }
  }

  /// The delegate's answer (TLS-20); ignored unless the handshake awaits one. `handshake` must be called afterwards.
  package func answerTrust(_ isTrusted: Bool) {
    guard case .awaited = answer else { return }
    answer = .given(isTrusted)
  }

  /// What ends a session that awaits its answer: the end of the wire, or an alert in clear. OpenSSL itself reads
  /// nothing meanwhile. In TLS 1.3 alerts are encrypted with keys that don't exist before the answer; one is noticed
  /// by the end of the stream that follows it.
  func endWhileWaiting(hasEnded: Bool) -> SocketFailure? {
    let bytes = wire.buffers.pointee.input.contents
    while bytes.count - scannedWhileAwaitingTrust >= 5 {
      let length = Int(bytes[scannedWhileAwaitingTrust + 3]) << 8 | Int(bytes[scannedWhileAwaitingTrust + 4])
      guard bytes.count - scannedWhileAwaitingTrust >= 5 + length else { break }
      if bytes[scannedWhileAwaitingTrust] == 21, length == 2 {
        let alert = Int32(bytes[scannedWhileAwaitingTrust + 6])
        if alert == 0 || bytes[scannedWhileAwaitingTrust + 5] == 2 { return TLSFailure.peerAlert(alert, .handshake) }
      }
      scannedWhileAwaitingTrust += 5 + length
    }
    return hasEnded ? TLSSession.endInHandshake : nil
  }

  /// In their order, up to the first that can't be read: none moves to the place of another.
  static func certificates(_ stack: OpaquePointer?) -> [TLSCertificate] {
    guard let stack else { return [] }
    var certificates: [TLSCertificate] = []
    for index in 0..<max(0, lab_tls_stack_count(stack)) {
      guard let certificate = TLSCertificate(sharing: lab_tls_stack_at(stack, index)) else { break }
      certificates.append(certificate)
    }
    return certificates
  }
}
