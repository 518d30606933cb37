import COpenSSL
import SocketCore

/// One walk of OpenSSL's from a peer's certificate up to a root or an anchor.
///
/// OpenSSL builds the path, then checks what its certificates may do, their strength, the name, revocation, and at
/// last signatures and dates from the top down. Between the name and the rest it calls `checkPath`, and
/// `signaturesHold` if there are revocation lists, and for every fault `report`, which says whether to go on.
final class ChainWalk {
  enum Outcome {
    /// OpenSSL came to the end and affirmed the chain, and what it asked about is excused.
    case complete
    /// There are faults that nothing excuses.
    case faulty(ChainRefusal)
    /// Ended, and not because of what was found: OpenSSL's reason.
    case incomplete(error: Int32)
  }

  /// What a walk is made with. Tests put in what fails.
  struct Engine: Sendable {
    var makeContext: @Sendable () -> OpaquePointer? = { X509_STORE_CTX_new() }
    var verify: @Sendable (OpaquePointer) -> Int32 = { X509_verify_cert($0) }
    static let openSSL = Engine()
  }

  private let policy: TrustPolicy
  private let anchors: CertificateStack?
  private var fault: ChainFault?
  /// Positive evidence besides what OpenSSL returns: `checkPath` let the path pass, and the signature and the dates of
  /// the peer's own certificate, which come last, were found right.
  private var pathWasChecked = false
  private var leafWasAffirmed = false
  /// The certificates of the path that was found complete, the peer's own first, up to the root or anchor.
  private(set) var path: CertificateStack?

  init(_ policy: TrustPolicy, anchors: CertificateStack?) {
    self.policy = policy
    self.anchors = anchors
  }

  func run(leaf: OpaquePointer, untrusted: OpaquePointer?, store: TrustStore, engine: Engine) -> Outcome {
    ERR_clear_error()
    defer { ERR_clear_error() }
    let noMemory = Outcome.incomplete(error: X509_V_ERR_OUT_OF_MEM)
    guard let handle = store.handle else { return .incomplete(error: X509_V_ERR_STORE_LOOKUP) }
    guard let context = engine.makeContext() else { return noMemory }
    defer { X509_STORE_CTX_free(context) }
    let lists = lab_tls_crls_new()
    defer { lab_tls_crls_free(lists) }
    guard let lists, X509_STORE_CTX_init(context, handle, leaf, untrusted) == 1, prepare(context, lists: lists),
      X509_STORE_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
    else { return noMemory }
    X509_STORE_CTX_set_verify_cb(context) { isFine, context in
      guard let context, let walk = ChainWalk.of(context) else { return 0 }
      return walk.report(isFine == 1, context) ? 1 : 0
    }
    let result = engine.verify(context)
    if let fault { return .faulty(explained(fault, leaf, context)) }
    guard !ChainWalk.ranOutOfMemory() else { return noMemory }
    guard result == 1, pathWasChecked, leafWasAffirmed, let chain = X509_STORE_CTX_get0_chain(context) else {
      return .incomplete(error: X509_STORE_CTX_get_error(context))
    }
    guard !isIncompletePath(chain, untrusted, context) else { return noMemory }
    let ownFaults = dateFaults(chain, context) + constraintFaults(chain)
    guard let first = ownFaults.first else {
      path = X509_STORE_CTX_get1_chain(context).map(CertificateStack.init(owning:))
      return .complete
    }
    return .faulty(ChainRefusal(worst: first, others: Array(ownFaults.dropFirst())))
  }

  /// Whether OpenSSL's errors of this thread say that there was no memory; takes them.
  private static func ranOutOfMemory() -> Bool {
    var ranOutOfMemory = false
    while true {
      let code = ERR_get_error()
      if code == 0 { return ranOutOfMemory }
      if ERR_GET_REASON(code) == lab_tls_memory_reason() { ranOutOfMemory = true }
    }
  }

  /// Whether an issuer of the topmost certificate is at hand but missing in the path: OpenSSL's search for issuers
  /// reports no error when it runs out of memory. With `allowsAnyRoot`, where a path may end anywhere, it would pass.
  private func isIncompletePath(_ chain: OpaquePointer, _ untrusted: OpaquePointer?, _ context: OpaquePointer) -> Bool {
    let certificates = ChainWalk.all(in: chain)
    guard policy.verification.allowsAnyRoot, rootDepth(context) == nil, let top = certificates.last,
      X509_self_signed(top, 0) != 1
    else { return false }
    return (ChainWalk.all(in: anchors?.stack) + ChainWalk.all(in: untrusted)).contains { candidate in
      // To OpenSSL a certificate that it could not parse is no issuer, whether it is ill-formed or memory ran out.
      let isIllFormed = X509_get_extension_flags(candidate) & UInt32(EXFLAG_INVALID) != 0
      return X509_NAME_cmp(X509_get_subject_name(candidate), X509_get_issuer_name(top)) == 0
        && (isIllFormed || X509_check_issued(candidate, top) == X509_V_OK)
        && !certificates.contains { X509_cmp($0, candidate) == 0 }
    }
  }

