import COpenSSL
import SocketCore

/// Holds a chain against a policy. The decision is ours: OpenSSL walks the chain and reports everything that is wrong
/// with it, and what of it counts is judged here.
///
/// RSA keys below 2048 bits and what is as weak, and signatures over SHA-1 and MD5, are refused (OpenSSL's level 2).
enum ChainEvaluation {
  private static let securityLevel: Int32 = 2

  /// What OpenSSL reported during one walk.
  private final class Findings {
    struct Raw {
      var error: Int32
      var depth: Int
      var certificate: TLSCertificate?
    }
    var raw: [Raw] = []
    /// Attack certificates must not make us remember without end.
    static let limit = 32
  }

  /// The faults that remain, the most telling first; empty: trusted. `untrusted` is a stack of X509, the leaf may be in
  /// it.
  static func faults(leaf: OpaquePointer, untrusted: OpaquePointer?, policy: TrustPolicy) -> [ChainFault] {
    guard policy.verification.checksChain else { return [] }
    return illFormed(leaf, policy) + pathFaults(leaf: leaf, untrusted: untrusted, policy: policy)
  }

  /// OpenSSL finds no issuer for a certificate whose extensions it can't make sense of, and says only that.
  private static func illFormed(_ leaf: OpaquePointer, _ policy: TrustPolicy) -> [ChainFault] {
    guard X509_get_extension_flags(leaf) & UInt32(EXFLAG_INVALID) != 0 else { return [] }
    let error = X509_V_ERR_INVALID_EXTENSION
    let sentence = ChainFault.sentence(
      error: error, depth: 0, certificate: TLSCertificate(sharing: leaf), name: policy.name, time: policy.time)
    return [ChainFault(kind: .illFormed, error: error, depth: 0, sentence: sentence)]
  }

  private static func pathFaults(leaf: OpaquePointer, untrusted: OpaquePointer?, policy: TrustPolicy) -> [ChainFault] {
    guard !policy.anchors.isEmpty || policy.anchorsOnly else {
      return walk(leaf, untrusted, policy, store: SystemTrust.shared.store, anchors: nil)
    }
    // The anchors first, and the system's certificates only if the chain does not end there: most often they needn't
    // even be loaded.
    guard let anchors = CertificateStack(policy.anchors) else { return [outOfMemory] }
    let faults = walk(leaf, untrusted, policy, store: nil, anchors: anchors)
    guard !policy.anchorsOnly, faults.contains(where: { $0.kind == .unknownRoot || $0.kind == .noRoot }) else {
      return faults
    }
    return walk(leaf, untrusted, policy, store: SystemTrust.shared.store, anchors: nil)
  }

  private static let outOfMemory = ChainFault(
    kind: .chainInvalid, error: X509_V_ERR_OUT_OF_MEM, depth: 0, sentence: "no memory to check the peer's certificate")

