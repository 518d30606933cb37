import COpenSSL
import SocketCore
import SocketPOSIX
import SocketValues
import Testing

@testable import SocketTLS

/// A clock that stands until it is moved.
final class HandClock: Sendable {
  private let time = LockedValue<Int64>(1_000_000_000)

  var now: @Sendable () -> Instant {
    { [self] in Instant(nanoseconds: time.withLock { $0 }) }
  }

  func advance(seconds: Int64) { time.withLock { $0 += seconds * 1_000_000_000 } }
}

/// Resumption by servers, and how long the keys of tickets live.
@Suite struct TicketTests {
  let clock = HandClock()
  let contexts = TLSContextCache()
  let settings: TLSConfiguration
  let keys: TicketKeys
  /// What was left in the memory of keys that ended: bytes other than zero.
  let leftovers = LockedValue<[Int]>([])

  init() throws {
    settings = try SessionPair.serverSettings()
    let leftovers = leftovers
    keys = TicketKeys(now: clock.now) { memory in
      leftovers.withLock { $0.append(memory.count { $0 != 0 }) }
    }
    let key = TLSContext.Key(settings)
    contexts.keep(try TLSContext(key, tickets: keys), key)
  }

  /// One connection of a client that brings a session, if any, and takes another along.
  private func visit(_ version: ProtocolVersion, bringing session: Ticket? = nil) throws -> (
    wasResumed: Bool, ticket: Ticket
  ) {
    let peer = RawPeer(.client, from: version, to: version, session: session?.session)
    let server = try TLSSession(settings, contexts: contexts)
    #expect(peer.shakeHands(with: server).isComplete)
    return (peer.isResumed, Ticket(session: try #require(peer.session)))
  }

  /// Owns one SSL_SESSION.
  private final class Ticket {
    let session: OpaquePointer
    init(session: OpaquePointer) { self.session = session }
    deinit { SSL_SESSION_free(session) }
  }

  @Test(arguments: [ProtocolVersion.tls12, .tls13])
  func aTicketOutlivesTheHourOfItsKey(_ version: ProtocolVersion) throws {
    let first = try visit(version)
    #expect(!first.wasResumed)
    #expect(keys.count == 1)
    #expect(try visit(version, bringing: first.ticket).wasResumed)
    clock.advance(seconds: 3599)
    #expect(try visit(version, bringing: first.ticket).wasResumed)
    #expect(keys.count == 1)
    clock.advance(seconds: 1)
    let renewed = try visit(version, bringing: first.ticket)
    #expect(renewed.wasResumed)
    #expect(keys.count == 2)
    // Two hours after the last ticket under the first key it is gone, and so is what was sealed with it.
    clock.advance(seconds: 7199)
    #expect(keys.count == 2)
    clock.advance(seconds: 1)
    #expect(try !visit(version, bringing: first.ticket).wasResumed)
    #expect(leftovers.withLock { $0 } == [0])
    #expect(try visit(version, bringing: renewed.ticket).wasResumed)
  }

  @Test func aHundredHoursNeverHaveMoreThanThreeKeys() throws {
    var ticket = try visit(.tls13).ticket
    for _ in 0..<100 {
      clock.advance(seconds: 3600)
      let next = try visit(.tls13, bringing: ticket)
      #expect(next.wasResumed)
      ticket = next.ticket
      #expect(keys.count <= 3)
    }
    #expect(leftovers.withLock { $0 } == [Int](repeating: 0, count: 98))
  }

  @Test func anotherServersTicketIsNoTicket() throws {
    let ticket = try visit(.tls13).ticket
    let peer = RawPeer(.client, from: .tls13, to: .tls13, session: ticket.session)
    #expect(peer.shakeHands(with: try TLSSession(settings)).isComplete)
    #expect(!peer.isResumed)
  }

  @Test func aServerThatAsksForCertificatesResumesNothing() throws {
    for version in [ProtocolVersion.tls12, .tls13] {
      let asking = try SessionPair.serverSettings { $0.clientCertificates = .optional }
      let cache = TLSContextCache()
      let peer = RawPeer(.client, from: version, to: version)
      #expect(peer.shakeHands(with: try TLSSession(asking, contexts: cache)).isComplete)
      let ticket = Ticket(session: try #require(peer.session))
      let again = RawPeer(.client, from: version, to: version, session: ticket.session)
      #expect(again.shakeHands(with: try TLSSession(asking, contexts: cache)).isComplete)
      #expect(!again.isResumed)
    }
  }
}
