import COpenSSL
import SocketCore
import SocketPOSIX
import SocketValues
import Testing

@testable import SocketTLS

/// How long what holds a private key is kept.
@Suite struct ContextCacheTests {
  /// Runs what is scheduled when its time has come.
  final class Agenda: Sendable {
    let clock = HandClock()
    private let items = LockedValue<[(time: Instant, body: @Sendable () -> Void)]>([])
    /// Whether nothing can be scheduled now.
    let isFull = LockedValue(false)

    var schedule: TLSContextCache.Schedule {
      { [self] nanoseconds, body in
        guard !isFull.withLock({ $0 }) else { return false }
        let time = clock.now().advanced(by: nanoseconds)
        items.withLock { $0.append((time, body)) }
        return true
      }
    }

    var count: Int { items.withLock { $0.count } }

    func advance(seconds: Int64) {
      clock.advance(seconds: seconds)
      let now = clock.now()
      let due = items.withLock { items in
        defer { items.removeAll { $0.time <= now } }
        return items.filter { $0.time <= now }
      }
      for item in due { item.body() }
    }
  }

  let agenda = Agenda()
  let cache: TLSContextCache

  init() { cache = TLSContextCache(now: agenda.clock.now, schedule: agenda.schedule) }

  /// Secures one connection, which ends at once.
  private func connect(_ settings: TLSConfiguration) throws { _ = try TLSSession(settings, contexts: cache) }

  @Test func aContextStaysWhileItsIdentityIsInUse() throws {
    let settings = try SessionPair.serverSettings()
    try connect(settings)
    for _ in 0..<10 { agenda.advance(seconds: 300) }
    #expect(cache.count == 1)
    let context = cache.known(TLSContext.Key(settings))
    try connect(settings)
    #expect(context != nil && cache.known(TLSContext.Key(settings)) === context)
    #expect(agenda.count == 1)
  }

  /// Nobody may come for hours, and what the key opens has been recorded.
  @Test func ticketKeysGoThoughNobodyConnects() throws {
    let settings = try SessionPair.serverSettings()
    try connect(settings)
    let context = try #require(cache.known(TLSContext.Key(settings)))
    for _ in 0..<35 { agenda.advance(seconds: 300) }
    #expect(context.tickets.count == 1)
    for _ in 0..<2 { agenda.advance(seconds: 300) }
    #expect(context.tickets.count == 0 && cache.count == 1)
  }

  /// As where libdispatch would get no descriptors for its timers.
  @Test func whatCouldNotBeScheduledIsWithTheNextThatIsKept() throws {
    agenda.isFull.withLock { $0 = true }
    try connect(try SessionPair.serverSettings { $0.identity = try Mint.good.identity })
    #expect(cache.count == 1 && agenda.count == 0)
    agenda.isFull.withLock { $0 = false }
    try connect(try SessionPair.serverSettings { $0.applicationProtocols = ["a"] })
    #expect(cache.count == 2 && agenda.count == 1)
    for _ in 0..<2 { agenda.advance(seconds: 300) }
    #expect(cache.count == 0)
  }

  @Test func aContextOutlivesItsIdentityForTenMinutesAtMost() throws {
    weak var key: TLSIdentity.PrivateKey?
    weak var context: TLSContext?
    let ends = KeyEnds()
    do {
      let settings = try SessionPair.serverSettings { $0.identity = try Mint.good.identity }
      key = settings.identity?.key
      try connect(settings)
      context = cache.known(TLSContext.Key(settings))
      ends.watch(settings.identity?.key.pkey)
      ends.watch(context.flatMap { SSL_CTX_get0_privatekey($0.context) })
    }
    #expect(key == nil)
    #expect(ends.count == 1)
    #expect(cache.count == 1)
    agenda.advance(seconds: 300)
    if context != nil { agenda.advance(seconds: 300) }
    #expect(context == nil)
    #expect(cache.count == 0)
    #expect(ends.count == 2)
    #expect(agenda.count == 0)
  }

  @Test func anIdentityReadAnewFindsTheContextOfTheOneBefore() throws {
    try connect(try SessionPair.serverSettings { $0.identity = try Mint.good.identity })
    let again = try SessionPair.serverSettings { $0.identity = try Mint.good.identity }
    agenda.advance(seconds: 299)
    let context = try #require(cache.known(TLSContext.Key(again)))
    // From now on it is this one's.
    for _ in 0..<10 { agenda.advance(seconds: 300) }
    #expect(cache.known(TLSContext.Key(again)) === context)
  }

  @Test func theLeastRecentlyUsedGoesFirst() throws {
    func settings(_ number: Int) throws -> TLSConfiguration {
      try SessionPair.serverSettings { $0.applicationProtocols = ["\(number)"] }
    }
    for number in 0..<TLSContextCache.limit {
      try connect(try settings(number))
      agenda.advance(seconds: 1)
    }
    #expect(cache.known(TLSContext.Key(try settings(0))) != nil)
    try connect(try settings(1000))
    #expect(cache.count == TLSContextCache.limit)
    #expect(cache.known(TLSContext.Key(try settings(0))) != nil)
    #expect(cache.known(TLSContext.Key(try settings(1))) == nil)
    #expect(cache.known(TLSContext.Key(try settings(2))) != nil)
  }

  /// Counts the ends of keys.
  final class KeyEnds: Sendable {
    private static let index = CRYPTO_get_ex_new_index(
      CRYPTO_EX_INDEX_EVP_PKEY, 0, nil, nil, nil,
      { _, data, _, _, _, _ in
        guard let data else { return }
        Unmanaged<KeyEnds>.fromOpaque(data).takeUnretainedValue().ended.withLock { $0 += 1 }
      })
    private let ended = LockedValue(0)

    var count: Int { ended.withLock { $0 } }

    func watch(_ key: OpaquePointer?) {
      EVP_PKEY_set_ex_data(key, Self.index, Unmanaged.passUnretained(self).toOpaque())
    }
  }
}