  private static func walk(
    _ leaf: OpaquePointer, _ untrusted: OpaquePointer?, _ policy: TrustPolicy, store: OpaquePointer?,
    anchors: CertificateStack?
  ) -> [ChainFault] {
    ERR_clear_error()
    defer { ERR_clear_error() }
    guard let context = X509_STORE_CTX_new() else { return [outOfMemory] }
    defer { X509_STORE_CTX_free(context) }
    let lists = lab_tls_crls_new()
    defer { lab_tls_crls_free(lists) }
    guard let lists, X509_STORE_CTX_init(context, store, leaf, untrusted) == 1,
      prepare(context, policy, lists: lists, anchors: anchors)
    else { return [outOfMemory] }

    let findings = Findings()
    X509_STORE_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(findings).toOpaque())
    X509_STORE_CTX_set_verify_cb(context) { isFine, context in
      guard isFine != 1, let context, let data = X509_STORE_CTX_get_ex_data(context, 0) else { return isFine }
      let findings = Unmanaged<Findings>.fromOpaque(data).takeUnretainedValue()
      guard findings.raw.count < Findings.limit else { return 0 }
      findings.raw.append(
        Findings.Raw(
          error: X509_STORE_CTX_get_error(context), depth: Int(X509_STORE_CTX_get_error_depth(context)),
          certificate: TLSCertificate(sharing: X509_STORE_CTX_get_current_cert(context))))
      return 1
    }
    if X509_verify_cert(context) != 1, findings.raw.isEmpty {
      let error = X509_STORE_CTX_get_error(context)
      findings.raw.append(
        Findings.Raw(error: error == X509_V_OK ? X509_V_ERR_UNSPECIFIED : error, depth: 0, certificate: nil))
    }
    let root = rootDepth(context)
    return judge(findings.raw, policy, root: root)
  }

  private static func prepare(
    _ context: OpaquePointer, _ policy: TrustPolicy, lists: OpaquePointer, anchors: CertificateStack?
  ) -> Bool {
    guard X509_STORE_CTX_set_default(context, policy.peerRole == .server ? "ssl_server" : "ssl_client") == 1,
      let parameters = X509_STORE_CTX_get0_param(context)
    else { return false }
    X509_VERIFY_PARAM_set_auth_level(parameters, securityLevel)
    if let time = policy.time { X509_VERIFY_PARAM_set_time(parameters, time_t(time)) }
    if let anchors {
      X509_STORE_CTX_set0_trusted_stack(context, anchors.stack)
      // Whoever names a certificate as an anchor means it, root or not.
      X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    }
    if !policy.revocationLists.isEmpty {
      for list in policy.revocationLists where lab_tls_crls_add(lists, list.handle.crl) != 1 { return false }
      X509_STORE_CTX_set0_crls(context, lists)
      X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL))
    }
    // The wildcard is a label of its own, the leftmost; the common name counts where there is no DNS name (TLS-12).
    X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    switch policy.name {
    case nil: return true
    case .host(let name): return X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1
    case .address(let bytes): return X509_VERIFY_PARAM_set1_ip(parameters, bytes, bytes.count) == 1
    }
  }

  /// Where the chain ends, if that is at a root or an anchor above the leaf.
  private static func rootDepth(_ context: OpaquePointer) -> Int? {
    guard let chain = X509_STORE_CTX_get0_chain(context) else { return nil }
    let last = lab_tls_stack_count(chain) - 1
    guard last > 0, let root = lab_tls_stack_at(chain, last) else { return nil }
    let isAnchor = last >= X509_STORE_CTX_get_num_untrusted(context)
    return isAnchor || X509_self_signed(root, 0) == 1 ? Int(last) : nil
  }

  private static func judge(_ raw: [Findings.Raw], _ policy: TrustPolicy, root: Int?) -> [ChainFault] {
    var faults: [ChainFault] = []
    for finding in raw where finding.error != X509_V_ERR_UNABLE_TO_GET_CRL {
      let kind = ChainFault.kind(of: finding.error)
      // The last second of validity belongs to it (RFC 5280, 4.1.2.5); OpenSSL doesn't think so.
      if kind == .expired, let time = policy.time, finding.certificate?.notAfter == time { continue }
      let fault = ChainFault(
        kind: kind, error: finding.error, depth: finding.depth, isAboutRoot: finding.depth == root,
        sentence: ChainFault.sentence(
          error: finding.error, depth: finding.depth, certificate: finding.certificate, name: policy.name,
          time: policy.time))
      guard !fault.isExcused(by: policy.verification),
        !faults.contains(where: { $0.kind == kind && ($0.depth == fault.depth || kind == .noRoot) })
      else { continue }
      faults.append(fault)
    }
    return faults.sorted { ($0.kind.rawValue, $0.depth) < ($1.kind.rawValue, $1.depth) }
  }

  /// The failure for faults (not empty), with the first one's code.
  static func failure(_ faults: [ChainFault]) -> SocketFailure {
    let code = faults.first?.code ?? .chainInvalid
    return code.failure("The peer is not trusted: \(text(faults)).")
  }

  static func text(_ faults: [ChainFault]) -> String {
    let shown = faults.prefix(3).map(\.sentence).joined(separator: "; also, ")
    return faults.count > 3 ? "\(shown); and \(faults.count - 3) more" : shown
  }
}

/// Certificates as the stack that OpenSSL wants.
final class CertificateStack {
  let stack: OpaquePointer

  /// nil: no memory.
  init?(_ certificates: [TLSCertificate]) {
    guard let stack = lab_tls_stack_new() else { return nil }
    self.stack = stack
    for certificate in certificates where lab_tls_stack_add(stack, certificate.handle.x509) != 1 { return nil }
  }

  deinit { lab_tls_stack_free(stack) }
}
