import COpenSSL
import SocketCore
import Testing

@testable import SocketTLS

/// Lists of names that cost fifty times their bytes are not read.
@Suite struct AuthorityNamesTests {
  /// A ClientHello for TLS 1.3 by hand, in records, with one extension at its end, besides as many groups that nobody
  /// knows, and shares of groups that no server of ours uses.
  private static func hello(_ kind: UInt8, _ content: [UInt8], groups: Int = 0, shares: Int = 0) -> [UInt8] {
    var extensions: [UInt8] = [0, 0x0A]
    extensions += vector(vector(repeated([0x99, 0x99], groups) + [0x88, 0x88, 0, 0x1D, 0, 0x17]))
    extensions += [0, 0x0D, 0, 0x0A, 0, 8, 4, 3, 8, 4, 4, 1, 8, 7]
    extensions += [0, 0x2B, 0, 3, 2, 3, 4]
    let share: [UInt8] = [0, 0x1D, 0, 0x20] + [UInt8](repeating: 9, count: 32)
    extensions += [0, 0x33]
    extensions += vector(vector(repeated([0x88, 0x88, 0, 1, 0], shares) + share))
    extensions += [0, kind]
    extensions += vector(content)
    var body: [UInt8] = [3, 3]
    body += [UInt8](repeating: 0x11, count: 32)
    body += [0, 0, 2, 0x13, 1, 1, 0]
    body += vector(extensions)
    var message: [UInt8] = [1, 0]
    message += vector(body)
    var records: [UInt8] = []
    var rest = message[...]
    while !rest.isEmpty {
      let piece = rest.prefix(1 << 14)
      records += [22, 3, 1]
      records += vector(Array(piece))
      rest = rest.dropFirst(piece.count)
    }
    return records
  }

  /// With its length in two bytes.
  private static func vector(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
  }

  /// So many authorities, with a name of so many bytes each.
  private static func names(_ count: Int, length: Int = 2) -> [UInt8] {
    let inside = [UInt8](repeating: 0, count: max(0, length - 4))
    let name: [UInt8] = length < 4 ? [0x30, 0] : [0x30, 0x82] + vector(inside)
    return vector(repeated(vector(name), count))
  }

  private static func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
    Array([[UInt8]](repeating: bytes, count: count).joined())
  }

  /// The wish for an OCSP answer, with these responders.
  private static func statusRequest(_ responders: [UInt8]) -> [UInt8] { [1] + vector(responders) + [0, 0] }

  private static let tooLong: [(UInt8, [UInt8])] = [
    (47, names(16_000)), (47, names(AuthorityNames.ofClients.names + 1)), (47, names(2, length: 10_000)),
    (5, statusRequest([UInt8](repeating: 0, count: HelloBounds.statusRequestLimit))),
    (5, statusRequest(repeated([0, 4, 0xA1, 2, 0x30, 0], 10_400))),
  ]
  private static let usual: [(UInt8, [UInt8])] = [
    (47, names(AuthorityNames.ofClients.names)), (5, statusRequest([])), (5, statusRequest([0, 4, 0xA1, 2, 0x30, 0])),
  ]

  private static func answer(to hello: [UInt8]) throws -> (HandshakeProgress, [UInt8]) {
    let server = try TLSSession(try SessionPair.serverSettings())
    server.feed(hello)
    let progress = server.handshake()
    return (progress, server.takeOutput())
  }

  @Test(
    "a ClientHello that lists more than there is a use for is refused with an alert (TLS-46)",
    arguments: tooLong)
  func longHellos(kind: UInt8, content: [UInt8]) throws {
    let (progress, output) = try Self.answer(to: Self.hello(kind, content))
    #expect(progress.code == -9830 && progress.failure?.text.contains("is not read") == true, "\(progress)")
    #expect(output.count == 7 && output.first == 21 && output.last == 50, "\(output)")
  }

  @Test(
    "nor does it list groups without end, or begin key exchanges in them (TLS-46)",
    arguments: [(254, 0), (0, 32), (254, 32), (16_000, 6_500)])
  func costlyHellos(groups: Int, shares: Int) throws {
    let (progress, output) = try Self.answer(to: Self.hello(5, Self.statusRequest([]), groups: groups, shares: shares))
    #expect(progress.code == -9830 && progress.failure?.text.contains("is not read") == true, "\(progress)")
    #expect(output.count == 7 && output.first == 21 && output.last == 50, "\(output)")
    let (fine, _) = try Self.answer(
      to: Self.hello(5, Self.statusRequest([]), groups: min(groups, 253), shares: min(shares, 31)))
    #expect(fine.needsInput, "\(fine)")
  }

  @Test(
    "one that lists as much as may be is answered (TLS-50)",
    arguments: usual)
  func usualHellos(kind: UInt8, content: [UInt8]) throws {
    let (progress, output) = try Self.answer(to: Self.hello(kind, content))
    #expect(progress.needsInput, "\(progress)")
    #expect(output.first == 22)
  }

  @Test(
    "a server that asks for a certificate may list so many authorities, and no more (TLS-46)",
    arguments: [ProtocolVersion.tls12, .tls13], [0, 1, 15_000])
  func requests(_ version: ProtocolVersion, excess: Int) throws {
    let server = RawPeer(.server, from: version, to: version, party: Mint.good) { context in
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
      #expect(lab_peer_list_authorities(context, Int32(AuthorityNames.ofServers.names + excess)) == 1)
    }
    let client = try TLSSession(SessionPair.clientSettings())
    let progress = server.shakeHands(with: client)
    if excess == 0 {
      #expect(progress.isComplete, "\(progress)")
    } else {
      #expect(progress.code == -9830 && progress.failure?.text.contains("more than") == true, "\(progress)")
      #expect(!server.isEstablished)
    }
  }

  @Test("a request cut off anywhere is OpenSSL's to refuse", arguments: [ProtocolVersion.tls11, .tls12, .tls13])
  func cut(_ version: ProtocolVersion) {
    let list = Self.names(AuthorityNames.ofServers.names + 1)
    var body: [UInt8] = [1, 64]
    switch version {
    case .tls13: body = [1, 0] + Self.vector([0, 13, 0, 4, 0, 2, 4, 3, 0, 47] + Self.vector(list))
    case .tls12: body += [0, 2, 4, 3] + list
    default: body += list
    }
    func problem(_ bytes: some Collection<UInt8>) -> String? {
      Array(bytes).withUnsafeBytes { AuthorityNames.problem(ofRequest: $0, version: version.rawValue) }
    }
    #expect(problem(body) != nil)
    for length in 0..<body.count - 4 { #expect(problem(body.prefix(length)) == nil) }
    #expect(problem([UInt8](repeating: 0xFF, count: 300)) == nil)
  }
}
