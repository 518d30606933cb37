import Testing

@testable import Conversations

@Suite struct PacingTests {
  @Test(
    "pauses are rounded to 1, 2, 5 and so on; short ones are none, long ones are cut",
    arguments: [
      (4_999, 0), (5_000, 5_000), (6_900, 5_000), (7_200, 10_000), (13_000, 10_000), (15_000, 20_000),
      (480_000, 500_000), (1_300_000, 1_000_000), (60_000_000, 2_000_000),
    ])
  func rounding(_ row: (pause: Int, rounded: Int)) {
    let pacing = Pacing()
    let rounded = pacing.rounded(.microseconds(row.pause))
    #expect(rounded == .microseconds(row.rounded))
    #expect(pacing.rounded(rounded) == rounded)
  }
}
