import COpenSSL
import SocketCore
import Testing

@testable import SocketTLS

/// Peers that keep a session busy with everything but data.
@Suite struct FloodTests {
  enum Flood: CaseIterable { case newKeys, newKeysWished, tickets, requests }

  /// One message of that kind, in a record of its own.
  static func flood(_ kind: Flood, from server: TLSSession) {
    switch kind {
    case .newKeys: #expect(SSL_key_update(server.ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1)
    case .newKeysWished: #expect(SSL_key_update(server.ssl, SSL_KEY_UPDATE_REQUESTED) == 1)
    case .tickets: #expect(SSL_new_session_ticket(server.ssl) == 1)
    case .requests:
      SSL_clear_options(server.ssl, lab_tls_no_renegotiation())
      #expect(SSL_renegotiate(server.ssl) == 1)
    }
    #expect(SSL_do_handshake(server.ssl) == 1)
  }

  /// A ticket that carries so much that it takes several records.
  static func ticketInPieces(from server: TLSSession) {
    let luggage = [UInt8](repeating: 7, count: 3000)
    #expect(SSL_SESSION_set1_ticket_appdata(SSL_get_session(server.ssl), luggage, luggage.count) == 1)
    #expect(lab_peer_set_fragment(server.ssl, 512) == 1)
    flood(.tickets, from: server)
  }

  /// A pair in which nothing is on its way.
  static func pair(_ version: ProtocolVersion = .tls13) throws -> SessionPair {
    let pair = try SessionPair.established(.whole, version: version)
    pair.carryAll()
    #expect(pair.client.hear().end == .needsInput)
    return pair
  }

  @Test(arguments: Flood.allCases) func aFloodEndsTheSession(_ kind: Flood) throws {
    let pair = try Self.pair(kind == .requests ? .tls12 : .tls13)
    for _ in 0..<300 { Self.flood(kind, from: pair.server) }
    pair.carryAll()
    let end = pair.client.hear().end
    #expect(end.failure?.code == -9849, "\(end)")
    #expect(pair.client.peek() == end)
    #expect([1].withUnsafeBytes { pair.client.seal($0) } == end.failure)
    // The peer is told by an alert, not by silence.
    pair.carryAll()
    let told = pair.server.hear().end.failure?.code
    #expect(told == (kind == .requests ? -9840 : -9819), "\(String(describing: told))")
  }

  @Test(arguments: Flood.allCases, [true, false]) func dataInBetweenAreWhatCounts(_ kind: Flood, _ isOurs: Bool) throws
  {
    guard kind != .requests else { return }
    let pair = try Self.pair()
    for _ in 0..<20 {
      for _ in 0..<100 { Self.flood(kind, from: pair.server) }
      if isOurs { pair.client.say([2]) } else { pair.server.say([1]) }
      pair.carryAll()
      let heard = pair.client.hear()
      #expect(heard.bytes == (isOurs ? [] : [1]))
      #expect(heard.end == .needsInput)
      pair.carryAll()
      #expect(pair.server.hear().bytes == (isOurs ? [2] : []))
    }
  }

  /// A message in many records is one message, and may come to a halt between any two of them.
  @Test func aTicketInPiecesStopsNobody() throws {
    let pair = try Self.pair()
    for round in 0..<4 {
      Self.ticketInPieces(from: pair.server)
      let records = Records.split(pair.server.takeOutput())
      #expect(records.count > 5)
      for record in records {
        pair.client.feed(record)
        #expect(pair.client.hear().end == .needsInput)
        #expect(pair.client.maySeal == (record == records.last))
      }
      pair.client.say([UInt8(round)])
      pair.carryAll()
      #expect(pair.server.hear().bytes == [UInt8(round)])
    }
  }
}

enum Records {
  /// The records that stand one behind the other.
  static func split(_ wire: [UInt8]) -> [[UInt8]] {
    var records: [[UInt8]] = []
    var rest = wire[...]
    while rest.count >= 5 {
      let length = 5 + Int(rest[rest.startIndex + 3]) << 8 + Int(rest[rest.startIndex + 4])
      records.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return records
  }
}
