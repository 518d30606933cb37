import COpenSSL
import Foundation
import ScenarioModel
import TestCertificates

/// PKCS#12 as other programs write it, made from a test identity.
enum PKCS12File {
  static func make(_ name: CertificateName = .leaf, passphrase: String) throws -> Data {
    let identity = try TestPKI.shared.identity(name)
    let key = withBIO(identity.key) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
    let others = lab_tls_stack_new()
    defer {
      EVP_PKEY_free(key)
      lab_tls_stack_free(others)
    }
    var own: OpaquePointer?
    withBIO(identity.chain) { bio in
      own = PEM_read_bio_X509(bio, nil, nil, nil)
      while let next = PEM_read_bio_X509(bio, nil, nil, nil) {
        _ = lab_tls_stack_add(others, next)
        X509_free(next)
      }
      ERR_clear_error()
    }
    defer { X509_free(own) }
    let container = PKCS12_create(passphrase, "test", key, own, others, 0, 0, 0, 0, 0)
    defer { PKCS12_free(container) }
    var bytes = Data(count: Int(i2d_PKCS12(container, nil)))
    bytes.withUnsafeMutableBytes { buffer in
      var position = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      _ = i2d_PKCS12(container, &position)
    }
    return bytes
  }

  private static func withBIO<Result>(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
    bytes.withUnsafeBytes { buffer in
      let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count))
      defer { BIO_free(bio) }
      return body(bio)
    }
  }
}
