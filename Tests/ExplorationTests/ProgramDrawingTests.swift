import Exploration
import ReferenceModel
import ScenarioModel
import Testing

@Suite("Programs that are drawn")
struct ProgramDrawingTests {
  private static func programs(seed: UInt64, hasClocks: Bool = true) -> [SocketProgram] {
    var drawing = ProgramDrawing(seed: seed)
    return (0..<200).map { drawing.program(livesOnRunLoop: $0 % 2 == 1, hasClocks: hasClocks) }
  }

  @Test("the same seed draws the same programs, another seed others")
  func seeds() {
    #expect(Self.programs(seed: 7) == Self.programs(seed: 7))
    #expect(Self.programs(seed: 7) != Self.programs(seed: 8))
  }

  @Test("without clocks nothing waits and nothing times out")
  func clocks() {
    let timed = Self.programs(seed: 3).filter(Self.hasClock)
    #expect(!timed.isEmpty)
    #expect(Self.programs(seed: 3, hasClocks: false).allSatisfy { !Self.hasClock($0) })
  }

  private static func hasClock(_ program: SocketProgram) -> Bool {
    program.steps.contains { step in
      switch step {
      case .wait, .call(.read(_, .some)), .call(.write(_, .some)): true
      default: false
      }
    }
  }

  @Test(
    "every kind of change changes some program, and the same seed makes the same of it",
    arguments: ProgramChange.Kind.allCases)
  func changes(kind: ProgramChange.Kind) {
    var changed = 0
    for (place, program) in Self.programs(seed: 5).enumerated() {
      let change = ProgramChange(kind, seed: UInt64(place))
      var (one, other) = (program, program)
      change.apply(to: &one)
      change.apply(to: &other)
      #expect(one == other)
      if one != program { changed += 1 }
    }
    #expect(changed > 0)
  }
}
