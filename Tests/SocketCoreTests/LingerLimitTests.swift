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

  /// Looks as often as it is told to, or when there is input; returns when it is over. Everything is confirmed after
  /// `confirmed` milliseconds, and input is discarded at these.
  static func run(confirmed: Int64, input: some Sequence<Int64>) -> Int64 {
    var limit = LingerLimit(outstanding: confirmed > 0 ? 1 : 0, now: Instant(nanoseconds: 0))
    var now = Instant(nanoseconds: 0)
    for milliseconds in input {
      let arrival = Instant(nanoseconds: milliseconds * 1_000_000)
      while now < arrival {
        let left = now.nanoseconds < confirmed * 1_000_000 ? 1 : 0
        guard let next = limit.nextLook(outstanding: left, at: now) else { return now.nanoseconds }
        now = min(next, arrival)
      }
      limit.discardedInput(1, at: arrival)
    }
    while let next = limit.nextLook(outstanding: now.nanoseconds < confirmed * 1_000_000 ? 1 : 0, at: now) {
      now = next
    }
    return now.nanoseconds
  }

  @Test("more input than is allowed ends it, in one piece or in many (DIS-23)", arguments: [1, 7, 100, 101, .max])
  func maxInput(piece: Int) {
    let now = Instant(nanoseconds: 0)
    var limit = LingerLimit(outstanding: 1, maxInput: 100, now: now)
    var count = 0
    while limit.nextLook(outstanding: 1, at: now) != nil {
      #expect(count <= 100)
      limit.discardedInput(piece, at: now)
      count = count.addingReportingOverflow(piece).partialValue
    }
    #expect(count > 100 && limit.inputLeft < 0)
  }

  @Test("a peer that has everything and was sending is given a second to fall silent (DIS-22)")
  func silenceAfterInput() {
    #expect(Self.run(confirmed: 0, input: [0]) == Self.second)
    #expect(Self.run(confirmed: 0, input: [0, 700, 1400]) == 2_400_000_000)
    // One that sends now and then is silent meanwhile.
    #expect(Self.run(confirmed: 0, input: [0, 2000]) == Self.second)
    // What it sent long before it confirmed everything says nothing of now.
    let (end, late) = (Self.run(confirmed: 3000, input: [0]), Int64(250_000_000))
    #expect(end >= 3 * Self.second && end <= 3 * Self.second + late)
  }

  @Test("a peer that has everything and goes on sending is discarded for five seconds, not more (DIS-22, INV-08)")
  func endlessInput() {
    #expect(Self.run(confirmed: 0, input: stride(from: 0, to: 60_000, by: 100)) == 5 * Self.second)
    let end = Self.run(confirmed: 2000, input: stride(from: 0, to: 60_000, by: 100))
    #expect(end >= 7 * Self.second && end <= 7 * Self.second + 250_000_000)
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
    let all = [LingerLimit](repeating: limit, count: count)
    #expect(LingerLimit.evicted(of: all, descriptors: descriptors, at: now) == (isOver ? 0 : nil))
  }

  @Test(
    "the oldest one gives way that was disconnected plainly, before all that were not", arguments: [0, 1, 200, 256])
  func plainFirst(place: Int) {
    let began = Instant(nanoseconds: 0)
    var all = [LingerLimit](repeating: LingerLimit(outstanding: 1, now: began), count: 257)
    for plain in [place, 256] { all[plain] = LingerLimit(outstanding: 1, maxInput: 9, now: began) }
    #expect(LingerLimit.evicted(of: all, descriptors: 0, at: Instant(nanoseconds: Self.second)) == place)
    #expect(LingerLimit.evicted(of: all.dropFirst(), descriptors: 0, at: Instant(nanoseconds: Self.second)) == nil)
  }
}
