import ScenarioModel
import ScenarioRunner
import Testing

@testable import SuiteRunner

/// How many cases run at the same time with the descriptors that there are.
@Suite struct DescriptorLimitTests {
  private static func scenario(connections: Int) -> Scenario {
    var scenario = Scenario(id: "with-\(connections)", title: "")
    let connect = Located(PeerStep.connect(socket: ""), at: SourcePosition(line: 1, column: 1))
    let repeated = PeerStep.repeated(times: connections, steps: [connect])
    scenario.peers = [PeerLane(name: "peer", steps: [Located(repeated, at: connect.position)])]
    return scenario
  }

  /// Whatever the limit, the cases that may run at the same time have enough, and none is left out that has.
  @Test func casesFitTheDescriptors() {
    let scenarios = [1, 100, 2, 0].map { Self.scenario(connections: $0) }
    let needs = scenarios.map(DescriptorLimit.need)
    #expect(needs[1] >= needs[3] + 200)
    let variant = Variant(family: .ipv4, cut: .whole, queues: .separate)
    let plan = WorldName.allCases.flatMap { world in
      (0..<40).map { PlannedCase(scenario: $0 % 4, variant: variant, world: world, seed: UInt64($0)) }
    }
    for wanted in [1, 2, 8, 32, 256] {
      let enough = DescriptorLimit.needed(for: plan, of: scenarios, jobs: wanted)
      for limit in [0, 3, 40, 64, 100, 200, 256, 300, 512, 1_024, enough - 1, enough, 1 << 20] {
        let fit = DescriptorLimit(plan, of: scenarios, atMost: wanted, limit: limit)
        let left = limit - DescriptorLimit.ofLab
        let allowed = plan.filter { $0.world == .loopback && fit.allows($0) }.map { needs[$0.scenario] }
        #expect(allowed.count + fit.skipped.count == 40)
        #expect(fit.skipped.allSatisfy { $0.verdict == .skipped && $0.reason?.contains("ulimit -n \(enough)") == true })
        #expect(allowed.sorted(by: >).prefix(fit.jobs).reduce(0, +) <= max(left, 0), "\(wanted) with \(limit)")
        #expect(plan.filter { $0.world == .simulated }.allSatisfy(fit.allows))
        if limit >= enough { #expect(fit.jobs == wanted && fit.skipped.isEmpty) }
        #expect((1...wanted).contains(fit.jobs))
      }
    }
  }
}
