import COpenSSL
import Testing

@testable import SocketTLS

/// The bytes of a key are those of that key alone.
@Suite struct PublicKeyTests {
  @Test("a point has both coordinates, however the certificate writes it")
  func compressed() throws {
    let whole = try #require(Mint.good.tls.publicKey)
    #expect(whole.count == 65 && whole[0] == 4)
    let party = Mint.make("x", key: .compressed)
    let key = try #require(party.tls.publicKey)
    #expect(key.count == 65 && key[0] == 4)
    // The certificate has the first of them alone.
    #expect(Self.position(of: key[1...32], in: party.der) != nil)
    #expect(Self.position(of: key[33...], in: party.der) == nil)
  }

  @Test("a key on a curve that was made for it is not the one that its bytes say")
  func madeCurve() throws {
    let party = Mint.make("x", key: .curveWithoutName("P-256"))
    let key = try #require(party.tls.publicKey)
    // With the key itself in the place of the curve's generator, everybody knows the private key: it is 1.
    var der = party.der
    let generator: [UInt8] = [4, 0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47]
    let start = try #require(Self.position(of: generator[...], in: der))
    der.replaceSubrange(start..<start + key.count, with: key)
    #expect(try TLSCertificate(der: der).publicKey == nil)
  }

  private static func position(of part: ArraySlice<UInt8>, in whole: [UInt8]) -> Int? {
    (0...whole.count - part.count).first { whole[$0..<$0 + part.count] == part }
  }
}
