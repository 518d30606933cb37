import COpenSSL
import SocketCore
import Testing

@testable import SocketTLS

/// A peer can't make OpenSSL copy names without end.
@Suite struct DistributionPointsTests {
  /// Signed by an authority with a name of many parts, and with as many points relative to it.
  private static func party(points: Int, parts: Int, named: Bool = true) -> Mint.Party {
    let authority = Mint.make("", ca: true) { name in
      for index in 0..<parts { X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, "\(index)", -1, -1, 0) }
    }
    // [0] with [1] with one attribute, a common name of one letter, or with nothing.
    let point = named ? "30:0E:A0:0C:A1:0A:30:08:06:03:55:04:03:0C:01:61" : "30:04:A0:02:A1:00"
    let length = points * (named ? 16 : 6)
    let head = "30:83:" + [length >> 16, length >> 8, length].map { hex($0 & 0xFF) }.joined(separator: ":")
    let value = ([head] + Array(repeating: point, count: points)).joined(separator: ":")
    return Mint.make(
      "x", by: authority, names: "DNS:good.example", extensions: [(NID_crl_distribution_points, "DER:" + value)])
  }

  private static func hex(_ byte: Int) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  @Test("the product counts, not either number")
  func limit() {
    for (points, parts, isFine) in [(16, 16, true), (1, 256, true), (256, 1, true), (17, 16, false), (300, 1, false)] {
      let party = Self.party(points: points, parts: parts)
      #expect((DistributionPoints.problem(of: party.certificate) == nil) == isFine, "\(points) \(parts)")
    }
    for (points, parts, isFine) in [(2, 128, true), (2, 150, false), (257, 1, false)] {
      let party = Self.party(points: points, parts: parts, named: false)
      #expect((DistributionPoints.problem(of: party.certificate) == nil) == isFine, "\(points) \(parts) without name")
    }
    #expect(DistributionPoints.problem(of: Mint.good.certificate) == nil)
  }

  @Test("such a certificate is refused before it costs anything, whoever judges", arguments: 0..<3)
  func refused(mode: Int) throws {
    // Of a size that this side's OpenSSL, which looks into it, can bear.
    let costly = Self.party(points: 200, parts: 200)
    for chain in [[costly], [Mint.good, costly]] {
      let client = try TLSSession(
        SessionPair.clientSettings {
          $0.manualTrust = mode == 1
          $0.verification.checksChain = mode != 2
        })
      let server = RawPeer(.server, party: chain[0]) { context in
        lab_peer_set_modes(context)
        for other in chain.dropFirst() { _ = lab_peer_add_chain(context, other.certificate) }
      }
      let progress = server.shakeHands(with: client)
      #expect(progress.code == -9808 && progress.failure?.text.contains("distribution points") == true, "\(progress)")
    }
  }

  @Test("points that can't be read keep nobody from being asked")
  func unreadable() throws {
    // Octets that are no sequence, and more of them than as many points would take.
    let value = "DER:04:83:00:10:00:" + Array(repeating: "00", count: 0x1000).joined(separator: ":")
    let authority = Mint.make("A", ca: true)
    let party = Mint.make(
      "x", by: authority, names: "DNS:good.example", extensions: [(NID_crl_distribution_points, value)])
    let client = try TLSSession(SessionPair.clientSettings { $0.manualTrust = true })
    let server = RawPeer(.server, party: Mint.good) { context in
      lab_peer_set_modes(context)
      _ = lab_peer_add_chain(context, party.certificate)
    }
    let progress = server.shakeHands(with: client)
    guard case .awaitsTrust = progress else {
      Issue.record("\(progress)")
      return
    }
  }

  @Test("nor is it looked into in a chain from elsewhere")
  func trust() {
    let costly = Self.party(points: 200, parts: 200)
    for shown in [[costly], [Mint.good, costly], [costly] + costly.issuers] {
      let trust = PeerTrust(shown.map(\.tls), peerName: nil)
      let verdict = trust.evaluate(anchors: [Mint.root.tls], anchorsOnly: true, time: Mint.now)
      #expect(verdict.reason?.contains("distribution points") == true, "\(verdict)")
      #expect(trust.signedPath == [shown[0].tls])
    }
  }
}