  private static func all(in stack: OpaquePointer?) -> [OpaquePointer] {
    guard let stack else { return [] }
    return (0..<max(0, lab_tls_stack_count(stack))).compactMap { lab_tls_stack_at(stack, $0) }
  }

  private static func of(_ context: OpaquePointer) -> ChainWalk? {
    X509_STORE_CTX_get_ex_data(context, 0).map { Unmanaged<ChainWalk>.fromOpaque($0).takeUnretainedValue() }
  }

  private func prepare(_ context: OpaquePointer, lists: OpaquePointer) -> Bool {
    let role = policy.peerRole == .server ? "ssl_server" : "ssl_client"
    guard X509_STORE_CTX_set_default(context, policy.allowsAnyPurpose ? "default" : role) == 1,
      let parameters = X509_STORE_CTX_get0_param(context)
    else { return false }
    X509_VERIFY_PARAM_set_auth_level(parameters, ChainEvaluation.securityLevel)
    X509_VERIFY_PARAM_set_depth(parameters, Int32(ChainEvaluation.maximumIntermediates))
    // What an authority requires of the policies below it, OpenSSL looks at only when told to. Any will do for us.
    guard X509_VERIFY_PARAM_add0_policy(parameters, OBJ_nid2obj(NID_any_policy)) == 1 else { return false }
    X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_POLICY_CHECK))
    if let time = policy.time { X509_VERIFY_PARAM_set_time(parameters, time_t(time)) }
    if let anchors {
      X509_STORE_CTX_set0_trusted_stack(context, anchors.stack)
      // A certificate that is named as an anchor is one, root or not.
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

  /// Whether to go on.
  private func report(_ isFine: Bool, _ context: OpaquePointer) -> Bool {
    let depth = Int(X509_STORE_CTX_get_error_depth(context))
    if isFine {
      if depth == 0 { leafWasAffirmed = true }
      return fault == nil
    }
    let error = X509_STORE_CTX_get_error(context)
    let certificate = TLSCertificate(sharing: X509_STORE_CTX_get_current_cert(context))
    // Revocation is checked as far as the lists go: no list is no fault.
    if error == X509_V_ERR_UNABLE_TO_GET_CRL || Self.errorsOfStrangersLists.contains(error),
      let anchor = anchorWithoutIssuer(context, depth)
    {
      if isNamed(anchor) { judge(ChainFault(X509_V_ERR_CERT_REVOKED, at: depth, certificate, policy)) }
      return fault == nil
    }
    if error == X509_V_ERR_UNABLE_TO_GET_CRL, isNamedByItsIssuer(context, depth) {
      judge(ChainFault(X509_V_ERR_CERT_REVOKED, at: depth, certificate, policy))
    }
    if error == X509_V_ERR_UNABLE_TO_GET_CRL { return fault == nil }
    // The last second of validity belongs to it (RFC 5280, 4.1.2.5); OpenSSL doesn't think so.
    if error == X509_V_ERR_CERT_HAS_EXPIRED, let end = certificate?.notAfter, end == policy.time {
      return fault == nil
    }
    judge(
      ChainFault(error, at: depth, isAboutRoot: depth == rootDepth(context), certificate, policy))
    return fault == nil
  }

  /// What OpenSSL says of a list whose signer is not in the path: it takes the last certificate for it.
  private static let errorsOfStrangersLists = [
    X509_V_ERR_CRL_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER, X509_V_ERR_KEYUSAGE_NO_CRL_SIGN,
  ]

  /// The anchor at which the path ends there, if it is no root; nil: it does not. A list by its issuer, who is not in
  /// the path, can't be told from a forged one; nor need it be: the anchor is trusted because it was named, and revoked
  /// if the list names it, too.
  private func anchorWithoutIssuer(_ context: OpaquePointer, _ depth: Int) -> OpaquePointer? {
    guard anchors != nil, let chain = X509_STORE_CTX_get0_chain(context), depth == lab_tls_stack_count(chain) - 1,
      depth >= X509_STORE_CTX_get_num_untrusted(context), let last = lab_tls_stack_at(chain, Int32(depth)),
      X509_get_extension_flags(last) & UInt32(EXFLAG_SS) == 0
    else { return nil }
    return last
  }

  /// Whether a list of its issuer's name has the certificate.
  private func isNamed(_ certificate: OpaquePointer) -> Bool {
    policy.revocationLists.contains { Self.names($0, certificate) }
  }

  private static func names(_ list: TLSRevocationList, _ certificate: OpaquePointer) -> Bool {
    guard X509_NAME_cmp(X509_CRL_get_issuer(list.handle.crl), X509_get_issuer_name(certificate)) == 0 else {
      return false
    }
    var entry: OpaquePointer?
    return X509_CRL_get0_by_cert(list.handle.crl, &entry, certificate) == 1
  }

  /// Whether a list that OpenSSL has passed over has the certificate: it says which of its signer's certificates it is
  /// from, by their serial number, and the peer may send another one with the same key.
  private func isNamedByItsIssuer(_ context: OpaquePointer, _ depth: Int) -> Bool {
    guard let chain = X509_STORE_CTX_get0_chain(context), let certificate = lab_tls_stack_at(chain, Int32(depth)),
      let issuer = lab_tls_stack_at(chain, min(Int32(depth) + 1, lab_tls_stack_count(chain) - 1)),
      let key = X509_get0_pubkey(issuer)
    else { return false }
    return policy.revocationLists.contains { Self.names($0, certificate) && X509_CRL_verify($0.handle.crl, key) == 1 }
  }

  private func judge(_ found: ChainFault) {
    if fault == nil, !found.isExcused(by: policy.verification) { fault = found }
  }

  /// The path is known, and nothing was computed with its keys yet.
  private func checkPath(_ context: OpaquePointer) -> Bool {
    guard fault == nil, let chain = X509_STORE_CTX_get0_chain(context) else { return false }
    // The certificates above are trusted ones, which the user or the system has chosen.
    for depth in 0..<X509_STORE_CTX_get_num_untrusted(context) {
      guard let x509 = lab_tls_stack_at(chain, depth) else { return false }
      guard let problem = PeerKey.problem(of: x509) else { continue }
      judge(
        ChainFault(
          X509_V_ERR_UNSPECIFIED, at: Int(depth), TLSCertificate(sharing: x509), policy, kind: .chainInvalid,
          reason: problem))
      return false
    }
    guard bytesOfPolicies(chain) <= Self.maximumPolicyBytes else {
      judge(
        ChainFault(
          X509_V_ERR_UNSPECIFIED, at: 0, lab_tls_stack_at(chain, 0).flatMap { TLSCertificate(sharing: $0) }, policy,
          kind: .chainInvalid, reason: "the chain's certificates have more policies than are compared"))
      return false
    }
    guard NameConstraints.comparisons(in: chain) <= NameConstraints.maximumComparisons else {
      judge(
        ChainFault(
          X509_V_ERR_UNSPECIFIED, at: 0, lab_tls_stack_at(chain, 0).flatMap { TLSCertificate(sharing: $0) }, policy,
          kind: .chainInvalid, reason: "the chain has more names and name constraints than are compared"))
      return false
    }
    pathWasChecked = true
    return true
  }

  /// In all certificates of a path. OpenSSL compares each policy of a certificate with those before it: 100 KiB of them
  /// keep it busy for seconds. Usual are less than a hundred bytes a certificate; those of bridges between authorities
  /// have a kilobyte.
  private static let maximumPolicyBytes = 1 << 12

  private func bytesOfPolicies(_ chain: OpaquePointer) -> Int {
    ChainWalk.all(in: chain).reduce(0) { total, certificate in
      [NID_certificate_policies, NID_policy_mappings].reduce(total) { total, kind in
        let place = X509_get_ext_by_NID(certificate, kind, -1)
        guard place >= 0, let data = X509_EXTENSION_get_data(X509_get_ext(certificate, place)) else { return total }
        return total + Int(ASN1_STRING_length(data))
      }
    }
  }

  /// Whether what the peer has shown of the path is genuine. OpenSSL looks at signatures last, behind the revocation
  /// lists: it would hash the megabytes of a list anew for whoever makes up a certificate that names its issuer.
  private func signaturesHold(_ context: OpaquePointer) -> Bool {
    guard let chain = X509_STORE_CTX_get0_chain(context) else { return false }
    // From the top: below a forged certificate its maker can sign any number.
    for depth in (0..<X509_STORE_CTX_get_num_untrusted(context)).reversed() {
      guard let x509 = lab_tls_stack_at(chain, depth) else { return false }
      // Where there is no issuer, or no key, OpenSSL says what that means.
      guard let issuer = lab_tls_stack_at(chain, depth + 1), let key = X509_get0_pubkey(issuer) else { continue }
      guard X509_verify(x509, key) != 1 else { continue }
      judge(
        ChainFault(X509_V_ERR_CERT_SIGNATURE_FAILURE, at: Int(depth), TLSCertificate(sharing: x509), policy))
      return false
    }
    return true
  }

  /// Installed in place of OpenSSL's revocation check, which comes after the path is built and before anything is
  /// computed with its keys.
  static let revocationHook: X509_STORE_CTX_check_revocation_fn = { context in
    guard let context, let walk = ChainWalk.of(context), let check = ChainWalk.revocationCheck, walk.checkPath(context)
    else { return 0 }
    guard walk.policy.revocationLists.isEmpty || walk.signaturesHold(context) else { return 0 }
    return check(context)
  }

  /// OpenSSL's own.
  private static let revocationCheck: X509_STORE_CTX_check_revocation_fn? = {
    guard let context = X509_STORE_CTX_new() else { return nil }
    defer { X509_STORE_CTX_free(context) }
    guard X509_STORE_CTX_init(context, nil, nil, nil) == 1 else { return nil }
    return X509_STORE_CTX_get_check_revocation(context)
  }()

  /// Where the chain ends, if that is at a root or an anchor above the leaf.
  private func rootDepth(_ context: OpaquePointer) -> Int? {
    guard let chain = X509_STORE_CTX_get0_chain(context) else { return nil }
    let last = lab_tls_stack_count(chain) - 1
    guard last > 0, let root = lab_tls_stack_at(chain, last) else { return nil }
    let isAnchor = last >= X509_STORE_CTX_get_num_untrusted(context)
    return isAnchor || X509_self_signed(root, 0) == 1 ? Int(last) : nil
  }
}

