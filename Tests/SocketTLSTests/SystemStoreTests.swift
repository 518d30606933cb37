import COpenSSL
import Glibc
import SocketCore
import Testing

@testable import SocketTLS

/// The system's certificates, which a process reads once, and anchors beside them.
@Suite struct SystemStoreTests {
  /// A settings' anchors, and what becomes of a chain to a root that the system trusts.
  static let rows: [(anchors: [TLSCertificate], only: Bool, code: Int32)] = [
    ([], false, 0),
    ([VerificationTests.otherRoot.tls], false, 0),
    ([VerificationTests.otherRoot.tls], true, -9813),
    // An empty list is not "no list".
    ([], true, -9813),
    ([Mint.root.tls], true, 0),
    // An anchor that leads to the same key and is not valid any more takes nothing away.
    ([oldRoot], false, 0),
    ([oldRoot], true, -9814),
  ]

  /// The root as it was, with its name and its key.
  private static var oldRoot: TLSCertificate {
    let copy = X509_dup(Mint.root.certificate)!
    ASN1_TIME_set(X509_getm_notAfter(copy), time_t(Mint.now - Mint.day))
    X509_sign(copy, Mint.root.key, EVP_sha256())
    return Mint.Party(copy, Mint.root.key, []).tls
  }

  @Test("the system's roots count beside the anchors, and not at all where only these do, be there none (TLS-11)")
  func anchorsAlone() async {
    // In a process of its own, which takes the test's root for the system's.
    await #expect(processExitsWith: .success) {
      var template = Array("/tmp/roots-XXXXXX".utf8CString)
      let descriptor = mkstemp(&template)
      let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      defer {
        close(descriptor)
        unlink(path)
      }
      let bytes = Mint.root.pem
      try #require(write(descriptor, bytes, bytes.count) == bytes.count)
      setenv("SSL_CERT_FILE", path, 1)
      for row in SystemStoreTests.rows {
        let pair = try SessionPair(
          SessionPair.clientSettings { ($0.anchors, $0.anchorsOnly) = (row.anchors, row.only) },
          try SessionPair.serverSettings())
        let client = pair.run().client
        #expect(client.code ?? 0 == row.code && client.isComplete == (row.code == 0), "\(row): \(client)")
      }
    }
  }

  @Test("roots that can't be read for want of a descriptor are read by the next evaluation (TLS-13)")
  func wantOfDescriptors() async {
    await #expect(processExitsWith: .success) {
      let path = "/tmp/roots-\(getpid()).pem"
      let bytes = Mint.root.pem
      let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY, 0o600)
      defer { unlink(path) }
      try #require(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count)
      close(descriptor)
      setenv("SSL_CERT_FILE", path, 1)
      // No folder: all of the system's roots are in the file.
      setenv("SSL_CERT_DIR", "/nonexistent", 1)
      let server = try SessionPair.serverSettings()
      // Before the want begins: what OpenSSL loads when it is used first.
      let stranger = SessionPair.clientSettings { $0.anchors = [VerificationTests.otherRoot.tls] }
      #expect(try SessionPair(stranger, server).run().client.code == -9813)
      let client = SessionPair.clientSettings { ($0.anchors, $0.anchorsOnly) = ([], false) }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = 256
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var held: [Int32] = []
      var next = open("/dev/null", O_RDONLY)
      while next >= 0 {
        held.append(next)
        next = open("/dev/null", O_RDONLY)
      }
      let refused = try SessionPair(client, server).run().client
      for descriptor in held { close(descriptor) }
      #expect(refused.code == -9807 && refused.failure?.text.contains("to the end") == true, "\(refused)")
      let accepted = try SessionPair(client, server).run().client
      #expect(accepted.isComplete, "\(accepted)")
    }
  }
}
