import COpenSSL
import SocketCore

/// Our identity: a certificate, the certificates that are sent along with it, and its private key.
package final class TLSIdentity: Hashable, Sendable {
  /// The certificates that are sent, our own first. Never empty.
  package let chain: [TLSCertificate]
  let key: PrivateKey

  /// Owns one EVP_PKEY.
  ///
  /// Unchecked: the key is never changed; contexts take copies of it.
  final class PrivateKey: @unchecked Sendable {
    let pkey: OpaquePointer
    init(owning pkey: OpaquePointer) { self.pkey = pkey }
    deinit { EVP_PKEY_free(pkey) }

    /// An own copy. Keys gather state while they are used (RSA blinding, which draws randomness), and where runs must
    /// be reproducible no run may find what another one left.
    func copy() -> PrivateKey? { EVP_PKEY_dup(pkey).map(PrivateKey.init) }
  }

  /// The key must be that of the chain's first certificate; an empty chain or another key is `other`.
  init(chain: [TLSCertificate], key: PrivateKey) throws(SocketFailure) {
    guard let own = chain.first else { throw .other("The identity has no certificate.") }
    ERR_clear_error()
    guard X509_check_private_key(own.handle.x509, key.pkey) == 1 else {
      throw OpenSSLErrors.failure("The private key is not that of the certificate \(own.subject)")
    }
    self.chain = chain
    self.key = key
  }

  /// The same with more certificates to send along; those that it has already are not sent twice.
  package func adding(_ certificates: [TLSCertificate]) throws(SocketFailure) -> TLSIdentity {
    var longer = chain
    for certificate in certificates where !longer.contains(certificate) { longer.append(certificate) }
    return longer.count == chain.count ? self : try TLSIdentity(chain: longer, key: key)
  }

  /// Equal certificates have equal keys: a certificate names its key.
  package static func == (one: TLSIdentity, other: TLSIdentity) -> Bool { one.chain == other.chain }
  package func hash(into hasher: inout Hasher) { hasher.combine(chain) }
}