extension ChainWalk {
  /// The fault with what else is wrong and costs nothing to find: the name and the dates.
  private func explained(_ fault: ChainFault, _ leaf: OpaquePointer, _ context: OpaquePointer) -> ChainRefusal {
    var faults = [fault]
    let dates = X509_STORE_CTX_get0_chain(context).map { dateFaults($0, context) } ?? []
    for other in nameFaults(leaf) + dates
    where !faults.contains(where: { $0.kind == other.kind && $0.depth == other.depth }) {
      faults.append(other)
    }
    faults.sort { ($0.kind.rawValue, $0.depth) < ($1.kind.rawValue, $1.depth) }
    return ChainRefusal(worst: faults[0], others: Array(faults.dropFirst()))
  }

  private func nameFaults(_ leaf: OpaquePointer) -> [ChainFault] {
    let (isMatch, error) =
      switch policy.name {
      case nil: (Int32(1), X509_V_OK)
      case .host(let name):
        (
          X509_check_host(leaf, name, name.utf8.count, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS), nil),
          X509_V_ERR_HOSTNAME_MISMATCH
        )
      case .address(let bytes): (X509_check_ip(leaf, bytes, bytes.count, 0), X509_V_ERR_IP_ADDRESS_MISMATCH)
      }
    return isMatch == 1 ? [] : [ChainFault(error, at: 0, TLSCertificate(sharing: leaf), policy)]
  }

  /// Of every certificate of the chain. OpenSSL leaves out the topmost one if that is no root and any root is allowed.
  private func dateFaults(_ chain: OpaquePointer, _ context: OpaquePointer) -> [ChainFault] {
    guard let time = policy.time else { return [] }
    let root = rootDepth(context)
    var faults: [ChainFault] = []
    for depth in 0..<Int(max(0, lab_tls_stack_count(chain))) {
      guard let x509 = lab_tls_stack_at(chain, Int32(depth)) else { continue }
      let first = CalendarTime.seconds(X509_get0_notBefore(x509))
      let last = CalendarTime.seconds(X509_get0_notAfter(x509))
      let error: Int32
      switch (first, last) {
      case (nil, _): error = X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD
      case (_, nil): error = X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD
      case (let first?, _) where time < first: error = X509_V_ERR_CERT_NOT_YET_VALID
      case (_, let last?) where time > last: error = X509_V_ERR_CERT_HAS_EXPIRED
      default: continue
      }
      let found = ChainFault(error, at: depth, isAboutRoot: depth == root, TLSCertificate(sharing: x509), policy)
      if !found.isExcused(by: policy.verification) { faults.append(found) }
    }
    return faults
  }

  /// The peer's own name is held against the authorities' constraints, too: OpenSSL holds only the names in the
  /// certificate against them, and a wildcard there covers names that an authority may not sign for.
  private func constraintFaults(_ chain: OpaquePointer) -> [ChainFault] {
    guard let name = policy.name else { return [] }
    let count = max(1, lab_tls_stack_count(chain))
    for depth in 1..<count {
      guard let authority = lab_tls_stack_at(chain, depth),
        let error = NameConstraints.violation(of: authority, by: name)
      else { continue }
      let text = name.text
      return [
        ChainFault(
          error, at: Int(depth), TLSCertificate(sharing: authority), policy,
          reason: "its name constraints don't allow it to sign for \(text)")
      ]
    }
    return []
  }
}
