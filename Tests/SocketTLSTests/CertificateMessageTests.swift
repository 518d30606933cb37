import COpenSSL
import SocketCore
import Testing

@testable import SocketTLS

/// What is too costly to read is not read: OpenSSL would do so before anybody is asked.
@Suite struct CertificateMessageTests {
  private static let versions: [ProtocolVersion] = [.tls12, .tls13]
  private static let spelledOut = Mint.make("x", key: .curveWithoutName("P-256"))

  /// A peer with other certificates behind its own.
  private static func peer(
    _ role: HandshakeRole, _ version: ProtocolVersion, sending others: [Mint.Party]
  ) -> RawPeer {
    RawPeer(role, from: version, to: version, party: Mint.good) { context in
      lab_peer_set_modes(context)
      for other in others { _ = lab_peer_add_chain(context, other.certificate) }
    }
  }

  @Test("a server's are not", arguments: versions, [true, false])
  func servers(_ version: ProtocolVersion, isManual: Bool) throws {
    for (others, says) in [
      ([Self.spelledOut], "a curve without a name"),
      (Array(repeating: Mint.intermediate, count: CertificateMessage.maximumCount - 1), "more than 128 certificates"),
    ] {
      let client = try TLSSession(SessionPair.clientSettings { $0.manualTrust = isManual })
      let progress = Self.peer(.server, version, sending: others).shakeHands(with: client)
      #expect(progress.code == -9808 && progress.failure?.text.contains(says) == true, "\(progress)")
    }
  }

  @Test("a client's are not", arguments: versions)
  func clients(_ version: ProtocolVersion) throws {
    let server = try TLSSession(try SessionPair.serverSettings { $0.clientCertificates = .optional })
    let progress = Self.peer(.client, version, sending: [Self.spelledOut]).shakeHands(with: server)
    #expect(progress.code == -9808 && progress.failure?.text.contains("a curve without a name") == true, "\(progress)")
  }

  @Test("as many as are promised are", arguments: versions)
  func most(_ version: ProtocolVersion) throws {
    // Mint.good comes with its own intermediate.
    let others = Array(repeating: Mint.intermediate, count: CertificateMessage.maximumCount - 2)
    let client = try TLSSession(SessionPair.clientSettings())
    let progress = Self.peer(.server, version, sending: others).shakeHands(with: client)
    #expect(progress.isComplete, "\(progress)")
  }

  @Test("a message cut off anywhere is OpenSSL's to refuse", arguments: [true, false])
  func cut(isTLS13: Bool) {
    let entry: [UInt8] = [0, 0, 3, 1, 2, 3] + (isTLS13 ? [0, 1, 9] : [])
    let count = CertificateMessage.maximumCount + 1
    let head: [UInt8] = isTLS13 ? [2, 0, 0, 0, 0, 0] : [0, 0, 0]
    let whole = head + [[UInt8]](repeating: entry, count: count).joined()
    func problem(_ bytes: some Collection<UInt8>) -> String? {
      Array(bytes).withUnsafeBytes { CertificateMessage.problem($0, isTLS13: isTLS13) }
    }
    #expect(problem(whole) != nil)
    #expect(problem(whole.dropLast(entry.count)) == nil)
    for length in 1..<whole.count - entry.count { #expect(problem(whole.prefix(length)) == nil) }
    #expect(problem([UInt8](repeating: 0xFF, count: 300)) == nil)
  }
}
