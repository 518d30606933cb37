import COpenSSL
import SocketCore
import Testing

@testable import SocketTLS

@Suite struct DataTests {
  static func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { (index: Int) -> UInt8 in
      let value: Int = index &* 31 &+ index >> 8
      return UInt8(truncatingIfNeeded: value)
    }
  }

  @Test(arguments: [ProtocolVersion.tls12, .tls13], SessionPair.Chunking.allCases)
  func goesBothWays(_ version: ProtocolVersion, _ chunking: SessionPair.Chunking) throws {
    let pair = try SessionPair.established(chunking, version: version)
    let sizes = [1, 2, 100, 16_383, 16_384, 5]
    for size in sizes {
      pair.client.say(Self.pattern(size))
      pair.server.say(Self.pattern(size))
      pair.server.say([7])
    }
    var atServer: [UInt8] = []
    var atClient: [UInt8] = []
    while pair.carry() {
      atServer += pair.server.hear(1000).bytes
      atClient += pair.client.hear(1).bytes
    }
    #expect(atServer == sizes.flatMap(Self.pattern))
    #expect(atClient == sizes.flatMap { Self.pattern($0) + [7] })
  }

  @Test(arguments: [ProtocolVersion.tls12, .tls13])
  func oneMebibyte(_ version: ProtocolVersion) throws {
    let pair = try SessionPair.established(.whole, version: version)
    let bytes = Self.pattern(1 << 20)
    var heard: [UInt8] = []
    var offset = 0
    while offset < bytes.count {
      pair.server.say(Array(bytes[offset..<min(offset + pair.server.recordLimit, bytes.count)]))
      offset += pair.server.recordLimit
      while pair.carry() { heard += pair.client.hear().bytes }
    }
    #expect(heard == bytes)
  }

  @Test func aCallSealsOneRecord() throws {
    let pair = try SessionPair.established()
    pair.carryAll()
    pair.client.say(Self.pattern(pair.client.recordLimit))
    let output = pair.client.takeOutput()
    #expect(output.count == 5 + Int(output[3]) << 8 + Int(output[4]))
  }

  @Test func peekTakesNothing() throws {
    let pair = try SessionPair.established()
    #expect(pair.client.peek() == .needsInput)
    pair.server.say(Self.pattern(300))
    pair.carryAll()
    #expect(pair.client.peek() == .bytes(300))
    #expect(pair.client.peek() == .bytes(300))
    #expect(pair.client.hear(7).bytes == Self.pattern(300))
    pair.server.close()
    pair.carryAll()
    #expect(pair.client.peek() == .closed)
    #expect(pair.client.hear().end == .closed)
  }

  @Test(arguments: [ProtocolVersion.tls12, .tls13], SessionPair.Chunking.allCases)
  func closeNotifyEndsAfterTheData(_ version: ProtocolVersion, _ chunking: SessionPair.Chunking) throws {
    let pair = try SessionPair.established(chunking, version: version)
    pair.server.say([1, 2, 3])
    pair.server.close()
    pair.server.close()
    pair.carryAll()
    pair.client.inputEnded()
    let heard = pair.client.hear()
    #expect(heard.bytes == [1, 2, 3])
    #expect(heard.end == .closed)
    #expect(pair.client.hear().end == .closed)
    #expect([1].withUnsafeBytes { pair.server.seal($0) }?.code == -9805)
    // The other direction is still open.
    pair.client.say([4])
    pair.client.close()
    pair.carryAll()
    let answer = pair.server.hear()
    #expect(answer.bytes == [4])
    #expect(answer.end == .closed)
  }

  @Test(arguments: [ProtocolVersion.tls12, .tls13], [0, 1, 5, 24])
  func anEndWithoutCloseNotifyIsATruncation(_ version: ProtocolVersion, _ cut: Int) throws {
    let pair = try SessionPair.established(.whole, version: version)
    pair.carryAll()
    pair.server.say([1, 2, 3])
    pair.server.say([4, 5, 6])
    let output = pair.server.takeOutput()
    let half = output.count / 2
    pair.client.feed(Array(output.prefix(cut == 0 ? output.count : half + cut)))
    pair.client.inputEnded()
    let heard = pair.client.hear()
    #expect(heard.bytes == (cut == 0 ? [1, 2, 3, 4, 5, 6] : [1, 2, 3]))
    #expect(heard.end.failure?.code == -9816)
    #expect(pair.client.hear().end == heard.end)
    #expect(pair.client.peek() == heard.end)
    #expect([1].withUnsafeBytes { pair.client.seal($0) } == heard.end.failure)
  }

  @Test(arguments: [ProtocolVersion.tls12, .tls13])
  func aFlippedBitIsABadMAC(_ version: ProtocolVersion) throws {
    let pair = try SessionPair.established(.whole, version: version)
    pair.carryAll()
    pair.server.say([1, 2, 3])
    pair.server.say([4, 5, 6])
    var output = pair.server.takeOutput()
    output[output.count - 1] ^= 1
    pair.client.feed(output)
    let heard = pair.client.hear()
    #expect(heard.bytes == [1, 2, 3])
    #expect(heard.end.failure?.code == -9846)
    // The server is told.
    #expect(!pair.client.output.isEmpty)
    pair.carryAll()
    #expect(pair.server.hear().end.failure?.code == -9820)
    // A write after it says the same (TLS-35).
    #expect([1].withUnsafeBytes { pair.server.seal($0) }?.code == -9820)
  }

  @Test(
    arguments: [
      ([23, 3, 3, 0x7F, 0xFF], -9847), ([99, 9, 9, 0, 1, 0], -9847), ([22, 3, 3, 0, 4, 1, 2, 3, 4], -9849),
      (Array("HTTP/1.0 400 Bad".utf8), -9847),
    ] as [([UInt8], Int32)])
  func garbageAfterTheHandshakeIsNoData(_ bytes: [UInt8], _ code: Int32) throws {
    let pair = try SessionPair.established()
    pair.carryAll()
    pair.client.feed(bytes)
    let heard = pair.client.hear()
    #expect(heard.bytes.isEmpty)
    #expect(heard.end.failure?.code == code, "\(heard.end)")
  }

  @Test func keyUpdatesAreInvisibleAndAnswered() throws {
    let pair = try SessionPair.established()
    pair.carryAll()
    _ = pair.client.hear()
    for _ in 0..<3 {
      #expect(SSL_key_update(pair.server.ssl, SSL_KEY_UPDATE_REQUESTED) == 1)
      pair.server.say([1])
      #expect(!pair.server.output.isEmpty)
      pair.carryAll()
      #expect(pair.client.hear().bytes == [1])
      #expect(!pair.client.output.isEmpty, "the answer to the key update")
      pair.client.say([2])
      pair.carryAll()
      #expect(pair.server.hear().bytes == [2])
    }
  }

  @Test func aRequestToRenegotiateIsDeclined() throws {
    let pair = try SessionPair.established(.whole, version: .tls12)
    pair.carryAll()
    SSL_clear_options(pair.server.ssl, lab_tls_no_renegotiation())
    #expect(SSL_renegotiate(pair.server.ssl) == 1)
    _ = SSL_do_handshake(pair.server.ssl)
    pair.carryAll()
    #expect(pair.client.hear().end == .needsInput)
    pair.carryAll()
    #expect(pair.server.hear().end.failure?.code == -9840)
  }

  @Test func nothingIsSealedOrOpenedBeforeTheHandshake() throws {
    let session = try TLSSession(SessionPair.clientSettings())
    #expect([1].withUnsafeBytes { session.seal($0) } != nil)
    #expect(session.hear().end == .needsInput)
    session.close()
    #expect(session.output.isEmpty)
  }

  @Test func theWireBufferKeepsWhatItIsGiven() {
    var buffer = WireBuffer()
    defer { buffer.free() }
    var written: [UInt8] = []
    var taken: [UInt8] = []
    for step in 0..<400 {
      let bytes = Self.pattern(step * 7 % 900 + 1)
      bytes.withUnsafeBytes { if let base = $0.baseAddress { buffer.append(base, $0.count) } }
      written += bytes
      let limit = step * 13 % 1000
      var out = [UInt8](repeating: 0, count: limit)
      let count = out.withUnsafeMutableBytes { $0.baseAddress.map { buffer.take(into: $0, limit) } ?? 0 }
      taken += out.prefix(count)
      if step % 3 == 0 {
        let some = min(buffer.count, 50)
        taken += buffer.contents.prefix(some)
        buffer.drop(some)
      }
      #expect(buffer.room(100).count >= 100)
      if step % 7 == 0 {
        buffer.rest()
        #expect(buffer.capacity <= 4 * buffer.count)
      }
    }
    #expect(taken + buffer.contents == written)
  }
}
