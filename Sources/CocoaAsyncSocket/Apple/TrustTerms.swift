import Foundation
import SocketCore
import SocketTLS

/// The terms of a `SecTrust` that a program has set with the functions of the module Security.
package struct TrustTerms: Sendable {
  /// A purpose that a chain is judged for.
  package enum Policy: Hashable, Sendable {
    /// One end of a TLS connection; for the host, if one is given.
    case tls(isServer: Bool, host: String?)
    /// A path to an anchor, whatever the certificate is for.
    case path
  }

  /// The certificates that a chain may end at; nil: none were set yet, and those of the settings count, and of the
  /// system unless they say otherwise.
  package var anchors: [SecCertificate]?
  /// Whether only `anchors` count and not those of the system; nil: true if anchors were set, otherwise as the settings
  /// say.
  package var anchorsOnly: Bool?
  /// The purposes that the chain is judged for, all of which must hold; nil: a TLS server with the peer's name.
  package var policies: [Policy]?
  /// As of when certificates must be valid; nil: as the settings say, or else now.
  package var date: Date?
  /// The result of the last evaluation; nil: there was none since the terms were set.
  package private(set) var verdict: Verdict?
  /// The path of the last evaluation; nil: there was none since the terms were set.
  package private(set) var path: [SecCertificate]?
  /// How often the terms were changed.
  private var revision = 0

  /// Whether the chain was found to be trusted.
  package enum Verdict: Sendable { case trusted, refused }

  package init() {}

  /// Changes the terms. What an evaluation found before says nothing about them.
  package mutating func change(_ body: (inout TrustTerms) -> Void) {
    body(&self)
    verdict = nil
    path = nil
    revision += 1
  }

  /// Records the result of an evaluation, unless the terms have been changed since it began.
  package mutating func record(_ verdict: Verdict, of judged: TrustTerms) {
    if revision == judged.revision { self.verdict = verdict }
  }

  /// Records a path, under the same condition. The first one stays.
  fileprivate mutating func record(_ path: [SecCertificate], of judged: TrustTerms) {
    if revision == judged.revision, self.path == nil { self.path = path }
  }
}

extension SecTrust {
  /// A chain to judge, the certificate in question first.
  package convenience init(certificates: [SecCertificate], terms: TrustTerms) {
    self.init(core: PeerTrust(certificates.map(\.core), peerName: nil))
    self.terms.withLock { $0 = terms }
  }

  /// Changes the terms, on any thread.
  package func change(_ body: (inout TrustTerms) -> Void) { terms.withLock { $0.change(body) } }

  /// Judges the chain as the terms say, with what the library itself judges by.
  /// - Returns: nil if the chain is to be trusted, otherwise the error that a socket would close with.
  package func evaluateOnItsTerms() -> NSError? {
    let terms = terms.withLock { $0 }
    let verdict = verdict(terms)
    self.terms.withLock {
      $0.record(verdict.failure == nil ? .trusted : .refused, of: terms)
      $0.record(verdict.path, of: terms)
    }
    return verdict.failure
  }

  /// The peer's own certificate and its issuers in turn, each of which has signed the one before: if the chain is
  /// trusted, up to the anchor, otherwise as far as they were shown. What a peer shows beside them proves nothing:
  /// anybody can send a copy of a certificate that a program looks for.
  package var path: [SecCertificate] {
    let terms = terms.withLock { $0 }
    if let known = terms.path { return known }
    let path = verdict(terms).path
    return self.terms.withLock { now in
      now.record(path, of: terms)
      return now.path ?? path
    }
  }

  private func verdict(_ terms: TrustTerms) -> (failure: NSError?, path: [SecCertificate]) {
    var path: [TLSCertificate] = []
    // No policy at all is no leave to trust anything.
    let policies = terms.policies.map { $0.isEmpty ? [.path] : $0 } ?? [.tls(isServer: true, host: peerName)]
    for policy in policies {
      switch verdict(policy, terms) {
      case .trusted(let found): path = found
      case .refused(let failure): return (failure.error, objects(core.signedPath))
      }
    }
    return (nil, objects(path))
  }

  /// The objects that stand for the certificates already, or new ones.
  private func objects(_ path: [TLSCertificate]) -> [SecCertificate] {
    path.map { core in certificates.first { $0.core == core } ?? SecCertificate(core: core) }
  }

  private func verdict(_ policy: TrustTerms.Policy, _ terms: TrustTerms) -> TrustVerdict {
    switch policy {
    case .tls(let isServer, let host): verdict(isServer ? .server : .client, host: host, terms)
    case .path: verdict(nil, host: nil, terms)
    }
  }

  private func verdict(_ role: HandshakeRole?, host: String?, _ terms: TrustTerms) -> TrustVerdict {
    var time: Int64?
    do { time = try terms.date?.secondsSince1970() } catch { return .refused(error) }
    return core.evaluate(
      anchors: terms.anchors?.map(\.core), anchorsOnly: terms.anchorsOnly ?? (terms.anchors == nil ? nil : true),
      host: host, time: time, peerRole: role)
  }
}

extension Date {
  /// In whole seconds. Throws if it is so far away that no certificate's dates can be compared with it: such an
  /// evaluation must not be made as of now.
  func secondsSince1970() throws(SocketFailure) -> Int64 {
    guard let seconds = Int64(exactly: timeIntervalSince1970.rounded(.down)) else {
      throw .other("The date of the evaluation is no date in reach.")
    }
    return seconds
  }
}

extension SecCertificate {
  /// A short name of the subject, on one line.
  package var summary: String? { core.summary }
  /// The subject's common name.
  package var commonName: String? { core.commonName }
  /// The public key alone, as its algorithm writes it.
  package var publicKey: Data? { core.publicKey.map { Data($0) } }
}
