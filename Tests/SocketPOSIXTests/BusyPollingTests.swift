import Testing

@testable import SocketPOSIX

@Suite("Busy polling")
struct BusyPollingTests {
  private let brief = BusyPolling.briefSleep
  private let long = BusyPolling.briefSleep + 1

  @Test("brief sleeps begin it, long ones never do, and work now and then does not")
  func begins() {
    var polling = BusyPolling()
    for _ in 1..<BusyPolling.minBriefSleeps {
      polling.slept(for: brief)
      #expect(!polling.isDue)
    }
    polling.slept(for: brief)
    #expect(polling.isDue)

    var idle = BusyPolling()
    for _ in 0..<1000 { idle.slept(for: long) }
    #expect(!idle.isDue)
    // A burst of five now and then, with a pause in between.
    for _ in 0..<1000 {
      for _ in 0..<5 { idle.slept(for: 0) }
      for _ in 0..<3 { idle.slept(for: long) }
      #expect(!idle.isDue)
    }
  }

  @Test("a failure at the beginning ends it at once, a rare one later does not")
  func ends() {
    var polling = BusyPolling.begun()
    polling.polled(inVain: true)
    #expect(!polling.isDue)

    polling = .begun()
    for _ in 0..<1000 {
      for _ in 0..<BusyPolling.failureCost { polling.polled(inVain: false) }
      polling.polled(inVain: true)
      #expect(polling.isDue)
    }
    // What was gained before pays for so many failures and no more.
    for _ in 0..<BusyPolling.maxCredit { polling.polled(inVain: false) }
    for _ in 0..<(BusyPolling.maxCredit / BusyPolling.failureCost) { polling.polled(inVain: true) }
    #expect(polling.isDue)
    polling.polled(inVain: true)
    #expect(!polling.isDue)
  }

  @Test("each end in vain makes the next beginning twice as long, up to a limit; success makes that forgotten")
  func backsOff() {
    var polling = BusyPolling()
    var waits: [Int] = []
    for _ in 0..<14 {
      waits.append(polling.sleepUntilDue())
      polling.polled(inVain: true)
    }
    #expect(waits == (0..<14).map { min(BusyPolling.minBriefSleeps << $0, BusyPolling.maxBriefSleeps) })
    _ = polling.sleepUntilDue()
    for _ in 0..<BusyPolling.maxCredit { polling.polled(inVain: false) }
    for _ in 0..<1000 where polling.isDue { polling.polled(inVain: true) }
    #expect(!polling.isDue)
    #expect(polling.sleepUntilDue() <= 2 * BusyPolling.minBriefSleeps)
  }

  @Test("with events that come at random, wasted polls stay a small part of all waits", arguments: [2, 5, 20, 100])
  func wasteIsBounded(oneIn: Int) {
    var random = SystemRandomNumberGenerator()
    var polling = BusyPolling()
    var wasted = 0
    let waits = 100_000
    for _ in 0..<waits {
      let comesSoon = Int.random(in: 0..<oneIn, using: &random) == 0
      if polling.isDue {
        if !comesSoon { wasted += 1 }
        polling.polled(inVain: !comesSoon)
      } else {
        polling.slept(for: comesSoon ? brief : long)
      }
    }
    #expect(wasted < waits / 50, "of \(waits) waits \(wasted) were polled in vain")
  }
}

extension BusyPolling {
  fileprivate static func begun() -> BusyPolling {
    var polling = BusyPolling()
    _ = polling.sleepUntilDue()
    return polling
  }

  /// How many brief sleeps it takes.
  fileprivate mutating func sleepUntilDue() -> Int {
    var count = 0
    while !isDue, count < 1 << 20 {
      slept(for: 0)
      count += 1
    }
    return count
  }
}
