import TestCertificates

/// Certification path validation after RFC 5280, section 6, on descriptions of certificates, in the dullest way: every
/// path is tried. It knows nothing of keys but their numbers, so it shares no code with any verifier.
///
/// What the library promises beyond the RFC is in it, too: anchors are held to their dates and constraints as other
/// certificates are, at most ten intermediates are followed, revocation is checked as far as there are lists, and the
/// name that is asked for is held against all constraints.
struct PathJudge {
  enum Judgement: Hashable {
    /// No path is valid.
    case refused
    /// Some path is, but verifiers may differ: over which path they find, or over what is special about it.
    case disputable
    /// There is one path, and nothing special about it.
    case sound
  }

  typealias Certificate = CertificateGraph.Certificate

  let chain: ChainCase
  /// What an issuer is looked for among, without doubles.
  let available: [Int]
  private static let longest = 12
  private static let maxSteps = 100_000

  init(_ chain: ChainCase) {
    self.chain = chain
    var seen: Set<Certificate> = []
    available = (chain.sent + chain.anchors.sorted()).filter { seen.insert(chain.certificates[$0]).inserted }
  }

  func judge() -> Judgement {
    var steps = 0
    guard let path = validPath(from: [0], &steps) else { return steps < Self.maxSteps ? .refused : .disputable }
    return isUndisputed(path) ? .sound : .disputable
  }

  private func validPath(from path: [Int], _ steps: inout Int) -> [Int]? {
    steps += 1
    guard path.count <= Self.longest, steps < Self.maxSteps, let last = path.last else { return nil }
    if isEnd(path), isValid(path) { return path }
    for candidate in available where !path.contains(where: { isSame($0, candidate) }) {
      guard isSigned(chain.certificates[last], by: chain.certificates[candidate]) else { continue }
      if let found = validPath(from: path + [candidate], &steps) { return found }
    }
    return nil
  }

  private func isSame(_ one: Int, _ other: Int) -> Bool { chain.certificates[one] == chain.certificates[other] }

  private func isSigned(_ certificate: Certificate, by issuer: Certificate) -> Bool {
    certificate.issuer == issuer.subject && certificate.signer == issuer.key && !certificate.isDamaged
  }

  func isAnchor(_ index: Int) -> Bool { chain.anchors.contains { isSame($0, index) } }

  /// At an anchor; where any root will do, also where no certificate could be the issuer.
  private func isEnd(_ path: [Int]) -> Bool {
    let last = path[path.count - 1]
    if isAnchor(last) { return true }
    guard chain.allowsAnyRoot else { return false }
    let certificate = chain.certificates[last]
    return certificate.issuer == certificate.subject
      || !available.contains { candidate in
        let issuer = chain.certificates[candidate]
        return issuer.subject == certificate.issuer && !path.contains { isSame($0, candidate) }
          && (!issuer.namesKeys || !certificate.namesKeys || issuer.key == certificate.signer)
      }
  }

  func isValid(_ path: [Int]) -> Bool {
    let certificates = path.map { chain.certificates[$0] }
    return datesAreRight(certificates) && authoritiesAreOnes(certificates, endsAtAnchor: isAnchor(path[path.count - 1]))
      && !certificates.contains(where: \.hasUnknownCriticalExtension) && purposeFits(certificates[0])
      && nameFits(certificates[0]) && constraintsAreKept(certificates) && isNotRevoked(certificates)
  }

  /// 6.1.3 (a) (2).
  private func datesAreRight(_ path: [Certificate]) -> Bool {
    path.indices.allSatisfy { depth in
      let certificate = path[depth]
      if chain.time < certificate.first { return false }
      if chain.time <= max(certificate.first, certificate.last) { return true }
      let isRoot = depth == path.count - 1 && depth > 0
      // What is a root is in doubt where any will do.
      return isRoot
        ? chain.allowsExpiredRoots || chain.allowsAnyRoot && chain.allowsExpiredCertificates
        : chain.allowsExpiredCertificates
    }
  }

  /// 6.1.4 (k) to (n).
  private func authoritiesAreOnes(_ path: [Certificate], endsAtAnchor: Bool) -> Bool {
    path.indices.dropFirst().allSatisfy { depth in
      let authority = path[depth]
      let isTrustedByItself = depth == path.count - 1 && (endsAtAnchor || authority.subject == authority.issuer)
      guard authority.isAuthority == true || isTrustedByItself && authority.isAuthority == nil else { return false }
      guard authority.usage.signsCertificates else { return false }
      guard authority.isAuthority == true, let limit = authority.pathLength else { return true }
      return path[1..<depth].count { $0.subject != $0.issuer } <= Int(limit)
    }
  }

  private func purposeFits(_ leaf: Certificate) -> Bool {
    switch leaf.purpose {
    case .none, .any: true
    case .server: !chain.isClients
    case .client: chain.isClients
    }
  }

