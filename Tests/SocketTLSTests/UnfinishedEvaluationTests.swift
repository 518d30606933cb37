import COpenSSL
import Glibc
import SocketCore
import Testing

@testable import SocketTLS

/// An evaluation that did not end by itself is never trust, whatever ended it and whatever the policy allows.
@Suite struct UnfinishedEvaluationTests {
  struct Breakage: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var engine: ChainWalk.Engine
  }

  static let breakages: [Breakage] = [
    Breakage(testDescription: "no context", engine: ChainWalk.Engine(makeContext: { nil })),
    Breakage(testDescription: "an internal error", engine: ChainWalk.Engine(verify: { _ in -1 })),
    Breakage(testDescription: "no, without a reason", engine: ChainWalk.Engine(verify: { _ in 0 })),
    Breakage(testDescription: "yes, without having looked", engine: ChainWalk.Engine(verify: { _ in 1 })),
    Breakage(
      testDescription: "no memory, and an error left over from an excused fault",
      engine: ChainWalk.Engine(verify: { context in
        X509_STORE_CTX_set_error(context, X509_V_ERR_UNABLE_TO_GET_CRL)
        return -1
      })),
    Breakage(
      testDescription: "all was looked at, and then there was an internal error",
      engine: ChainWalk.Engine(verify: { context in
        _ = X509_verify_cert(context)
        return -1
      })),
    Breakage(
      testDescription: "our callback is not asked",
      engine: ChainWalk.Engine(verify: { context in
        X509_STORE_CTX_set_verify_cb(context) { _, _ in 1 }
        return X509_verify_cert(context)
      })),
    Breakage(
      testDescription: "the callback can't find us",
      engine: ChainWalk.Engine(verify: { context in
        X509_STORE_CTX_set_ex_data(context, 0, nil)
        return X509_verify_cert(context)
      })),
    Breakage(
      testDescription: "signatures and dates are not looked at",
      engine: ChainWalk.Engine(verify: { context in
        X509_STORE_CTX_set_verify(context) { _ in 1 }
        return X509_verify_cert(context)
      })),
    Breakage(
      testDescription: "the same context twice",
      engine: ChainWalk.Engine(verify: { context in
        _ = X509_verify_cert(context)
        return X509_verify_cert(context)
      })),
  ]

  @Test(arguments: breakages) func isRefusedUnderEveryPolicy(_ breakage: Breakage) throws {
    let stack = try #require(CertificateStack([Mint.good.tls, Mint.intermediate.tls]))
    for lists in ForgedChainTests.lists {
      for verification in ForgedChainTests.relaxations {
        for (anchors, anchorsOnly) in [([Mint.root.tls], true), ([Mint.root.tls], false), ([], false)] {
          for name in [nil, try PeerName("good.example")] {
            var policy = TrustPolicy(
              anchors: anchors, anchorsOnly: anchorsOnly, revocationLists: lists, verification: verification,
              name: name, time: Mint.now)
            func verdict(_ engine: ChainWalk.Engine) -> ChainVerdict {
              ChainEvaluation.verdict(
                leaf: Mint.good.certificate, untrusted: stack.stack, policy: policy, engine: engine)
            }
            // Without its root nobody can tell whether the root's list is genuine.
            let isGood = !anchors.isEmpty || verification.allowsAnyRoot && lists.isEmpty
            #expect((verdict(.openSSL).failure == nil) == isGood, "unbroken: \(policy)")
            let broken = verdict(breakage.engine)
            guard case .refused(let refusal) = broken else {
              Issue.record("\(broken)")
              continue
            }
            let fault = refusal.worst
            #expect(fault.error != X509_V_OK)
            if isGood || fault.kind == .unfinished {
              #expect(fault.kind == .unfinished && broken.failure?.code == -9807, "\(broken)")
            }
            // What settings say about not looking at all stands.
            policy.verification.checksChain = false
            #expect(verdict(breakage.engine).failure == nil)
          }
        }
      }
    }
  }

  /// Every allocation of OpenSSL's in an evaluation fails once: a good chain may be refused for it, a forged one is
  /// never trusted.
  @Test func isRefusedWhereverMemoryRunsOut() async {
    await #expect(processExitsWith: .success) {
      // Before anything else asks OpenSSL for memory.
      guard
        CRYPTO_set_mem_functions(
          { count, _, _ in Starvation.mayAllocate() ? malloc(count) : nil },
          { old, count, _, _ in Starvation.mayAllocate() ? realloc(old, count) : nil },
          { old, _, _ in free(old) }) == 1
      else { exit(2) }
      let stranger = ForgedChainTests.stranger
      let forgedOne = Mint.make("good", by: Mint.root, names: "DNS:good.example", signedBy: stranger)
      let forgedTwo = ForgedChainTests.leaf(3, for: "serverAuth")
      var refusals = 0
      for (party, isGood) in [(Mint.good, true), (forgedOne, false), (forgedTwo, false)] {
        let pem = party.chainPEM
        for lists in ForgedChainTests.lists.prefix(2) {
          var limit = 0
          while true {
            // Anew each time: what OpenSSL works out about a certificate it keeps there.
            guard let certificates = try? TLSCertificate.list(pem), let leaf = certificates.first,
              let stack = CertificateStack(certificates), let name = try? PeerName("good.example")
            else { exit(3) }
            var policy = TrustPolicy(
              anchors: [Mint.root.tls], anchorsOnly: true, revocationLists: lists, name: name, time: Mint.now)
            policy.verification = ForgedChainTests.relaxations[limit % 3]
            Starvation.allow(limit)
            let verdict = ChainEvaluation.verdict(leaf: leaf.handle.x509, untrusted: stack.stack, policy: policy)
            let hasStarved = Starvation.end()
            if !isGood, verdict.failure == nil { exit(4) }
            if verdict.failure != nil { refusals += 1 }
            if !hasStarved {
              if (verdict.failure == nil) != isGood { exit(5) }
              break
            }
            limit += 1
          }
        }
      }
      exit(refusals > 100 ? 0 : 6)
    }
  }
}

/// Lets a number of allocations through, and one fail.
///
/// Unchecked by `nonisolated(unsafe)`: the process of the test that uses it has one thread that allocates.
private enum Starvation {
  private nonisolated(unsafe) static var left = -1
  private nonisolated(unsafe) static var hasStarved = false

  static func allow(_ count: Int) { (left, hasStarved) = (count, false) }

  static func end() -> Bool {
    left = -1
    return hasStarved
  }

  static func mayAllocate() -> Bool {
    if left > 0 {
      left -= 1
    } else if left == 0 {
      left = -1
      hasStarved = true
      return false
    }
    return true
  }
}
