import ScenarioModel

extension TestPKI {
  /// A file for other tools.
  package struct File: Hashable, Sendable {
    /// A plain file name without a folder.
    package var name: String
    /// All of its contents.
    package var bytes: [UInt8]
  }

  /// The classes as files: `NAME.chain.pem`, `NAME.key.pem` and `NAME.anchor.pem` of each; `root.pem`, `crl.pem`, and
  /// `README.txt`, which says what everything is. The names of files are plain ASCII.
  package func files(for names: [CertificateName]) throws(CertificateFailure) -> [File] {
    var files: [File] = []
    for name in names {
      let identity = try identity(name)
      files.append(File(name: "\(name.rawValue).chain.pem", bytes: identity.chain))
      files.append(File(name: "\(name.rawValue).key.pem", bytes: identity.key))
      files.append(File(name: "\(name.rawValue).anchor.pem", bytes: try anchor(for: name)))
    }
    files.append(File(name: "root.pem", bytes: try rootPEM))
    files.append(File(name: "crl.pem", bytes: try revocationList))
    files.append(File(name: "README.txt", bytes: Array(try index(of: names).utf8)))
    return files
  }

  private func index(of names: [CertificateName]) throws(CertificateFailure) -> String {
    var text = """
      Test certificates of SocketLab, good and bad, valid around \(try CertificateTime(now).text) (\(now)).
      Their keys are drawn from a public seed: never trust them anywhere but in tests.

      NAME.chain.pem   what a peer sends: the leaf first (malformed-der holds bytes that can't be parsed)
      NAME.key.pem     its private key
      NAME.anchor.pem  what to trust to find a path: mostly the same as root.pem
      root.pem         the test root
      crl.pem          the revocation lists of the test intermediate and of the test root

      "Pinned instant" below means the instant above. Check one with
        openssl verify -attime \(now) -CAfile NAME.anchor.pem -untrusted NAME.chain.pem NAME.chain.pem

      """
    for name in names {
      text += "\n\(name.rawValue)\n  \(name.explanation)\n"
      text += "  Ask for: \(name.hostName). \(try identity(name).summary)\n"
    }
    return text
  }
}