  /// TLS-12: RFC 6125, with the common name where there is no DNS name.
  private func nameFits(_ leaf: Certificate) -> Bool {
    guard let host = chain.host else { return true }
    if let address = Self.address(host) { return leaf.addresses.contains(address) }
    let names = leaf.hosts.isEmpty ? [leaf.subject] : leaf.hosts
    return names.contains { name in
      if name == host { return true }
      guard name.hasPrefix("*."), let dot = host.firstIndex(of: ".") else { return false }
      return host[dot...] == name.dropFirst()
    }
  }

  static func address(_ host: String) -> [UInt8]? {
    switch host {
    case "192.0.2.1": [192, 0, 2, 1]
    case "2001:db8::1": [32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    case "2001:db8::2": [32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    default: nil
    }
  }

  /// 6.1.3 (b) and (c), and the name that is asked for.
  private func constraintsAreKept(_ path: [Certificate]) -> Bool {
    path.indices.dropFirst().allSatisfy { depth in
      let authority = path[depth]
      var names = path[..<depth].indices.filter { $0 == 0 || path[$0].subject != path[$0].issuer }
        .flatMap { path[$0].hosts }
      if let host = chain.host, Self.address(host) == nil { names.append(host) }
      return names.allSatisfy { name in
        !authority.excludedHosts.contains { Self.isBelow(name, $0) }
          && (authority.permittedHosts.isEmpty || authority.permittedHosts.contains { Self.isBelow(name, $0) })
      }
    }
  }

  static func isBelow(_ name: String, _ subtree: String) -> Bool {
    name == subtree || name.hasSuffix(subtree.hasPrefix(".") ? subtree : "." + subtree)
  }

  /// 6.3, with the lists there are.
  private func isNotRevoked(_ path: [Certificate]) -> Bool {
    path.indices.allSatisfy { depth in
      let certificate = path[depth]
      let isLast = depth == path.count - 1
      // The issuer of an anchor that is no root is not known.
      guard !isLast || certificate.subject == certificate.issuer else { return true }
      let issuer = path[isLast ? depth : depth + 1]
      let lists = lists(of: issuer, for: certificate)
      guard !lists.isEmpty else { return true }
      let valid = lists.filter { isValid($0, of: issuer) }
      guard let newest = valid.map(\.first).max() else { return false }
      return valid.contains { $0.first == newest && !$0.revoked.contains(certificate.serial) }
    }
  }

  private func lists(of issuer: Certificate, for certificate: Certificate) -> [CertificateGraph.List] {
    chain.lists.filter {
      $0.issuer == certificate.issuer && (!$0.namesKey || !issuer.namesKeys || $0.signer == issuer.key)
    }
  }

  private func isValid(_ list: CertificateGraph.List, of issuer: Certificate) -> Bool {
    list.signer == issuer.key && !list.isDamaged && issuer.usage.signsLists && list.first <= chain.time
      && chain.time <= max(list.first, list.last)
  }
}

extension PathJudge {
  /// Whether every verifier must find and accept the valid path.
  private func isUndisputed(_ path: [Int]) -> Bool {
    let certificates = path.map { chain.certificates[$0] }
    let subjects = available.map { chain.certificates[$0].subject }
    // Where any root will do, what counts as the root is in doubt.
    guard !chain.allowsAnyRoot, Set(subjects).count == subjects.count, chain.anchors.count == 1,
      let last = certificates.last,
      isAnchor(path[path.count - 1]), last.subject == last.issuer, last.signer == last.key, !last.isDamaged,
      path.count > 1
    else { return false }
    let wanted: CertificateGraph.Purpose = chain.isClients ? .client : .server
    let isOrdinary = certificates.allSatisfy {
      ($0.purpose == .none || $0.purpose == wanted) && $0.permittedHosts.isEmpty && $0.excludedHosts.isEmpty
        && $0.first <= $0.last
    }
    let leaf = certificates[0]
    let issuers = certificates.dropFirst()
    return isOrdinary && leaf.isAuthority == nil && (leaf.usage == .none || leaf.usage == .handshakes)
      && leaf.subject != leaf.issuer && issuers.dropLast().allSatisfy { $0.subject != $0.issuer }
      && issuers.allSatisfy { $0.isAuthority == true } && nameIsUndisputed(leaf) && listsAreUndisputed(certificates)
  }

  private func nameIsUndisputed(_ leaf: Certificate) -> Bool {
    guard let host = chain.host, Self.address(host) == nil else { return true }
    return leaf.hosts.contains { $0 == host }
  }

  private func listsAreUndisputed(_ path: [Certificate]) -> Bool {
    let issuers = chain.lists.map(\.issuer)
    guard Set(issuers).count == issuers.count else { return false }
    return chain.lists.allSatisfy { list in
      !list.isDamaged && list.first < chain.time && chain.time < list.last
        && path.dropFirst().contains {
          $0.subject == list.issuer && $0.key == list.signer && $0.usage.signsLists
        }
    }
  }
}
