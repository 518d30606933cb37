import Testing

@testable import HostTools

@Suite struct InterruptHistoryTests {
  private static let start = ContinuousClock.now

  @Test func theFirstEndsInOrderAndTheSecondAtOnce() {
    let history = InterruptHistory()
    #expect(history.take(at: Self.start, wasSet: false) == .first)
    #expect(history.take(at: Self.start + .milliseconds(100), wasSet: true) == .second)
  }

  /// `timeout` sends its signal twice.
  @Test func whatComesRightBehindTheFirstIsTheFirstOnceMore() {
    let history = InterruptHistory()
    #expect(history.take(at: Self.start, wasSet: false) == .first)
    #expect(history.take(at: Self.start, wasSet: true) == .echo)
    #expect(history.take(at: Self.start + .milliseconds(99), wasSet: true) == .echo)
    #expect(history.take(at: Self.start + .seconds(1), wasSet: true) == .second)
  }

  @Test func whatEndsAnywayIsEndedByTheFirstSignal() {
    #expect(InterruptHistory().take(at: Self.start, wasSet: true) == .second)
  }
}
