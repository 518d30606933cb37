import ReferenceModel
import ScenarioModel

/// Programs at random, from a seed.
struct ProgramGenerator {
  private var random: SplitMix64

  init(seed: Int) { random = SplitMix64(seed: UInt64(truncatingIfNeeded: seed)) }

  mutating func number(_ limit: Int) -> Int { random.below(limit) }

  mutating func chance(_ odds: Int) -> Bool { number(odds) == 0 }

  mutating func bytes(_ most: Int) -> [UInt8] { (0..<number(most + 1)).map { _ in [97, 98, 13, 10][number(4)] } }

  mutating func program() -> SocketProgram {
    var program = SocketProgram()
    program.closesOnEndOfStream = !chance(4)
    if chance(4) { program.room = number(20) }
    program.extensions = (0..<number(3)).map { _ in number(4) * 5 }
    program.steps = (0..<(1 + number(12))).map { _ in step() }
    program.reactions = (0..<number(3)).map { _ in SocketProgram.Reaction(callback: number(8), call: call()) }
    return program
  }

  private mutating func step() -> SocketProgram.Step {
    switch number(14) {
    case 0...3: .arrive(bytes(9))
    case 4...8: .call(call())
    case 9: .wait(number(12))
    case 10: chance(2) ? .peerFinishes : .peerResets
    case 11: .reconnect
    case 12: .makeRoom(number(9))
    default: .wake
    }
  }

  private mutating func call() -> SocketProgram.Call {
    let timeout = chance(3) ? number(10) : nil
    switch number(8) {
    case 0, 1: return .read(.exactly(number(6)), timeout: timeout)
    case 2, 3:
      return .read(
        .through([[10], [13, 10], [97, 98]][number(3)], limit: chance(3) ? number(9) : 0), timeout: timeout)
    case 4: return .read(.available(limit: number(5)), timeout: timeout)
    case 5, 6: return .write(bytes(8), timeout: timeout)
    default:
      return chance(2) ? .disconnect : .disconnectAfter(reads: chance(2), writes: true)
    }
  }
}
