import Foundation
import FuzzHarness
import Testing

@Suite("Fuzz inputs")
struct FuzzInputTests {
  /// Hands a fresh input over these bytes to the body.
  private func with<Result>(_ bytes: [UInt8], _ body: (inout FuzzInput) -> Result) -> Result {
    bytes.withUnsafeBytes {
      var input = FuzzInput($0)
      return body(&input)
    }
  }

  @Test func nothingIsAProgramToo() {
    with([]) { input in
      #expect(input.version == FuzzInput.currentVersion && input.isEmpty)
      #expect(input.byte() == 0 && input.word() == 0 && !input.bool() && input.number(upTo: 9) == 0)
      #expect(input.payload(5).isEmpty && input.rest().isEmpty)
      #expect(input.choice(of: ["first", "second"]) == "first")
    }
  }

  @Test func payloadIsTakenFromTheFrontAndDecisionsFromTheBack() {
    with([1, 2, 3, 4, 5, 7]) { input in
      #expect(input.version == 7)
      #expect(input.byte() == 5)
      #expect(Array(input.payload(2)) == [1, 2])
      #expect(input.byte() == 4)
      #expect(input.remaining == 1)
      #expect(Array(input.payload(9)) == [3])
      #expect(input.byte() == 0)
    }
  }

  @Test(arguments: [0, 1, 2, 255, 256, 257, 65_535])
  func numbersStayInTheirRange(_ limit: Int) {
    for seed in UInt8.min...UInt8.max {
      let number = with([seed, seed &* 31, seed &+ 7, 1]) { $0.number(upTo: limit) }
      #expect((0...limit).contains(number))
    }
  }

  /// Whatever is written is read again, in its order.
  @Test(arguments: [3, 200, 1000])
  func whatIsWrittenIsRead(_ limit: Int) {
    var output = FuzzOutput()
    output.byte(9)
    output.bool(true)
    output.word(4660)
    output.number(limit, upTo: limit)
    output.number(-1, upTo: limit)
    output.number(limit + 1, upTo: limit)
    output.payload([10, 11, 12])
    with(output.bytes) { input in
      #expect(input.version == FuzzInput.currentVersion)
      #expect(input.byte() == 9 && input.bool() && input.word() == 4660)
      #expect(input.number(upTo: limit) == limit && input.number(upTo: limit) == 0)
      #expect(input.number(upTo: limit) == limit)
      #expect(Array(input.rest()) == [10, 11, 12] && input.isEmpty)
    }
  }
}

@Suite("The catalogue of fuzz targets")
struct FuzzTargetTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A program that the catalogue does not know would never run; an entry without a program can't be built.
  @Test func everyTargetHasAProgramAndEveryProgramIsATarget() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.root.appendingPathComponent("Fuzz").path)
    let programs = folders.filter { name in
      let folder = Self.root.appendingPathComponent("Fuzz/\(name)").path
      return (try? FileManager.default.contentsOfDirectory(atPath: folder))?.contains { $0.hasSuffix(".swift") } == true
    }
    #expect(Set(programs) == Set(FuzzTarget.all.map(\.name) + [FuzzTarget.canary.name]))
  }

  @Test func goalsAndFloorsAreSaidForTheLanesThatThereAre() {
    for target in FuzzTarget.all {
      #expect(FuzzTarget.named(target.name) == target)
      for lane in [FuzzTarget.Lane.cov, .asan] {
        #expect(target.lanes.contains(lane))
        #expect(target.floors[lane, default: 0] > 0)
        #expect(target.goals[lane, default: 0] >= target.floors[lane, default: 0], "\(target.name)")
      }
    }
  }

  @Test func aViolationIsOneLineThatNamesItsLaw() {
    #expect(Violation("INV-05", "a byte is missing").description == "violation of INV-05: a byte is missing")
  }
}
