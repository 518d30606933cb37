import COpenSSL
import Glibc
import SocketCore

/// The message with the peer's certificates, before OpenSSL reads it.
///
/// OpenSSL reads all certificates of the message, with their keys, before it asks anybody. Most keys cost nothing, but
/// a point on a curve is written as one coordinate, and to find the other one takes a square root: up to a millisecond
/// on a curve with a name, a tenth of a second on one that a peer has made up for it. Neither the length of a message
/// nor what is later refused bounds that, and the loop's other sockets wait.
package enum CertificateMessage {
  /// Chains have `ChainEvaluation.maximumIntermediates` at most; more than that may be sent along.
  package static let maximumCount = 128

  /// Behind every kind of field that a curve without a name is spelled out over: 1.2.840.10045.1.
  private static let fieldKinds: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x01]

  /// What is wrong with the body of the message, which is not empty; nil: nothing, or what OpenSSL finds itself.
  package static func problem(_ body: UnsafeRawBufferPointer, isTLS13: Bool) -> String? {
    guard count(body, isTLS13: isTLS13) <= maximumCount else {
      return "it sent more than \(maximumCount) certificates"
    }
    guard !OpenSSLBytes.contains(body, fieldKinds) else {
      return "it sent a key on a curve without a name, which is not accepted"
    }
    return nil
  }

  /// How many certificates are in it, up to the first that is cut off. In TLS 1.3 a context stands before them, and
  /// extensions behind each.
  private static func count(_ body: UnsafeRawBufferPointer, isTLS13: Bool) -> Int {
    var vectors = WireVectors(body)
    guard !isTLS13 || vectors.next(lengthOf: 1) != nil, vectors.number(size: 3) != nil else { return 0 }
    var count = 0
    while !vectors.rest.isEmpty {
      count += 1
      guard vectors.next(lengthOf: 3) != nil, !isTLS13 || vectors.next(lengthOf: 2) != nil else { break }
    }
    return count
  }

  /// Makes the sessions of a context look at the message first, and at a server's request for such a message.
  static func watch(_ context: OpaquePointer) {
    SSL_CTX_set_msg_callback(context) { isSent, version, kind, bytes, count, ssl, _ in
      guard isSent == 0, kind == SSL3_RT_HANDSHAKE, let bytes, count > CertificateMessage.headCount, let ssl,
        let session = TLSSession.of(ssl)
      else { return }
      let body = UnsafeRawBufferPointer(
        start: bytes + CertificateMessage.headCount, count: count - CertificateMessage.headCount)
      // OpenSSL offers no way to stop it here. It reads from this memory, its own, and finds no length fitting.
      let memory = UnsafeMutableRawPointer(mutating: bytes) + CertificateMessage.headCount
      switch Int32(bytes.load(as: UInt8.self)) {
      case SSL3_MT_CERTIFICATE:
        guard let problem = CertificateMessage.problem(body, isTLS13: version >= ProtocolVersion.tls13.rawValue) else {
          return
        }
        session.refuseUnread(problem)
        memset(memory, 0xFF, min(4, body.count))
      case SSL3_MT_CERTIFICATE_REQUEST:
        guard let problem = AuthorityNames.problem(ofRequest: body, version: version) else { return }
        session.refuseList(problem)
        // All of it: a long one has a first part of 255 bytes, and more behind that.
        memset(memory, 0xFF, body.count)
      default: break
      }
    }
  }

  /// Kind and length of a message.
  private static let headCount = 4
}
