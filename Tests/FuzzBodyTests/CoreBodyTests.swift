import CoreFuzzing
import FuzzHarness
import ReferenceModel
import ScenarioModel
import Testing

/// The bodies that run the core's queues and lives.
@Suite("Core bodies")
struct CoreBodyTests {
  static let bodies: [(name: String, body: FuzzBody)] = [
    ("readqueue", LockstepFuzzing.readQueue.body), ("writequeue", LockstepFuzzing.writeQueue.body),
    ("connection", LockstepFuzzing.connection.body), ("duplex", DuplexFuzzing.body),
  ]

  static func inputs(_ count: Int, upTo most: Int) -> [[UInt8]] {
    var random = SplitMix64(seed: 1)
    return (0..<count).map { RandomInput.bytes(random.below(most + 1), seed: $0) }
  }

  @Test("find nothing wrong, whatever the input", arguments: 0..<4)
  func nothing(index: Int) {
    let (name, body) = Self.bodies[index]
    for input in Self.inputs(4000, upTo: 200) + Self.inputs(20, upTo: 4096) {
      let violation = input.withUnsafeBytes { body($0) }
      #expect(violation == nil, "\(name): \(input)")
      if violation != nil { return }
    }
  }

  @Test("the engine is led all the ways that must make no difference")
  func ways() throws {
    var ways: [String: Int] = [:]
    for (index, input) in Self.inputs(6000, upTo: 200).enumerated() {
      try input.withUnsafeBytes { bytes in
        let kinds = [LockstepFuzzing.readQueue, .writeQueue, .connection][index % 3].kinds
        var decoder = ProgramDecoder(bytes, kinds: kinds)
        var lockstep = Lockstep(decoder, filter: PassThrough())
        try lockstep.run(&decoder)
        let seen = lockstep.ways
        ways["calls inside callbacks", default: 0] += seen.callsInCallbacks
        ways["operations put off", default: 0] += seen.deferred
        ways["served on the fast path", default: 0] += seen.servedOnFastPath
        ways["completed on return", default: 0] += seen.completedOnReturn
        ways["ends held", default: 0] += seen.endsHeld
      }
    }
    #expect(ways.values.allSatisfy { $0 >= 3 }, "\(ways)")
  }

  @Test("a pipe's ends are told apart, and each one's story is that of a socket")
  func duplexPrograms() {
    var steps = (left: 0, right: 0)
    for input in Self.inputs(200, upTo: 100) {
      let programs = input.withUnsafeBytes { DuplexFuzzing.program(from: $0) }
      steps = (steps.left + programs.left.steps.count, steps.right + programs.right.steps.count)
      for program in [programs.left, programs.right] {
        #expect(throws: Never.self, "\(program)") {
          try Lockstep.run(program, conduct: Conduct(), filter: PassThrough())
        }
      }
    }
    #expect(steps.left > 200 && steps.right > 200)
  }
}
