import COpenSSL
import ScenarioModel

/// OpenSSL's own path validation, as strict as a client of today: the oracle of the certificates.
struct PathVerifier {
  /// Unix seconds.
  var time: Int64
  /// 2 asks for 112 bits of security, as Linux distributions do; 1 for 80.
  var level: Int32 = 2
  /// What names are compared by: RFC 9525, without the common name and partial wildcards; or OpenSSL's default.
  var hasStrictNames = true
  var revocationList: [UInt8] = []

  enum Outcome: Hashable, CustomStringConvertible {
    /// An `X509_V_` code, `X509_V_OK` or the first error, and at which certificate (0 is the leaf).
    case code(Int32, depth: Int32)
    case unparsable

    static let ok = Outcome.code(X509_V_OK, depth: 0)

    var description: String {
      switch self {
      case .code(let code, let depth):
        "\(code) (\(X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "")) at \(depth)"
      case .unparsable: "unparsable"
      }
    }
  }

  /// Verifies what a peer of the class presents, under the anchors (PEM).
  func verify(_ chain: [[UInt8]], as name: CertificateName, anchors: [UInt8]) -> Outcome {
    let certificates = chain.map(Self.parse)
    defer { for certificate in certificates { X509_free(certificate) } }
    guard !certificates.contains(nil), let leaf = certificates.first else { return .unparsable }
    let others = OPENSSL_sk_new_null()
    defer { OPENSSL_sk_free(others) }
    for certificate in certificates.dropFirst() {
      OPENSSL_sk_push(others, certificate.map { UnsafeRawPointer($0) })
    }
    let store = X509_STORE_new()
    defer { X509_STORE_free(store) }
    Self.eachCertificate(in: anchors) { X509_STORE_add_cert(store, $0) }
    Self.eachList(in: revocationList) { X509_STORE_add_crl(store, $0) }
    let context = X509_STORE_CTX_new()
    defer { X509_STORE_CTX_free(context) }
    X509_STORE_CTX_init(context, store, leaf, others)
    configure(X509_STORE_CTX_get0_param(context), for: name)
    let isGood = X509_verify_cert(context) == 1
    let code = X509_STORE_CTX_get_error(context)
    ERR_clear_error()
    return isGood ? .ok : .code(code, depth: X509_STORE_CTX_get_error_depth(context))
  }

  private func configure(_ parameters: OpaquePointer?, for name: CertificateName) {
    X509_VERIFY_PARAM_set_time(parameters, Int(time))
    X509_VERIFY_PARAM_set_auth_level(parameters, level)
    X509_VERIFY_PARAM_set_purpose(parameters, name.isForClients ? X509_PURPOSE_SSL_CLIENT : X509_PURPOSE_SSL_SERVER)
    if name.isAddress {
      X509_VERIFY_PARAM_set1_ip_asc(parameters, name.hostName)
    } else {
      X509_VERIFY_PARAM_set1_host(parameters, name.hostName, 0)
    }
    if hasStrictNames {
      X509_VERIFY_PARAM_set_hostflags(
        parameters, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    }
    if !revocationList.isEmpty {
      X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL))
    }
  }

  static func parse(_ der: [UInt8]) -> OpaquePointer? {
    der.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      return d2i_X509(nil, &position, bytes.count)
    }
  }

  static func eachCertificate(in pem: [UInt8], _ body: (OpaquePointer) -> Void) {
    let source = BIO_new_mem_buf(pem, Int32(pem.count))
    defer { BIO_free(source) }
    while let certificate = PEM_read_bio_X509(source, nil, nil, nil) {
      body(certificate)
      X509_free(certificate)
    }
    ERR_clear_error()
  }

  private static func eachList(in pem: [UInt8], _ body: (OpaquePointer) -> Void) {
    let source = BIO_new_mem_buf(pem, Int32(pem.count))
    defer { BIO_free(source) }
    while let list = PEM_read_bio_X509_CRL(source, nil, nil, nil) {
      body(list)
      X509_CRL_free(list)
    }
    ERR_clear_error()
  }
}
