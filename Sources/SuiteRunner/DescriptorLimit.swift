import Glibc
import HostTools
import ScenarioModel
import ScenarioRunner

/// How many descriptors the process may have open, and which cases can run at the same time with them. A case that
/// finds no descriptor left would be judged for that and not for what it did.
package struct DescriptorLimit {
  /// What the lab itself has open.
  static let ofLab = 16
  /// What a loopback case has open besides its connections; measured, with room to spare.
  private static let ofCase = 40

  /// How many cases run at the same time: even the largest together have enough descriptors.
  let jobs: Int
  /// The cases that can't run, one result each, which says why.
  let skipped: [CaseResult]
  private let left: Int
  private let needs: [Int]

  /// - Parameters:
  ///   - plan: all cases; those of the simulated world need nothing.
  ///   - scenarios: of the plan.
  ///   - wanted: cases at the same time, if there is enough for them.
  ///   - limit: descriptors that may be open.
  init(_ plan: [PlannedCase], of scenarios: [Scenario], atMost wanted: Int, limit: Int) {
    let needs = scenarios.map(Self.need)
    let left = limit - Self.ofLab
    (self.needs, self.left) = (needs, left)
    let reason = Self.reason(limit: limit, needed: Self.needed(for: plan, of: scenarios, jobs: wanted))
    var sizes: [Int] = []
    var skipped: [CaseResult] = []
    for planned in plan where planned.world == .loopback {
      let need = needs[planned.scenario]
      guard need > left else {
        sizes.append(need)
        continue
      }
      var result = CaseResult(
        scenario: scenarios[planned.scenario], variant: planned.variant, world: planned.world, seed: planned.seed)
      result.verdict = .skipped
      result.reason = reason
      skipped.append(result)
    }
    self.skipped = skipped
    var sum = 0
    let fitting = sizes.sorted(by: >).prefix(wanted).prefix { need in
      sum += need
      return sum <= left
    }
    jobs = fitting.count == min(wanted, sizes.count) ? wanted : max(1, fitting.count)
  }

  /// Whether there is enough for the case.
  func allows(_ planned: PlannedCase) -> Bool { planned.world != .loopback || needs[planned.scenario] <= left }

  /// Raises the limit as far as the cases need and the system lets, and notes if that is not enough. Throws if not a
  /// single case can run.
  static func fit(
    _ plan: [PlannedCase], of scenarios: [Scenario], atMost wanted: Int, note: (String) -> Void
  ) throws(LabFailure) -> DescriptorLimit {
    let needed = needed(for: plan, of: scenarios, jobs: wanted)
    let limit = raise(to: needed)
    let fit = DescriptorLimit(plan, of: scenarios, atMost: wanted, limit: limit)
    guard fit.skipped.count < plan.count || plan.isEmpty else {
      throw LabFailure("Nothing ran: \(reason(limit: limit, needed: needed)), or run with --world simulated.")
    }
    if fit.jobs < wanted {
      note(
        "\(QuantityText.count(fit.jobs, "loopback case")) at a time instead of \(wanted): "
          + "\(reason(limit: limit, needed: needed)).")
    }
    return fit
  }

  private static func reason(limit: Int, needed: Int) -> String {
    "only \(limit) descriptors may be open; raise the limit with ulimit -n \(needed)"
  }

  /// The descriptors that the largest `jobs` cases and the lab need together; 0 without loopback cases.
  package static func needed(for plan: [PlannedCase], of scenarios: [Scenario], jobs: Int) -> Int {
    let needs = scenarios.map(need)
    let sizes = plan.filter { $0.world == .loopback }.map { needs[$0.scenario] }
    return sizes.isEmpty ? 0 : ofLab + sizes.sorted(by: >).prefix(jobs).reduce(0, +)
  }

  /// Both ends of every connection that the peers may have at the same time, the port of each peer, and `ofCase`.
  static func need(of scenario: Scenario) -> Int {
    ofCase + scenario.peers.count + 2 * scenario.peers.reduce(0) { $0 + connections($1.steps) }
  }

  /// More than any limit, and far from what an Int holds.
  private static let most = 1 << 24

  private static func connections(_ steps: [Located<PeerStep>]) -> Int {
    steps.reduce(0) { sum, step in
      switch step.value {
      case .connect, .accept: sum + 1
      case .repeated(let times, let inner): min(most, sum + min(times, most) * connections(inner))
      default: sum
      }
    }
  }

  /// What the limit can be raised to.
  package static var highest: Int { Int(clamping: limits.rlim_max) }

  /// Raises the limit to `count` if it is lower and may be raised; returns what it is then.
  @discardableResult
  static func raise(to count: Int) -> Int {
    var limits = limits
    guard limits.rlim_cur < UInt(count) else { return Int(clamping: limits.rlim_cur) }
    limits.rlim_cur = min(limits.rlim_max, UInt(count))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    return Int(clamping: Self.limits.rlim_cur)
  }

  private static var limits: rlimit {
    var limits = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    return limits
  }
}
