import COpenSSL

/// The constraints on names in an authority's certificate (RFC 5280, 4.2.1.10), held against one name.
enum NameConstraints {
  /// How often OpenSSL may hold a name of a chain against a constraint. Its own bound is four times as much for every
  /// two certificates; ten authorities in a row make 55 pairs of a chain.
  static let maximumComparisons = 1 << 18

  /// How often it will do so in this chain, the leaf's place being 0: every name of a certificate against every
  /// constraint of all authorities above it.
  static func comparisons(in chain: OpaquePointer) -> Int {
    var constraintsAbove = 0
    var total = 0
    for depth in (0..<max(0, lab_tls_stack_count(chain))).reversed() {
      guard let certificate = lab_tls_stack_at(chain, depth) else { continue }
      if constraintsAbove > 0 { total += constraintsAbove * nameCount(of: certificate) }
      constraintsAbove += constraintCount(of: certificate)
    }
    return total
  }

  private static func nameCount(of certificate: OpaquePointer) -> Int {
    let names = lab_tls_names(certificate)
    defer { GENERAL_NAMES_free(names) }
    let others = names.map { lab_tls_names_count($0) } ?? 0
    return Int(max(0, X509_NAME_entry_count(X509_get_subject_name(certificate)))) + Int(max(0, others))
  }

  private static func constraintCount(of authority: OpaquePointer) -> Int {
    var isThere: Int32 = 0
    guard let constraints = lab_tls_constraints(authority, &isThere) else { return 0 }
    defer { NAME_CONSTRAINTS_free(constraints) }
    return [0, 1].reduce(0) { $0 + Int(max(0, lab_tls_subtree_count(constraints, $1))) }
  }

  /// X509_V_ERR of the constraint that the name violates; nil: none does.
  static func violation(of authority: OpaquePointer, by name: PeerName) -> Int32? {
    var isThere: Int32 = 0
    guard let constraints = lab_tls_constraints(authority, &isThere) else {
      return isThere == 0 ? nil : X509_V_ERR_INVALID_EXTENSION
    }
    defer { NAME_CONSTRAINTS_free(constraints) }
    if subtrees(constraints, isExcluded: true, for: name).contains(where: { contains($0, name) }) {
      return X509_V_ERR_EXCLUDED_VIOLATION
    }
    let permitted = subtrees(constraints, isExcluded: false, for: name)
    // Constraints of one kind of name say nothing about another.
    guard !permitted.isEmpty, !permitted.contains(where: { contains($0, name) }) else { return nil }
    return X509_V_ERR_PERMITTED_VIOLATION
  }

  /// The subtrees of the name's kind.
  private static func subtrees(
    _ constraints: UnsafePointer<NAME_CONSTRAINTS>, isExcluded: Bool, for name: PeerName
  ) -> [[UInt8]] {
    let wanted =
      switch name {
      case .host: GEN_DNS
      case .address: GEN_IPADD
      }
    let isExcluded: Int32 = isExcluded ? 1 : 0
    var found: [[UInt8]] = []
    for index in 0..<max(0, lab_tls_subtree_count(constraints, isExcluded)) {
      var kind: Int32 = 0
      var length: Int32 = 0
      let bytes = lab_tls_subtree_at(constraints, isExcluded, index, &kind, &length)
      guard kind == wanted, length >= 0 else { continue }
      found.append(Array(UnsafeBufferPointer(start: bytes, count: Int(length))))
    }
    return found
  }

  /// Whether the subtree has the name in it. A host's is the name itself and everything below it; a leading dot leaves
  /// the name itself out. An address's is a network and its mask.
  static func contains(_ subtree: [UInt8], _ name: PeerName) -> Bool {
    switch name {
    case .host(let text):
      let host = Array(text.utf8)
      let base = subtree.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
      if base.isEmpty || host == base { return true }
      let dot = UInt8(ascii: ".")
      let tail = base.first == dot ? base : [dot] + base
      return host.count > tail.count && host.suffix(tail.count) == tail[...]
    case .address(let bytes):
      guard subtree.count == 2 * bytes.count else { return false }
      return bytes.indices.allSatisfy { (bytes[$0] ^ subtree[$0]) & subtree[bytes.count + $0] == 0 }
    }
  }
}
