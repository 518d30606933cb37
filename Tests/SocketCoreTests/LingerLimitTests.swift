import SocketCore
import SocketValues
import Testing

/// How long a closed connection is kept for its last bytes (DIS-22, INV-08).
@Suite("Linger limit")
struct LingerLimitTests {
  static let second: Int64 = 1_000_000_000

  /// Looks as often as it is told to, with what is left at that nanosecond; returns when it is over, and the looks.
  static func run(_ left: (Int64) -> Int) -> (end: Int64, looks: Int) {
    var limit = LingerLimit(outstanding: left(0), now: Instant(nanoseconds: 0))
    var now = Instant(nanoseconds: 0)
    var looks = 1
    while let next = limit.nextLook(outstanding: left(now.nanoseconds), at: now) {
      #expect(next > now)
      now = next
      looks += 1
    }
    return (now.nanoseconds, looks)
  }

  @Test("nothing left: it is over at once")
  func nothing() { #expect(Self.run { _ in 0 } == (0, 1)) }

  @Test("a peer that takes everything is noticed soon", arguments: [1, 10, 100, 1000, 4000])
  func confirmed(milliseconds: Int64) {
    let end = Self.run { $0 < milliseconds * 1_000_000 ? 7 : 0 }.end
    let late = end - milliseconds * 1_000_000
    #expect(late >= 0 && late <= max(20_000_000, milliseconds * 1_000_000 / 8))
  }

  @Test("a peer that takes nothing is waited for five seconds, and not looked at all the time")
  func silence() {
    let (end, looks) = Self.run { _ in 100 }
    #expect(end == 5 * Self.second)
    #expect(looks < 60)
  }

  @Test("progress gives another five seconds")
  func progress() {
    // The last byte is taken after three seconds, or shortly after: at the first look then.
    let (end, _) = Self.run { $0 < 3 * Self.second ? 100 : 50 }
    #expect(end >= 8 * Self.second && end <= 8 * Self.second + 250_000_000)
  }

  @Test("a byte now and then buys a minute, not more")
  func trickle() {
    let (end, looks) = Self.run { 1_000_000 - Int($0 / Self.second) }
    #expect(end == 60 * Self.second)
    #expect(looks < 350)
  }

  @Test(
    "the oldest of many gives way, but not before its peer could confirm anything, unless they are far too many",
    arguments: [
      // count, descriptors, age in milliseconds, gives way
      (256, 0, 60_000, false), (257, 0, 60_000, true), (512, 1024, 0, false), (513, 1024, 0, true),
      (256, 1024, 1_000, false),
      (257, 1024, 1_000, true), (512, 2048, 1_000, false), (513, 2048, 1_000, true), (513, 2048, 999, false),
      (1024, 2048, 0, false), (1025, 2048, 0, true), (5000, 1 << 20, 60_000, false),
    ])
  func many(count: Int, descriptors: Int, milliseconds: Int64, isOver: Bool) {
    let limit = LingerLimit(outstanding: 1, now: Instant(nanoseconds: 5))
    let now = Instant(nanoseconds: 5 + milliseconds * 1_000_000)
    #expect(limit.shouldEvict(oldestOf: count, descriptors: descriptors, at: now) == isOver)
  }
}
